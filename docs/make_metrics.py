"""Writes docs/metrics.md from the metrics' own docstrings: python docs/make_metrics.py"""

import inspect
import re
from pathlib import Path

from ragauge import catalog
from ragauge.cli.metrics_command import fields_of
from ragauge.label import Label
from ragauge.metric import Metric

HEAD = """# The metrics

Made by `docs/make_metrics.py` from the docstrings; `ragauge metrics NAME` prints one in full. Values lie in [0, 1], higher is
better, unless it says otherwise.

| metric | reads | what it says |
|---|---|---|
"""


def row(name: str, metric: Metric) -> str:
    return f"| `{name}` | {', '.join(fields_of(metric))} | {metric.summary} |\n"


def chapter(name: str, metric: Metric) -> str:
    text = inspect.getdoc(metric.function) or ""
    prose = re.split(r"^>>>", text, maxsplit=1, flags=re.MULTILINE)[0].strip()
    settings = Label("", {one.name: one.default for one in metric.settings})
    shown = f" Settings: `{str(settings)[1:-1]}`." if metric.settings else ""
    return f"\n## {name}\n\n{prose}\n\nVersion {metric.version}.{shown}\n"


def main() -> None:
    metrics = catalog.metrics().items()
    page = HEAD + "".join(row(*one) for one in metrics) + "".join(chapter(*one) for one in metrics)
    Path(__file__).with_name("metrics.md").write_text(page)


if __name__ == "__main__":
    main()
