import pytest

from ragauge.language.numbers.match import match_numbers


@pytest.mark.parametrize(
    ("question", "reference", "answer", "share"),
    [
        # The only number in words of a short reference.
        ("How did profit change?", "It doubled.", "It rose by 100%.", 1.0),
        ("How did profit change?", "It doubled.", "It rose by 50%.", 0.0),
        ("How did profit change?", "halved", "It fell by half.", 1.0),
        ("How often did they win?", "twice", "They won 2 times.", 1.0),
        ("How often did they win?", "three times", "They won twice.", 0.0),
        ("Which majority?", "a two-thirds majority", "66.7% of the votes", 1.0),
        ("In which season?", "season four", "in the fourth season", 1.0),
        ("In which season?", "the fourth season", "in season 5", 0.0),
        ("How many?", "five starters", "6", 0.0),
        # A share, if one is asked for.
        ("What share is it?", "three quarters", "75%", 1.0),
        ("What share is it?", "three quarters", "25%", 0.0),
        ("When did it grow?", "in three quarters", "75%", None),
        # Beside numbers in digits, measures in words.
        ("What is the penalty?", "five years and £500", "Two years and £500.", 0.5),
        # Names, people and vague numbers.
        ("Which film?", "Six Degrees of Separation", "Six Degrees of Separation", None),
        ("Which seas?", "the Four Seas", "4", None),
        ("Who?", "one of them", "1", None),
        ("Who?", "two of the men", "2", None),
        ("What?", "a pronoun of more words than six, such as two", "2", None),
        # Nothing, and no number.
        ("What was the dividend?", "nil", "It was $0.", 1.0),
        ("What was the dividend?", "nil", "It was 12 cents.", 0.0),
        ("What was the ratio?", "nm", "It is not meaningful.", 1.0),
        ("What was the ratio?", "n/m", "It was 12.5.", 0.0),
        # In German, the point before Mio. separates thousands.
        ("Umsatz?", "2.300 Mio. Euro", "2,3 Milliarden Euro", 1.0),
        ("Umsatz?", "2.300 Mio. Euro", "2.3 million euros", 0.0),
    ],
)
def test_what_a_reference_wants(question: str, reference: str, answer: str, share: float | None):
    assert match_numbers(question, [reference], answer).share == share


@pytest.mark.parametrize(
    ("reference", "answer", "share"),
    [
        ("5 islands", "There are 6, not 5.", 0.0),
        ("6 islands", "There are 6, not 5.", 1.0),
        ("£76", "It is £60 instead of £76.", 1.0),
        ("5", "not only 5 but all 5", 1.0),
        ("5", "It cannot 5", 1.0),
    ],
)
def test_a_number_that_the_answer_denies_is_not_stated(reference: str, answer: str, share: float):
    assert match_numbers(None, [reference], answer).share == share
