from cases import cases

from ragauge.language.numbers.agreement import Agreement
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.sources import NumberSource, SourcedNumber, source_numbers


def sourced(context: str, answer: str, question: str | None = None) -> list[SourcedNumber]:
    source = NumberSource(context, quantities(context), is_reference=False)
    asked = quantities(question or "")
    return source_numbers(question, asked, answer, quantities(answer), [source], Agreement())


def test_each_number_of_the_answer_has_its_source_or_none():
    answer = "Of 12 shops, 3 paid $1.4 million; 3 of them late, 8 never."
    context = "Rent: 1,384 (in thousands). Three shops pay late: 3."
    question = "How many of the 12 shops pay late?"
    assert sourced(context, answer, question) == [
        SourcedNumber("3", "3", "3", "exact"),
        SourcedNumber("$1.4 million", "1400000", "1,384 (in thousands)", "rounding"),
        SourcedNumber("8", "8"),
    ]


def test_among_many_numbers_each_still_has_its_source():
    """The numbers of a long text are looked up, those of a short one looked through first."""
    context = "; ".join(f"{number}.5 km" for number in range(300))
    rows = sourced(context, "It is 250,500 m, or 999 m away.")
    found = [(row.number, row.matched_by) for row in rows]
    assert found == [("250,500 m", "250.5 km"), ("999 m", "")]


@cases(
    ("3 adults and 2 children may stay", "2 adults and 3 children", []),
    ("3 adults and 2 children may stay", "3 adults", ["3"]),
    ("It has 3 large sites. It has 12 staff.", "3 staff", []),
    ("It costs $5 per month.", "$5 a year, or $5 a month", ["$5"]),
    ("It costs $5 per month.", "$5 monthly", ["$5"]),
    ("Allow 10 business days.", "10 days", []),
    ("Use v1.3 from 17:00 on.", "version 1.3 from 5 pm, not 6 pm", ["version 1.3", "5 pm"]),
    ("Use v1.3.", "Take 1.3 or 1.4", ["1.3"]),
    ("1.250 Teilnehmer", "1250", ["1250"]),
)
def test_a_source_has_a_number_of_the_same_things(context, answer, supported):
    assert sorted(row.number for row in sourced(context, answer) if row.how) == sorted(supported)
