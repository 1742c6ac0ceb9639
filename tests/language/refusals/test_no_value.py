import pytest

from ragauge.language.refusals.refusals import find_refusals


def rules(question: str, answer: str) -> list[str]:
    return [found.rule for found in find_refusals(answer, question) if found.decides]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "What was the fee in 2021?",
            "Fees are listed in note 4. Please refer to the report for it.",
        ),
        (
            "When does the ferry leave?",
            "Times vary by season. You should check the operator's website.",
        ),
        (
            "How much did the roof cost?",
            "Costs of that kind are usually reported in the annual report.",
        ),
        (
            "Who chairs the board?",
            "For the board's members, you'd need to consult the company's website.",
        ),
    ],
)
def test_advice_in_place_of_a_value_refers_elsewhere(question: str, answer: str):
    assert rules(question, answer) == ["refers elsewhere"]


@pytest.mark.parametrize(
    "answer",
    [
        "Divide the cost of sales by the average inventory.",
        "Inventory turnover = cost of sales / average inventory",
        "1. Take the cost of sales.\n2. Plug it in the formula for turnover.\n3. Round the result.",
    ],
)
def test_a_method_without_figures_is_only_a_method(answer: str):
    assert rules("What was the inventory turnover in FY2021?", answer) == ["only a method"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What was the fee in 2021?", "It was $12; please refer to the report for details."),
        ("When does the ferry leave?", "In June. You should check the operator's website."),
        ("Who chairs the board?", "The chair is Anna Lind. Consult the website for the others."),
        ("What is the formula for turnover?", "Divide the cost of sales by the average inventory."),
        ("How do I cancel?", "Please contact support or check the website."),
        ("Where can I find the fees?", "Refer to note 4 of the report."),
        ("Is it allowed?", "Please refer to section 4 of the contract, which allows it."),
        ("What was the inventory turnover?", "Divide 9,019 by 2,459.5 to get 3.67."),
        ("How many are needed?", "Two, as the manual says; see the manual for the sizes."),
    ],
)
def test_a_value_beside_advice_or_a_question_about_the_way_is_answered(question: str, answer: str):
    assert rules(question, answer) == []


def test_without_the_question_nothing_of_this_counts():
    assert find_refusals("Divide the cost of sales by the average inventory.") == ()
