"""The pytest plugin: evaluate a file once in a session, and fail a test whose rules do not hold.

It needs nothing beyond pytest, and imports ragauge's engine only when a test uses it.

    from ragauge.pytest_plugin import assert_score

    def test_the_fee_is_named():
        answer = my_system("What is the fee?")
        assert_score("number_match", at_least=1, answer=answer, reference="$604")

    @pytest.mark.ragauge("answers.jsonl", rules=["correct >= 0.8", "failed <= 0"])
    def test_answers(ragauge_run):
        assert ragauge_run.worst("correct", n=1)["value"][0] > 0.1
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import pytest

if TYPE_CHECKING:
    from ragauge.run import Run
    from ragauge.score import Score

MARKER = "ragauge"
GATE_OPTIONS = ("rules", "baseline", "max_drop", "on", "allow_lost", "allow_mismatch", "systems")
EVIDENCE_SHOWN = 2_000
Key = tuple[str, str]


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        "ragauge(data, *, rules=(), baseline=None, max_drop=None, **options): evaluate a file once in the "
        "session, and fail the test if a rule does not hold; other options are those of ragauge.evaluate",
    )


def assert_score(
    metric: str, *, at_least: float | None = None, at_most: float | None = None, **fields: Any
) -> "Score":
    """Score one sample and fail the test if the value is outside the bounds, or if there is none.

    `fields` are those of `ragauge.score`: question, answer, reference, contexts … and judge or encoder.
    The failure shows the reason and the evidence. Returns the score.

    >>> assert_score("exact_match", at_least=1, answer="Paris", reference="Paris").value
    1.0
    """
    __tracebackhide__ = True
    from ragauge.errors import RagaugeError
    from ragauge.evaluation import score as score_of

    bounds = [bound for bound in (at_least, at_most) if bound is not None]
    if not bounds or any(math.isnan(bound) for bound in bounds):
        raise TypeError("assert_score needs at_least or at_most, a number")
    try:
        score = score_of(metric, **fields)
    except RagaugeError as error:
        _fail(str(error))
    if score.value is None:
        _fail(f"{metric} has no value ({score.status}): {score.reason}")
    is_low = at_least is not None and score.value < at_least
    if is_low or (at_most is not None and score.value > at_most):
        wanted = f"at least {at_least:g}" if is_low else f"at most {at_most:g}"
        evidence = json.dumps(score.evidence, ensure_ascii=False, indent=1, default=str)
        shown = evidence if len(evidence) <= EVIDENCE_SHOWN else f"{evidence[:EVIDENCE_SHOWN]}…"
        given = [f"{name}: {text!r:.500}" for name, text in fields.items() if isinstance(text, str)]
        lines = [f"{metric} is {score.value:.6g}, must be {wanted}", *given, f"evidence: {shown}"]
        _fail("\n".join(lines))
    return score


def _fail(text: str) -> NoReturn:
    """Fail the test with a text, without anything that a terminal would execute."""
    __tracebackhide__ = True
    from ragauge.report.plain import for_terminal

    raise pytest.fail.Exception(for_terminal(text, lines=True), pytrace=False) from None


@pytest.fixture(scope="session")
def _ragauge_runs() -> "dict[Key, Run]":  # pyright: ignore[reportUnusedFunction]
    """The runs of the session, by file and options."""
    return {}


@pytest.fixture
def ragauge_run(request: pytest.FixtureRequest, _ragauge_runs: "dict[Key, Run]") -> "Run":
    """The run of the file in the test's marker, evaluated once in the session."""
    __tracebackhide__ = True
    marker = request.node.get_closest_marker(MARKER)
    if marker is None or len(marker.args) != 1:
        needs = "the fixture ragauge_run needs the file: @pytest.mark.ragauge('answers.jsonl')"
        pytest.fail(needs, pytrace=False)
    from ragauge.errors import RagaugeError
    from ragauge.evaluation import evaluate

    options = {name: value for name, value in marker.kwargs.items() if name not in GATE_OPTIONS}
    path = _path(request, marker.args[0])
    key = (str(path), repr(sorted(options.items())))
    if key not in _ragauge_runs:
        try:
            _ragauge_runs[key] = evaluate(path, **options)
        except (RagaugeError, TypeError) as error:
            _fail(f"{path} cannot be evaluated: {error}")
    return _ragauge_runs[key]


def _path(request: pytest.FixtureRequest | pytest.Item, given: object) -> Path:
    """The file beside the test, or else in the folder that pytest was started in."""
    from ragauge.storage.regular_file import as_url

    if as_url(str(given)) is not None:
        return Path(str(given))
    beside = request.path.parent / str(given)
    return beside if beside.exists() else Path(str(given)).resolve()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Check the rules of the marker before the test's own statements."""
    __tracebackhide__ = True
    marker = item.get_closest_marker(MARKER)
    options = cast("dict[str, Any]", marker.kwargs if marker else {})
    given = {name: options[name] for name in GATE_OPTIONS if name in options}
    if not given:
        return
    from ragauge.errors import RagaugeError
    from ragauge.evaluation import open_run
    from ragauge.gating.words import gate_lines

    run = cast("dict[str, Run]", getattr(item, "funcargs", {}))["ragauge_run"]
    rules = cast("Sequence[str] | str", given.pop("rules", ()))
    base = given.get("baseline")
    try:
        if isinstance(base, str | Path) and str(base) not in run.samples.systems:
            given["baseline"] = open_run(_path(item, base))
        gate = run.gate([rules] if isinstance(rules, str) else rules, **given)
    except RagaugeError as error:
        _fail(str(error))
    if not gate.passed:
        first = next((verdict for verdict in gate.failures if verdict.ids), None)
        shown = [] if first is None else ["", run.show(first.ids[0]).text]
        pytest.fail("\n".join([*gate_lines(gate), *shown]), pytrace=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A marker without the fixture checks its rules too."""
    names = cast("list[str]", getattr(item, "fixturenames", []))
    if item.get_closest_marker(MARKER) is not None and "ragauge_run" not in names:
        names.append("ragauge_run")
