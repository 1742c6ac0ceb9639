"""A plug-in for ragauge: copy the folder, rename it, and leave out what you do not need."""
