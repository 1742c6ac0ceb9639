"""Cautions: which metrics a run uses where they mislead."""

import json

import pytest
from cases import cases

import ragauge as rg
from ragauge.runs.findings import Facts, MetricCaution, cautions_of, median_words
from ragauge.runs.manifest import Manifest
from ragauge.runs.scores import InParts
from ragauge.suite import Suite
from ragauge.trust import Caution, MeasuredAgreement, Trust

SHORT = "reference_words < 5 and longest_answer_words > 20 and n_systems > 1"


def trust(*cautions: Caution) -> Trust:
    measured = MeasuredAgreement("any", 1, "texts", "correct", ("a set",), 10, (0.5, 0.6))
    return Trust("A note.", (measured,), cautions)


@pytest.fixture(autouse=True)
def _known_cautions(monkeypatch):
    """Cautions of the test's own: the figures of the package change when it is measured again."""
    table = {
        "token_f1": trust(
            Caution("token_f1", SHORT, "τ -0.20", "ranks badly"),
            Caution('token_f1(count="set")', "n_systems > 1", "τ 0.00", "ranks by chance"),
        ),
        "semantic_similarity": trust(
            Caution("semantic_similarity", "n_systems > 1", "τ 0.10", "ranks badly")
        ),
        "hallucination": trust(Caution("hallucination", "", "AUROC 0.55", "chance", True)),
    }
    monkeypatch.setattr("ragauge.trust._table", lambda: table)


def run_of(answers: dict[str, int], n_reference_words: int, metrics: object = "token_f1") -> rg.Run:
    """Two questions, each answered by systems with this number of words."""
    rows = [
        {
            "id": id,
            "system": system,
            "answer": "word " * n_words,
            "reference": "gold " * n_reference_words,
        }
        for id in ("q1", "q2")
        for system, n_words in answers.items()
    ]
    return rg.evaluate(rows, metrics)


@cases(
    ({"a": 21, "b": 2}, 4, True),
    ({"a": 21, "b": 21}, 4, True),
    ({"a": 20, "b": 2}, 4, False),
    ({"a": 21, "b": 2}, 5, False),
    ({"a": 21}, 4, False),
)
def test_a_caution_holds_exactly_where_its_condition_does(answers, n_reference_words, is_cautioned):
    cautions = run_of(answers, n_reference_words).cautions
    expected = (MetricCaution("token_f1", "ranks badly", "τ -0.20", SHORT),)
    assert cautions == (expected if is_cautioned else ())


def test_lengths_are_medians_of_references_and_of_each_systems_answers():
    rows = [
        {"id": "1", "system": "a", "answer": "one", "references": ["x", "x y z"]},
        {"id": "2", "system": "a", "answer": "one  two\nthree", "references": ["x y"]},
        {"id": "1", "system": "b", "answer": None, "references": ["x", "x y z"]},
        {"id": "2", "system": "b", "answer": "", "references": None},
    ]
    # References 1, 3, 2, 1, 3 words; a: 1 and 3 words; b: only the empty answer counts, with none.
    words = median_words(rg.load(rows))
    assert words == {"references": 2.0, "answers": {"a": 2.0, "b": 0.0}}


def test_texts_that_are_not_there_have_no_length():
    row = {"id": "1", "question": "q", "context_ids": ["d"], "relevant": ["d"]}
    assert median_words(rg.load([row])) == {"references": None, "answers": {"default": None}}
    manifest = rg.evaluate([row], "recall@1").manifest
    assert Facts.of(manifest) == Facts(1, None, None)


def test_another_setting_of_the_metric_has_its_own_cautions():
    metrics = ['token_f1(count="set")', 'token_f1(normalize="none")']
    (caution,) = run_of({"a": 30, "b": 30}, 1, metrics).cautions
    assert (caution.metric, caution.says) == ('token_f1(count="set")', "ranks by chance")


def test_the_encoder_in_a_label_does_not_hide_a_caution():
    run = run_of({"a": 1, "b": 2}, 1, "semantic_similarity(on_empty=0)")
    (caution,) = run.cautions
    assert "model=" in caution.metric
    assert caution.metric == run.metrics[0].metric


def test_a_caution_about_all_settings_holds_for_each():
    row = {"id": "1", "answer": "It rained in 1931.", "contexts": ["It rained in 1932."]}
    run = rg.evaluate([row], ["hallucination", "hallucination(n=2)"])
    assert [caution.metric for caution in run.cautions] == ["hallucination", "hallucination(n=2)"]


def test_what_was_not_scored_is_no_label_or_lacks_its_texts_has_no_caution(tmp_path):
    assert rg.evaluate([{"id": "1", "answer": "x"}], ["hallucination", "dont_know"]).cautions == ()
    suite = tmp_path / "own.toml"
    suite.write_text('name = "own"\n[[check]]\n[check.rules]\n"is it so?" = { contains = "x" }\n')
    assert rg.evaluate([{"id": "1", "answer": "x"}], Suite.load(str(suite))).cautions == ()
    rows = [
        {"id": "1", "system": system, "answer": "word " * 30, "contexts": ["word"]}
        for system in "ab"
    ]
    assert rg.evaluate(rows, ["token_f1", "topic_drift"]).cautions == ()


def test_a_stored_run_has_the_same_cautions_without_reading_evidence(tmp_path, monkeypatch):
    rows = [
        {"id": "1", "system": system, "answer": "word " * 30, "reference": "x"} for system in "ab"
    ]
    run = rg.evaluate(rows, ["token_f1", "exact_match"], folder=tmp_path / "run")

    def refuse(source: InParts) -> None:
        raise AssertionError("the evidence is read")

    monkeypatch.setattr(InParts, "scan_evidence", refuse)
    assert rg.open_run(tmp_path / "run").cautions == run.cautions != ()


@cases(
    None, "many", [], {"references": "x", "answers": 3}, {"references": None, "answers": {}}, ...
)
def test_a_run_without_readable_lengths_has_no_conditional_cautions(words):
    text = json.loads(run_of({"a": 30, "b": 30}, 1).manifest.to_json())
    del text["data"]["words"], text["digest"]
    if words is not ...:  # as an earlier version stored it
        text["data"]["words"] = words
    assert not list(cautions_of(Manifest.from_json(json.dumps(text)), {"token_f1"}))
