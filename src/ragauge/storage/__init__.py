"""Files and places: read regular files, write atomically, lock, cache, object stores."""
