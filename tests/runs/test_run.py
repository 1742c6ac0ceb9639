import json

import pytest
from pytest import approx

import ragauge as rg
from ragauge.errors import PlanError
from ragauge.metric import metric
from ragauge.runs.findings import find
from ragauge.runs.manifest import Manifest
from ragauge.score import Score


def row_of(run, by=None, **wanted):
    rows = [
        row
        for row in run.summary(by).iter_rows(named=True)
        if all(row[name] == value for name, value in wanted.items())
    ]
    assert len(rows) == 1, rows
    return rows[0]


ANSWERS = [
    {"id": "q1", "system": "a", "answer": "x", "references": ["x"], "kind": "fact"},
    {"id": "q2", "system": "a", "answer": "y", "references": ["x"], "kind": "fact"},
    {"id": "q3", "system": "a", "answer": "x", "references": ["x"], "kind": "list"},
    {"id": "q4", "system": "a", "answer": None, "references": ["x"], "kind": "list"},
    {"id": "q1", "system": "b", "answer": "y", "references": ["x"], "kind": "fact"},
    {"id": "q2", "system": "b", "answer": "x", "references": [], "kind": None},
]


@pytest.fixture(scope="module")
def run():
    return rg.evaluate(ANSWERS, "exact_match")


def test_scores_have_a_row_each_in_the_documented_columns(run):
    assert run.scores.columns == [
        *("id", "system", "metric", "value", "status", "reason", "evidence", "flags")
    ]
    assert run.scores.height == len(ANSWERS)
    assert sorted(run.scores["status"].to_list()) == ["missing"] + ["ok"] * 4 + ["undefined"]
    for row in run.scores.iter_rows(named=True):
        assert (row["value"] is None) == (row["status"] != "ok") == (row["reason"] is not None)


def test_the_summary_of_a_system_by_hand(run):
    found = row_of(run, system="a")
    # Scores 1, 0, 1 and one missing: mean 2/3; with 0 for the missing one 2/4, with 1 it is 3/4.
    assert found["mean"] == approx(2 / 3)
    assert (found["worst"], found["best"]) == (approx(2 / 4), approx(3 / 4))
    counts = {
        name: found[name] for name in ("n", "ok", "missing", "undefined", "failed", "skipped")
    }
    assert counts == {"n": 4, "ok": 3, "missing": 1, "undefined": 0, "failed": 0, "skipped": 0}
    assert found["low"] <= found["mean"] <= found["high"]


def test_a_summary_is_split_by_any_field_null_too(run):
    whole = row_of(run, system="b")  # one question with a value has no interval
    assert (whole["mean"], whole["low"], whole["high"]) == (0.0, None, None)
    assert (whole["worst"], whole["best"]) == (0.0, 0.5)
    assert row_of(run, "kind", system="a", kind="fact")["mean"] == 0.5
    assert row_of(run, "kind", system="a", kind="list")["mean"] == 1.0
    alone = row_of(run, "kind", system="b", kind=None)
    assert (alone["mean"], alone["worst"], alone["undefined"]) == (None, None, 1)
    assert run.summary(["kind", "id"]).height == len(ANSWERS)
    assert run.summary("system").equals(run.summary())
    assert run.summary(["kind", "system", "kind"]).equals(run.summary("kind"))


def test_a_field_that_there_is_not_is_said_with_what_was_meant(run):
    with pytest.raises(PlanError, match=r"cannot group by 'knd'.*did you mean 'kind'"):
        run.summary("knd")
    with pytest.raises(PlanError, match="'references' holds lists; rows cannot be grouped by it"):
        run.summary("references")
    named_so = rg.evaluate([{"id": "q", "answer": "x", "mean": 1}], "dont_know")
    with pytest.raises(PlanError, match="'mean': a summary has a column of that name; rename"):
        named_so.summary("mean")


def test_a_field_may_be_called_as_a_column_of_the_scores_is():
    rows = [
        {
            "id": f"q{n}",
            "answer": "x",
            "question": f"?{n % 2}",
            "value": n % 2,
            "status": "01"[n % 2],
        }
        for n in range(4)
    ]
    run = rg.evaluate(rows, "dont_know")
    for name in ("question", "value", "status"):
        summary = run.summary(name)
        assert summary[name].to_list() == sorted({row[name] for row in rows})
        assert summary["n"].to_list() == [2, 2]


def test_the_worst_rows_are_those_with_the_worst_values(run):
    # a: 1, 0, 1, missing; b: 0, undefined.
    assert run.worst("exact_match", 3).rows() == [
        ("q1", "b", 0.0, "y"), ("q2", "a", 0.0, "y"), ("q1", "a", 1.0, "x"),
    ]  # fmt: skip
    assert run.worst("exact_match").height == 4
    with pytest.raises(PlanError, match="no metric 'exact_mtch'; did you mean 'exact_match'"):
        run.worst("exact_mtch")
    with pytest.raises(PlanError, match="n must be at least 1, got 0"):
        run.worst("exact_match", 0)


def test_where_lower_is_better_the_worst_is_the_highest(own_metrics):
    @metric(lower_is_better=True, high=None)
    def length(answer: str) -> float:
        return len(answer)

    @metric(lower_is_better=True)
    def badness(answer: str) -> Score:
        return Score.failed("timeout") if answer == "y" else Score(0.2)

    run = rg.evaluate([{"id": "q1", "answer": "x"}, {"id": "q2", "answer": "xx"}], length)
    assert run.worst("length")["id"].to_list() == ["q2", "q1"]
    found = row_of(run, metric="length")  # without an upper bound
    assert (found["mean"], found["worst"], found["best"]) == (1.5, None, None)
    found = row_of(rg.evaluate(ANSWERS[:3], badness), metric="badness")
    # 0.2, failed, 0.2: the failed one counts 1 at worst and 0 at best.
    assert (found["worst"], found["best"]) == (approx(1.4 / 3), approx(0.4 / 3))
    assert found["failed"] == 1


SHARED = """
name = "{name}"
[[metric]]
label = '{label}'
name = "hit"
[[finding]]
when = "hit = 1"
says = "{name} hit"
"""


def test_metrics_of_one_name_are_told_apart_and_findings_read_their_own_suites(tmp_path):
    labels = {"loose": "exact_match", "strict": 'exact_match(normalize="none")'}
    for name, label in labels.items():
        (tmp_path / f"{name}.toml").write_text(SHARED.format(name=name, label=label))
    rows = [{"id": "same", "answer": "Paris", "reference": "Paris"}]
    rows += [{"id": "case", "answer": "paris", "reference": "Paris"}]
    run = rg.evaluate(rows, [tmp_path / f"{name}.toml" for name in labels])
    assert [one.name for one in run.metrics] == [f"hit ({one})" for one in labels.values()]
    assert run.summary()["name"].n_unique() == 2
    assert {one.says: set(one.ids) for one in find(run)} == {
        "loose hit": {"same", "case"},
        "strict hit": {"same"},
    }
    assert Manifest.from_json(run.manifest.to_json()) == run.manifest


def test_a_metric_with_an_aggregate_is_summed_before_it_is_divided(own_metrics):
    def ratio(sums):
        return [part / whole for part, whole in sums]

    @metric(aggregate=ratio)
    def words_kept(answer: str) -> Score:
        kept, total = map(int, answer.split("/"))
        return Score(kept / total, evidence={"parts": [kept, total]})

    samples = [{"id": str(at), "answer": text} for at, text in enumerate(["1/1", "0/9", "1/10"])]
    found = row_of(rg.evaluate(samples, words_kept), metric="words_kept")
    # (1 + 0 + 1) / (1 + 9 + 10), and not the mean of 1, 0 and 1/10.
    assert found["mean"] == approx(2 / 20)


def test_rows_for_review_are_those_whose_evidence_says_so():
    samples = [
        {"id": "agree", "answer": "x", "fuzzy_match": 1.0, "gpt_score": 1.0},
        {"id": "differ", "answer": "y", "fuzzy_match": 1.0, "gpt_score": 0.0},
    ]
    run = rg.evaluate(samples, "answer_match")
    assert run.needs_review()["id"].to_list() == ["differ"]


def test_text_that_looks_like_a_mark_for_review_is_none():
    text = '{"needs_review":true}'
    run = rg.evaluate([{"id": "q", "answer": text, "reference": text}], "exact_match")
    assert run.needs_review().height == 0


def test_the_manifest_is_read_back_as_it_was_written(run):
    manifest = run.manifest
    assert Manifest.from_json(manifest.to_json()) == manifest
    assert manifest.data["n_samples"] == 6
    assert manifest.data["systems"] == ["a", "b"]
    assert manifest.finished
    json.loads(manifest.to_json(), parse_constant=pytest.fail)


CHECKED = """
name = "mine"
scale = 100
digits = 1
[[check]]
mean = "facts"
[check.rules]
has_5 = { number = 5 }
listed = { list_coverage = { total = "n_items" } }
[check.holds]
is_right = "has_5"
"""


def test_results_of_checks_have_the_suites_scale_and_counts_have_none(tmp_path):
    (tmp_path / "mine.toml").write_text(CHECKED)
    run = rg.evaluate([{"id": "q1", "answer": "5", "reference": "5"}], tmp_path / "mine.toml")
    assert {one.name: one.scale for one in run.metrics} == {
        "has_5": 100, "n_items": 1, "listed": 100, "is_right": 100, "facts": 100,
    }  # fmt: skip
    assert {one.digits for one in run.metrics} == {1}


def test_a_finding_on_a_metric_of_a_model_is_found_though_its_label_names_the_model(tmp_path):
    suite = tmp_path / "s.toml"
    suite.write_text(
        'name = "s"\ntitle = "s"\nsource = "own"\n\n[[metric]]\nlabel = "semantic_similarity"\n\n'
        '[[finding]]\nwhen = "semantic_similarity > 0.9"\nsays = "alike"\n'
    )
    run = rg.evaluate([{"id": "q", "answer": "a hut", "reference": "a hut"}], suite)
    (found,) = find(run)
    assert (found.says, found.ids) == ("alike", ("q",))
