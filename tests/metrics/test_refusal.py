import json
import os
from pathlib import Path

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.language.refusals.refusals import READ_AT_EACH_END
from ragauge.metrics.refusal import MATCHES_SHOWN, WORDS_SHOWN, dont_know

REFUSAL = "the context does not provide the date."


@cases(
    ("The fee is $604.", 0, 0),
    (f"The premium is $604, but {REFUSAL}", 0, 0),
    (f"The premium is $604. However, {REFUSAL}", 0, 0),
    (f"The context is on premiums, but {REFUSAL}", 1, 0),
    ("The Unknown Soldier", 0, 1),
    ("As an AI, I don't have access to the filing.", 1, 0),
    (" \n", 1, 0),
)
def test_what_refuses_by_the_rules_and_by_the_phrases_of_graphrag(answer, by_rules, by_phrases):
    assert dont_know(answer).value == by_rules
    assert dont_know(answer, phrases="graphrag").value == by_phrases


TABLE = "However, the table has it as $5."
SILENT = f"The report does not give the fee. {TABLE}"


@cases(
    (" \n", "the answer is blank", ("empty answer", "", "whole answer", "", 0, 0, True, None)),
    (SILENT, f"says 'report does not give', but answers: '{TABLE}'",
     ("source is silent", SILENT[:33], None, "report does not give", 4, 24, False, TABLE)),
)  # fmt: skip
def test_the_evidence_quotes_the_refusal_and_what_overrules_it(answer, why, match):
    fields = ("rule", "sentence", "place", "words", "start", "end", "decides", "overruled_by")
    matches = [dict(zip(fields, match, strict=True))]
    assert dont_know(answer).evidence == {"why": why, "phrases": "default", "matches": matches}


def test_the_evidence_of_graphrag_names_its_phrases():
    score = dont_know("Sorry, there is no data; it is unknown.", phrases="graphrag")
    assert score.evidence == {"phrases": "graphrag", "found": ["unknown", "no data"]}


def test_of_many_matches_the_deciding_ones_are_shown_and_the_rest_counted():
    aside = "Ada Lind. I couldn't find the name. "
    score = dont_know(MATCHES_SHOWN * aside + "Therefore, it cannot be determined.")
    assert score.value == 1.0
    matches = score.evidence["matches"]
    assert len(matches) == MATCHES_SHOWN
    assert [match["decides"] for match in matches] == [True] + (MATCHES_SHOWN - 1) * [False]
    assert score.evidence["matches_not_shown"] == 1


def test_a_long_answer_is_marked_as_cut_in_the_evidence():
    score = dont_know("I cannot answer. " + "a" * (2 * READ_AT_EACH_END))
    assert score.value == 1.0
    assert score.evidence["characters_not_read"] == len("I cannot answer. ")
    overruled = dont_know("I cannot answer. However, it is " + "a" * 1000).evidence
    assert len(json.dumps(overruled)) < 1200
    assert WORDS_SHOWN < 1000


@given(st.text(), st.sampled_from(["default", "graphrag"]))
def test_the_value_follows_from_the_evidence_as_read_back_from_json(answer: str, phrases: str):
    score = rg.score(f'dont_know(phrases="{phrases}")', answer=answer)
    evidence = json.loads(json.dumps(dict(score.evidence or {})))

    if phrases == "graphrag":
        assert score.value == float(bool(evidence["found"]))
    else:
        assert score.value == float(any(match["decides"] for match in evidence["matches"]))


def test_nine_in_ten_refusals_of_financebench_are_found_and_few_else():
    answers = [
        json.loads(line)
        for path in sorted((public_data() / "financebench").glob("*.jsonl"))
        if "open_source" not in path.name
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    labelled = [row["label"] == "Refusal" for row in answers]
    found = [dont_know(str(row["model_answer"])).value == 1.0 for row in answers]
    hits = sum(map(min, found, labelled))

    assert hits / sum(labelled) >= 0.97  # 2 of 84 missed
    assert hits / sum(found) >= 0.9  # 8 of 90 found; 6 of them refuse and are labelled otherwise


def test_answers_that_evouna_calls_correct_almost_never_refuse():
    rows = json.loads((public_data() / "evouna" / "NQ.json").read_text(encoding="utf-8"))
    correct = [
        row[f"answer_{system}"]
        for row in rows
        for system in ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
        if row[f"judge_{system}"] and not row["improper"] and row[f"answer_{system}"]
    ]

    refused = sum(dont_know(answer).value == 1.0 for answer in correct)

    assert refused / len(correct) < 0.001


def public_data() -> Path:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        pytest.skip("RAGAUGE_DATA is not set: it names the folder with the public data sets")
    return Path(folder)
