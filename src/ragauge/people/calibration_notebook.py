"""A calibration in a notebook and at a Python prompt."""

import io

from ragauge.people.calibrate import Calibration
from ragauge.people.calibration import CalibrationScreen, Section, print_calibration
from ragauge.report.html_table import html_table, html_text, small
from ragauge.report.rendered import Rendered


def rendered_calibration(found: Calibration) -> Rendered:
    """The first screen of a calibration as text and as HTML; all texts are escaped."""
    return Rendered(_text(found), _html(found))


def _text(found: Calibration) -> str:
    from ragauge.report.terminal import console

    out = io.StringIO()
    print_calibration(console(out), CalibrationScreen(found))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _html(found: Calibration) -> str:
    screen = CalibrationScreen(found)
    sections = [screen.agreement, *([screen.rate_section] if screen.rate_section else [])]
    tables = "".join(_table(section) for section in sections if section.rows)
    notes = "".join(f"<div>{small(html_text(note, None))}</div>" for note in screen.notes)
    worst = "".join(
        f"<div>{small(html_text(f'{text} ({id})', None))}</div>" for text, id in screen.worst
    )
    title = small(html_text(screen.title, None))
    headline = html_text(screen.headline, None)
    return f"<div><b>{headline}</b><div>{title}</div>{tables}{notes}{worst}</div>"


def _table(section: Section) -> str:
    alignment = ["left", *["right"] * (len(section.header) - 1)]
    rows = [[html_text(cell, None) for cell in row] for row in section.rows]
    return html_table([html_text(name, None) for name in section.header], rows, alignment)
