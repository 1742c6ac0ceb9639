"""Tool calls beside ragas 0.4.3, agentevals 0.0.9 and BFCL's checker (bfcl-eval 2026.3.23), on seeded calls.

Where they differ by design: ragas gives a call a part of its arguments' share, compares arguments as text, leaves surplus
ones out and counts equal calls once in F1; agentevals' strict mode leaves the calls of one message without order; BFCL
ignores case and some punctuation of text, refuses 2.0 for an integer, and has no defaults. docs/conversations.md says so.
"""

import asyncio
import copy
import json
import random
import sys
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


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_ragas_tool_call_accuracy_is_1_where_ours_is_and_its_f1_is_ours():
    pytest.importorskip("ragas", "0.4.3")
    from ragas.dataset_schema import MultiTurnSample
    from ragas.messages import AIMessage, HumanMessage, ToolCall
    from ragas.metrics._tool_call_accuracy import ToolCallAccuracy
    from ragas.metrics._tool_call_f1 import ToolCallF1

    for made, right in sequences(150):
        calls, wanted = (
            [ToolCall(name=name, args=arguments) for name, arguments in each]
            for each in (made, right)
        )
        sample = MultiTurnSample(
            user_input=[HumanMessage(content="Go"), AIMessage(content="", tool_calls=calls)],
            reference_tool_calls=wanted,
        )
        for order, strict in (("same", True), ("any", False)):
            accuracy = ToolCallAccuracy(strict_order=strict)
            theirs = asyncio.run(accuracy.multi_turn_ascore(sample))
            score = ours(f'tool_call_match(order="{order}")', made, right)
            assert (theirs == 1) == (score.value == 1), (made, right)
        n_distinct = [len({json.dumps(call) for call in each}) for each in (made, right)]
        if n_distinct == [len(made), len(right)] and (made or right):
            theirs = asyncio.run(ToolCallF1().multi_turn_ascore(sample))
            assert ours("tool_f1", made, right).value == approx(theirs, abs=1e-4)


def test_the_four_modes_are_those_of_agentevals():
    match = pytest.importorskip("agentevals.trajectory.match")
    for mode in ("strict", "unordered", "subset", "superset"):
        theirs = match.create_trajectory_match_evaluator(trajectory_match_mode=mode)
        for made, right in sequences(150):
            verdict = theirs(outputs=messages(made), reference_outputs=messages(right))["score"]
            score = ours(f'trajectory_match(mode="{mode}")', made, right)
            assert bool(score.value) == verdict, (mode, made, right)


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


@pytest.mark.parametrize("change", CHANGES, ids=json.dumps)
def test_the_checker_of_bfcl_agrees_on_arguments(change, monkeypatch):
    pytest.importorskip("bfcl_eval")
    # The checker asks these two for the names of models and for Java's values; they import every client there is.
    models = ModuleType("bfcl_eval.constants.model_config")
    models.MODEL_CONFIG_MAPPING = {"any": SimpleNamespace(underscore_to_dot=False)}
    monkeypatch.setitem(sys.modules, models.__name__, models)
    for name in ("java", "js"):
        reader = ModuleType(f"bfcl_eval.eval_checker.ast_eval.type_convertor.{name}_type_converter")
        setattr(reader, f"{name}_type_converter", None)
        monkeypatch.setitem(sys.modules, reader.__name__, reader)
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    for arguments in (GIVEN | change, {k: v for k, v in GIVEN.items() if k not in change}):
        theirs = ast_checker(
            TOOLS, [{"book": copy.deepcopy(arguments)}], [{"book": copy.deepcopy(RIGHT)}], Language.PYTHON, "simple", "any"
        )  # fmt: skip
        score = rg.score(
            "tool_call_match",
            messages=messages([("book", arguments)]),
            expected_calls=[{"book": RIGHT}],
            tools=TOOLS,
        )
        assert (score.value == 1) == theirs["valid"], (arguments, theirs)
