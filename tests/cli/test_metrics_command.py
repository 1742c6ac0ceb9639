"""`ragauge metrics`: the list, and what is said of one."""

import csv
import json
import re

from ragauge import catalog
from ragauge.suite import shipped_suites


def test_every_metric_and_suite_is_listed_with_its_sentence(ragauge):
    done = ragauge("metrics", code=0, err="")
    for name, metric in catalog.metrics().items():
        assert re.search(rf"^{name} +{re.escape(metric.summary[:40])}", done.out, re.MULTILINE)
    for name in shipped_suites():
        assert re.search(rf"^{name}  ", done.out, re.MULTILINE)


def test_one_metric_is_explained(ragauge):
    for name in ("ndcg", "ndcg@10", 'ndcg(ideal="all")'):
        done = ragauge("metrics", name, code=0)
        assert done.out.startswith("ndcg (version 1)\n\n")
        assert "Source: Järvelin & Kekäläinen 2002" in done.out
        assert "Reads: context_ids, relevant, contexts, gold_contexts\n" in done.out
        assert "Range: 0 to 1, higher is better\n" in done.out
        assert "Settings and their defaults:\n" in done.out
        assert '\n  discount = "log2"\n' in done.out


def test_csv_has_what_json_has_also_of_a_metric_that_nobody_compared_with_people(ragauge):
    for name in ("cost_usd", "correct"):
        told = json.loads(ragauge("metrics", name, "-f", "json").out)
        (row,) = csv.DictReader(ragauge("metrics", name, "-f", "csv").out.splitlines(keepends=True))
        assert list(row) == list(told) and row["name"] == name
        assert json.loads(row["reads"]) == told["reads"]
        assert bool(row["agreement"]) == (name == "correct")


def test_a_suite_is_explained_with_what_it_lacks(ragauge):
    done = ragauge("metrics", "answer-quality")
    assert done.out.startswith("answer-quality: RAG answer quality\n")
    assert re.search(r"^faithfulness +faithfulness +needs a judge", done.out, re.MULTILINE)
    assert "needs an encoder" not in ragauge("metrics", "rag").out  # one is built in


def test_an_unknown_name_gets_a_hint_from_metrics_and_suites(ragauge):
    for asked, meant in (("ndgc", "ndcg"), ("answr-quality", "answer-quality")):
        done = ragauge("metrics", asked, code=2, out="")
        assert f"unknown metric '{asked}'; did you mean '{meant}'" in done.err
    assert "list them with: ragauge metrics" in ragauge("metrics", "zzz").err


def test_a_name_that_only_a_suite_knows_is_said_to_be_there(ragauge):
    done = ragauge("metrics", "ragas_faithfulness", code=2)
    assert "is the name of faithfulness(on_no_claims=1) in the suite graphrag" in done.err
    assert 'number(value="604")' in ragauge("metrics", "has_604").err


SUITE = """
name = "mine"
title = "Mine"
[[metric]]
label = "exact_match"
name = "hit"
[[metric]]
label = "halved"
[[check]]
where = 'topic = "fees"'
mean = "facts"
[check.rules]
has_604 = { number = 604 }
[check.holds]
is_right = "not has_604"
"""
HALVED = "import ragauge as rg\n@rg.metric\ndef halved(topic: str) -> float:\n    return 0.5\n"


def test_a_suite_file_is_explained_with_its_checks(ragauge, tmp_path):
    (tmp_path / "mine.toml").write_text(SUITE)
    (tmp_path / "mine.py").write_text(HALVED)
    done = ragauge("metrics", "mine.toml", "--plugin", "mine.py", code=0, err="")
    rows = [re.split(r"  +", line.strip()) for line in done.out.splitlines()[4:]]
    assert rows == [
        ["hit", "exact_match"],
        ["halved", "halved"],
        ["has_604", 'number(value="604")', 'where topic = "fees"'],
        ["is_right", "not has_604", 'where topic = "fees"'],
        ["facts", "the mean of the rules", 'where topic = "fees"'],
    ]


def test_a_plugins_metrics_are_listed_and_explained(ragauge, tmp_path):
    (tmp_path / "mine.py").write_text(HALVED)
    assert re.search(r"^halved ", ragauge("metrics", "--plugin", "mine.py").out, re.MULTILINE)
    assert ragauge("metrics", "halved", "--plugin", "mine.py").out.startswith("halved (version 1)")
