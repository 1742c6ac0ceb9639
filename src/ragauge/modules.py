"""Where a module would be imported from."""

from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder


def find_spec(
    module: str, find_top: Callable[[str], ModuleSpec | None] = PathFinder.find_spec
) -> ModuleSpec | None:
    """Where a module would be imported from; None if nowhere. Found without importing its package.

    `find_top` finds the top-level name. The default looks only at `sys.path`, as a new process does;
    `importlib.util.find_spec` also asks the finders of this process, such as those of editable installs.

    >>> find_spec("json.decoder").name, find_spec("json.decoder.nothing")
    ('json.decoder', None)
    """
    top, *rest = module.split(".")
    name = top
    try:
        spec = find_top(top)
        for word in rest:
            if (
                spec is None or spec.submodule_search_locations is None
            ):  # a module has no modules in it
                return None
            name = f"{name}.{word}"
            # The finders of editable installs know top-level names only, and import nothing.
            spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
    except (ImportError, KeyError, ValueError):
        return None
    return spec
