"""The option `--plugin`: Python files that define metrics."""

import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

import click

from ragauge.errors import PlanError
from ragauge.storage.regular_file import is_file

plugin_option = click.option(
    "--plugin",
    "plugins",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Python file that defines metrics; ragauge executes it. Repeatable.",
)


class _Uncached(SourceFileLoader):
    """Compiles the file each time: bytecode of an edit in the same second would be run for the new text."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def import_plugins(files: Sequence[Path]) -> None:
    """Execute the files that define metrics; PlanError when one fails."""
    import importlib.util

    for file in dict.fromkeys(files):
        name = _module_name(file)
        loader = _Uncached(name, str(file.absolute())) if file.suffix == ".py" else None
        spec = importlib.util.spec_from_file_location(name, file, loader=loader)
        if spec is None or spec.loader is None or not is_file(file):
            raise PlanError(
                [f"{file}: not a Python file; --plugin takes a .py file that defines metrics"]
            )
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise anything; name its file
            what = f"{type(error).__name__}: {error}"
            raise PlanError(
                [f"{file}: importing the plugin raised {what}; fix the file"]
            ) from error


def _module_name(file: Path) -> str:
    """A module name for the file, distinct from other files of the same name."""
    name = f"ragauge_plugin_{file.stem}"
    while name in sys.modules and sys.modules[name].__file__ != str(file.absolute()):
        name += "_"
    return name
