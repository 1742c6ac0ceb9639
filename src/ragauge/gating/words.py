"""The verdicts of a gate as text, as JUnit XML, and for GitHub Actions."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from xml.etree import ElementTree

from ragauge.gating.gate import Gate, Reading, Verdict
from ragauge.report.plain import counted, for_markdown, for_terminal, shortened, some
from ragauge.report.report import NO, YES, Cell, Report, Table, several
from ragauge.report.writing import markdown_table

IDS_SHOWN = 5
ANNOTATIONS = 9
"""GitHub shows ten annotations a step; the tenth counts the others."""
MAX_SUMMARY_BYTES = 900_000
"""GitHub refuses a step summary above 1 MiB."""
MAX_ANNOTATION = 4_000


def headline(gate: Gate) -> str:
    """How many rules hold."""
    checks = counted(len(gate.verdicts), "check")
    return f"passed: {checks}" if gate.passed else f"failed: {len(gate.failures):,} of {checks}"


def gate_report(gate: Gate) -> Report:
    """The checks as a report: in a terminal as `gate_lines` has them, elsewhere as a table."""
    header = ("holds", "rule", "system", "values", "reason", "questions")
    rows: list[tuple[str | Cell, ...]] = []
    checks: list[Mapping[str, object]] = []
    for each in _ordered(gate):
        check = {name: getattr(each, name) for name in ("rule", "system", "passed", "reason")}
        numbers = {reading.operand: reading.value for reading in each.readings}
        rule, system, shown, reason = _cells(each)
        holds, read = (
            Cell("yes" if each.passed else "no", value=each.passed),
            Cell(shown, value=numbers),
        )
        rows.append((holds, rule, system, read, reason, several(each.ids)))
        checks.append(check | {"values": numbers, "questions": [*each.ids]})
    return Report(
        headline(gate),
        "ragauge gate",
        [Table(header, rows, n_names=len(header))],
        notes=gate.notes,
        data=lambda: {"passed": gate.passed, "checks": checks, "notes": [*gate.notes]},
    )


def gate_lines(gate: Gate, *, width: int = 100) -> Iterator[str]:
    """The headline, then a line for each verdict, and below a failed one why and what to open."""
    yield headline(gate)
    for verdict in _ordered(gate):
        mark = YES if verdict.passed else NO
        yield shortened(for_terminal(f"{mark} {_name(verdict)}"), width)
        if verdict.passed:
            yield shortened(f"    {for_terminal(values(verdict.readings))}", width)
            continue
        yield f"    {for_terminal(verdict.reason)}"
        if verdict.ids:
            yield f"    {for_terminal(f'open: {some(verdict.ids, IDS_SHOWN)}')}"
    yield from map(for_terminal, gate.notes)


def _ordered(gate: Gate) -> tuple[Verdict, ...]:
    """The failures, the worst first, then what holds."""
    return (*gate.failures, *(verdict for verdict in gate.verdicts if verdict.passed))


def _cells(verdict: Verdict) -> tuple[str, ...]:
    return verdict.rule, verdict.system or "", values(verdict.readings), verdict.reason


def values(readings: Sequence[Reading]) -> str:
    """The values that a rule read.

    >>> values([Reading("recall@10", 0.5), Reading("correct", None, "no row has a score")])
    'recall@10 0.5, correct –'
    """
    return ", ".join(
        f"{reading.operand} {'–' if reading.value is None else f'{reading.value:.6g}'}"
        for reading in readings
    )


def gate_markdown(gate: Gate, *, max_bytes: int = MAX_SUMMARY_BYTES) -> str:
    """A Markdown summary of at most `max_bytes` bytes; rows that do not fit are counted."""
    title = f"### ragauge gate {for_markdown(headline(gate))}\n\n"
    rows: list[tuple[str, ...]] = []
    for each in _ordered(gate):
        mark, ids = ("✅", "") if each.passed else ("❌", some(each.ids, IDS_SHOWN))
        rows.append((mark, *_cells(each), ids))
    header = ("", "rule", "system", "values", "why", "open")
    lines = list(markdown_table(header, rows, "llllll"))
    used = len(title.encode()) + 200
    sizes = accumulate((len(line.encode()) + 1 for line in lines), initial=used)
    n_kept = max(sum(size <= max_bytes for size in sizes) - 1, 2)
    left = len(lines) - n_kept
    more = f"\n\n{counted(left, 'more check')}: `ragauge gate` prints all." if left > 0 else ""
    return f"{title}{chr(10).join(lines[:n_kept])}{more}\n"


def github_annotations(gate: Gate) -> Iterator[str]:
    """Workflow commands that annotate the build: at most nine failures, the worst, and one line for the others."""
    failures = gate.failures
    for verdict in failures[:ANNOTATIONS]:
        text = for_terminal(shortened(f"{_name(verdict)}: {verdict.reason}", MAX_ANNOTATION))
        # One line, in which nothing starts another command.
        text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        yield f"::error title=ragauge gate::{text}"
    if len(failures) > ANNOTATIONS:
        yield f"::error title=ragauge gate::{len(failures) - ANNOTATIONS:,} more checks failed"


def junit_xml(gate: Gate) -> bytes:
    """The verdicts as a JUnit test suite: a test case for each check, in UTF-8."""
    counts = {"tests": str(len(gate.verdicts)), "failures": str(len(gate.failures)), "errors": "0"}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "ragauge gate", **counts})
    for verdict in gate.verdicts:
        named = {"classname": "ragauge.gate", "name": for_terminal(_name(verdict))}
        case = ElementTree.SubElement(suite, "testcase", named)
        if not verdict.passed:
            message = {"message": for_terminal(verdict.reason), "type": "gate"}
            failure = ElementTree.SubElement(case, "failure", message)
            failure.text = for_terminal(values(verdict.readings))
            if verdict.ids:
                failure.text += f"\nopen: {for_terminal(some(verdict.ids, IDS_SHOWN))}"
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _name(verdict: Verdict) -> str:
    return verdict.rule if verdict.system is None else f"{verdict.rule}  ({verdict.system})"
