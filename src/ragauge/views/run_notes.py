"""Sentences on a run: which system is best, how steady it is, what its answers took, what its judges did, what was not read."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from ragauge.comparing.systems import Difference
from ragauge.comparing.words import over_questions, p_text
from ragauge.engine.measure import DISPUTE, without_judge
from ragauge.label import Label
from ragauge.loaders.shapes.layouts import may_be_answers
from ragauge.report.plain import counted, some
from ragauge.report.report import Cell, Report, Table, figure
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import SummaryRow, aggregate, interval, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.steadiness import Steadiness, WrongTurns
from ragauge.samples.fields import CLUSTERS, FIELDS, MEASURED, NO_ANSWER, STATUS
from ragauge.score import GRADE, Flag

if TYPE_CHECKING:
    import polars as pl

MAX_TIED = 3  # most tied systems that are named
MAPPED = ("answer", "references", "contexts")  # a note on columns that are not read names one
MAX_BEFORE_COST = 60  # characters before the cost of a system, beside its name
NOT_WORTH = 0.95  # doubling what leaves more of the standard error narrows nothing


def who_is_best(
    metric: MetricDisplay,
    rows: Mapping[str, SummaryRow],
    found: Difference | None,
    names: Mapping[str, str],
    unit: str = "question",
) -> str:
    """One or two sentences. `rows` are the systems' summaries, the best first; `found` is the difference
    of the first two; `names` are the systems' names as they are shown; `unit` is what a score is of.
    """
    means = {system: aggregate(metric, row) for system, row in rows.items()}
    first = next(iter(rows))
    best, mean = names[first], f"{metric.name} {means[first]}"
    if len(rows) == 1:
        range_ = interval(metric, rows[first])
        n_ok, n_failed = (cast(int, rows[first][status]) for status in ("ok", "failed"))
        questions = (f"{n_ok:,} of " if n_failed else "") + counted(n_ok + n_failed, unit)
        return f"{best}: {mean}" + (f" ({range_})" if range_ else "") + f", {questions}."
    n_tied = sum(row["mean"] == rows[first]["mean"] for row in rows.values())
    tied = [names[system] for system in rows][:n_tied]
    same = f"have the same {metric.name}, {means[first]}"
    has_p = found is not None and found.p_value is not None
    is_tie = found is not None and found.difference == 0
    if is_tie and n_tied > MAX_TIED:
        return f"{n_tied:,} systems {same}: {some(tied, MAX_TIED)}."
    if is_tie and n_tied > (2 if has_p else 1):
        return f"{', '.join(tied[:-1])} and {tied[-1]} {same}."
    if found is None or found.p_value is None:
        scored = [system for system, row in rows.items() if row["mean"] is not None]
        if len(scored) == 1:
            return f"{best} is the only system with a score: {mean}."
        if found is not None:
            return f"{best} has the best {mean}; it was not compared with the others."
        other = f"{names[scored[1]]} {means[scored[1]]}"
        return f"{best} has the best {mean}, next {other}; not compared, because no question has a score for both."
    # How far the best system is ahead; never shown as 0.
    display, other = over_questions(metric, found.n), names[found.system]
    gap = number(display, abs(found.difference))
    if not gap.strip("0."):
        gap = f"less than {number(display, 10**-metric.digits / display.scale)}"
    n, p = counted(found.n, unit), f"p {p_text(found.p_value)}"
    if all(rows[system]["ok"] == found.n for system in (first, found.system)):
        if found.difference == 0:
            return f"{best} and {other} have the same {metric.name}, {means[found.system]}."
        verdict, chance = ("best", "is beyond") if found.is_significant else ("ahead", "may be")
        by = f" by {metric.family}" if metric.family else ""
        return (
            f"{best} is {verdict}{by}: {mean}, next {other} {means[found.system]}. "
            f"The difference of {gap} {chance} chance ({p}, {n})."
        )
    common = f"{best} has the best {mean}; on the {n} that {best} and {other} both have a score for"
    if found.difference == 0:
        return f"{common}, they are equal."
    chance = "beyond chance" if found.is_significant else "may be chance"
    is_ahead = (found.difference > 0) != metric.lower_is_better
    ahead, behind = (best, other) if is_ahead else (other, best)
    return f"{common}, {ahead} is {gap} ahead of {behind} ({chance}, {p})."


def took_lines(run: ScoredRun, names: Mapping[str, str]) -> Sequence[str]:
    """`small: median 0.21 s, p95 0.35 s · 90 tokens in, 120 tokens out · $0.0120` for each system of `names`."""
    import polars as pl

    columns, rows = run.samples.columns, run.samples.scan()
    answered = rows.filter(pl.col("answer").is_not_null()) if "answer" in columns else rows
    frame = run.collect(answered.select("system", *(name for name in MEASURED if name in columns)))
    # How many answers of each system failed, timed out or were refused.
    failed: dict[str, int] = {}
    if STATUS in columns:
        no_answer = pl.col(STATUS).cast(pl.String).is_in(list(NO_ANSWER))
        failed = dict(run.collect(rows.filter(no_answer).group_by("system").len()).iter_rows())
    lines: list[str] = []
    for system, name in names.items():
        n, n_all = failed.get(system, 0), run.samples.n_by_system[system]
        lost = f"{n:,} of {counted(n_all, 'answer')} failed" if n else ""
        if parts := [*filter(None, (lost, took(frame.filter(frame["system"] == system))))]:
            lines.append(f"{name}: {' · '.join(parts)}")
    return lines


def took(answers: "pl.DataFrame") -> str:
    """What answers took, by their measured fields: medians of times, sums of the rest."""
    columns = [answers[name].cast(float).drop_nulls() for name in MEASURED if name in answers]
    values = {column.name: column for column in columns if not column.is_empty()}

    def at(name: str, share: float) -> str:
        return f"{values[name].quantile(share, 'linear') or 0.0:.2f} s"

    parts: list[str] = []
    if "latency_s" in values:
        parts.append(f"median {at('latency_s', 0.5)}, p95 {at('latency_s', 0.95)}")
    if "first_token_s" in values:
        parts.append(f"first token {at('first_token_s', 0.5)}")
    ways = {"input_tokens": "in", "output_tokens": "out"}
    tokens = [f"{values[name].sum():,.0f} tokens {ways[name]}" for name in ways if name in values]
    parts += [", ".join(tokens)] if tokens else []
    if (cost := values.get("cost_usd")) is not None:
        dollars = cost.sum()
        text = f"${dollars:,.4f}" if dollars >= 0.0001 or not dollars else f"${dollars:.6f}"
        if cost.len() < answers.height:
            text += f" for {cost.len():,} of {counted(answers.height, 'answer')}"
        # The end of a line that is too long for a terminal is cut.
        is_long = len(" · ".join(parts)) > MAX_BEFORE_COST
        parts.insert(1 if is_long else len(parts), text)
    return " · ".join(parts)


def steadiness_lines(found: Sequence[Steadiness], names: Mapping[str, str]) -> list[str]:
    """Three lines for each system: how often it passes, where its values vary, and what would narrow the interval."""
    lines: list[str] = []
    for each in found:
        name, k = names.get(each.system, each.system), each.k
        lines.append(
            f"{name}: pass^{k} {each.pass_all:.2f}, pass@{k} {each.pass_any:.2f}, {each.pass_one:.2f} of answers "
            f"pass at {each.metric} {each.threshold:g}, {k} repeats"
        )
        if (parts := each.components) is None:
            continue
        # Whether more questions or more repeats narrow the interval, and to what.
        advice = "no repeat differs"
        if now := parts.error():
            questions, repeats = (parts.error(questions=2) / now, parts.error(repeats=2) / now)
            by_repeats = f"to {repeats:.0%}" if repeats < NOT_WORTH else "hardly"
            advice = f"twice the questions narrow the interval to {questions:.0%}, twice the repeats {by_repeats}"
        within, between = sqrt(parts.within), sqrt(parts.between)
        lines.append(f"{name}: varies by {within:.2f} within a question, {between:.2f} between")
        lines.append(f"{name}: {advice}")
    return lines


def steadiness_report(found: Sequence[Steadiness]) -> Report:
    """A row for each system: how often it passes once, in any and in all repeats, and how values vary."""
    k = found[0].k
    passes = ("pass@1", f"pass@{k}", f"pass^{k}")
    header = ("system", *passes, "changing", "questions", "within", "between")
    rows: list[tuple[str | Cell, ...]] = []
    for each in found:
        parts = each.components
        spread = (None, None) if parts is None else (sqrt(parts.within), sqrt(parts.between))
        shares = (each.pass_one, each.pass_any, each.pass_all)
        counts = (figure(each.n_changing), figure(each.n_questions))
        shown = (*(figure(share, ".3f") for share in shares), *counts)
        rows.append((each.system, *shown, *(figure(each, ".3f") for each in spread)))
    title = f"{found[0].metric} passes at {found[0].threshold:g}, {k} repeats"
    return Report(title, tables=[Table(header, rows, sides="lrrrrrrr")])


def unsteady(found: Mapping[str, Steadiness], best: str) -> str:
    """That answers change from repeat to repeat, of the best system or of others; empty where none does."""
    changing = [system for system, each in found.items() if each.n_changing]
    if best not in changing:
        is_one = len(changing) == 1
        others = f"{counted(len(changing), 'other system')} {'is' if is_one else 'are'} not steady."
        return others if changing else ""
    each = found[best]
    n = counted(each.n_questions, "question")
    return f"It is not steady: {each.n_changing:,} of {n} pass only in some of {each.k} repeats."


def judging_lines(run: ScoredRun) -> list[str]:
    """The notes on the run's judges, one per line: grades, lost parts, agreement, repeats, calls; none without a judge."""
    used = (line for judge, usage in run.manifest.judging.items() for line in _usage(judge, usage))
    return [*_grades(run), *_lost(run), *_agreements(run), *_repeats(run), *used]


def _grades(run: ScoredRun) -> Iterator[str]:
    """How often each system got each grade, for metrics that grade."""
    import polars as pl

    keys = ("metric", "system", "grade")
    rows = run.scan().select("system", "metric", grade=pl.col("flags")).explode("grade")
    graded = rows.filter(pl.col("grade").str.starts_with(GRADE)).group_by(keys).len().sort(keys)
    counts: dict[str, dict[str, list[str]]] = {}
    for metric, system, grade, n in run.collect(graded).iter_rows():
        of_metric = counts.setdefault(metric, {})
        of_metric.setdefault(system, []).append(f"{grade.removeprefix(GRADE)} {n:,}")
    for metric in run.metrics:
        if of_systems := counts.get(metric.metric):
            texts = [f"{system} {', '.join(grades)}" for system, grades in of_systems.items()]
            yield f"grades of {metric.name}: {'; '.join(texts)}"


def _lost(run: ScoredRun) -> Iterator[str]:
    """How many scores use only some of their parts, because the others failed."""
    for metric in run.metrics:
        if n := run.outcomes.n_flagged(Flag.LOST_PARTS, metric.metric):
            of = counted(run.outcomes.n_by_metric[metric.metric], "score")
            what = "leaves out" if n == 1 else "leave out"
            why = "parts that failed or were not asked (evidence: lost)"
            yield f"{metric.name}: {n:,} of {of} {what} {why}"


def _agreements(run: ScoredRun) -> Iterator[str]:
    """How well each pair of judges agrees on each metric."""
    import polars as pl

    from ragauge.stats.agreement import cohen_kappa

    by_metric: dict[str, dict[str, None]] = {}
    for shown in run.metrics:
        by_metric.setdefault(without_judge(shown.metric), {})[shown.metric] = None
    for metric, pair in (
        (name, pair) for name, own in by_metric.items() for pair in combinations(own, 2)
    ):
        left, right = (
            run.collect(run.scan().filter(pl.col("metric") == label).drop_nulls("value"))
            for label in pair
        )
        both = left.join(right, on=["id", "system"], suffix="_2")
        if both.is_empty():
            continue
        ours, theirs = both["value"].to_list(), both["value_2"].to_list()
        names = [str(Label.parse(label).settings.get("judge")) for label in pair]
        apart = [abs(one - other) for one, other in zip(ours, theirs, strict=True)]
        same = f"{sum(each < 1e-9 for each in apart):,} of {counted(len(apart), 'answer')}"
        text = f"{metric}: {' and '.join(names)} agree on {same}"
        if not {*ours, *theirs} <= {0.0, 1.0}:
            text += f", with a mean difference of {sum(apart) / len(apart):.3f}"
        elif (kappa := cohen_kappa(ours, theirs)) is not None:
            text += f" (Cohen's kappa {kappa:.2f})"
        n_disputed = sum(each >= DISPUTE for each in apart)
        yield text + (f"; {n_disputed:,} disputed: needs_review" if n_disputed else "")


def _repeats(run: ScoredRun) -> Iterator[str]:
    """How consistent each metric's judge was over repeated questions."""
    import polars as pl

    for shown in run.metrics:
        if not run.outcomes.n_flagged(Flag.REPEATED, shown.metric):
            continue
        stored = run.collect(run.source.scan_evidence().filter(pl.col("metric") == shown.metric))
        found = map(json.loads, stored["evidence"].drop_nulls().to_list())
        repeated: list[dict[str, Any]] = [evidence for evidence in found if "repeats" in evidence]
        if not repeated:
            continue
        spread = sum(evidence["spread"] for evidence in repeated) / len(repeated)
        given = ({each for each in e["repeats"] if isinstance(each, float)} for e in repeated)
        changed = sum(len(values) > 1 for values in given)
        yield (
            f"{shown.name}: asked {len(repeated[0]['repeats'])} times, the judge changed its verdict on "
            f"{changed:,} of {counted(len(repeated), 'answer')}; mean standard deviation "
            f"{spread * shown.scale:.{shown.digits}f}"
        )


def _usage(judge: str, account: object) -> Iterator[str]:
    """A judge's calls, tokens and cost, and the settings that its endpoint rejected."""
    usage = cast("Mapping[str, Any]", account)
    calls, cached, n_in = usage["calls"], usage["cached"], usage["prompt_tokens"]
    n_replies = (calls or cached) if usage.get("is_recorded") else cached
    replies = "reply" if n_replies == 1 else "replies"
    if not calls and not cached:
        return
    if usage.get("is_recorded"):
        # How many replies are used twice depends on which question comes first.
        yield f"{judge}: {n_replies:,} recorded {replies} used, no calls made"
        return
    tokens = f", {n_in:,} tokens in and {usage['completion_tokens']:,} out" if n_in else ""
    cost = "" if usage["cost_usd"] is None else f", ${usage['cost_usd']:,.4f}"
    yield f"{judge}: {counted(calls, 'call')}{tokens}{cost}; {cached:,} cached {replies} used"
    if n_in and usage["calls_without_count"]:
        yield f"{judge}: no token count for {counted(usage['calls_without_count'], 'call')}"
    if refused := usage["refused_by_budget"]:
        unasked = counted(refused, "question")
        yield f"{judge}: the budget ran out, {unasked} not asked; raise it and run again"
    if over := usage.get("over_budget_usd"):
        in_flight = counted(usage["in_flight_at_budget"], "call")
        yield f"{judge}: ${over:,.4f} over the budget; {in_flight} in flight when it was reached"
    for name, reason in usage["dropped"].items():
        yield f"{judge}: {name} dropped ({reason})"


def unread_columns(run: ScoredRun, by: Collection[str] = ()) -> Iterator[str]:
    """The option that reads a column of texts, not one of `by`, as a field which the samples lack."""
    columns = run.samples.columns
    missing = [name for name in MAPPED if name not in columns]
    own = (*by, *FIELDS, *CLUSTERS, "rewritten_query", "status", "reason", "attempts")
    few = run.samples.part(0, 100, [name for name in columns if name not in own])
    # A column that is mostly empty, as one of errors, is none of them.
    unread = [
        each.name
        for each in few
        if str(each.dtype) == "String" and 2 * each.fill_null("").eq("").sum() <= len(each)
    ]
    if not missing or not unread:
        return
    if "question" in columns and missing[0] == "answer":  # `Answer GPT` rather than `Remark`
        likely = [name for name in unread if may_be_answers(name)]
        unread = likely if len(likely) == 1 else unread
    named = some([repr(name) for name in unread], 4)
    if "question" not in columns and missing[0] == "answer" and len(unread) > 1:
        names = ("question", *(name for name in missing if name != "contexts"))
        options = " ".join(f"--map {name}=COLUMN" for name in names)
        yield f"say which column is which: {options}; not read: {named}"
    elif missing[0] == "answer" and len(unread) > 1:
        yield f"not read: {named}; if each is a system's: --map answer={quote(','.join(unread[:2]))}"
    else:
        yield f"not read: {named}; if it is the {missing[0]}: --map {missing[0]}={quote(unread[0])}"


def wrong_turn_lines(
    wrong: WrongTurns | None, systems: Sequence[str], names: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Of each system, the last first, how many conversations go wrong, and at which turn the one that was right the longest does."""
    lines: list[tuple[str, str]] = []
    if wrong is None:
        return lines
    for system in reversed(systems):
        if of_system := [each for each in wrong.first if each.system == system]:
            latest = max(of_system, key=lambda each: each.turn)
            n = f"{len(of_system):,} of {counted(wrong.n_conversations[system], 'conversation')} of several turns"
            which = "" if len(of_system) == 1 else "all " if latest.turn == 1 else "the latest "
            text = (
                f"{names[system]}: {n} wrong by {wrong.metric.name}, {which}at turn {latest.turn}"
            )
            lines.append((text, latest.id))
    return lines
