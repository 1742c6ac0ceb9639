"""Evidence as lines: claims, verdicts, grades; places count from 1; calls are apart."""

from ragauge.features.judged import Claims, Supports
from ragauge.judges.questions import Support
from ragauge.metrics.claim_support import factual_correctness
from ragauge.views.evidence import calls_of, evidence_lines

CALL = {"prompt": "support", "reply": "{}", "key": "ab"}


def lines(evidence):
    return [(label.strip(), text) for label, text in evidence_lines(evidence)]


def test_a_quote_that_is_nowhere_is_said_to_be():
    supports = Supports((Support("It rains.", True, "so it is", "wet"),), Claims(()), (CALL,))
    assert lines(supports.as_data()) == [
        ("claims", "1 of 1 supported"),
        ("✓", "It rains."),
        ("", "“wet” (not found in the contexts)"),
        ("quotes_not_found", "1"),
        ("needs_review", "true"),
    ]


def test_claims_of_answer_and_reference_are_found_in_each_other():
    ours = Supports((Support("It is $5.", True, "", "is $5", 0, 4, 9),), Claims(()), (CALL,))
    theirs = Supports((Support("It is late.", False, "no hour"),), Claims((), ("Hm.",)), (CALL,))
    score = factual_correctness(ours, theirs, judge=None)
    assert lines(score.evidence) == [
        ("precision", "1.0"),
        ("recall", "0.0"),
        ("claims (answer)", "1 of 1 supported"),
        ("✓", "It is $5."),
        ("", "“is $5” (reference, characters 4–9)"),
        ("claims (reference)", "0 of 1 supported"),
        ("✗", "It is late."),
        ("", "no hour"),
        ("claim_free (reference)", "Hm."),
    ]
    assert calls_of(score.evidence) == [CALL, CALL]


def test_verdicts_on_contexts_count_from_one():
    verdicts = [{"relevant": True, "reason": "fees"}, {"relevant": False, "reason": "rain"}]
    assert lines({"contexts": verdicts, "calls": [CALL]}) == [
        ("contexts", "1 of 2 relevant"),
        ("✓", "context 1: fees"),
        ("✗", "context 2: rain"),
    ]


def test_criteria_questions_and_grades_have_a_line_each():
    evidence = {
        "criteria": [
            {"criterion": 1, "verdict": "met", "reason": "a"},
            {"criterion": 2, "verdict": "not met", "reason": "b"},
            {"criterion": 3, "verdict": "not applicable", "reason": "c"},
        ],
        "questions": [{"question": "Why?", "cosine": 0.254, "noncommittal": True}],
        "correctness": {"score": 90.0, "reason": "almost"},
        "grades": [  # of a conversation
            {"criterion": "Is it polite?", "verdict": "5", "reason": "d", "turn": 2, "quote": "Please", "quote_found": True},
            {"criterion": "Is it short?", "verdict": "1", "reason": "e", "turn": 1, "quote": "So", "quote_found": False},
        ],
    }  # fmt: skip
    assert lines(evidence) == [
        ("criteria", "1 of 3 met"),
        ("✓", "criterion 1: a"),
        ("✗", "criterion 2: b"),
        ("–", "criterion 3: c"),
        ("questions", "1, with their cosine to the original question"),
        ("0.25", "Why? (noncommittal)"),
        ("correctness", "90: almost"),
        ("grades", ""),
        ("5", "criterion Is it polite?: d"),
        ("", "“Please” (turn 2)"),
        ("1", "criterion Is it short?: e"),
        ("", "“So” (in no turn)"),
    ]


def test_other_evidence_is_json_in_which_contexts_and_references_count_from_one():
    evidence = {
        "best_context": {"context": 0, "coverage": 0.5},
        "best_sentences": [{"context": 1, "context_start": 0}],
        "best_reference": 0,
        "by": None,
        "found": "fee",
        "calls": ["mine"],
        "claims": [],
    }
    assert lines(evidence) == [
        ("best_context", '{"context": 1, "coverage": 0.5}'),
        ("best_sentences", '[{"context": 2, "context_start": 0}]'),
        ("best_reference", "1"),
        ("by", "null"),
        ("found", "fee"),
        ("calls", '["mine"]'),
        ("claims", "none"),
    ]
