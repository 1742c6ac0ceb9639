from cases import cases

from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.other_forms import in_other_forms, measures, shares_out_of


@cases(
    *((text, ["0.2"]) for text in ("2 in 10", "Two out of ten left.", "one in every five")),
    ("2 of the 10", ["0.2"]),
    ("9 in 17", []),  # nobody counts in 17
    *((text, []) for text in ("5 in 10 years", "10 in 5", "5 km in 10", "in 2019 in 100")),
)
def test_a_part_of_a_round_whole_is_a_share(text: str, shares: list[str]):
    found = shares_out_of(text, quantities(text))
    assert [share.plain_value for _, _, share in found] == shares


@cases(
    # Multiples in words are multiples and changes.
    *((f"It {word}.", [(word, "2 x"), (word, "100 %")]) for word in ("Doubled", "twofold")),
    *((f"It {word}.", [(word, "3 x"), (word, "200 %")]) for word in ("tripling", "trebled")),
    ("It quadrupled.", [("quadrupled", "4 x"), ("quadrupled", "300 %")]),
    ("a fourfold rise", [("fourfold", "4 x"), ("fourfold", "300 %")]),
    *((f"It {word}.", [(word, "5 x"), (word, "400 %")]) for word in ("QUINTUPLED", "five-fold")),
    ("It halved.", [("halved", "-50 %")]),
    *((f"It {about} halved, {about} doubled.", []) for about in ("more than", "almost")),
    ("a double room, a triple jump", []),
    # Python's `re` takes ı for i if it ignores case.
    ("profits trıpled, in a fıve-fold fold.", []),
    # An ordinal before what is counted is a number.
    ("the fourth season and its 2nd episode", [("fourth season", "4"), ("2nd episode", "2")]),
    ("In the SEVENTEENTH Series of 2003", [("SEVENTEENTH Series", "17")]),
    ("the twenty-first season", [("first season", "1")]),  # "twenty-first" is no part of it
    ("first season", [("first season", "1")]),
    *((text, []) for text in ("the 1000th episode", "fourthseason, x4th season")),
    ("fourth  season, fourth seasons, a season", []),
    ("İ: the fourth season", [("fourth season", "4")]),  # in lower case it is longer
)
def test_multiples_and_ordinals_are_numbers(text: str, forms: list[tuple[str, str]]):
    found = list(in_other_forms(text, ()))
    assert [(one.text, f"{one.plain_value} {one.unit}".strip()) for one in found] == forms
    assert all(text[one.start : one.end] == one.text for one in found)


@cases(
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
)
def test_measures_of_several_words_are_one(text: str, found: list[str]):
    read = measures(text, quantities(text))
    assert [f"{each.quantity.plain_value} {each.quantity.unit}" for each in read] == found
