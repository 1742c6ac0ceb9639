"""The rows that a tool writes, and a format of reports."""

from ragauge.loaders.shapes.reader import Shape
from ragauge.report.report import Report

MY_TOOL = Shape(
    takes={"answer": "trial.steps[0].said: text", "contexts": "trial.pages[].body"},
    also={"references": "target.text", "question": "trial.asked"},
)
"""{"trial": {"asked": "…", "steps": [{"said": "…"}], "pages": [{"body": "…"}]}, "target": {"text": "…"}}"""


def to_rst(report: Report) -> str:
    """The report in reStructuredText: the headline, and each table as CSV."""
    parts = [report.headline]
    for table in report.tables_in("md"):
        rows = [table.header, *table.texts]
        lines = (", ".join(f'"{cell}"' for cell in row) for row in rows)
        parts.append(".. csv-table::\n   :header-rows: 1\n\n   " + "\n   ".join(lines))
    return "\n\n".join(part for part in parts if part) + "\n"
