"""The shapes in which tools and data sets write rows: a table of entries, its reader, and what a table cannot say."""
