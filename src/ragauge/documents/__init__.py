"""Documents of any format → their texts and passages; duplicates and boilerplate are left out and counted."""
