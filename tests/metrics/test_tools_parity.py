"""Tool calls beside ragas 0.4.3, agentevals 0.0.9 and BFCL's checker (bfcl-eval 2026.3.23), on seeded calls.

Where they differ by design: ragas gives a call a part of its arguments' share, compares arguments as text, leaves surplus
ones out and counts equal calls once in F1; agentevals' strict mode leaves the calls of one message without order; BFCL
ignores case and some punctuation of text, refuses 2.0 for an integer, and has no defaults. docs/conversations.md says so.

`tool_calls_of_peers.json` has what the three say of seeded calls and of the examples in their documentation, so that the comparison runs
without them. With them installed, `python tests/metrics/test_tools_parity.py` writes it.
"""

import asyncio
import copy
import json
import random
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from pytest import approx

import ragauge as rg

CHOICES = [("search", {"q": q, "n": n}) for q in ("a", "b") for n in (1, 2)] + [("stop", {})]


def sequences(n):
    """Calls that were made and calls that are right, often near each other."""
    for seed in range(n):
        chance = random.Random(seed)
        right = [chance.choice(CHOICES) for _ in range(chance.randint(0, 4))]
        made = [each for each in right if chance.random() < 0.85]
        if chance.random() < 0.3:
            made.insert(chance.randint(0, len(made)), chance.choice(CHOICES))
        if chance.random() < 0.3:
            chance.shuffle(made)
        yield made, right


def messages(calls):
    said = [{"role": "user", "content": "Go"}]
    for name, arguments in calls:
        call = {"id": "1", "function": {"name": name, "arguments": json.dumps(arguments)}}
        said.append({"role": "assistant", "content": "", "tool_calls": [call]})
    return [*said, {"role": "assistant", "content": "Done."}]


def ours(label, made, right):
    expected = [{"name": name, "arguments": arguments} for name, arguments in right]
    return rg.score(label, messages=messages(made), expected_calls=expected)


def of_ragas(made, right):
    """Accuracy with the order and without, and F1."""
    from ragas.dataset_schema import MultiTurnSample
    from ragas.messages import AIMessage, HumanMessage, ToolCall
    from ragas.metrics._tool_call_accuracy import ToolCallAccuracy
    from ragas.metrics._tool_call_f1 import ToolCallF1

    calls, wanted = (
        [ToolCall(name=name, args=args) for name, args in each] for each in (made, right)
    )
    sample = MultiTurnSample(
        user_input=[HumanMessage(content="Go"), AIMessage(content="", tool_calls=calls)],
        reference_tool_calls=wanted,
    )
    measures = (
        ToolCallAccuracy(strict_order=True),
        ToolCallAccuracy(strict_order=False),
        ToolCallF1(),
    )
    return [asyncio.run(each.multi_turn_ascore(sample)) for each in measures]


def compare_with_ragas(made, right, theirs):
    for order, accuracy in zip(("same", "any"), theirs, strict=False):
        score = ours(f'tool_call_match(order="{order}")', made, right)
        assert (accuracy == 1) == (score.value == 1), (made, right)
    n_distinct = [len({json.dumps(call) for call in each}) for each in (made, right)]
    if n_distinct == [len(made), len(right)] and (made or right):
        assert ours("tool_f1", made, right).value == approx(theirs[2], abs=1e-4)


MODES = ("strict", "unordered", "subset", "superset")


def of_agentevals(made, right):
    """The verdict of each mode."""
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    sides = {"outputs": messages(made), "reference_outputs": messages(right)}
    return [
        create_trajectory_match_evaluator(trajectory_match_mode=each)(**sides)["score"]
        for each in MODES
    ]


def compare_with_agentevals(made, right, theirs):
    for mode, verdict in zip(MODES, theirs, strict=True):
        score = ours(f'trajectory_match(mode="{mode}")', made, right)
        assert bool(score.value) == verdict, (mode, made, right)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_ragas_tool_call_accuracy_is_1_where_ours_is_and_its_f1_is_ours():
    pytest.importorskip("ragas", "0.4.3")
    for made, right in sequences(150):
        compare_with_ragas(made, right, of_ragas(made, right))


def test_the_four_modes_are_those_of_agentevals():
    pytest.importorskip("agentevals.trajectory.match")
    for made, right in sequences(150):
        compare_with_agentevals(made, right, of_agentevals(made, right))


RECORDED = Path(__file__).with_name("tool_calls_of_peers.json")
CITY, PARIS = {"city": "San Francisco"}, {"location": "Paris"}
WEATHER, UV = ("weather_check", PARIS), ("uv_index_lookup", PARIS)
FORECAST = ("accuweather_forecast", CITY)
EXAMPLES = [  # of ragas' and agentevals' documentation
    ([("weather_check", {"location": "New York"}), ("temperature_conversion", {"temperature_fahrenheit": 75})],) * 2,
    ([WEATHER, UV], [WEATHER, UV]),
    ([WEATHER, UV, ("air_quality", PARIS)], [UV, WEATHER]),
    ([("get_weather", CITY), FORECAST], [("get_weather", CITY)]),
    ([("get_weather", CITY), ("get_fun_activities", CITY)], [("get_fun_activities", CITY), ("get_weather", CITY)]),
]  # fmt: skip


def recorded():
    return json.loads(RECORDED.read_text())


@pytest.mark.parametrize("case", recorded()["calls"], ids=lambda case: json.dumps(case)[:60])
def test_calls_have_the_recorded_verdicts_of_ragas_and_agentevals(case):
    compare_with_ragas(case["made"], case["right"], case["ragas"])
    compare_with_agentevals(case["made"], case["right"], case["agentevals"])


TOOLS = [
    {
        "name": "book",
        "description": "",
        "parameters": {
            "type": "dict",
            "properties": {
                "to": {"type": "string"},
                "nights": {"type": "integer"},
                "price": {"type": "float"},
                "guests": {"type": "array", "items": {"type": "string"}},
                "quiet": {"type": "boolean"},
                "room": {"type": "dict", "properties": {"beds": {"type": "integer"}}},
            },
            "required": ["to"],
        },
    }
]
RIGHT = {
    "to": ["Oslo", "Oslo, Norway"],
    "nights": [2],
    "price": [80.5, 90.0],
    "guests": [["Ann", "Bo"], ["Bo", "Ann"]],
    "quiet": [True, ""],
    "room": [{"beds": [1, 2]}, ""],
}
GIVEN = {"to": "Oslo", "nights": 2, "price": 90, "guests": ["Bo", "Ann"]}
CHANGES = [
    {},
    {"to": "Oslo, Norway", "quiet": True, "room": {"beds": 2}},
    *({name: value} for name, values in {
        "to": ("Bergen", ["Oslo"], 1, None),
        "nights": (3, "2", [2], True),
        "price": (80.5, 80, "90"),
        "guests": (["Ann"], ["Ann", "Cy"], "Ann", [["Ann", "Bo"]]),
        "quiet": (True, False, 1, "true"),
        "room": ({"beds": 1}, {"beds": 3}, {}, {"beds": 1, "view": 1}, [{"beds": 1}]),
        "view": (1,),
    }.items() for value in values),
]  # fmt: skip


def arguments_of(change):
    return GIVEN | change, {name: value for name, value in GIVEN.items() if name not in change}


def of_bfcl(arguments):
    """Whether BFCL's checker calls it right."""
    # The checker asks these for the names of models and for Java's values; they import every client there is.
    models = ModuleType("bfcl_eval.constants.model_config")
    models.MODEL_CONFIG_MAPPING = {"any": SimpleNamespace(underscore_to_dot=False)}
    stand_ins = {models.__name__: models}
    for name in ("java", "js"):
        reader = ModuleType(f"bfcl_eval.eval_checker.ast_eval.type_convertor.{name}_type_converter")
        setattr(reader, f"{name}_type_converter", None)
        stand_ins[reader.__name__] = reader
    with pytest.MonkeyPatch.context() as patch:
        for name, module in stand_ins.items():
            patch.setitem(sys.modules, name, module)
        from bfcl_eval.constants.enums import Language
        from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

        made, right = ([{"book": copy.deepcopy(each)}] for each in (arguments, RIGHT))
        return ast_checker(TOOLS, made, right, Language.PYTHON, "simple", "any")["valid"]


def is_right(arguments):
    made = messages([("book", arguments)])
    score = rg.score(
        "tool_call_match", messages=made, expected_calls=[{"book": RIGHT}], tools=TOOLS
    )
    return score.value == 1


@pytest.mark.parametrize("change", CHANGES, ids=json.dumps)
def test_the_checker_of_bfcl_agrees_on_arguments(change):
    pytest.importorskip("bfcl_eval")
    for arguments in arguments_of(change):
        assert is_right(arguments) == of_bfcl(arguments), arguments


@pytest.mark.parametrize("case", recorded()["bfcl"], ids=json.dumps)
def test_arguments_have_the_recorded_verdict_of_bfcl(case):
    assert is_right(case["arguments"]) == case["valid"]


def record():
    """Ask the three packages and write the record."""
    pairs = [*EXAMPLES, *sequences(60)]
    calls = [
        {
            "made": made,
            "right": right,
            "ragas": of_ragas(made, right),
            "agentevals": of_agentevals(made, right),
        }
        for made, right in pairs
    ]
    given = [each for change in CHANGES for each in arguments_of(change)]
    bfcl = [{"arguments": each, "valid": of_bfcl(each)} for each in given]
    lines = {"calls": calls, "bfcl": bfcl}
    parts = [
        f'"{name}": [\n' + ",\n".join(map(json.dumps, each)) + "\n]" for name, each in lines.items()
    ]
    RECORDED.write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    record()
