"""The faults part of `judge.py`: the scores that each tool loses, and those that change silently.

A score is lost if it has no value, and changed if its value differs from that of the same tool's run
without faults. A call is paid unless it is refused with 429, even if it hangs.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judge_server import FAULTS, serving
from judge_tools import FOUR

if TYPE_CHECKING:
    from judge import Bench

Body = dict[str, Any]
Values = dict[str, float | None]
SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Trial:
    """A fault for the tools to handle.

    `is_timed`: all tools have the same timeout per call, else their own; `stops`: the tool stops at
    the first error; `only`: the trial is for tools whose names begin so.
    """

    name: str
    faults: str
    is_timed: bool = False
    stops: bool = False
    only: str = ""


CLEAN = Trial("no faults", "none")
TRIALS = (
    Trial("requests fail", "failing", is_timed=True),
    Trial("the same, its own timeouts", "failing"),
    # The only tool that stops at an error by default.
    Trial("the same, as it comes", "failing", stops=True, only="deepeval"),
    Trial("replies too short", "short"),
    # The others have no nested lists: for them the trial above already omits one claim.
    Trial("a claim too few in a sentence", "short within", only="ragauge"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a trial.

    `asked`: the server's counts; `stopped`: why there are no values, else empty; `seconds`: includes
    the start of a tool that stopped.
    """

    seconds: float
    values: Values
    asked: Body
    stopped: str = ""


def report(bench: "Bench") -> None:
    options = bench.options
    print(
        f"{bench.n} samples, {max(options.latency_ms):g} ms, {min(options.concurrency)} at once, "
        f"{options.timeout_s:g} s a call"
    )
    for name in {trial.faults: None for trial in TRIALS}:
        shares = ", ".join(f"{share:.0%} {fate}" for fate, share in FAULTS[name].items())
        print(f"    {name}: {shares}")
    for tool in bench.tools:
        clean = outcome(bench, tool, CLEAN)
        report_outcome(tool, CLEAN.name, clean, None, len(FOUR) * bench.n)
        for trial in TRIALS:
            if tool.startswith(trial.only):
                found = outcome(bench, tool, trial)
                report_outcome(tool, trial.name, found, clean, len(FOUR) * bench.n)


def outcome(bench: "Bench", tool: str, trial: Trial) -> Outcome:
    options = bench.options
    arguments = bench.fresh() if tool == "ragauge" else []
    arguments += ["--timeout-s", str(options.timeout_s)] if trial.is_timed else []
    arguments += ["--stops"] if trial.stops else []
    with serving(max(options.latency_ms), faults=trial.faults) as (url, asked):
        start = time.perf_counter()
        found = bench.outcome(
            tool, url, bench.n, min(options.concurrency), *arguments, limit_s=options.limit_s
        )
        seconds = time.perf_counter() - start
    if isinstance(found, str):
        return Outcome(seconds, {}, asked, found)
    return Outcome(found["s"], found["values"], asked)


def report_outcome(tool: str, name: str, found: Outcome, clean: Outcome | None, n: int) -> None:
    """Print one line, and a second one if the tool stopped."""
    calls, asked = found.asked["n_requests"], found.asked
    refused = sum(asked.get(fate, 0) for fate in ("refused", "refused for a second"))
    lost = n - sum(one is not None for one in found.values.values())
    changed = "" if clean is None else f"  {n_changed(found.values, clean):>4} changed"
    print(
        f"    {tool:22}{name:31}{found.seconds:8.1f} s {calls:6,} calls, {calls - refused:6,} paid  "
        f"{lost:4} of {n:,} lost{changed}  ({met(asked)})",
        flush=True,
    )
    if found.stopped:
        print(f"        {found.stopped}", flush=True)


def n_changed(values: Values, clean: Outcome) -> str:
    if clean.stopped:
        return "?"
    both = ((one, clean.values.get(name)) for name, one in values.items())
    changed = (
        one is not None and other is not None and abs(one - other) > SAME for one, other in both
    )
    return str(sum(changed))


def met(asked: Body) -> str:
    """The shares of faults among a tool's requests, or among the replies with such a list."""
    of = {"short": "listed", "short within": "nested"}
    fates = {fate for shares in FAULTS.values() for fate in shares}
    shares = {fate: asked[fate] / asked[of.get(fate, "n_requests")] for fate in fates & set(asked)}
    return ", ".join(f"{share:.1%} {fate}" for fate, share in sorted(shares.items())) or "none"
