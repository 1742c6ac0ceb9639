"""What can be said of `--on`, and of a plan in two parts, without a cluster."""

import sys

import pytest
from cases import cases

import ragauge as rg
from ragauge.cli import main
from ragauge.engine.measure import score_frame
from ragauge.errors import ClusterError, MissingExtraError, PlanError
from ragauge.evaluation.evaluation import Evaluation
from ragauge.judges.config import JudgeConfig
from ragauge.on_ray.executor import merged, split
from ragauge.samples.samples import to_columns

ROW = {"id": "q1", "answer": "Paris", "reference": "paris"}


def test_on_names_ray_or_the_address_of_a_cluster():
    assert rg.Ray.named("ray", 3) == rg.Ray(workers=3)
    assert rg.Ray.named("ray://host:10001") == rg.Ray("ray://host:10001")


@pytest.mark.parametrize("text", ["", "rays", "ray://", "host:10001", "dask"])
def test_another_cluster_is_refused(text):
    with pytest.raises(PlanError, match="give ray, or a cluster's address as in ray://host:10001"):
        rg.Ray.named(text)


@pytest.mark.parametrize("workers", [0, -1, True])
def test_a_cluster_has_at_least_one_worker(workers):
    with pytest.raises(PlanError, match="workers must be a whole number of at least 1"):
        rg.Ray(workers=workers)


def test_an_executor_is_an_rg_ray_and_counts_its_own_workers():
    with pytest.raises(PlanError, match=r"executor must be an rg\.Ray, got 'ray'"):
        rg.evaluate([ROW], "exact_match", executor="ray")  # type: ignore[arg-type]
    with pytest.raises(PlanError, match=r"give it to the cluster: rg\.Ray\(workers=2\)"):
        rg.evaluate([ROW], "exact_match", executor=rg.Ray(), workers=2)


def test_a_missing_extra_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError) as raised:
        rg.evaluate([ROW], "exact_match", executor=rg.Ray())
    said = "running on Ray needs the package ray; install it with: pip install 'ragauge[ray]'"
    assert str(raised.value) == said
    assert raised.value.exit_code == 2


def test_the_command_checks_the_cluster_before_it_reads_much(tmp_path, capsys):
    data = tmp_path / "answers.jsonl"
    data.write_text('{"id": "q1", "answer": "Paris", "reference": "paris"}\n')
    with pytest.raises(SystemExit) as ended:
        main(
            ["run", str(data), "-m", "exact_match", "--on", "dask", "--folder", str(tmp_path / "r")]
        )
    assert ended.value.code == 2
    assert "cannot run on 'dask'" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_a_cluster_that_cannot_be_used_has_the_exit_code_of_a_judge_that_cannot():
    assert ClusterError.exit_code == rg.JudgeError.exit_code


def test_the_command_line_chooses_the_cluster_of_a_configuration_file(tmp_path, capsys):
    (tmp_path / "answers.jsonl").write_text('{"id": "q1", "answer": "Paris"}\n')
    config = tmp_path / "run.toml"
    config.write_text('data = "answers.jsonl"\nmetrics = ["dont_know"]\n')
    for options in (["--on", "dask"], ["--on", "ray", "--storage", "dask"]):
        with pytest.raises(SystemExit) as ended:
            main(["run", str(config), *options])
        assert ended.value.code == 2
        assert "'dask'" in capsys.readouterr().err


ROWS = [
    {
        "id": f"q{at}",
        "system": system,
        "question": f"What costs ${at}?",
        "answer": f"It is ${at}." if system == "b" else "I do not know",
        "reference": f"${at}",
        "contexts": [f"It is ${at}."],
    }
    for at in (2, 0, 1)
    for system in ("b", "a")
]


def judge(name: str, verdict: str) -> rg.ScriptedJudge:
    return rg.ScriptedJudge({"verdict": {"reason": "r", "verdict": verdict}}, name=name)


def evaluation(metrics: list[str]) -> Evaluation:
    judges = JudgeConfig((judge("one", "CORRECT"), judge("two", "WRONG")), repeat=2)
    return Evaluation.prepare(rg.load(ROWS), metrics, judge=judges)


@cases(["exact_match", "answer_class", "number_match", "ndcg@3"], ["answer_class"], ["exact_match"])
def test_both_parts_together_are_the_whole(metrics):
    whole = evaluation(metrics)
    columns = to_columns(whole.samples.frame)
    alone, judged = split(whole.plan)
    labels = [metric.metric for metric in (*alone.metrics, *judged.metrics)]
    assert sorted(labels) == sorted(metric.metric for metric in whole.plan.metrics)
    assert not any("judge" in node.definition.resources for node in alone.nodes)
    frames = [score_frame(part, columns, whole.resources) for part in (judged, alone)]
    expected = score_frame(whole.plan, columns, evaluation(metrics).resources)
    assert merged(frames, whole.samples.frame, whole.plan).equals(expected)


def test_a_metric_that_needs_a_judged_one_is_asked_from_here():
    alone, judged = split(evaluation(["fuzzy_match", "answer_match"]).plan)
    assert [metric.name for metric in alone.metrics] == ["fuzzy_match"]
    assert {metric.definition.name for metric in judged.metrics if metric.definition} == {
        "answer_match"
    }
    assert "fuzzy_match" in {node.definition.name for node in judged.nodes}
