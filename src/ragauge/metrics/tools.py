"""Tool calls, checked exactly: no judge, no encoder.

A call is right if its name and its arguments are: names exactly, arguments by value and type (numbers by value, so 1
is 1.0 and true is not 1; text in Unicode's NFC; objects without order; lists in order, unless the tool's schema says
`uniqueItems`). An expected argument may list several allowed values. Arguments that are no JSON object match nothing.
"""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, cast

from ragauge.conversations.matching import Schema, ValueRules, edit_distance, schema_problem
from ragauge.conversations.tool_calls import Call, list_of, mapping_of
from ragauge.conversations.transcript import Transcript
from ragauge.features.transcripts import TurnCalls
from ragauge.metric import metric
from ragauge.samples.fields import short_value
from ragauge.score import Score
from ragauge.setting import Tolerance

MAX_SHOWN = 20
"""How many calls or differences the evidence names."""
Tools = Mapping[str, Schema]


@metric(version=3)
def tool_call_match(
    turn_calls: list[TurnCalls],
    tools_by_name: Tools | None,
    *,
    order: Literal["same", "any"] = "same",
    rtol: Tolerance = 0.0,
    atol: Tolerance = 0.0,
) -> Score:
    """Whether the tool calls of a turn are the expected ones, no more and no fewer.

    1 or 0 for a turn; for a conversation that is scored as a whole, the share of its turns. In order, or in any with
    `order="any"`. Where several lists of calls are right, one of them suffices. No call wanted and none made is 1.
    `rtol`, `atol`: numbers within these tolerances are equal. Missing where nothing is said of the calls.

    Source: Patil et al. 2025 (Berkeley function-calling leaderboard), AST check; ragas' ToolCallAccuracy.

    >>> made = [Call("weather", {"city": "Oslo", "days": 2})]
    >>> right = [[Call("weather", {"city": "Oslo", "days": 3})]]
    >>> score = tool_call_match([TurnCalls(1, made, right)], None)
    >>> score.value, score.evidence["turns"][0]["differences"]
    (0.0, [{'call': 1, 'path': 'days', 'kind': 'differs', 'expected': 3, 'found': 2}])
    """
    rules, tools = ValueRules(rtol, atol, alternatives=True), tools_by_name or {}
    n_right, shown, why = 0, list[object](), ""
    for turn in turn_calls:
        compared = [
            (*_compared(turn.made, right, rules, tools, order), right) for right in turn.right
        ]
        differences, _, right = max(compared, key=lambda each: (not each[0], each[1]))
        n_right += not differences
        place = {"turn": turn.turn} if len(turn_calls) > 1 else {}
        if differences and not why:
            number = f"turn {turn.turn}: " if place else ""
            why = number + _in_words(differences[0], right)
        cut = {"differences": differences[:MAX_SHOWN]}
        shown.append({**place, **_shown(right, turn.made), **cut})
    evidence = {"why": why} if why else {}
    return Score(n_right / len(turn_calls), evidence={**evidence, "turns": shown[:MAX_SHOWN]})


def _shown(right: list[Call], made: list[Call]) -> dict[str, object]:
    sides = {"expected": right, "found": made}
    return {name: [call.as_data() for call in side[:MAX_SHOWN]] for name, side in sides.items()}


def _in_words(difference: Mapping[str, object], right: list[Call]) -> str:
    """The first thing that keeps the calls from being the expected ones."""
    kind, expected, found = (difference.get(key) for key in ("kind", "expected", "found"))
    if kind == "order":
        names, wanted = (
            ", ".join(map(str, list_of(each) or ())) or "nothing" for each in (found, expected)
        )
        return f"calls {names} in place of {wanted}"
    if "path" not in difference:
        name = mapping_of(found if kind == "extra" else expected)["name"]
        return (
            f"calls {name}, which is not expected" if kind == "extra" else f"does not call {name}"
        )
    name, path = right[cast(int, difference["call"]) - 1].name, difference["path"]
    if kind == "invalid":
        return f"calls {name}: {found}"
    if kind == "missing":
        return f"calls {name} without {path}"
    not_this = "which is not expected" if kind == "extra" else f"not {short_value(expected)}"
    return f"calls {name} with {path} {short_value(found)}, {not_this}"


def _compared(
    made: list[Call], right: list[Call], rules: ValueRules, tools: Tools, order: str
) -> tuple[list[dict[str, object]], int]:
    """What keeps the calls from being the right ones, and how near they are to them: for the choice of the nearest list."""
    pairs = rules.match(right, made, tools)
    nearness = 2 * len(pairs) - len(right)
    if len(pairs) == len(right) == len(made):
        if order == "any" or _same_order(right, made, rules, tools):
            return [], nearness
        expected, found = ([call.name for call in calls] for calls in (right, made))
        return [{"kind": "order", "expected": expected, "found": found}], nearness
    # Each call without a partner beside the next one of its name that has none either.
    paired = set(pairs.values())
    left = [at for at in range(len(made)) if at not in paired]
    differences: list[dict[str, object]] = []
    for number, wanted in enumerate(right):
        if number in pairs:
            continue
        near = next((at for at in left if made[at].name == wanted.name), None)
        if near is None:
            expected = wanted.as_data()
            differences.append({"call": number + 1, "kind": "missing", "expected": expected})
            continue
        left.remove(near)
        differ = rules.call_differences(wanted, made[near], tools.get(wanted.name))
        differences += [{"call": number + 1, **each.as_data()} for each in differ]
    extra: list[dict[str, object]] = [{"kind": "extra", "found": made[at].as_data()} for at in left]
    return differences + extra, nearness


def _same_order(right: list[Call], made: list[Call], rules: ValueRules, tools: Tools) -> bool:
    return len(right) == len(made) and not any(
        rules.call_differences(wanted, call, tools.get(wanted.name))
        for wanted, call in zip(right, made, strict=True)
    )


@metric(version=3)
def tool_precision(
    turn_calls: list[TurnCalls],
    tools_by_name: Tools | None,
    *,
    rtol: Tolerance = 0.0,
    atol: Tolerance = 0.0,
) -> Score:
    """Share of the tool calls that are expected ones, matched one to one in any order.

    In [0, 1]. Undefined if no call was made. Source: ragas' ToolCallF1, its precision.

    >>> made = [Call("search", {"q": "a"}), Call("search", {"q": "b"})]
    >>> tool_precision([TurnCalls(1, made, [[Call("search", {"q": "b"})]])], None).value
    0.5
    """
    n_equal, n_made, _ = _counts(turn_calls, tools_by_name, rtol, atol)
    return _share(n_equal, n_made, "no tool was called")


@metric(version=3)
def tool_recall(
    turn_calls: list[TurnCalls],
    tools_by_name: Tools | None,
    *,
    rtol: Tolerance = 0.0,
    atol: Tolerance = 0.0,
) -> Score:
    """Share of the expected tool calls that were made, matched one to one in any order.

    In [0, 1]. Undefined if no call is expected. Source: ragas' ToolCallF1, its recall.

    >>> made = [Call("search", {"q": "b"})]
    >>> tool_recall([TurnCalls(1, made, [[Call("search", {"q": "b"}), Call("stop", {})]])], None).value
    0.5
    """
    n_equal, _, n_expected = _counts(turn_calls, tools_by_name, rtol, atol)
    return _share(n_equal, n_expected, "no tool call is expected")


@metric(version=3)
def tool_f1(
    turn_calls: list[TurnCalls],
    tools_by_name: Tools | None,
    *,
    rtol: Tolerance = 0.0,
    atol: Tolerance = 0.0,
) -> Score:
    """Harmonic mean of `tool_precision` and `tool_recall`.

    In [0, 1]: 2 · equal / (made + expected). Undefined if no call was made and none is expected. Source: ragas'
    ToolCallF1.

    >>> made = [Call("search", {"q": "b"})]
    >>> round(tool_f1([TurnCalls(1, made, [[Call("search", {"q": "b"}), Call("stop", {})]])], None).value, 4)
    0.6667
    """
    n_equal, n_made, n_expected = _counts(turn_calls, tools_by_name, rtol, atol)
    return _share(2 * n_equal, n_made + n_expected, "no tool was called and none is expected")


def _counts(
    turns: list[TurnCalls], tools: Tools | None, rtol: float, atol: float
) -> tuple[int, int, int]:
    """Over the turns: calls that are equal, made, expected; of several right lists the one with the best F1."""
    rules = ValueRules(rtol, atol, alternatives=True)
    n_equal = n_made = n_expected = 0
    for turn in turns:
        made = turn.made
        counts = [(len(rules.match(right, made, tools or {})), len(right)) for right in turn.right]
        equal, expected = max(counts, key=lambda each: each[0] / max(each[1] + len(made), 1))
        n_equal, n_made, n_expected = n_equal + equal, n_made + len(made), n_expected + expected
    return n_equal, n_made, n_expected


def _share(part: int, whole: int, why_not: str) -> Score:
    if not whole:
        return Score.undefined(why_not)
    return Score(part / whole, evidence={"equal": part, "of": whole})


@metric(version=3)
def trajectory_match(
    turn_calls: list[TurnCalls],
    tools_by_name: Tools | None,
    *,
    mode: Literal["strict", "unordered", "subset", "superset", "edits"] = "strict",
    rtol: Tolerance = 0.0,
    atol: Tolerance = 0.0,
) -> Score:
    """Whether the sequence of all tool calls is the expected one.

    1 or 0. `strict`: the same calls in the same order; `unordered`: the same calls; `subset`: no call that is not
    expected; `superset`: every expected call, and others. With `mode="edits"`, in [0, 1]: 1 − insertions, removals and
    changes / the longer of the two sequences. Missing where nothing is said of the calls.

    Source: agentevals' trajectory match, its four modes; Levenshtein 1966.

    >>> made = [Call("search", {"q": "a"}), Call("stop", {})]
    >>> turn = TurnCalls(1, made, [[Call("stop", {})]])
    >>> [trajectory_match([turn], None, mode=mode).value for mode in ("strict", "superset", "edits")]
    [0.0, 1.0, 0.5]
    """
    rules, tools = ValueRules(rtol, atol, alternatives=True), tools_by_name or {}
    made = [call for turn in turn_calls for call in turn.made]
    # Where turns have several right lists, the k-th of each together.
    longest = max(len(turn.right) for turn in turn_calls)
    sequences = [
        [call for turn in turn_calls for call in turn.right[min(at, len(turn.right) - 1)]]
        for at in range(longest)
    ]
    values: list[float] = []
    for right in sequences:
        n_most = max(len(right), len(made))
        if mode == "edits":
            distance = edit_distance(right, made, rules, tools)
            values.append(1 - distance / n_most if n_most else 1.0)
        elif mode == "strict":
            values.append(_same_order(right, made, rules, tools))
        else:
            n_equal = len(rules.match(right, made, tools))
            n_wanted = {"unordered": n_most, "subset": len(made), "superset": len(right)}[mode]
            values.append(n_equal == n_wanted)
    value = max(values)
    return Score(value, evidence=_shown(sequences[values.index(value)], made))


@metric(version=3, high=None, lower_is_better=True)
def invalid_calls(transcript: Transcript, tools_by_name: Tools) -> Score:
    """How many tool calls name an unknown tool or have arguments that break the tool's JSON schema.

    A count, from 0. Arguments that are no JSON object (or hold NaN) are invalid. Nothing outside the schema is read
    for its references, which allow everything. The evidence names tools whose schema cannot be used. Never undefined.

    Source: JSON Schema 2020-12; Patil et al. 2025 (BFCL).

    >>> from ragauge.conversations.transcript import Message
    >>> said = Transcript((Message("assistant", calls=[Call("add", {"a": "2"})]),), (0,))
    >>> score = invalid_calls(said, {"add": {"properties": {"a": {"type": "integer"}}}})
    >>> score.value, score.evidence["invalid"][0]["problem"]
    (1.0, "a: '2' is not of type 'integer'")
    """
    invalid: list[dict[str, object]] = []
    unusable: dict[str, None] = {}
    for number, call in enumerate(transcript.calls, 1):
        problem: str | None = call.invalid
        if not problem and call.name in tools_by_name:
            problem = schema_problem(call.arguments, tools_by_name[call.name])
            unusable |= {call.name: None} if problem is None else {}
        elif not problem:
            problem = f"there is no tool {call.name!r:.60}"
        if problem:
            invalid.append({"call": number, "name": call.name, "problem": problem})
    beside = {"unusable_schemas": list(unusable)} if unusable else {}
    return _count("invalid", invalid, transcript, beside)


def _count(
    name: str,
    found: list[dict[str, object]],
    transcript: Transcript,
    beside: Mapping[str, object] = MappingProxyType({}),
) -> Score:
    detail = next((each.get("problem") or each.get("result") for each in found), None)
    why = {"why": f"{found[0]['name']}: {detail!s:.120}"} if detail else {}
    evidence = {**why, name: found[:MAX_SHOWN], "calls": len(transcript.calls), **beside}
    return Score(float(len(found)), evidence=evidence)


@metric(version=2, high=None, lower_is_better=True)
def repeated_calls(transcript: Transcript) -> Score:
    """How many tool calls repeat an earlier one: the same name and the same arguments.

    A count, from 0. A call after an error of the same call is not a repetition. Never undefined.

    Source: our own.

    >>> from ragauge.conversations.transcript import Message
    >>> calls = [Call("search", {"q": "a"}), Call("search", {"q": "a"})]
    >>> repeated_calls(Transcript((Message("assistant", calls=calls),), (0,))).value
    1.0
    """
    seen: dict[str, bool] = {}
    repeated: list[dict[str, object]] = []
    for number, call in enumerate(transcript.calls, 1):
        key = call.key
        if key in seen and not seen[key]:
            repeated.append({"call": number, **call.as_data()})
        seen[key] = call.is_error
    return _count("repeated", repeated, transcript)


@metric(version=2, high=None, ranked=False)
def steps(transcript: Transcript) -> Score:
    """How many tool calls were made.

    A count, from 0. Neither many nor few is better as such. Never undefined.

    Source: the number of steps of agent benchmarks (Yao et al. 2024, tau-bench).

    >>> steps(Transcript((), ())).value
    0.0
    """
    n_by_name = Counter(call.name for call in transcript.calls)
    return Score(float(len(transcript.calls)), evidence={"calls": dict(n_by_name)})


@metric(version=2, high=None, lower_is_better=True)
def tool_errors(transcript: Transcript) -> Score:
    """How many tool calls failed, as the tool itself says.

    A count, from 0: results that are marked as errors, are objects with an `error`, or begin as
    "Error: …", "ValueError: …" or a traceback do. Undefined if no tool was called.

    Source: our own; `is_error` of Anthropic's and `status` of LangChain's tool results.

    >>> from ragauge.conversations.transcript import Message
    >>> call = Call("search", {}, result="Error: no such index", is_error=True)
    >>> tool_errors(Transcript((Message("assistant", calls=[call]),), (0,))).value
    1.0
    """
    if not transcript.calls:
        return Score.undefined("no tool was called")
    failed: list[dict[str, object]] = [
        {"call": number, "name": call.name, "result": (call.result or "")[:200]}
        for number, call in enumerate(transcript.calls, 1)
        if call.is_error
    ]
    return _count("errors", failed, transcript)


@metric(version=2)
def error_recovery(transcript: Transcript) -> Score:
    """Share of the tools that failed at some point whose last call succeeded.

    In [0, 1]. Undefined if no call failed.

    Source: our own; the recovery of agents after errors as tau-bench (Yao et al. 2024) tells of it.

    >>> from ragauge.conversations.transcript import Message
    >>> calls = [Call("search", {"q": 1}, result="Error", is_error=True), Call("search", {"q": "1"}, result="found")]
    >>> error_recovery(Transcript((Message("assistant", calls=calls),), (0,))).value
    1.0
    """
    last = {call.name: call for call in transcript.calls}
    failed = sorted({call.name for call in transcript.calls if call.is_error})
    if not failed:
        return Score.undefined("no tool call failed")
    recovered = [name for name in failed if not last[name].is_error]
    evidence = {"failed": failed, "recovered": recovered}
    return Score(len(recovered) / len(failed), evidence=evidence)
