"""Columns made from columns, shared by the metrics that name them."""
