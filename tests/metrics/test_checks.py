import json

import pytest
from cases import cases

import ragauge as rg
from ragauge.score import Status


def value(label: str, **fields: str) -> float | None:
    return rg.score(label, **fields).value


@cases(
    ("It is Territory  118.", "territory 118", 1.0),
    ("It is Territory 1180.", "territory 118", 0.0),
    ("yesterday", "yes", 0.0),
    ("Yes!", "yes", 1.0),
    ("293×2.061", "×", 1.0),
    ("a*b", "*", 1.0),
    ("保险费为一百元", "一百元", 0.0),  # letters on both sides: no whole word
    ("", "yes", 0.0),
)
def test_contains_finds_whole_words_and_not_contains_is_its_contrary(answer, text, found):
    setting = json.dumps(text, ensure_ascii=False)
    assert value(f"contains(text={setting})", answer=answer) == found
    assert value(f"not_contains(text={setting})", answer=answer) == 1 - found
    assert value(f'contains_any(texts=["zzz",{setting}])', answer=answer) == found


def test_a_check_that_asks_for_nothing_is_undefined():
    labels = ("contains", "not_contains", "contains_any", "regex", "number")
    of_nothing = ('contains_any(texts=["","  "])', 'number(value="many")', 'number(value="1 or 2")')
    for label in (*labels, *of_nothing):
        assert rg.score(label, answer="x").status is Status.UNDEFINED


@cases(
    *(("The premium is $604.00", "604", 1.0), ("The premium is $6,040", "604", 0.0)),
    ("1604 or 604.5", "604", 0.0),
    *(("rose by 0.305%", "0.305%", 1.0), ("rose by 0.305", "0.305%", 0.0)),
    ("fell by 0.133%", "-0.133%", 0.0),
    *((f"changed by {said}", "-0.133%", 1.0) for said in ("-0.133%", "−0.133 %")),
    *((f"the factor is {said}", "2.061", 1.0) for said in ("2.061", "2.0610")),
)
def test_a_number_is_found_by_its_value(answer, wanted, found):
    assert value(f'number(value="{wanted}")', answer=answer) == found


def test_a_pattern_is_looked_for_in_any_case_and_a_broken_one_refused():
    assert value(r'regex(pattern="grg\\s*51")', answer="GRG 51") == 1.0
    with pytest.raises(rg.PlanError, match="pattern must be a valid regular expression"):
        rg.score('regex(pattern="(")', answer="x")
    with pytest.raises(rg.PlanError, match="codes must be a valid regular expression"):
        rg.score('list_coverage(codes="[")', answer="x", reference="y")


LISTED = "* Limits of Liability\n* **Rating Plan**\n- Rule C-7: Waivers\n1. Policy Term"


@cases(
    (LISTED, 4),
    ("* limits of  liability.\n• Rating Plan", 2),
    ("Limits of Liability", 0),  # not as a list
    ("It follows from Rule C-7.", 1),  # a code counts anywhere
    ("Rule C-77", 0),
    ("", 0),
)
def test_list_items_are_bullets_and_codes(answer, n_found):
    codes = r'(codes="Rule C-\\d+")'
    fields = {"answer": answer, "reference": LISTED}
    assert value(f"list_found{codes}", **fields) == n_found
    assert value(f"list_total{codes}", reference=LISTED) == 4
    assert value(f"list_coverage{codes}", **fields) == n_found / 4


def test_a_reference_that_lists_nothing_has_no_coverage():
    fields = {"answer": "* a", "reference": "plain"}
    assert rg.score("list_coverage", **fields).status is Status.UNDEFINED
    assert value("list_found", **fields) == 0
    assert value("list_total", reference="plain") == 0


@pytest.mark.parametrize("label", ["list_coverage", r'list_coverage(codes="Rule C-\\d+")'])
def test_a_list_of_names_is_covered_by_items_with_codes(label):
    reference = "* Water Damage\n* Fire/Theft\n* Storm"
    answer = "* **Rule C-1:** Water Damage\n* **Rule C-2:** Fire / theft – at home\n* Rule C-3"
    score = rg.score(label, answer=answer, reference=reference)
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence == {"found": ["fire/theft", "water damage"], "not_found": ["storm"]}
    coded = "* Rule C-1: Water\n* Rule C-2: Fire\n* Storm"
    # By their codes the first two; the answer's third has another name and another code.
    assert value(label, answer=answer, reference=coded) == pytest.approx(2 / 3)


# The three questions of the suite answer-quality. EF_1 lists rules, EF_2 states eight facts, EF_3 calculates.

RULES = "* Limits\n* Rating Plan\n* Rule C-1 Waivers\n* Rule C-2"
FACTS = (
    "Yes. Territory 118 changed by 0.305% (GRG 51) and Territory 117 by -0.133% (GRG 15), "
    "a difference of 36."
)
SAMPLES = [
    {"id": "EF_1", "answer": "* Limits\n* Rule C-1\n* Beds", "reference": RULES},
    {"id": "EF_2", "answer": FACTS, "reference": "Yes"},
    {"id": "EF_3", "answer": "293 × 2.061 = $604", "reference": "$604"},
    {"id": "EF_4", "answer": "Yes", "reference": "Yes"},
    {"id": "EF_1", "system": "b", "answer": "none", "reference": RULES},
    {"id": "EF_2", "system": "b", "answer": "Yes: Territory 118, 0.305%, GRG 51", "reference": "x"},
    {"id": "EF_3", "system": "b", "answer": "I cannot calculate it.", "reference": "$604"},
]


@pytest.fixture(scope="module")
def found():
    run = rg.evaluate(SAMPLES, "answer-quality")
    rows = run.scores.select("id", "system", "metric", "value").iter_rows()
    return {(id, system, metric): value for id, system, metric, value in rows}


EF_3 = "has_604 has_293 has_2_061 has_calculation cannot_calculate is_correct"


@cases(
    # Expected {limits, rating plan, rule c-1, rule c-2}; the answer lists limits and rule c-1.
    ("EF_1", "default", "rules_found total_rules rules_coverage", [2, 4, 0.5]),
    ("EF_1", "b", "rules_coverage", [0]),
    ("EF_2", "default", "fact_score", [1]),
    # has_yes, has_territory_118, has_rate_0_305 and has_grg_51: four of eight.
    ("EF_2", "b", "fact_score has_territory_117 has_rate_neg_0_133", [0.5, 0, 0]),
    ("EF_3", "default", EF_3, [1, 1, 1, 1, 0, 1]),
    ("EF_3", "b", EF_3, [0, 0, 0, 0, 1, 0]),
)
def test_the_checks_count_rules_average_facts_and_want_the_number_without_an_excuse(
    id, system, names, values, found
):
    assert [found[id, system, name] for name in names.split()] == values


def test_each_check_is_asked_of_its_own_question_only(found):
    asked = {}
    for id, _, metric in found:
        asked.setdefault(metric, set()).add(id)
    assert asked["rules_coverage"] == {"EF_1"}
    assert asked["fact_score"] == asked["has_yes"] == {"EF_2"}
    assert asked["is_correct"] == {"EF_3"}
    assert asked["exact_match"] == {"EF_1", "EF_2", "EF_3", "EF_4"}


CANNOT = "I cannot calculate the premium, but $604 was mentioned."


@cases(
    ("fact_score", FACTS, 1.0),
    *(("fact_score", text, 1 / 8) for text in ("Yes", "The difference is 36", "It exceeds 30")),
    *(
        ("fact_score", text, 0.0)
        for text in ("No.", "It is 136 or 36.5", "territory 1180, GRG 515")
    ),
    *(("is_correct", f"The premium is {text}", 1.0) for text in ("$604.", "604.00 dollars")),
    *(("is_correct", f"The premium is {text}", 0.0) for text in ("$6,04", "$1,604")),
    *(
        ("is_correct", text, 0.0)
        for text in (CANNOT, "It is not possible to determine it: $604?", "")
    ),
    *(("has_calculation", f"293 {sign} 2.061", 1.0) for sign in "×*x"),
    *(("has_calculation", "multiply them", 1.0), ("has_calculation", "It is $604.", 0.0)),
)
def test_the_combined_checks_of_one_answer(label, answer, value):
    assert rg.score(label, answer=answer).value == value
