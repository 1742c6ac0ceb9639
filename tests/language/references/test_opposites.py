"""Negations right before words, opposites, and yes or no in other words."""

from cases import cases

from ragauge.language.references.contradictions import denial, is_negated, polarity


@cases(
    ("it is not paris", (), "not"),
    ("it is never in paris", (), "never in"),
    ("neither paris nor rome", (), "neither"),
    ("rome instead of paris", (), "instead of"),
    ("cities other than in paris", (), "other than in"),
    *(("why not paris", (), None), ("if not paris then rome", (), None)),
    *(("paris not rome", (), None), ("rome", (), None), ("", (), None)),
    # What a text begins with is denied in words of the question.
    ("paris was not first", {"first"}, "not"),
    ("paris wasn t first", {"first"}, "not"),
    ("paris was not only first but last", {"first"}, None),
    ("paris was not burnt", {"first"}, None),
    ("later paris was not first", {"first"}, None),
)
def test_a_denial_stands_right_before_the_words(words, of_question, found):
    assert denial(f" {words}", " paris", of_question) == found
    assert denial(f" {words}", "", of_question) is None


@cases(
    ("does it cover floods", "it does not cover floods", "no"),
    ("does it cover floods", "it covers floods", "yes"),
    ("does it not cover floods", "it does not cover floods", "yes"),
    ("did it rise", "it fell", "no"),
    ("did it rise", "it never fell", "yes"),
    ("does it cover floods", "ask your agent", None),
    ("does it cover floods", "it covers floods only in june", None),
    ("did rome win", "rome was defeated", "no"),
    ("did rome win", "rome defeated them", "yes"),
    ("is the nile longer than the rhine", "the nile is longer", "yes"),
    ("is the nile longer than the rhine", "the rhine is longer", "no"),
    ("is the nile longer than the rhine", "the rhine is shorter", "yes"),
    ("is the nile longer than the rhine", "the nile is in africa", None),
    ("is rome larger than pisa", "pisa is larger than rome", "no"),
    ("can penguins fly", "penguins are flightless birds", None),
)
def test_polarity(question, answer, said):
    assert polarity(question.split(), answer.split()) == said


def test_negations_are_whole_words():
    assert is_negated(["isn", "t"]) and is_negated(["no"])
    assert not is_negated(["note", "t"]) and not is_negated([])
