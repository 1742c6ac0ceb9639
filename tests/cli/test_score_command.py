"""`ragauge score`: the output of passage-retrieval's score.py, line for line."""

import json
from pathlib import Path

import pytest

PREDICTIONS = [
    {"query": "Is a fee due?", "retrieved_passages": ["the fee is due. ", "Another clause."]},
    {
        "query": "Are dogs welcome?",
        "retrieved_passages": ["No rule here", "All dogs are welcome in summer"],
    },
    {"query": "Nothing is known", "retrieved_passages": ["Whatever"]},
    {"query": "When is rent paid?", "retrieved_passages": ["Rent is paid"]},
]
GOLD = {
    "tests": [
        {"query": "Is a fee due?", "snippets": [{"answer": "The fee is due."}]},
        {
            "query": "Are dogs welcome?",
            "snippets": [{"answer": "dogs are welcome"}, {"answer": "cats are not"}],
        },
        {"query": "Nothing is known", "snippets": []},
        {"query": "When is rent paid?", "snippets": [{"answer": "Rent is paid monthly"}]},
    ]
}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    predictions, gold = tmp_path / "predictions.json", tmp_path / "gold.json"
    predictions.write_text(json.dumps(PREDICTIONS))
    gold.write_text(json.dumps(GOLD))
    return predictions, gold


def test_the_lines_are_those_of_the_seed_and_may_be_written_as_json(ragauge, pair, tmp_path):
    # Over the three queries with gold, in their order:
    # exact match  1, 0, 0                                                    1/3     = 0.3333
    # span F1      1, 0, 6/7 (3 of 3 words, of 4)                   (1 + 6/7) / 3     = 0.6190
    # recall       1, 1/2, 1 (the passage is part of the gold)            2.5 / 3     = 0.8333
    # nDCG         1, 1 / log2(3) = 0.6309 (found second), 1          2.6309 / 3      = 0.8770
    done = ragauge("score", *pair, "--output", "deep/results.json", code=0)
    assert done.out == (
        "Evaluation Results:\n"
        "==========================\n"
        "exact_match: 0.3333\n"
        "span_f1: 0.6190\n"
        "recall@10: 0.8333\n"
        "ndcg@10: 0.8770\n"
        "num_examples: 3.0000\n"
        "==========================\n"
    )
    assert f"ragauge: {pair[1]}: 1 of 4 queries has no gold snippet\n" in done.err

    results = json.loads((tmp_path / "deep/results.json").read_text())
    assert list(results) == ["exact_match", "span_f1", "recall@10", "ndcg@10", "num_examples"]
    assert results["exact_match"] == pytest.approx(1 / 3)
    assert results["num_examples"] == 3
    # At 1 the second query has found nothing: (1 + 0 + 1) / 3 for both.
    done = ragauge("score", *pair, "--k", "1")
    assert "recall@1: 0.6667\nndcg@1: 0.6667\n" in done.out
    assert "exact_match: 0.3333\n" in done.out


def test_no_query_with_gold_gives_no_number_and_not_zero(ragauge, pair, tmp_path):
    for one in (tests := json.loads(json.dumps(GOLD["tests"]))):
        one["snippets"] = []
    pair[1].write_text(json.dumps({"tests": tests}))
    done = ragauge("score", *pair, "--output", "r.json", code=0)
    assert "exact_match: undefined\n" in done.out
    assert "num_examples: 0.0000\n" in done.out
    assert json.loads((tmp_path / "r.json").read_text())["ndcg@10"] is None


def test_the_inputs_are_never_written_over(ragauge, pair, tmp_path):
    before = pair[1].read_bytes()
    done = ragauge("score", *pair, "--output", pair[1], code=2, out="")
    assert "would be overwritten" in done.err
    assert pair[1].read_bytes() == before
    assert ragauge("score", *pair, "--output", tmp_path).code == 2
    assert ragauge("score", *pair, "--k", "0").code == 2
