"""ragauge scores what retrieval and question-answering systems return, and makes the scores hold up."""

import ragauge.start  # isort: skip  # pyright: ignore[reportUnusedImport]  # before all else
import lazy_loader

import ragauge.metric  # pyright: ignore[reportUnusedImport]  # see below
import ragauge.score  # noqa: F401  # pyright: ignore[reportUnusedImport]

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # pyright: ignore[reportUnknownVariableType]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("ragauge")
    return _public(name)


# `score` and `metric` are modules of this package and public functions too. The first import of a
# module makes it an attribute of its package, so they are imported above, and these attributes go.
del globals()["metric"], globals()["score"]
