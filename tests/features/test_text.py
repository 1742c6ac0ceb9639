import re
import string
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.features.text import composed, normalize, sentence_spans, sentences

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
TRICKY_PIECES = [
    "A",
    "b.",
    "Dr.",
    "U.S.",
    "3.5",
    "1.",
    "...",
    "!",
    '?"',
    ")",
    "。",
    "」",
    "-",
    "[1]",
    "e.g.",
    "No.",
    "…",
]
TRICKY_TEXT = st.lists(st.sampled_from([*TRICKY_PIECES, " ", "\n", "\n\n", "\r\n"])).map("".join)


def squad_script(text: str) -> str:
    """What the official SQuAD 1.1 evaluation does, after NFC."""
    text = "".join(
        mark
        for mark in unicodedata.normalize("NFC", text).lower()
        if mark not in string.punctuation
    )
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def test_lower_ws_makes_every_run_of_whitespace_one_space():
    assert normalize("  The\tFee\n\n is\u00a0Due ", "lower_ws") == "the fee is due"


def test_strip_lower_keeps_the_whitespace_inside():
    assert normalize("  The\tFee\n ", "strip_lower") == "the\tfee"


def test_squad_drops_punctuation_then_articles_then_spaces():
    assert normalize("The state-of-the-art,  a U.S. fee!", "squad") == "stateoftheart us fee"


def test_none_changes_nothing_not_even_the_composition():
    assert normalize(" E\u0301 ", "none") == " E\u0301 "


@pytest.mark.parametrize("how", ["lower_ws", "strip_lower", "squad"])
def test_both_spellings_of_an_accented_letter_are_equal(how):
    assert normalize("Cafe\u0301", how) == normalize("Caf\u00e9", how) == "caf\u00e9"


@pytest.mark.parametrize("how", ["lower_ws", "strip_lower", "squad", "none"])
def test_no_text_stays_no_text(how):
    assert normalize("", how) == ""


@pytest.mark.parametrize("how", ["lower_ws", "strip_lower", "squad", "none"])
def test_a_lone_surrogate_and_emoji_pass_through(how):
    assert normalize("\ud800😀", how) == "\ud800😀"


def test_full_width_digits_stay_themselves():
    assert normalize("５", "lower_ws") == "５"


@given(ANY_TEXT)
def test_squad_agrees_with_the_official_script(text):
    assert normalize(text, "squad") == squad_script(text)


@given(ANY_TEXT)
def test_composed_is_nfc(text):
    assert composed(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    "expected",
    [
        ("Dr. Lee paid $3.50.", "Why?", "Nobody knows!"),
        ("The fee is due on Jan. 5.", "It is $10 per year."),
        ("He met J. R. Smith in the U.S. Senate.", "They talked."),
        ("It opened in the U.S.", "The law differs there."),
        ("See Fig. 3 and No. 5.", "He said no.", "She agreed."),
        ("It takes 5 min. per row.", "Wait 10 min.", "Then stop."),
        ("Use keys, e.g. ids, i.e. names, etc. as usual.", "Bring pens, etc.", "Do not be late."),
        ("Acme Inc. announced it.", "It was bought by Acme Inc.", "The price rose."),
        ('He said "Stop."', "(They stopped.)", "**Done.**", "End"),
        ('"Really?" he asked.', "Yes!"),
        ("Wait... what?", "And then…", "Nothing."),
        ("Drivers pay more.[1]", "Riders pay less.[2][13]", "So be it."),
        ("1. Open the file.", "2. Read page 4.", "a. First part."),
        ("Visit example.com/a.b for v2.0.1.", "It works."),
        ("i went home.", "then i slept."),
    ],
)
def test_english_prose_splits_where_a_reader_would(expected):
    assert sentences(" ".join(expected)) == expected


def test_full_width_stops_need_no_space_after_them():
    assert sentences("今日は。「元気ですか？」はい！") == ("今日は。", "「元気ですか？」", "はい！")


def test_a_danda_and_an_arabic_question_mark_end_sentences():
    assert sentences("यह है। वह है।") == ("यह है।", "वह है।")
    assert sentences("كيف؟ جيد.") == ("كيف؟", "جيد.")


def test_headings_and_list_items_are_sentences_of_their_own():
    text = "Rules found\n- Rule C-1\n* Rule C-2\n3) Rule C-3\n\nThat is all"
    assert sentences(text) == (
        "Rules found",
        "- Rule C-1",
        "* Rule C-2",
        "3) Rule C-3",
        "That is all",
    )


def test_a_wrapped_line_goes_on_in_the_next():
    line = "This line of running text is long enough to have been wrapped by"
    assert sentences(f"{line}\nMr. Smith, who likes short lines") == (
        f"{line}\nMr. Smith, who likes short lines",
    )
    assert sentences("short but\ngoing on") == ("short but\ngoing on",)


def test_a_blank_line_ends_a_sentence_with_either_line_ending():
    assert sentences("one\r\n\r\ntwo") == ("one", "two")
    assert sentences("one\r\ntwo") == ("one\r\ntwo",)


@pytest.mark.parametrize("blank", ["", " ", "\n\n \t", "\u2028"])
def test_blank_text_has_no_sentence(blank):
    assert sentences(blank) == ()


@given(ANY_TEXT | TRICKY_TEXT)
def test_sentences_are_stripped_ordered_and_hold_all_but_whitespace(text):
    spans = sentence_spans(text)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""
    outside = "".join(
        text[a:b] for a, b in zip([0, *edges[1::2]], [*edges[::2], len(text)], strict=True)
    )
    assert outside.strip() == ""


@pytest.mark.parametrize(
    "piece", [".", " ", "\n", "\r\n ", "Mr. ", ".)", '."', "a", "[1]", "1. ", "A.", "“", "。"]
)
def test_a_megabyte_of_anything_takes_seconds_at_most(piece):
    text = piece * (1_000_000 // len(piece)) + "x"
    started = time.perf_counter()
    sentence_spans(text)
    assert time.perf_counter() - started < 10
