import re
import unicodedata

import pytest
from cases import cases
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ragauge.judges.replies.quotes import find_quote

TEXT = "Members pay the annual fee by May 5.\n\nGuests   pay nothing — “as ever” — at all."


def quoted(quote, text=TEXT):
    """What of the text is found to be the quote."""
    span = find_quote(quote, text)
    return None if span is None else text[slice(*span)]


@cases(
    ("the annual fee", "the annual fee"),
    ("Members", "Members"),
    ("at all.", "at all."),
    ("at all", "at all"),
    # White space.
    ("May 5. Guests pay", "May 5.\n\nGuests   pay"),
    (" the\tannual \n fee ", "the annual fee"),
    ("the\u00a0annual\u3000fee", "the annual fee"),
    # Quotation marks and dashes.
    ('nothing - "as ever"', "nothing — “as ever"),
    ("nothing – 'as ever' – at", "nothing — “as ever” — at"),
    ("nothing -- «as ever» -- at", "nothing — “as ever” — at"),
    # What stands around the quote.
    ("“the annual fee”", "the annual fee"),
    ("'\"the annual fee\"'", "the annual fee"),
    ("…the annual fee…", "the annual fee"),
    ("... the annual fee ...", "the annual fee"),
    ("[...] the annual fee [...]", "the annual fee"),
    ("\"[…] the annual fee…\"", "the annual fee"),
    # Parts.
    ("Members pay … by May 5", "Members pay the annual fee by May 5"),
    ("Members pay ... by May 5", "Members pay the annual fee by May 5"),
    ("Members [...] fee […] Guests (...) all", TEXT[:-1]),
    ("Members…fee....Guests", "Members pay the annual fee by May 5.\n\nGuests"),
    # The first letter, and a full stop.
    ("The annual fee", "the annual fee"),
    ("guests pay", "Guests   pay"),
    ("the annual fee.", "the annual fee"),
    ("“The annual fee.”", "the annual fee"),
    ("The annual … pay nothing.", "the annual fee by May 5.\n\nGuests   pay nothing"),
)  # fmt: skip
def test_a_quote_is_found_with_its_offsets(quote, found):
    assert quoted(quote) == found


@cases(
    *("the monthly fee", "the Annual fee", "THE annual fee", "annual the fee", "theannual fee"),
    *("the annu al fee", "the annual fee!", "the annual, fee", "by May 5 … the annual fee"),
    *("Members pay … the monthly fee", "the annual fee … the annual fee", "nothing as ever"),
    "[the annual fee]",
)
def test_what_is_not_in_the_text_is_not_found(quote):
    assert quoted(quote) is None


ELLIPSES = "Well... that is it. So … be it."
FEW = ("", " ", "...", '""', "a", "5.", "Ma", "M…a", "M _ _ a")


@cases(
    *((quote, "Ma a 5. — “ ” — M … a", None) for quote in FEW),
    ("fee", TEXT, "fee"),
    ("the fee", "", None),
    ("a 5%", "It is a 5% b", None),
    ("a 55%", "It is a 55% b", "a 55%"),
    ("Well... that is it", ELLIPSES, "Well... that is it"),
    ("So … be", ELLIPSES, "So … be"),
    ("Well… that is", ELLIPSES, "Well... that is"),
    ("one two … two three", "one two three", None),
    ("one two … two three", "one two, two three", "one two, two three"),
    # Signs are no part of a word.
    ("19 cases", "Covid19 cases", "19 cases"),
    ("fee (annual", "the fee (annual)", "fee (annual"),
    ("costs 5", "It costs 5, or costs 5.", "costs 5"),
    ("5 percent", "From 3-5 percent", "5 percent"),
    ("fee", "the _fee_", "fee"),
    ("the dogs'", "of the dogs' food", "the dogs"),
    # Invisible characters do not count, and hide no word.
    ("annual fee", "the an\u00adnual\u200b fee.", "an\u00adnual\u200b fee"),
    ("an\u00adnual fee", "the annual fee.", "annual fee"),
    ("the heart ❤ sign", "the heart ❤\ufe0f sign", "the heart ❤\ufe0f sign"),
    ("able to fly", "un\u00adable to fly", None),
)
def test_of_a_quote_three_letters_or_digits_and_whole_words_are_looked_for(quote, text, found):
    assert quoted(quote, text) == found


@cases(
    ("able to fly", "They are unable to fly."),
    ("legal to park", "It is illegal to park."),
    ("pay the fee", "They repay the fees."),
    ("5 percent", "It is 15 percent."),
    ("5 percent", "It is 1.5 percent."),
    ("costs 1", "It costs 1.5 and costs 1,000 and costs 19."),
    ("costs 5.", "It costs 5.50."),
    ("000 people", "1,000 people"),
    ("able to fly", "un\u00adable to fly"),
    ("cafe", "cafe\u0301"),
    ("кофе", "кофейня"),
    ("क ख ग", "क ख गि"),
)
def test_a_quote_does_not_cut_words_or_numbers(quote, text):
    assert quoted(quote, text) is None
    whole = f"{text} {quote}"
    assert find_quote(quote, whole) == (len(text) + 1, len(whole))


@cases(
    ("caf\u00e9 au lait", "cafe\u0301 au lait"),
    ("cafe\u0301 au lait", "cafe\u0301 au lait"),
    ("au lait", "au lait"),
    ("b\u1ee3m", "b\u006f\u031b\u0323m"),  # ợ: o, horn, dot below
    ("b\u01a1\u0323m", "b\u006f\u031b\u0323m"),
    ("b\u1ecd\u031bm", "b\u006f\u031b\u0323m"),
    ("\ud55c\uad6d\uc5b4 \ub9d0", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165 \u1106\u1161\u11af"),
    ("12 \u00c5 wide", "12 \u212b wide"),  # the Angstrom sign is the letter
    ("\u0915\u093c\u0932\u092e", "\u0958\u0932\u092e"),  # which NFC takes apart
)  # fmt: skip
def test_composed_and_decomposed_characters_are_equal(quote, found):
    text = f"ein Cafe\u0301, {found}, e\u0301!"
    start = text.index(found)
    assert find_quote(quote, text) == (start, start + len(found))
    assert find_quote(found, unicodedata.normalize("NFC", text)) is not None


@cases(
    #             0 1     2 3     4 5 6 7      8  9
    ("the fée", "e\u0301e\u0301  e\u0301\u200b — 😀 the  fe\u0301e", (14, 23)),
    ("the fee", "the fee, the fee", (0, 7)),
    # Word for word before one that is only alike.
    ("the fee", "the  fee and the fee", (13, 20)),
)
def test_offsets_count_characters_of_the_text_as_it_is(quote, text, span):
    assert find_quote(quote, text) == span
    assert " ".join(unicodedata.normalize("NFC", text[slice(*span)]).split()) == quote


@cases(
    ("会員は年会費", "全ての会員は年会費を払う。"),
    ("「年会費」を", "会員は「年会費」を払う"),
    ("年会費…払う", "会員は年会費を五月までに払う。"),
    ("会員费用", "所有会员费用"),
    ("학교", "학교에서"),
    ("ค่าธรรมเนียม", "จ่ายค่าธรรมเนียมรายปี"),
)
def test_scripts_without_spaces(quote, text):
    span = find_quote(quote, text)
    if quote == "会員费用" or quote == "학교":  # another sign; only two letters
        assert span is None
    else:
        assert span is not None
        assert text[slice(*span)] in (quote.strip("「」"), "年会費」を", "年会費を五月までに払う")


@cases(
    ("الرسوم السنوية", "يدفع الأعضاء الرسوم السنوية قبل مايو."),
    ("الرسوم السنوية", "يدفع \u200fالرسوم\u200f السنوية"),
    ("שכר שנתי", "החברים משלמים שכר  שנתי."),
    ("בית הספר", "ובבית הספר"),
)
def test_scripts_from_right_to_left(quote, text):
    found = quoted(quote, text)
    assert found is not None
    assert " ".join(found.replace("\u200f", "").split()) == quote


WORDS = st.lists(
    st.sampled_from(["fee", "pays", "café", "cafe\u0301", "12", "会員", "—", "“x”", "Å"]),
    min_size=1,
)
GAPS = st.sampled_from([" ", "  ", "\n", "\u00a0", "\t "])


@given(WORDS, WORDS, WORDS, GAPS)
def test_a_copied_piece_is_found_whatever_its_spaces_and_spelling(before, words, after, gap):
    quote = " ".join(words)
    assume(sum(sign.isalnum() for sign in quote) >= 3)
    text = gap.join(["<", *before, "|", *words, "|", *after, ">"])
    for spelling in ("NFC", "NFD"):
        found = quoted(unicodedata.normalize(spelling, quote), text)
        assert found is not None
        alike = unicodedata.normalize("NFC", " ".join(found.split()))
        bare = unicodedata.normalize("NFC", quote).strip("“”")
        assert alike.strip("“”") == bare


@given(st.text(), st.text())
@example("aaa", "\u0301aaa")
@example("a\u0301aa", "a\u0301\u0323aa")
def test_offsets_are_within_the_text(quote, text):
    span = find_quote(quote, text)
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(text)


SIGNS = '会か\u3099 \n\u00a0“"—-\u200b'
ALIKE = st.from_regex(
    f"会[{re.escape(SIGNS)}]{{0,2}}か[{re.escape(SIGNS)}]{{0,2}}会", fullmatch=True
)


def plainly(text):
    """The text folded the slow way; か and \u3099 compose to が."""
    text = unicodedata.normalize("NFC", text).replace("\u200b", "")
    text = re.sub(r"\s+", " ", text)
    return re.sub("-+", "-", text.replace("“", '"').replace("—", "-"))


@given(st.lists(st.text(SIGNS, max_size=3) | ALIKE, min_size=1, max_size=4).map("".join), ALIKE)
@settings(max_examples=3 * settings.default.max_examples)
def test_a_quote_is_found_exactly_where_a_plain_search_finds_it(text, quote):
    span = find_quote(quote, text)
    there = re.search(re.escape(plainly(quote)) + "(?!\u3099)", plainly(text))
    assert (span is None) == (there is None)
    if span is not None:
        assert plainly(text[slice(*span)]) == plainly(quote)


@pytest.mark.slow
@cases(
    ("the fee", "the  fe " * 125_000),
    ("a" * 20, "a" * 1_000_000),
    ("a" * 500_000, "a" * 1_000_000),
    ("a" * 500_000 + "b", "a" * 1_000_000),
    ("ab" * 250_000, "ba" * 500_000),
    ("aaa b", "a  " * 100_000),
    ("aaa b", "\u0301\u0323" * 500_000),
    ("\u0301\u0323" * 500_000 + "aaa b", "aaa c"),
    ("aaa b", "e\u0301" * 100_000),
    ("aaa b", "\u00ad \u200b" * 333_333),
    ("aaa b", "—-" * 500_000),
    ('"' * 1_000_000 + "aaa", "aab"),
    ("aaa" + "[...]" * 200_000, "aab"),
    ("a … " * 250_000, "a " * 240_000),
    ("." * 1_000_000 + "aaa", "aab"),
    ("aaa" + " " * 1_000_000 + "b", "aaa c"),
    ("aaa" + "_" * 1_000_000, "aab"),
    ("[" * 1_000_000 + "aaa", "aab"),
    ids=range(18),
)
def test_a_megabyte_without_the_quote_is_gone_through_at_once(quote, text):
    assert find_quote(quote, text) is None


def test_a_quote_at_the_end_of_a_megabyte_is_found():
    text = "Members “pay”  a cafe\u0301. " * 40_000 + "Guests   don’t pay."
    assert find_quote("guests don't pay", text) == (len(text) - 19, len(text) - 1)
