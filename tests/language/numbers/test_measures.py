import pytest

from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.other_forms import measures


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *((text, ["90 min"]) for text in ("1 h 30 min", "1h30m")),
        ("2 hours, 11 minutes and 53 seconds", ["7913 s"]),
        ("two years and six months", ["30 month"]),
        *((text, ["74 inch"]) for text in ("6'2\" tall", "6 ft 2 in")),
        ("6 ’ 2”, 5-foot-9-in, 5feet 1in", ["74 inch", "69 inch", "61 inch"]),
        ("2 hrs 5 mins 3 secs, 12 h 5 m", ["7503 s", "725 min"]),
        ("5 lbs 3 oz", ["83 oz"]),
        ("half a kilo", ["0.5 kg"]),
        ("three quarters of an hour", ["0.75 h"]),
        ("an hour and a half", ["1.5 h"]),
        ("A fortnight later", ["1 fortnight"]),
        ("1 hour 90 minutes", []),  # 90 minutes are no part of an hour
        ("2.5 hours 30 minutes", []),  # nobody writes so
        *((text, []) for text in ("10-20 km", "half of an answer")),
    ],
)
def test_measures_of_several_words_are_one(text: str, found: list[str]):
    read = measures(text, quantities(text))
    assert [f"{each.quantity.plain_value} {each.quantity.unit}" for each in read] == found
