import os
import subprocess
import sys
from pathlib import Path

import pytest

import ragauge as rg
from ragauge import catalog
from ragauge.errors import LabelError
from ragauge.label import Label


def test_an_unknown_metric_is_said_with_what_was_meant():
    with pytest.raises(LabelError, match="unknown metric 'ndgc'; did you mean 'ndcg'"):
        catalog.find(Label("ndgc"))
    with pytest.raises(LabelError, match="list them with: ragauge metrics"):
        catalog.find(Label("zzzzzz"))


def run_with_plug_in(folder: Path, source: str, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script where a distribution with an entry point of this source is installed."""
    (folder / "loud.py").write_text(source)
    installed = folder / "loud-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[ragauge.metrics]\nloud = loud\n")
    path = os.pathsep.join([str(folder), str(Path(rg.__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )


def test_an_installed_plug_in_brings_its_metrics(tmp_path):
    source = "import ragauge as rg\n@rg.metric\ndef loudness(answer: str) -> float:\n    return answer.isupper()\n"
    script = "import ragauge as rg; print(rg.score('loudness', answer='HEY').value)"
    done = run_with_plug_in(tmp_path, source, script)
    assert done.stdout == "1.0\n", done.stderr


@pytest.mark.parametrize(
    "source",
    [
        "import nothing_of_this_name",
        *(pytest.param(source, marks=pytest.mark.slow) for source in ("1/0", "def (")),
    ],
)
def test_a_plug_in_that_cannot_be_imported_is_named_and_takes_no_other_along(tmp_path, source):
    script = (
        "import ragauge as rg; from ragauge import catalog\n"
        "assert rg.score('exact_match', answer='a', reference='a').value == 1.0\n"
        "print(*catalog.BROKEN)"
    )
    done = run_with_plug_in(tmp_path, source, script)
    assert done.stdout.startswith("the metrics of loud (loud) cannot be imported: "), done.stderr
    assert "fix or uninstall it" in done.stdout


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("answer_relevancy", "answer_relevance"),
        ("contextual_precision", 'context_precision(average="ap")'),
        ("rouge_score(stemmer=true)", "rougeL(stemmer=true)"),
        ("GEval", "g_eval"),
        ("context_utilization", 'context_precision(average="ap")'),
        ("id_based_context_recall", "recall"),
    ],
)
def test_names_of_other_tools_are_read_as_ours(theirs, ours):
    assert str(catalog.read_label(theirs)) == ours


def test_every_alias_is_a_label_of_ours_and_every_nearest_a_metric():
    aliases = catalog._aliases()
    for ours in aliases["same"].values():
        catalog.find(Label.parse(ours))
    for nearest in aliases["nearest"].values():
        assert nearest["metric"] in catalog.metrics()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("string_present", "contains"),
        ("summary_score", "factual_correctness"),
        ("answer_accuracy", "factual_accuracy"),
        ("nv_accuracy", "factual_accuracy"),
        ("context_relevance", "context_precision"),
        ("nv_context_relevance", "context_precision"),
        ("response_groundedness", "faithfulness"),
        ("nv_response_groundedness", "faithfulness"),
        ("PatternMatchMetric", "regex"),
    ],
)
def test_the_nearest_metric_of_ragas_and_deepeval_is_named(theirs, ours):
    assert f"the nearest is {ours}: " in catalog.unknown(theirs)


def test_a_metric_that_is_not_here_is_answered_with_the_nearest():
    said = "there is no metric 'context_entity_recall'; the nearest is"
    with pytest.raises(rg.PlanError, match=said):
        rg.evaluate([{"id": "q", "answer": "a"}], metrics="context_entity_recall")
