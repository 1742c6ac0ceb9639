"""The option `--plugin`: Python files that define metrics."""

from collections.abc import Sequence
from pathlib import Path

import click

from ragauge.errors import PlanError
from ragauge.storage.python_file import import_file
from ragauge.storage.regular_file import is_file

plugin_option = click.option(
    "--plugin",
    "plugins",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Python file that defines metrics; ragauge executes it. Repeatable.",
)


def import_plugins(files: Sequence[Path]) -> None:
    """Execute the files that define metrics; PlanError when one fails."""
    for file in dict.fromkeys(files):
        if file.suffix != ".py" or not is_file(file):
            raise PlanError(
                [f"{file}: not a Python file; --plugin takes a .py file that defines metrics"]
            )
        try:
            import_file(file, "ragauge_plugin")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise anything; name its file
            what = f"{type(error).__name__}: {error}"
            raise PlanError(
                [f"{file}: importing the plugin raised {what}; fix the file"]
            ) from error
