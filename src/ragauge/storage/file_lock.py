"""Locks on open files, by which one process sees whether another still lives: they end with it."""


def lock(handle: int) -> bool:
    """Lock an open file without waiting; False if another process has locked it."""
    try:
        import fcntl
    except ImportError:  # Windows removes no file that is open
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True
