"""The figures of benchmarks/agreement.py: worked by hand, and beside scipy and scikit-learn."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.metrics import roc_auc_score

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def module(name: str):
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


if not BENCHMARKS.is_dir():
    pytest.skip("the benchmarks are not part of this distribution", allow_module_level=True)
figures = module("agreement_figures")
answer_sets = module("answer_sets")


def test_a_tie_counts_half():
    # Pairs of a yes and a no: (.9, .5) above, (.9, .1) above, (.5, .5) tied, (.5, .1) above.
    values, is_yes = np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False])
    every = np.ones((1, 4), np.int32)
    assert figures.areas(values, is_yes, every).tolist() == [3.5 / 4]


def test_a_row_counts_as_often_as_its_unit_is_drawn():
    values, is_yes = np.array([0.9, 0.2, 0.5]), np.array([True, True, False])
    # The second row twice, the first once: one of three pairs is above.
    assert figures.areas(values, is_yes, np.array([[1, 2, 1]], np.int32)).tolist() == [1 / 3]
    assert np.isnan(figures.areas(values, is_yes, np.array([[1, 1, 0]], np.int32))).all()


def test_areas_are_those_of_scikit_learn():
    random = np.random.default_rng(7)
    values = random.integers(0, 8, 60) / 8
    is_yes = random.random(60) < 0.4
    weights = random.integers(0, 3, (60, 60), dtype=np.int32)
    expected = [roc_auc_score(is_yes, values, sample_weight=drawn) for drawn in weights]
    assert figures.areas(values, is_yes, weights) == pytest.approx(expected)


def test_rows_of_a_unit_are_drawn_together():
    weights = figures.unit_weights(["a", "b", "a", "c"], 50)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_tau_is_that_of_scipy():
    random = np.random.default_rng(7)
    left, right = (random.integers(0, 4, (50, 5)).astype(float) for _ in range(2))
    expected = [kendalltau(*pair).statistic for pair in zip(left, right, strict=True)]
    assert figures.tau_b(left, right) == pytest.approx(expected, nan_ok=True)


def test_tau_compares_the_means_of_systems():
    # True rates: a 1, b 0.5, c 0, d 0; means: a 0.2, b 0.4, c 0.6, d 0.8. All untied pairs are reversed.
    systems = ["a", "a", "b", "b", "c", "c", "d", "d"]
    is_yes = np.array([1, 1, 1, 0, 0, 0, 0, 0], bool)
    values = np.array([0.1, 0.3, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8])
    found = figures.system_tau(values, is_yes, systems, np.ones((3, 8), np.int32))
    assert found.value == pytest.approx(-5 / np.sqrt(6 * 5))
    assert found.low == found.high == pytest.approx(found.value)


def test_alternatives_of_a_golden_answer_are_references():
    assert answer_sets.alternatives("a b/ a b /c/") == ("a b", "c")
    assert answer_sets.alternatives("one") == ("one",)
