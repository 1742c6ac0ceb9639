"""`ragauge demo`."""

from importlib import resources
from pathlib import Path

import click

from ragauge.cli import say
from ragauge.cli.running import run_config
from ragauge.config import Config
from ragauge.errors import StoreError
from ragauge.runs.store import RunFolder

EXAMPLE = "examples/handbook"


@click.command("demo", short_help="Evaluate the bundled example.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path("ragauge-demo"),
    show_default=True,
    help="Leave the results here.",
)
@click.option(
    "--judged",
    is_flag=True,
    help="The graphrag suite, with a judge's recorded replies: no key is needed.",
)
def command(folder: Path, judged: bool) -> int:
    """Evaluate the bundled example: three systems answer thirty questions about a small handbook.

    Prints the summary by system and by question type, and leaves the run with summary.json and summary.md. With --judged a language model's verdicts on five of the questions are shown.
    """
    from dataclasses import replace

    name = "judged.toml" if judged else "demo.toml"
    config = replace(Config.load(example() / name), folder=folder)
    try:
        code = run_config(config)
    except StoreError:
        if not _is_demo(folder):
            raise
        RunFolder(folder).remove()
        code = run_config(config)
    say(f"left the run with summary.json and summary.md in {folder}")
    return code


def _is_demo(folder: Path) -> bool:
    """Whether the folder holds a demo, of another version than this one."""
    source = RunFolder(folder).data_source()
    return Path(source).parts[-3:] == (*Path(EXAMPLE).parts, "answers.jsonl")


def example() -> Path:
    """Where the bundled example lies: in the installed package, or beside it in a checkout."""
    package = Path(str(resources.files("ragauge")))
    for base in (package, package.parent.parent):
        if (base / EXAMPLE / "demo.toml").is_file():
            return base / EXAMPLE
    raise StoreError("the bundled example is not there; install ragauge again")
