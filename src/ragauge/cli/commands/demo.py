"""Evaluate the bundled example: three systems, thirty questions."""

from importlib import resources
from pathlib import Path

from ragauge.cli.commands.run import run_config
from ragauge.cli.declare import declare, option
from ragauge.cli.streams import say
from ragauge.errors import StoreError
from ragauge.evaluation.config import Config
from ragauge.runs.store import RunFolder

EXAMPLE = "examples/handbook"


@declare("demo")
def command(
    *,
    folder: Path | None = option(
        "Folder for the results.  [default: ragauge-demo, or ragauge-demo-judged with --judged]"
    ),
    judged: bool = option("Run the graphrag suite with recorded judge replies; needs no API key."),
    full: bool = option("Print all metrics, systems, notes and findings."),
    no_report: bool = option("Do not write report.html."),
) -> int:
    """Evaluate the bundled example: three systems answer thirty questions about a small handbook.

    Prints the summary by system and by question type, and writes the run, summary.json, summary.md
    and report.html, a page to look at. --judged also scores five of the questions with a language model's recorded replies.
    """
    from dataclasses import replace

    name = "judged.toml" if judged else "demo.toml"
    folder = folder or Path("ragauge-demo-judged" if judged else "ragauge-demo")
    config = replace(Config.load(example() / name), folder=folder)
    try:
        code = run_config(config, full=full, report=not no_report)
    except StoreError:
        if RunFolder(folder).origin() != (str(config.data), judged):
            raise
        say(f"{folder}: replacing the demo of another version of ragauge")
        RunFolder(folder).remove()
        code = run_config(config, full=full, report=not no_report)
    return code


def example() -> Path:
    """The folder of the bundled example: in the installed package, or in a checkout."""
    package = Path(str(resources.files("ragauge")))
    for base in (package, package.parent.parent):
        if (base / EXAMPLE / "demo.toml").is_file():
            return base / EXAMPLE
    raise StoreError("the bundled example is missing; reinstall ragauge")
