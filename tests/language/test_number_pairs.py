"""How often `number_match` agrees with a person on pairs from finance, science, law, recipes, sports and travel."""

from pathlib import Path

from ragauge.language.number_match import match_numbers

PAIRS = Path(__file__).with_name("number_pairs.txt")
N_AGREED = 68  # of 76, before the rules for these forms 34


def test_number_match_agrees_with_a_person_on_most_pairs():
    lines = PAIRS.read_text("utf-8").splitlines()
    rows = [line.split("|") for line in lines if not line.startswith("#")]
    agreed = 0
    for question, reference, answer, label in rows:
        share = match_numbers(question, [reference], answer).share
        agreed += share is not None and (share == 1) == (label == "1")
    assert len(rows) == 76
    assert agreed >= N_AGREED
