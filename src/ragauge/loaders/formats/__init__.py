"""Files and objects as tables: one module for each format, compression and kind of object."""
