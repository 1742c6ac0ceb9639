from cases import cases

from ragauge.language.numbers.named_numbers import other_readings, with_names
from ragauge.language.numbers.numbers import quantities

FIVE, HALF_PAST_FIVE, NINE = ("time", 17 * 60), ("time", 17 * 60 + 30), ("time?", 9 * 60)


@cases(
    ("v1.3, version 1.30 and 2.0.1", ["1.3", "1.30", "2.0.1"]),
    ("v1.3.0", ["1.3"]),
    ("v2, V3.1; mp3 v4", ["2", "3.1", "4"]),
    # A sum, a date, thousands with points, a grade and a verb are none.
    ("1.3 and 5.3.2021, 1.234.567, level 5, they release 4 songs", []),
    ("5 pm, 17:00 Uhr, 17.30 Uhr", [FIVE, FIVE, HALF_PAST_FIVE]),
    ("um 9 Uhr", [NINE]),
    ("noon", [("time", 12 * 60)]),
    # A place in a book, and what may be a duration.
    ("Acts 1:13, in 2:11:53", []),
)
def test_versions_and_times_of_day_are_found(text, names):
    found = [each for each in with_names(text, quantities(text)) if each not in quantities(text)]
    versions = [with_names(f"v{name}", ())[0].value for name in names if isinstance(name, str)]
    expected = [("version", value) for value in versions] or names
    assert [(each.unit, each.value) for each in found] == expected


def test_different_versions_have_different_values_of_the_same_precision():
    versions = ("v1.3", "v1.30", "v1.3.1", "v13", "v1.0.3", "v2", "v20")
    values = [with_names(version, ())[0].value for version in versions]
    assert len(set(values)) == len(versions)
    assert len({value.as_tuple().exponent for value in values}) == 1


@cases(
    ("1.250", [("", 1250), ("version", 1.00025)]),
    ("at 9:30", [("time", 570), ("time", 1290)]),
    ("17:00", []),
)
def test_a_number_may_be_read_in_other_ways(text, readings):
    (number,) = with_names(text, quantities(text))
    assert [(each.unit, float(each.value)) for each in other_readings(number)] == readings
