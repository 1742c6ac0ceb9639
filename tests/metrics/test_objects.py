"""Metrics as objects: `rg.metrics.ndcg(k=10)` is the label `ndcg@10`."""

import inspect
import pickle
import pkgutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import ragauge as rg
from ragauge import catalog
from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.metric import METRICS
from ragauge.metrics import ndcg, recall
from ragauge.storage.tomlfile import shipped_toml

ROWS = [{"id": "q", "context_ids": ["x", "a"], "relevant": {"a": 1}}]


def test_a_metric_with_settings_prints_as_its_label():
    assert str(rg.metrics.ndcg(k=10)) == "ndcg@10"
    assert str(ndcg(k=10, ideal="all")) == 'ndcg(ideal="all")@10'
    assert str(rg.metrics.ndcg) == str(rg.metrics.ndcg(ideal="judged")) == "ndcg"
    label = rg.metrics.contains_any(texts=["a", "b"])
    assert str(label) == 'contains_any(texts=["a","b"])'
    assert label == Label.parse(str(label))


def test_every_metric_equals_the_label_that_it_prints():
    for name in dir(rg.metrics):
        metric = getattr(rg.metrics, name)
        assert metric == Label(name) == Label.parse(str(metric))
        assert hash(metric) == hash(Label(name))
        assert pickle.loads(pickle.dumps(metric)) == metric
    assert rg.metrics.ndcg != rg.metrics.recall
    assert rg.metrics.ndcg != "ndcg"


def test_wrong_settings_are_refused_with_a_hint():
    with pytest.raises(LabelError, match="ndcg has no setting 'kk'; did you mean 'k'"):
        rg.metrics.ndcg(kk=10)  # pyright: ignore[reportCallIssue]
    with pytest.raises(LabelError, match="k must be a whole number of at least 1 or null, got 0"):
        rg.metrics.ndcg(k=0)
    with pytest.raises(LabelError, match="cannot use <object object"):
        rg.metrics.ndcg(k=object())  # pyright: ignore[reportArgumentType]


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(AttributeError, match="unknown metric 'ndgc'; did you mean 'ndcg'"):
        rg.metrics.ndgc  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'answer_relevance'"):
        rg.metrics.answer_relevancy  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute '_private'"):
        rg.metrics._private  # noqa: B018
    assert not hasattr(rg.metrics, "ndgc")


def test_metrics_are_listed_without_anything_else_and_those_of_the_user_too(monkeypatch):
    assert dir(rg.metrics) == [name for name in catalog.metrics() if ":" not in name]
    monkeypatch.setitem(METRICS, "mine", replace(METRICS["exact_match"], name="mine"))
    assert "mine" in dir(rg.metrics)
    assert str(rg.metrics.mine(normalize="none")) == 'mine(normalize="none")'


def test_no_module_has_the_name_of_a_metric():
    modules = {module.name for module in pkgutil.iter_modules(rg.metrics.__path__)}
    other_names = shipped_toml(catalog.ALIASES)["same"]
    assert not modules & {*catalog.metrics(), *other_names}


def test_a_metric_is_accepted_by_evaluate_with_and_without_settings():
    run = rg.evaluate(ROWS, [rg.metrics.ndcg, rg.metrics.ndcg(k=1), "recall@1"])
    assert run.scores["metric"].to_list() == ["ndcg", "ndcg@1", "recall@1"]
    assert rg.evaluate(ROWS, recall(k=2)).scores["metric"].to_list() == ["recall@2"]
    for metric, label in ((ndcg, "ndcg"), (ndcg(k=2), "ndcg@2")):
        assert rg.evaluate(ROWS, metric).scores.equals(rg.evaluate(ROWS, label).scores)
        fields = {name: value for name, value in ROWS[0].items() if name != "id"}
        assert rg.score(metric, **fields) == rg.score(label, **fields)


def test_the_signature_of_a_metric_is_its_settings():
    parameters = inspect.signature(rg.metrics.ndcg(k=5)).parameters
    assert list(parameters) == [each.name for each in METRICS["ndcg"].settings]
    assert parameters["k"].default == 5


def test_importing_the_metrics_is_light():
    script = (
        "import sys, ragauge as rg; rg.metrics\n"
        "heavy = {'numpy', 'polars', 'ragauge.catalog', 'ragauge.metrics.objects'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_stub_declares_every_setting_that_a_user_may_give():
    stub = Path(*rg.metrics.__path__) / "__init__.pyi"
    names: dict[str, object] = {}
    exec(compile(stub.read_text("utf-8"), "stub", "exec"), names)
    for name in dir(rg.metrics):
        assert name in names, "run: python docs/make_metrics.py"
        metric = catalog.metrics()[name]
        if not metric.function.__module__.startswith("ragauge."):
            continue
        declared = inspect.signature(names[name]).parameters  # pyright: ignore[reportArgumentType]
        given = {setting.name: setting.default for setting in metric.settings}
        assert declared.keys() | {"prompts", "parts"} >= given.keys() >= declared.keys()
        for key, parameter in declared.items():
            assert parameter.default in (given[key], ...), f"{name}: {key}"
