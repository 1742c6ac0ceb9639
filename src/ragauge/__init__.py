"""ragauge scores what retrieval and question-answering systems return, and makes the scores hold up."""

import ragauge.start  # noqa: F401  # isort: skip  # pyright: ignore[reportUnusedImport]  # before all else
import sys
from types import ModuleType

import lazy_loader

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # pyright: ignore[reportUnknownVariableType]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("ragauge")
    return _public(name)


class _Package(ModuleType):
    """`score`, `metric` and `questions` are modules of this package and public functions too: the functions are its attributes."""

    def __setattr__(self, name: str, value: object) -> None:
        # The import of a module would make it an attribute of its package.
        if not (name in ("metric", "questions", "score") and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
