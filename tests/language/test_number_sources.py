from ragauge.language.number_agreement import Agreement
from ragauge.language.number_sources import NumberSource, SourcedNumber, source_numbers
from ragauge.language.numbers import quantities


def test_each_number_of_the_answer_has_its_source_or_none():
    answer = "Of 12 shops, 3 paid $1.4 million; 3 of them late, 8 never."
    context = "Rent: 1,384 (in thousands). Three shops pay late: 3."
    question = "How many of the 12 shops pay late?"
    rows = source_numbers(
        question,
        quantities(question),
        answer,
        quantities(answer),
        [NumberSource(context, quantities(context), is_reference=False)],
        Agreement(),
    )
    assert rows == [
        SourcedNumber("3", "3", "3", "exact"),
        SourcedNumber("$1.4 million", "1400000", "1,384 (in thousands)", "rounding"),
        SourcedNumber("8", "8"),
    ]
