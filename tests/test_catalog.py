import pytest
from cases import cases

import ragauge as rg
from ragauge import catalog
from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.storage.tomlfile import shipped_toml


def test_an_unknown_metric_is_said_with_what_was_meant():
    with pytest.raises(LabelError, match="unknown metric 'ndgc'; did you mean 'ndcg'"):
        catalog.find(Label("ndgc"))
    for theirs, ours in (
        ("rouge-l", "rougeL"),
        ("EM", "exact_match"),
        ("recall_at_5", "recall@5"),
        ("F1", "token_f1"),
    ):
        assert catalog.unknown(theirs).endswith(f"did you mean {ours!r}?")
    with pytest.raises(LabelError, match="list them with: ragauge metrics"):
        catalog.find(Label("zzzzzz"))


def test_an_installed_plug_in_brings_its_metrics(install):
    loud = "import ragauge as rg\n@rg.metric\ndef loudness(answer: str) -> float:\n    return answer.isupper()\n"
    install("metrics", "loud = loud", loud=loud)
    assert rg.score("loudness", answer="HEY").value == 1.0


@pytest.mark.parametrize("source", ["import nothing_of_this_name", "1/0", "def ("])
def test_a_plug_in_that_cannot_be_imported_is_named_and_takes_no_other_along(install, source):
    install("metrics", "loud = loud", loud=source)
    assert rg.score("exact_match", answer="a", reference="a").value == 1.0
    (said,) = catalog.BROKEN
    assert said.startswith("the metrics of their (loud) cannot be imported: ")
    assert "fix or uninstall it" in said


@cases(
    ("answer_relevancy", "answer_relevance"),
    ("contextual_precision", 'context_precision(average="ap")'),
    ("rouge_score(stemmer=true)", "rougeL(stemmer=true)"),
    ("GEval", "g_eval"),
)
def test_names_of_other_tools_are_read_as_ours(theirs, ours):
    assert str(catalog.read_label(theirs)) == ours


def test_every_alias_is_a_label_of_ours_and_every_nearest_a_metric():
    aliases = shipped_toml(catalog.ALIASES)
    for ours in aliases["same"].values():
        catalog.find(Label.parse(ours))
    for theirs, nearest in aliases["nearest"].items():
        assert nearest["metric"] in catalog.metrics()
        assert f"the nearest is {nearest['metric']}: " in catalog.unknown(theirs)
    # tests/test_docs.py compares each name with docs/coming-from.md.
    assert aliases["nearest"]["summary_score"]["metric"] == "factual_correctness"
