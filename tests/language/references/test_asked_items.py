import pytest

from ragauge.language.references.items import asked_items


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("Which two rivers meet in Passau?", 2),
        ("What are the four seasons called?", 4),
        ("Name 3 fruits with stones.", 3),
        ("between what two bodies of water does it lie", 2),
        ("Who are the 12 main directors of the board?", 12),
        ("Who were the members of the band?", None),
        ("Which ſix towns are there?", None),
        ("List all the forms that I must sign.", None),
        ("Name the parts of a flower.", None),
        ("Which countries border Chile?", None),
        ("What documents must I bring?", None),
        ("What are Saturn's moons?", None),
    ],
)
def test_questions_for_several_things(question: str, number: int | None):
    found = asked_items(question)
    assert found is not None
    assert found.number == number


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Who wrote Emma?",
        "Which river flows through Passau?",
        "Which firm makes the tyres?",
        "What causes tides?",
        "What is the status of the bus?",
        "Which bus goes there?",
        "What were sales in the two years?",
        "What are the main crops of Chile?",  # open: some of them will do
        "What are examples of fruits?",
        "What is the name of the band?",
    ],
)
def test_questions_for_one_thing_or_an_open_number(question: str):
    assert asked_items(question) is None
