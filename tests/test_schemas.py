"""The JSON Schemas take what the readers take, and refuse what they refuse."""

import json
import runpy
import tomllib
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import ragauge as rg
from ragauge.evaluation.config import Config
from ragauge.runs.manifest import Manifest
from ragauge.samples.fields import FIELDS
from ragauge.suite import Suite, shipped_suites
from ragauge.views.run_files import summary_json

ROOT = Path(__file__).parent.parent
SHIPPED = {each.name: each.read_text("utf-8") for each in (files("ragauge") / "schemas").iterdir()}


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(SHIPPED[f"{name}.json"]))


def takes(name: str, value: object) -> bool:
    return validator(name).is_valid(value)


def reads(reader, *values: object) -> bool:
    try:
        reader(*values)
    except (rg.RagaugeError, ValueError, TypeError):
        return False
    return True


def test_the_schemas_are_what_their_script_generates_now():
    made = runpy.run_path(str(ROOT / "docs" / "make_schemas.py"))["schemas"]()
    assert made == SHIPPED, "run: python docs/make_schemas.py"
    for text in made.values():
        Draft202012Validator.check_schema(json.loads(text))


VALUES = r"""
null true 5 2.5 "1_000" "1__0" -1 1099511627776 "" "x" "\u0020" "3" "1e3" "no" "Yes" "0" "[]" {} [] ["a"] ["a",1] ["a",null]
["a",true] ["a","a"] [true] [1,2.5] [[1]] {"d":1} {"d":2.0} {"d":1.5} {"d":true} {"d":"1"} {"d":2147483648}
{"":1} [{"id":"d","grade":2}] [{"id":"d"}] [{"role":"user","content":"a"}] {"role":"user","content":"a"}
[{"role":"assistant","content":"a"}] {"text":"t"} {"body":"t"} [{"page_content":"t","id":"d"}] [{"foo":"bar"}]
[["a",0.5]] {"documents":[{"text":"t"}]} [{"text":"t"},{"foo":1}] {"text":5} [{"node":{"text":"t"}}] [{"node":"t"}]
"""


@pytest.mark.parametrize("field", [*FIELDS, "topic"])
def test_a_row_is_valid_if_it_can_be_loaded(field, tmp_path):
    file = tmp_path / "answers.jsonl"
    for value in VALUES.split():
        row = {"id": "q1", "question": "Who?", "answer": "Ida"} | {field: json.loads(value)}
        file.write_text(json.dumps(row), "utf-8")
        # An answer that is a list or a document is read as another field.
        try:
            is_read = field == "topic" or field in rg.load(file).columns
        except rg.RagaugeError:
            is_read = False
        assert takes("sample", row) == is_read, value


def test_the_expected_calls_of_a_conversation_are_valid_if_they_can_be_loaded(tmp_path):
    calls = """
null [] [null] [{"name":"f"}] [[{"name":"f"}]] [[[{"name":"f"}],[{"name":"g"}]]] "[{\\"name\\":\\"f\\"}]" "f" 5 {} [5] ["f"] [[5]]
"""
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    file = tmp_path / "conversations.jsonl"
    for value in calls.split():
        row = {"id": "c1", "messages": messages, "expected_calls": json.loads(value)}
        file.write_text(json.dumps(row), "utf-8")
        assert takes("sample", row) == reads(rg.load, file), value


def test_every_example_is_valid():
    for name in shipped_suites():
        text = (files("ragauge") / "suites" / f"{name}.toml").read_text("utf-8")
        assert takes("suite", tomllib.loads(text)), name
    for path in (ROOT / "examples").rglob("*.toml"):
        if path.name != "pyproject.toml":
            assert takes("config", tomllib.loads(path.read_text("utf-8"))), path
    for path in (ROOT / "examples").rglob("*.jsonl"):
        if path.name != "judge.jsonl":
            rows = path.read_text("utf-8").splitlines()
            assert all(takes("sample", json.loads(row)) for row in rows), path


BAD_CONFIGS = """
sute = "rag"
suites = "rag"
limit = 0
by_place = 1
data = "a"; systems = {a = "b"}
systems = {a = 1}
map = {answer = ["a"]}
seed = 1.5
encoder = {model = 1}
judge = {model = []}
judge = {model = ""}
judge = {model = "a", rpm = "5"}
judge = {modle = "a"}
gate = {rules = [5]}
gate = {max_drop = -1}
gate = {max_drop = [1]}
gate = {on = "line"}
gold = ""
where = " "
output = [""]
encoder = {model = ""}
map = {answer = ""}
"""
GOOD_CONFIGS = """
suites = []
gate = {max_drop = {}}
gate = {max_drop = 0, on = "bound", rules = ["correct >= 0.8"]}
judge = {model = "a", price = [0, 1.5], temperature = 0}
judge = {model = ["a", "b"]}
data = "a"; map = {answer = "b"}; limit = 1
"""


@pytest.mark.parametrize(("lines", "is_good"), [(BAD_CONFIGS, False), (GOOD_CONFIGS, True)])
def test_a_configuration_is_valid_if_it_can_be_read(lines, is_good, tmp_path):
    file = tmp_path / "ragauge.toml"
    for line in lines.strip().splitlines():
        file.write_text(line.replace("; ", "\n"), "utf-8")
        assert reads(Config.load, file) == is_good, line
        assert takes("config", tomllib.loads(file.read_text("utf-8"))) == is_good, line


def test_values_that_only_the_run_refuses_are_not_valid():
    options = {"evidence": "some", "seed": -1, "metrics": [""], "map": {"answr": "a"}}
    options |= {"encoder": {"precision": "fp8"}, "suites": ["nope"], "on": "spark"}
    assert not any(takes("config", {key: value}) for key, value in options.items())
    assert not takes("config", {"metrics": ["ndcg@"]})
    assert takes("config", {"metrics": ["ndcg@5"], "suites": ["rag", "mine.toml"], "on": "ray"})
    wrong = {"temperature": -1, "max_tokens": 0, "base_url": "ftp://x", "model": ["a", "a"]}
    wrong |= {"price": [1], "repeat": 0, "max_cost_usd": 0, "language": "German", "rpm": 0}
    assert not any(takes("config", {"judge": {"model": "a", k: v}}) for k, v in wrong.items())


RULE = 'check = [{rules = {a = {contains = "x"}}}]'
BAD_SUITES = f"""
name = "x"
metric = [{{label = "ndcg"}}]
name = "x"; metric = []
name = "x"; metric = ["ndcg"]
name = " "; metric = [{{label = "ndcg"}}]
name = "x"; metric = [{{label = "ndcg", name = ""}}]
name = "x"; check = [{{rules = {{"" = {{contains = "x"}}}}}}]
name = "x"; check = [{{mean = "", rules = {{a = {{contains = "x"}}}}}}]
name = 1; {RULE}
name = "x"; {RULE}; metrics = []
name = "x"; {RULE}; scale = 0
name = "x"; {RULE}; digits = 16
name = "x"; {RULE}; precision = "fp16"
name = "x"; {RULE}; family = [{{name = "a"}}]
name = "x"; {RULE}; finding = [{{when = "a = 1"}}]
name = "x"; {RULE}; finding = [{{when = "a = 1", says = "b", precision = 2}}]
name = "x"; metric = [{{name = "ndcg"}}]
name = "x"; metric = [{{label = ""}}]
name = "x"; metric = [{{label = " 5"}}]
name = "x"; check = [{{where = " ", rules = {{a = {{contains = "x"}}}}}}]
name = "x"; {RULE}; finding = [{{when = "", says = "b"}}]
name = "x"; metric = [{{label = "ndcg", show = "sum"}}]
name = "x"; metric = [{{label = "ndcg", only_for = "cost"}}]
name = "x"; check = [{{rules = {{}}}}]
name = "x"; check = [{{where = "a = 1"}}]
name = "x"; check = [{{rules = {{a = {{}}}}}}]
name = "x"; check = [{{rules = {{a = {{contain = "x"}}}}}}]
name = "x"; check = [{{rules = {{a = {{contains = "x", regex = "y"}}}}}}]
name = "x"; check = [{{rules = {{a = {{list_coverage = {{codes = 5}}}}}}}}]
"""
GOOD_SUITES = f"""
name = "x"; {RULE}; scale = 100; digits = 0; precision = "int8"
name = "x"; metric = [{{label = "ndcg@5", show = "count", only_for = "cost_usd"}}]
name = "x"; check = [{{rules = {{a = {{number = 604}}, b = {{list_coverage = {{}}}}}}, holds = {{c = "a and b"}}}}]
"""


@pytest.mark.parametrize(("lines", "is_good"), [(BAD_SUITES, False), (GOOD_SUITES, True)])
def test_a_suite_is_valid_if_it_can_be_read(lines, is_good):
    for line in lines.strip().splitlines():
        table = tomllib.loads(line.replace("; ", "\n"))
        assert reads(Suite.read, table, "it") == is_good, line
        assert takes("suite", table) == is_good, line
        if table.get("name") == "x" and "check" in table and len(table) == 2:
            assert takes("check", table["check"][0]) == is_good, line


@pytest.fixture(scope="module")
def run():
    answers = ("1931.", "It does not say.")
    rows = [
        {"id": "q1", "system": system, "answer": answer, "references": ["1931"]}
        | {"topic": "time", "contexts": ["Opened in 1931."]}
        for system, answer in zip("ab", answers, strict=True)
    ]
    return rg.evaluate(rows, ["token_f1", "dont_know", "hallucination"])


BAD_MANIFESTS = """
{"key": 1}
{"seed": -1}
{"seed": 9223372036854775808}
{"finished": "2026-01-01T00:00:00+00:00", "digests": {"samples.parquet": "a"}}
{"extra": 1}
{"notes": "a"}
{"metrics": [{}]}
{"metrics": [{"metric": "a", "name": "a", "show": "x"}]}
{"metrics": [{"metric": "a", "name": "a", "digits": 16}]}
{"findings": [{"when": "a = 1"}]}
{"plan": {"metrics": [[]]}}
{"plan": {"nodes": [{"key": "a"}]}}
{"data": {"n_samples": "5"}}
{"code": {"repeats": null}}
{"judging": {"a": {"calls": -1}}}
"""


def test_a_manifest_is_valid_if_it_can_be_read(run):
    assert takes("manifest", json.loads(run.manifest.to_json()))
    table = asdict(run.manifest) | {"digests": {}, "finished": None}
    for line in ("{}", *BAD_MANIFESTS.strip().splitlines()):
        text = json.dumps(table | json.loads(line))
        assert reads(Manifest.from_json, text) == (line == "{}"), line
        assert takes("manifest", json.loads(text)) == (line == "{}"), line


def test_the_summary_of_a_run_is_valid(run):
    table = json.loads(json.dumps(summary_json(run, ["topic"])))
    assert table["comparison"] and table["cautions"]
    assert takes("summary", table)
    assert not takes("summary", table | {"summary": [{"metric": "a"}]})
    assert not takes("summary", {key: value for key, value in table.items() if key != "findings"})
