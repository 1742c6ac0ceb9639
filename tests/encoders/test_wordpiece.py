"""Our WordPiece: worked by hand on a small vocabulary, then against the Rust crate."""

import random
import unicodedata
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path

import pytest
from cases import cases
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragauge.encoders import wordpiece
from ragauge.encoders.wordpiece import SPECIAL_TOKENS, WordPiece

VOCABULARY = resources.files("ragauge.encoders") / "minilm" / "vocab.txt"
REPOSITORY = Path(__file__).parents[2]

SMALL = [
    *SPECIAL_TOKENS,
    *("play", "##ing", "!", "a", "##a", "##aa", "e", "中", "国", "=", "σ", "##σ"),
]
UNK, CLS, SEP, MASK, PLAY, ING, MARK, *_ = range(1, len(SMALL))
A, TAIL_A, TAIL_AA, E, ZHONG, GUO, EQUALS, SIGMA, TAIL_SIGMA = range(MARK + 1, len(SMALL))

HOSTILE = (
    "aAzZ09 \t\n\r\x0b\x0c\x1c\x00\x7f\x85\xa0\xad!?.,'#[]_-$^`|~"
    "éÉåÅßẞıİſÞσςΣΆῼΐǅǆﬁ≠;·`´"
    "\u0300\u0301\u0307\u0323\u0334\u0338\u0344\u0345\u0f71\u0f73"
    "\u1715\u1734\u1b44\u302e\u302f\ua953\ua9c0\u1dfb\u0898\u08d4\u1ac1\U0001d15e\U0001d165\U0001d16e"
    "\U0001e000\U00011442\U00011938\U000113c5\U00016121\U00010d50\u1c89\ua7cb\U00016ea0"
    "\u166d\U000111c9\U0001171e\u061d\u2e52\U0001e95e\u08e2\u0604\u180e\u200b\u200d\u202e\u2060\ufeff"
    "\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufffd\ufffe\uffff\ue000\U000e0001\U0010ffff"
    "中国豈\u2f00\U00020000\U0002b820\U0002b91f\U0002f800가각한\u1100\u1161ああがカﾊﾟ"
    "שלוםالعربيةहिन्दीไทยোூ😀👩🏽🇨🇭①Ａ"
)


@pytest.fixture(scope="module")
def vocabulary() -> list[str]:
    return VOCABULARY.read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def own(vocabulary) -> WordPiece:
    return WordPiece(vocabulary)


@pytest.fixture(scope="module")
def crate(vocabulary):
    """The tokenizer of `tokenizers` as all-MiniLM-L6-v2 has it, without cut and padding."""
    tokenizers = pytest.importorskip("tokenizers")
    ids = {entry: number for number, entry in enumerate(vocabulary)}
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100)
    )
    made.normalizer = tokenizers.normalizers.BertNormalizer()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(token, ids[token]) for token in ("[CLS]", "[SEP]")],
    )
    made.add_special_tokens(list(SPECIAL_TOKENS))
    return made


def assert_same(own: WordPiece, crate, texts: Iterable[str]) -> None:
    texts = list(texts)
    for text, theirs in zip(texts, crate.encode_batch(texts), strict=True):
        tokens = own.tokenize(text)
        assert (list(tokens.ids), list(tokens.spans or ())) == (theirs.ids, theirs.offsets), text


def content(text: str) -> list[tuple[int, int, int]]:
    """Id, start and end of each token of the small vocabulary, without those at the two ends."""
    tokens = WordPiece(SMALL).tokenize(text)
    assert (tokens.before, tokens.after) == (1, 1)
    assert (tokens.ids[0], tokens.ids[-1]) == (CLS, SEP)
    assert tokens.spans is not None
    assert tokens.spans[0] == tokens.spans[-1] == (0, 0)
    pairs = zip(tokens.ids[1:-1], tokens.spans[1:-1], strict=True)
    return [(number, start, end) for number, (start, end) in pairs]


# Worked by hand


@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n", "\x00\x0b\ufffd\u200b", "\ud800"])
def test_a_text_without_anything_to_read_has_only_the_two_ends(text):
    assert content(text) == []


@cases(
    ("Playing aaaa", [(PLAY, 0, 4), (ING, 4, 7), (A, 8, 9), (TAIL_AA, 9, 11), (TAIL_A, 11, 12)]),
    # A word with one unknown letter is wholly unknown.
    ("a playz!", [(A, 0, 1), (UNK, 2, 7), (MARK, 7, 8)]),
    # Accents are dropped, and the place is that of the letter.
    ("É", [(E, 0, 1)]),
    ("E\u0301 a\u0323\u0301", [(E, 0, 1), (A, 3, 4)]),
    ("a\u0301a", [(A, 0, 1), (TAIL_A, 2, 3)]),
    # A sign that decomposes into punctuation stands alone.
    ("a≠a", [(A, 0, 1), (EQUALS, 1, 2), (A, 2, 3)]),
    ("ΣΣ", [(SIGMA, 0, 1), (TAIL_SIGMA, 1, 2)]),  # no final sigma
    ("a中国", [(A, 0, 1), (ZHONG, 1, 2), (GUO, 2, 3)]),
    *((f"a{space}a", [(A, 0, 1), (A, 2, 3)]) for space in "\t\n\r\xa0\u2028\u3000"),
    *((f"a{control}a", [(A, 0, 1), (TAIL_A, 2, 3)]) for control in "\x00\x0b\x1c\x85\u200b\ufffd\ue000"),
    ("\ud800a\udfffa", [(A, 1, 2), (TAIL_A, 3, 4)]),
    # Special tokens are those only where they are written exactly so.
    ("a[SEP]a", [(A, 0, 1), (SEP, 1, 6), (A, 6, 7)]),
    ("[[MASK]", [(UNK, 0, 1), (MASK, 1, 7)]),
)  # fmt: skip
def test_a_text_is_cut_into_the_longest_entries_from_the_left(text, tokens):
    assert content(text) == tokens


def test_a_word_may_have_a_hundred_letters_and_no_more():
    # 1 + 49 * 2 + 1 letters: one head, 49 double tails, one single tail
    assert [number for number, _, _ in content("a" * 100)] == [A, *[TAIL_AA] * 49, TAIL_A]
    assert content("a" * 101 + "!") == [(UNK, 0, 101), (MARK, 101, 102)]


def test_a_special_token_written_otherwise_is_none():
    assert MASK not in [number for number, _, _ in content("[mask] [MA\u0301SK] [MA SK]")]


@pytest.mark.parametrize("missing", SPECIAL_TOKENS)
def test_a_vocabulary_without_a_special_token_is_refused(missing):
    with pytest.raises(ValueError, match=rf"18 entries lacks \[{missing[1:-1]}\]"):
        WordPiece([entry if entry != missing else "x" for entry in SMALL] + ["y"])


def test_an_entry_written_twice_has_its_last_number():
    assert WordPiece([*SMALL, "play"]).tokenize("play").ids == [CLS, len(SMALL), SEP]


# What is remembered


def test_little_is_remembered_and_forgetting_changes_nothing(vocabulary, own, monkeypatch):
    texts = [f"word{n} {'long' * n}, tail{n % 3}" for n in range(40)]
    expected = [own.tokenize(text) for text in texts]
    monkeypatch.setattr(wordpiece, "MAX_REMEMBERED", 5)
    forgetful = WordPiece(vocabulary)
    for _ in range(2):
        assert [forgetful.tokenize(text) for text in texts] == expected
    remembered = forgetful._remembered
    assert len(remembered) <= 5
    assert max(map(len, remembered)) <= wordpiece.MAX_REMEMBERED_LENGTH


def test_threads_share_a_tokenizer(vocabulary, own, monkeypatch):
    monkeypatch.setattr(wordpiece, "MAX_REMEMBERED", 50)
    texts = [" ".join(f"number{n * k % 101}!" for k in range(60)) for n in range(60)]
    expected = [own.tokenize(text) for text in texts]
    shared = WordPiece(vocabulary)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(shared.tokenize, texts)) == expected


# Parity with tokenizers 0.23.3 (0.19.1, 0.21.4 and 0.22.1 give the same)


def test_real_text_as_the_crate_has_it(own, crate):
    pages = [
        (REPOSITORY / name).read_text("utf-8") for name in ("README.md", "LICENSE", "docs/runs.md")
    ]
    lines = [line for page in pages for line in page.splitlines()]
    assert len(lines) > 100
    assert_same(own, crate, [*pages, *lines])


@cases(
    "Die Größe über alles: naïve café, Ærøskøbing, Łódź, Đà Nẵng, İstanbul'da ışık.",
    "Ὀδυσσεύς, ὁ πολύτροπος· τί ποιεῖς;",
    "Объект № 5 — это ёлка, а не йод.",
    "東京は日本の首都です。人口は約1400万人。ガギグゲゴ ｶﾞｷﾞ",
    "대한민국의 수도는 서울이다.",
    "هَذَا نَصٌّ عَرَبِيٌّ بِالتَّشْكِيلِ ١٢٣",
    "שָׁלוֹם עֲלֵיכֶם",
    "हिन्दी में लिखा हुआ वाक्य। தமிழ் கோவில் ขอบคุณครับ",
    "👩🏽‍🚀 🇨🇭 ❤️ ①②③ ½ x² H₂O ™ © € £5 $1,000.50 50% #tag @name",
    "Z̸̡̛͎͙a̷͓͊l̴̼̈g̵̱̎o̶͉͝ text…“quotes”—‘dash’ ﬁﬂ",
    "http://example.com/a_b?c=d&e=%20#f user@example.com C:\\path\\to",
)
def test_scripts_of_the_world_as_the_crate_has_them(text, own, crate):
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    assert_same(own, crate, [text, *forms])


@pytest.mark.slow
def test_every_character_of_the_first_two_planes_as_the_crate_has_it(own, crate):
    """And a sample of the others, in which all but a few have no character or an ideograph."""
    later = random.Random(7).sample(range(0x20000, 0x110000), 5_000)
    edges = [code for border in wordpiece._IDEOGRAPHS for code in (border - 1, border)]
    codes = [*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE0200), *later, *edges]
    texts = [f"{(c := chr(code))} a{c}b" for code in codes]
    assert_same(own, crate, texts)


def test_every_mark_in_an_order_that_normalisation_changes_as_the_crate_has_it(own, crate):
    marks = [chr(code) for code in range(0x20000) if unicodedata.category(chr(code))[0] == "M"]
    assert len(marks) > 2_000
    frames = (
        "\u0301\u302e{0}\u0301\u0334\u302e",
        "{0}\u302e\u0345{0}\u1dfb",
        "!\u0345{0}\u200d\u302f",
    )
    for frame in frames:
        assert_same(own, crate, [frame.format(mark) for mark in marks])


@settings(max_examples=3 * settings.default.max_examples)
@given(text=st.text())
def test_any_text_as_the_crate_has_it(own, crate, text):
    assert_same(own, crate, [text])


@settings(max_examples=5 * settings.default.max_examples)
@given(
    parts=st.lists(
        st.one_of(
            st.sampled_from(HOSTILE),
            st.sampled_from([*SPECIAL_TOKENS, "[sep]", "[CLS", "SEP]", "##ing", "un", "play", " "]),
        ),
        max_size=40,
    )
)
@example(parts=["[", "[SEP]", "\u0301", "]"])
@example(parts=["\u0344", "\u302e", "\u0f73", "\u0334"])
def test_hostile_text_as_the_crate_has_it(own, crate, parts):
    assert_same(own, crate, ["".join(parts)])


@given(
    text=st.text(st.one_of(st.characters(categories=["Cs"]), st.sampled_from("ab! \u0301[SEP]")))
)
def test_surrogates_count_as_a_control_does(own, crate, text):
    controls = "".join("\x00" if "\ud800" <= one <= "\udfff" else one for one in text)
    theirs = crate.encode(controls)
    tokens = own.tokenize(text)
    assert (tokens.ids, tokens.spans) == (theirs.ids, theirs.offsets)


@pytest.mark.parametrize(
    "piece", [*"a!中é😀한\u0301\u200b", "\u302e\u0301", "foo.bar/", "zq", "[SEP]"]
)
def test_long_texts_without_white_space_as_the_crate_has_them(own, crate, piece):
    assert_same(own, crate, [piece * 2_000, f"{piece * 49} " * 50])
