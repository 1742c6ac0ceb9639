"""Values are compared by type and schema, calls matched one to one, schemas kept to themselves."""

import itertools
import random

from cases import cases

from ragauge.conversations.matching import ValueRules, matched_pairs, schema_problem, tool_schemas
from ragauge.conversations.tool_calls import Call

CALLS = ValueRules(alternatives=True)
ARRAY = {"properties": {"x": {"type": "array"}}}
TEXT = {"properties": {"x": {"type": "string"}}}
SET = {"properties": {"x": {"type": "array", "uniqueItems": True}}}
DEFAULT = {"properties": {"unit": {"type": "string", "default": "m"}}}


@cases(
    ({"x": 1}, {"x": 1.0}, None, True),
    ({"x": 1}, {"x": True}, None, False),
    ({"x": 1}, {"x": "1"}, None, False),
    ({"x": None}, {"x": None}, None, True),
    ({"x": None}, {}, None, False),
    ({"x": "é"}, {"x": "e\u0301"}, None, True),
    ({"x": "A"}, {"x": "a"}, None, False),
    ({"x": {"a": 1, "b": 2}}, {"x": {"b": 2, "a": 1}}, None, True),
    ({"x": [1, 2]}, {"x": [1, 2]}, None, True),
    ({"x": [1, 2]}, {"x": [2, 1]}, None, False),
    ({"x": [1, 2]}, {"x": [2, 1]}, SET, True),
    ({"x": [1, 1]}, {"x": [1, 2]}, SET, False),
    ({"x": [1, 2]}, {"x": 2}, None, True),
    ({"x": [1, 2]}, {"x": 3}, None, False),
    ({"x": [1, 2]}, {"x": 2}, ARRAY, False),
    ({"x": ["a", "b"]}, {"x": "b"}, TEXT, True),
    ({"x": ["a", "b"]}, {"x": ["a", "b"]}, None, True),
    ({"x": ["a", "b"]}, {"x": ["a", "b"]}, TEXT, False),
    ({"x": [[1, 2], [3]]}, {"x": [3]}, ARRAY, True),
    ({"x": [["Seafood"]]}, {"x": ["Seafood"]}, None, True),
    ({"x": [["Seafood"]]}, {"x": "Seafood"}, None, False),
    ({"x": [["Seafood"], "any"]}, {"x": "any"}, None, True),
    ({"x": ["a", ""]}, {}, None, True),
    ({"x": {"city": ["Oslo", "Bergen"]}}, {"x": {"city": "Bergen"}}, None, True),
    ({"unit": "m"}, {}, DEFAULT, True),
    ({}, {"unit": "m"}, DEFAULT, True),
    ({}, {"unit": "km"}, DEFAULT, False),
    ({}, {"unit": "m"}, None, False),
    (None, {"anything": 1}, None, True),
)
def test_arguments_are_compared_by_value_type_and_schema(expected, found, tool, is_equal):
    assert (not CALLS.call_differences(Call("f", expected), Call("f", found), tool)) is is_equal


def test_names_are_compared_exactly_and_invalid_arguments_match_nothing():
    assert CALLS.call_differences(Call("f", {}), Call("F", {}), None)[0].path == "name"
    assert CALLS.call_differences(
        Call("f", None), Call("f", None, "the arguments are no JSON"), None
    )


def test_differences_name_their_paths_and_what_is_ignored_does_not_count():
    before = {"orders": [{"id": 1, "at": "now"}, {"id": 2}], "total": 3}
    after = {"orders": [{"id": 1, "at": "then"}], "total": 3.2, "extra": None}
    found = ValueRules(rtol=0.1, ignore=("orders.*.at",)).differences(before, after)
    assert [(each.path, each.kind) for each in found] == [
        ("orders.1", "missing"),
        ("extra", "extra"),
    ]


def largest_matching(equal):
    nodes = sorted({at for one in equal for at in one})
    best = 0
    for order in itertools.permutations(range(len(equal))):
        taken = set()
        for left in order:
            free = next((at for at in nodes if at in equal[left] and at not in taken), None)
            taken |= set() if free is None else {free}
        best = max(best, len(taken))
    return best


def test_the_matching_is_the_largest_there_is():
    chance = random.Random(3)
    for _ in range(300):
        equal = [[at for at in range(5) if chance.random() < 0.4] for _ in range(5)]
        pairs = matched_pairs(len(equal), equal.__getitem__)
        assert len(set(pairs.values())) == len(pairs)
        assert all(right in equal[left] for left, right in pairs.items())
        assert len(pairs) == largest_matching(equal)


def test_calls_are_matched_one_to_one_also_with_allowed_values():
    expected = [Call("f", {"x": [1, 2]}), Call("f", {"x": 1})]
    made = [Call("f", {"x": 1}), Call("f", {"x": 2}), Call("f", {"x": 1})]
    assert CALLS.match(expected, made, {}) in ({0: 1, 1: 0}, {0: 1, 1: 2})
    assert len(CALLS.match(expected[1:] * 3, made, {})) == 2
    many = [Call("f", {"x": n % 7}) for n in range(4000)]
    assert len(CALLS.match(many, many, {})) == 4000


def test_a_matching_may_begin_with_pairs_that_it_changes():
    chance = random.Random(4)
    for _ in range(300):
        equal = [[at for at in range(5) if chance.random() < 0.4] for _ in range(5)]
        first = {left: rights[0] for left, rights in enumerate(equal[:1]) if rights}
        pairs = matched_pairs(len(equal), equal.__getitem__, first)
        assert all(right in equal[left] for left, right in pairs.items())
        assert len(pairs) == largest_matching(equal)


def test_many_calls_with_lists_are_matched_in_linear_time(assert_linear_time):
    def calls(n):
        return [Call("f", {"ids": [at, at + 1]}) for at in range(n)]

    assert_linear_time(lambda made: CALLS.match(made[::-1], made, {}), calls, 1_500)


@cases(
    ({"a": 1}, {"type": "object", "properties": {"a": {"type": "integer"}}}, ""),
    ({"a": "1"}, {"properties": {"a": {"type": "integer"}}}, "a: '1' is not of type 'integer'"),
    ({}, {"required": ["a"]}, "'a' is a required property"),
    ({"b": 1}, {"properties": {"a": {}}, "additionalProperties": False}, "Additional properties are not allowed"),
    ({"a": "x"}, {"properties": {"a": {"enum": ["y", "z"]}}}, "a: 'x' is not one of ['y', 'z']"),
    ({"a": 1}, {"type": "dict", "properties": {"a": {"type": "float"}}}, ""),
    ({"a": "1"}, {"type": "dict", "properties": {"a": {"type": "any"}}}, ""),
    ({"a": "1"}, {"type": "OBJECT", "properties": {"a": {"type": "INTEGER"}}}, "a: '1' is not of type 'integer'"),
    ({"type": 1}, {"properties": {"type": {"type": "string"}}}, "type: 1 is not of type 'string'"),
    ({"a": {"a": {}}}, {"properties": {"a": {"$ref": "#"}}}, ""),
    ({"a": {"a": 1}}, {"type": "object", "properties": {"a": {"$ref": "#"}}}, "a.a: 1 is not of type 'object'"),
    ({}, {"$ref": "#"}, None),
    ({"a": 1}, {"$ref": "https://example.com/schema.json"}, ""),
    ({"a": 1}, {"$ref": "file:///etc/passwd"}, ""),
    ({"a": 1}, {"properties": {"a": {"$ref": "x.json"}}, "required": ["b"]}, "'b' is a required property"),
    ({"a": 1}, {"type": "nonsense"}, None),
    ({"a": "x1"}, {"properties": {"a": {"pattern": "[0-9]$"}}}, ""),
    ({"a": "x"}, {"properties": {"a": {"pattern": "[0-9]$"}}}, "a: 'x' does not match '[0-9]$'"),
    ({"a": "a" * 5_000 + "!"}, {"properties": {"a": {"pattern": "^(a+)+$"}}}, "a: "),
    ({"a": "x"}, {"properties": {"a": {"pattern": "(?=y)x"}}}, ""),
    ({"a": 1}, {"properties": 3}, None),
)  # fmt: skip
def test_arguments_against_a_tools_schema(arguments, schema, said):
    found = schema_problem(arguments, schema)
    assert found == said if said is None else found.startswith(said)
    assert found is None or bool(found) == bool(said)


def test_tools_of_each_api():
    schema = {"type": "object"}
    tools = [
        {"type": "function", "function": {"name": "a", "parameters": schema}},
        {"name": "b", "input_schema": schema},
        {"name": "c", "parameters": schema},
        {"name": "d"},
        {"functionDeclarations": [{"name": "e", "parameters": schema}]},
        {"toolSpec": {"name": "f", "inputSchema": {"json": schema}}},
        {"type": "web_search_preview"},
        "nonsense",
    ]
    named = tool_schemas(tools)
    assert named == {**dict.fromkeys("abcef", schema), "d": {}, "web_search": {}}
    of_mcp = {"name": "a", "inputSchema": schema}
    for given in (of_mcp, {"tools": [of_mcp]}, {"a": schema}, {"a": {"parameters": schema}}):
        assert tool_schemas(given) == {"a": schema}
