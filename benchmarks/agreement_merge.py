"""Put the figures of some metrics into the page and the notes that were written before for all."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

Rows = list[list[str]]


def merged_page(old: str, new: str, metrics: Sequence[str]) -> str:
    """The old tables with the lines and columns of the new ones, and a line that says which are new."""
    fresh = dict(_tables(new))
    parts: list[str] = []
    for key, part in _parts(old):
        table, added = _rows(part), fresh.get(key)
        if table and added:
            part = _replaced(part, _merged_table(table, added))
        parts.append(part)
    text = "".join(parts)
    again = _measured_again(text, metrics)
    text = AGAIN.sub("", text)
    return (
        text.replace("\n\n", f"\n\n{again}\n", 1) if text.startswith("\nMeasured") else again + text
    )


AGAIN = re.compile(r"Measured again on (.*): (.*)\.\n\n?")


def _measured_again(text: str, metrics: Sequence[str]) -> str:
    """A line for each later date, with the metrics whose figures are of that date."""
    dates = dict.fromkeys(metrics, date.today().isoformat())
    for day, names in AGAIN.findall(text):
        for name in re.findall(r"`(\w+)`", names):
            dates.setdefault(name, day)
    by_date = {day: [f"`{name}`" for name in dates if dates[name] == day] for day in dates.values()}
    return "".join(
        f"Measured again on {day}: {', '.join(by_date[day])}.\n" for day in sorted(by_date)
    )


def merged_notes(old: str, new: str) -> str:
    """The old file with the tables of the new one, each with its own date."""
    fresh = dict(_blocks(new))
    blocks = (fresh.get(name, block) if name else block for name, block in _blocks(old))
    return "".join(blocks).rstrip("\n") + "\n"


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The tables of a TOML file by name, each with its header; "" for what is before the first."""
    parts = re.split(r"(?m)^(?=\[metrics\.)", text)
    for part in parts:
        header = re.match(r"\[metrics\.(\w+)\]", part)
        yield (header[1] if header else ""), part.rstrip("\n") + "\n\n" if header else part


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The page, split before its headings; the key is the heading with the title above it."""
    title = ""
    for part in re.split(r"(?m)^(?=##+ )", text):
        heading = part.partition("\n")[0]
        if heading.startswith("## "):
            title = heading
        yield f"{title}|{heading}", part


def _tables(text: str) -> Iterator[tuple[str, Rows]]:
    for key, part in _parts(text):
        if table := _rows(part):
            yield key, table


def _rows(part: str) -> Rows:
    """The cells of the part's table, heading first."""
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


def _replaced(part: str, table: Rows) -> str:
    lines = part.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("|"))
    n = sum(line.startswith("|") for line in lines)
    lines[first : first + n] = [f"| {' | '.join(cells)} |" for cells in table]
    return "\n".join(lines) + ("\n" if part.endswith("\n") else "")


def _merged_table(old: Rows, new: Rows) -> Rows:
    if old[0][0] == "set":
        return _merged_columns(old, new)
    fresh = {cells[0]: cells for cells in new[2:]}
    rows = [fresh.get(cells[0], cells) for cells in old[2:]]
    if "mean AUROC" in old[0]:
        at = old[0].index("mean AUROC")
        rows.sort(key=lambda cells: -float(cells[at]))
    return [*old[:2], *rows]


def _merged_columns(old: Rows, new: Rows) -> Rows:
    places = [(old[0].index(name), at) for at, name in enumerate(new[0]) if name in old[0]]
    fresh = {cells[0]: cells for cells in new[2:]}
    rows: Rows = [list(cells) for cells in old]
    for cells in rows[2:]:
        if added := fresh.get(cells[0]):
            for place, at in places:
                cells[place] = added[at]
    return rows
