"""Claims and anchors of an answer, and where contexts support them."""
