from dataclasses import replace

import pytest
from cases import cases

from ragauge import catalog
from ragauge.errors import PlanError, SuiteError
from ragauge.label import Label
from ragauge.storage.tomlfile import parse_toml
from ragauge.suite import Suite, shipped_suites


def read(text: str) -> Suite:
    return Suite.read(parse_toml('name = "mine"\n' + text, "mine.toml"), "mine.toml")


def problems(text: str) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        read(text)
    return str(caught.value).splitlines()


METRIC = '[[metric]]\nlabel = "exact_match"\n'


def test_the_suites_are_shipped():
    assert shipped_suites() == (
        "agent",
        "answer-quality",
        "conversation",
        "factual-qa",
        "graphrag",
        "passage-retrieval",
        "rag",
        "reference-free",
    )


@pytest.mark.parametrize("name", shipped_suites())
def test_every_metric_of_a_shipped_suite_is_there(name):
    suite = Suite.load(name)
    assert suite.name == name
    for entry in suite.entries:
        assert entry.label.name in catalog.metrics(), entry.label
    for check in suite.checks:
        for _, label in check.rules:
            catalog.find(label)


def test_a_file_becomes_a_suite(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\ntitle = "Mine"\nscale = 100\ndigits = 1\n'
        '[[metric]]\nlabel = "ndcg@10"\nname = "rank"\n'
        '[[metric]]\nlabel = "exact_match"\nscale = 1\ndigits = 3\n'
        '[[check]]\nwhere = \'id = "7"\'\nmean = "facts"\n'
        "[check.rules]\n"
        'has_604 = { number = 604 }\nsorry = { contains_any = ["sorry", "cannot"] }\n'
        '[check.holds]\nis_correct = "has_604 and not sorry"\n'
    )
    suite = Suite.load(path)
    assert suite == Suite.load(str(path))
    first, second = suite.entries
    assert (str(first.label), first.name, first.scale, first.digits) == ("ndcg@10", "rank", 100, 1)
    assert (second.name, second.scale, second.digits) == ("exact_match", 1, 3)
    (check,) = suite.checks
    assert dict(check.rules) == {
        "has_604": Label("number", {"value": "604"}),
        "sorry": Label("contains_any", {"texts": ("sorry", "cannot")}),
    }
    assert check.mean == "facts"
    assert check.where.text == 'id = "7"'
    assert [name for name, _ in check.holds] == ["is_correct"]


def test_an_unknown_suite_is_said_with_what_was_meant():
    with pytest.raises(SuiteError, match="did you mean 'graphrag'"):
        Suite.load("graphrg")
    with pytest.raises(SuiteError, match="the suites are agent, answer-quality, conversation"):
        Suite.load("zzz")


@cases(
    ("", "has no metric"),
    ("[[metric]]\n", "metric 1: has no label"),
    ('[[metric]]\nlabel = "nd cg"\n', "unexpected text"),
    ('[[metrics]]\nlabel = "x"\n', "unknown key 'metrics'; did you mean 'metric'?"),
    ('[metric]\nlabel = "x"\n', "metric must be a list"),
    ("metric = [1]\n", "metric must be written as [[metric]] tables"),
    ('[[metric]]\nlabel = "x"\nlable = "y"\n', "unknown key 'lable'"),
    (METRIC + 'show = "sum"\n', "show must be one of mean, count, got 'sum'"),
    (METRIC + 'scale = "x"\n', "scale must be a number, got 'x'"),
    (
        METRIC + "scale = nan\n",
        "metric 1: scale must be above 0 and at most 1,000,000, got nan",
    ),
    (METRIC + "scale = inf\n", "metric 1: scale must be above 0 and at most 1,000,000"),
    (METRIC + "scale = 0\n", "metric 1: scale must be above 0 and at most 1,000,000, got 0"),
    (METRIC + "scale = 1e308\n", "metric 1: scale must be above 0 and at most 1,000,000"),
    (METRIC + f"scale = 1{400 * '0'}\n", "metric 1: scale must be above 0 and at most"),
    ("scale = -1e7\n" + METRIC, "mine.toml: scale must be above 0 and at most 1,000,000"),
    (METRIC + "digits = -1\n", "digits must be from 0 to 15"),
    (METRIC + "digits = 1000\n", "digits must be from 0 to 15"),
    (METRIC + METRIC, "the name 'exact_match' is used twice"),
    ("[[check]]\n", "check 1: has no rules"),
    ("[[check]]\nwhere = 'id ='\n[check.rules]\na = { contains = 'x' }\n", "at its end"),
    ("[[check]]\n[check.rules]\na = 'x'\n", "must be a table with one of contains"),
    ("[[check]]\n[check.rules]\na = { contains = 'x', regex = 'y' }\n", "one of contains"),
    ("[[check]]\n[check.rules]\na = { contain = 'x' }\n", "did you mean 'contains'"),
    ("[[check]]\n[check.rules]\na = { list_coverage = 'x' }\n", "must be a table"),
    ("[[check]]\n[check.rules]\na = { list_coverage = { code = 'x' } }\n", "'codes'"),
    (
        "[[check]]\n[check.rules]\na = { contains = 'x' }\n[check.holds]\nb = 'not aa'\n",
        "'b' uses the unknown rule 'aa'",
    ),
    (
        "[[check]]\n[check.rules]\na = { contains = 'x' }\n[check.holds]\na = 'not a'\n",
        "the name 'a' is used twice",
    ),
    (
        "[[check]]\nmean = 'a'\n[check.rules]\na = { contains = 'x' }\n",
        "the name 'a' is used twice",
    ),
)
def test_what_is_wrong_in_a_suite_is_said_with_its_place(text, problem):
    found = problems(text)
    assert any(problem in line for line in found), found
    assert all(line.startswith("mine.toml") for line in found)


def test_every_problem_of_a_suite_is_said_at_once():
    found = problems(
        '[[metric]]\n[[metric]]\nlabel = "x"\nshow = "sum"\n'
        "[[check]]\n[[check]]\n[check.rules]\na = { zzz = 1 }\n"
    )
    assert len(found) >= 5
    places = "\n".join(found)
    assert all(place in places for place in ("metric 1", "metric 2", "check 1", "check 2"))


def test_families_group_metrics_and_say_what_is_good():
    suite = Suite.read(
        {
            "name": "mine",
            "family": [{"name": "answer", "says": "is right"}],
            "metric": [
                {"label": "exact_match", "family": "answer"},
                {"label": "dont_know", "ranked": False},
            ],
        },
        "mine.toml",
    )
    assert suite.families == {"answer": "is right"}
    assert [(entry.family, entry.ranked) for entry in suite.entries] == [
        ("answer", True), ("", False),
    ]  # fmt: skip


FAMILY = {"name": "mine", "family": [{"name": "answer", "says": "is right"}]}
EXACT = {"label": "exact_match"}


@cases(
    (
        FAMILY | {"metric": [EXACT | {"family": "anser"}]},
        "mine.toml: exact_match is in the unknown family 'anser'; did you mean 'answer'?",
    ),
    (
        FAMILY | {"metric": [EXACT | {"family": "zzz"}]},
        "mine.toml: exact_match is in the unknown family 'zzz'; add a [[family]] table of that name",
    ),
    (
        {"name": "mine", "family": [{"name": "answer"}], "metric": [EXACT]},
        "mine.toml: family 1: has no says",
    ),
    ({"name": "s", "precision": "bf16", "metric": [EXACT]}, "precision must be fp32 or int8"),
    ({"name": "s", "metric": [EXACT | {"only_for": "hard"}]}, "only_for must be unanswerable"),
    ({}, "has no name"),
)
def test_a_wrong_family_precision_or_name_is_a_problem(table, problem):
    with pytest.raises(SuiteError) as caught:
        Suite.read(table, "mine.toml")
    assert problem in str(caught.value)


def test_every_metric_of_the_default_suite_has_a_family():
    suite = Suite.load("rag")
    assert all(entry.family in suite.families for entry in suite.entries)
    assert {entry.family for entry in suite.entries} == set(suite.families)


def test_a_suite_may_set_the_precision_of_the_embedded_encoder():
    import ragauge as rg

    table = {
        "name": "fast",
        "precision": "int8",
        "metric": [{"label": "semantic_similarity"}, {"label": "exact_match"}],
    }
    suite = Suite.read(table, "fast.toml")
    rows = [{"id": "q1", "answer": "a cat", "reference": "one cat"}]
    run = rg.evaluate(rows, suite)
    assert run.metrics[0].metric == 'semantic_similarity(model="all-MiniLM-L6-v2")'
    assert run.manifest.code["models"][0]["precision"] == "int8"
    # An encoder that the caller names has its own precision.
    named = rg.evaluate(rows, suite, encoder="all-MiniLM-L6-v2")
    assert named.manifest.code["models"][0]["precision"] == "fp32"
    other = replace(suite, name="other", precision="fp32")
    with pytest.raises(PlanError, match="the suites name several: fast int8 and other fp32"):
        rg.evaluate(rows, [suite, other])
