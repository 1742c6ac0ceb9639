"""Files and objects as samples: formats and shapes are recognised, columns are mapped to fields, rows are paired by question."""
