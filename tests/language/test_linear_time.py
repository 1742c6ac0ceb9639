"""The time of reading grows with the length of a text, whatever the text is made of."""

import time

import pytest

from ragauge.features.texts import refusals
from ragauge.language.claims.context_index import embedded_anchors
from ragauge.language.claims.nearest_sentences import SentenceIndex, sentences_of
from ragauge.language.dates.dates import dates
from ragauge.language.facts.alignment import align
from ragauge.language.keywords import keywords
from ragauge.language.list_items import list_items, shared_items
from ragauge.language.numbers.match import match_numbers
from ragauge.language.numbers.numbers import quantities
from ragauge.language.references.compared_text import initials
from ragauge.language.references.match import match_reference
from ragauge.language.refusals.refusals import find_refusals
from ragauge.language.stems import stem, stemmed
from ragauge.language.text import sentence_spans
from ragauge.language.words import alphanumeric_words


def nearest(text: str) -> None:
    sentences = [*sentences_of(text, stemmed(text))]
    index = SentenceIndex(sentences)
    for sentence in sentences:
        index.nearest([word.stem for word in sentence.words], 3)


def named(text: str) -> None:
    initials(stemmed(text), text)
    match_reference(None, f"x {text}", f"y {text}")


def question_of_spaces(text: str) -> None:
    find_refusals("The report does not say.", text)
    find_refusals(text, "What is it?")


REFUSING = (
    *("The document does not ", "I cannot answer. ", "there is no ", ". ", " ", "no (", '"no '),
    *("cannot really ", "not\n", "😀 not ", "neither none nothing ", "as of my last ", "!", "?!"),
    *("no record, which is not in ", "the report, which as of, ", "but ", ":a ", "= ", "so "),
    *("one, but the text does not say ", "hm ", "without the ", "Since it is not ", "A = B\n"),
    *("I cannot answer. Suppose it is $5. ", "I cannot\n", "the ratio requires ", "![]("),
    *("there are several named ", "answering would be ", ".[p.1]"),
)
READERS = {
    # What reads, how many characters, and what they are made of: pieces, or (beginning, piece, end).
    "quantities": (
        quantities,
        20_000,
        (
            *("1,", "11,", "1.", "1-", "5 ", "1/2 ", "[1,", "+1 ", "1) ", "ten ", "1. x\n", "one "),
            *("a dozen ", "minus five ", "two-thirds ", "$5\\% ", "5$ ", "Step 1: ", "-_", "7/10 "),
            "5x",
        ),
    ),
    "measures": (
        lambda text: match_numbers(None, ["2 h 30 min"], text),
        10_000,
        (
            "1 h 30 min ",
            "2:11:53 ",
            "a fortnight ",
            "half an ",
            "5' 1",
            "a mile and a ",
            "1 h 3 m ",
        ),
    ),
    "shares": (
        lambda text: match_numbers(None, ["20%, 5.1 km"], text),
        10_000,
        ("2 in 10 ", "doubled ", "5 min ", "1.200 Millionen ", "5.1 (in "),
    ),
    "dates": (
        dates,
        15_000,
        ("may ", "2021, ", "1/", "9:", "day", "in 2021-", "5 March ", "Q1 ", "年", "mar1 "),
    ),
    "anchors": (
        lambda text: embedded_anchors(text, quantities(text), dates(text)),
        20_000,
        (
            *("is ", "Acme sold ", "only ", "has the ", "A. ", "and ", "was by ", "東", "may "),
            *("sold ", "Acme sold it ", "Acme sold IT ", "Acme paid 5 dollars "),
        ),
    ),
    "nearest": (nearest, 10_000, ("Fee {at} is the fee of {at}. ",)),
    "names": (named, 20_000, ("U.S. ", "Ab Cd ", "A.B.C.", "AB ")),
    "alignment": (
        lambda text: align.__wrapped__(text, text.replace("9", "7")),
        8_000,
        ("It costs $9 per day. ",),
    ),
    "refusals": (refusals, 10_000, REFUSING),
    # Of several pieces also where it is short: the first is skipped as a condition.
    "conditions": (refusals, 40_000, ("unless it is not said ",)),
    "asked": (
        lambda text: find_refusals(text, "How much was the Q4 fee of the report?"),
        10_000,
        (
            *("check the report ", "A = B / C\n", "there is nothing on it ", "He left because "),
            *("used, but ", "Q4: not disclosed\n", "Yes, but I think ", "10. ", "nicht "),
            *("The Q4 fee is not given. ", "ne précise ", "没有", "ません "),
        ),
    ),
    "questions": (
        question_of_spaces,
        1_000,
        tuple((f"I cannot say {start}", " ", "fee") for start in ("what did", "what is", "how")),
    ),
    "sentences": (
        sentence_spans,
        50_000,
        (
            *(".", " ", "\n", "\r\n ", "Mr. ", ".)", '."', "a", "[1]", "1. ", "A.", "“", "。"),
            *(".[a]", "? » ", "字!", "「。」と", "1.\n", "the\n", "v. ", "5:30p.", "in. 5 ", " . "),
            *(("", piece, "x") for piece in (" . ", "the\n", '."')),
        ),
    ),
    "words": (
        alphanumeric_words,
        100_000,
        ("a'", "cannot ", ",", "a,", ".)", "'s", "d'ye", "word ", "-"),
    ),
    "keywords": (
        lambda text: (keywords(text), keywords(text, "regex")),
        50_000,
        (
            *("A", "$", "Rule ", "保", "é", "- ", "Of The "),
            *(("", "Aa ", "_"), ("A", " ", "_"), ("", "1", "x"), ("", "1,111", "x")),
        ),
    ),
    "list items": (
        lambda text: shared_items(list_items(text), list_items(text)),
        60_000,
        ("* Item {at} - (\n", ("* ", "a - (", "")),
    ),
    "stem": (stem, 50_000, ("y",)),
}


def made(piece: str | tuple[str, str, str], n: int) -> str:
    beginning, piece, end = ("", piece, "") if isinstance(piece, str) else piece
    times = n // len(piece)
    if "{at}" in piece:
        return "".join(piece.format(at=at) for at in range(times))
    return beginning + piece * times + end


@pytest.mark.parametrize(
    ("reader", "piece"),
    [
        pytest.param(reader, piece, id=f"{reader}-{piece}")
        for reader, (_, _, pieces) in READERS.items()
        for piece in pieces
    ],
)
def test_a_long_text_is_read_in_linear_time(reader, piece, assert_linear_time):
    work, n, _ = READERS[reader]
    assert_linear_time(work, lambda n: made(piece, n), n)


@pytest.mark.slow
@pytest.mark.parametrize("piece", REFUSING)
def test_ten_megabytes_are_searched_for_refusals_in_seconds(piece: str):
    answer = made(piece, 10_000_000)
    start = time.process_time()
    refusals(answer)
    assert time.process_time() - start < 20
