"""Every measure that trec_eval 9.0.8 has, against it, by way of pytrec-eval-terrier 0.5.11."""

import math

import numpy as np
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from ragauge import catalog
from ragauge.rankings.hits import MEASURES, Hits
from ragauge.rankings.names import read_measure
from ragauge.stats.intervals import LEAST_FACTOR

DOCUMENTS = [*"abBzZ9~klm", "aa", "é", "10", "日本", "d-1", "d_1"]
SCORES = st.sampled_from([0.5, 1.0, 2.0, 1.00000001, 1.0000002, 16777216.0, 16777217.0, -3.0])
GRADES = st.integers(-2, 4)
"""Below 0: pooled, not judged."""
QRELS = st.dictionaries(st.sampled_from(DOCUMENTS), GRADES, min_size=1, max_size=16).filter(
    lambda grades: max(grades.values()) >= 0  # pytrec_eval segfaults on only negative ones
)
RUNS = st.dictionaries(st.sampled_from(DOCUMENTS), SCORES, min_size=1, max_size=16)
QUERIES = st.dictionaries(
    st.sampled_from(["q1", "q2", "q10", "Q"]), st.tuples(QRELS, RUNS), min_size=1
)

CUT = (
    "ndcg_cut.1,2,3,7",
    "P.1,2,3,7",
    "map_cut.1,3",
    "relative_P.1,3",
    "recall.1,2",
    "success.2,3",
)
NEWER = {"rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}
"""trec_eval has them from version 10 on, and the oracle is version 9."""
OF_THE_ORACLE = tuple(one for one in read_measure("all_trec") if one.shown not in NEWER)
WITH_PARAMETERS = ("set_F.0.5", "iprec_at_recall.0.15,0.333", "Rprec_mult.0.3,1.7,3")


def table_of(qrels, run) -> Hits:
    """The hits, made the slow way: by float32 score, then document id by bytes, both descending."""
    rows = []
    for query, (grades, scores) in enumerate(zip(qrels.values(), run.values(), strict=True)):
        best_first = sorted(
            scores, key=lambda one: (np.float32(scores[one]), one.encode()), reverse=True
        )
        rows += [
            (query, rank, grades[document], 1)
            for rank, document in enumerate(best_first, 1)
            if document in grades
        ]
    judged = [
        (query, grade)
        for query, grades in enumerate(qrels.values())
        for grade in sorted(grades.values(), reverse=True)
    ]
    hits = np.array(rows, np.int64).reshape(-1, 4).T
    n_retrieved = np.array([len(scores) for scores in run.values()])
    return Hits(n_retrieved, *hits, *np.array(judged, np.int64).T)


def assert_equal(queries, min_grade, judged_only, asked, oracles_names):
    """Ours and the oracle's values of these measures are the same for each query."""
    qrels = {name: grades for name, (grades, _) in queries.items()}
    run = {name: scores for name, (_, scores) in queries.items()}
    oracle = pytrec_eval.RelevanceEvaluator(
        qrels, oracles_names, relevance_level=min_grade, judged_docs_only_flag=judged_only
    ).evaluate(run)
    hits = table_of(qrels, run)
    hits = hits.judged_only() if judged_only else hits
    for one in asked:
        metric, settings = catalog.find(one.label)
        found = MEASURES[metric.name].values(hits, {**settings, "min_grade": min_grade})
        name = "set_F" if one.shown.startswith("set_F") else one.shown
        theirs = [oracle[query][name] for query in qrels]
        assert found.value.tolist() == approx(as_values(name, theirs), abs=1e-9), name
        assert not found.value[found.undefined].any()


def as_values(name, theirs):
    """What pytrec_eval gives, with its 0 / 0 as 0 and the values behind its geometric means."""
    if name.startswith("gm_"):
        theirs = [math.exp(value) if value > math.log(LEAST_FACTOR) else 0 for value in theirs]
    return [0.0 if math.isnan(value) else value for value in theirs]


@settings(max_examples=3 * settings.default.max_examples // 2)
@given(QUERIES, st.integers(1, 3), st.booleans())
def test_every_measure_is_trec_evals_for_every_query(queries, min_grade, judged_only):
    every = pytrec_eval.supported_measures - {"runid", "relstring"}
    assert_equal(queries, min_grade, judged_only, OF_THE_ORACLE, every)


@settings(max_examples=settings.default.max_examples // 2)
@given(QUERIES, st.integers(1, 3))
def test_measures_at_any_cut_are_trec_evals(queries, min_grade):
    for text in (*CUT, *WITH_PARAMETERS):
        assert_equal(queries, min_grade, False, read_measure(text), {text})


def test_long_rankings_of_many_grades_are_measured_as_trec_eval_does():
    generator = np.random.default_rng(7)
    queries = {}
    for query in range(60):
        judged = generator.choice(400, size=generator.integers(1, 200), replace=False)
        retrieved = generator.choice(400, size=generator.integers(1, 300), replace=False)
        grades = {f"d{one}": int(generator.integers(-1, 6)) for one in judged} | {"d0": 1}
        queries[f"q{query}"] = (
            grades,
            {f"d{one}": float(generator.integers(0, 50)) for one in retrieved},
        )
    every = pytrec_eval.supported_measures - {"runid", "relstring"}
    for min_grade in (1, 3):
        assert_equal(queries, min_grade, False, OF_THE_ORACLE, every)


def test_the_measures_compared_are_all_that_the_oracle_has():
    ours = {one.shown for one in OF_THE_ORACLE}
    every = pytrec_eval.supported_measures - {"runid", "relstring"}
    oracle = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, every).evaluate({"q": {"a": 1.0}})
    assert ours == set(oracle["q"])
