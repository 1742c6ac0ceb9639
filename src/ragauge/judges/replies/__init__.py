"""Reading of judges' replies: strict against a schema, quotes looked up."""
