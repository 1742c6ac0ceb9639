"""Parity with NLTKWordTokenizer of NLTK 3.10.4, its patterns compiled by `re` as ours are.

As installed it compiles them with the `regex` package, which counts combining marks as word
characters, ½ not, and \\x1c not as whitespace; without those it gives the same.
"""

import os
import re
from pathlib import Path

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer

from ragauge.language.text import sentences
from ragauge.language.words import alphanumeric_words


class StandardLibraryTokenizer(NLTKWordTokenizer):
    """NLTK's rules, with `re` in place of the `regex` package."""

    def __init__(self):
        for rules in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
            setattr(self, rules, [self._compiled(*rule) for rule in getattr(self, rules)])
        for rule in ("PARENS_BRACKETS", "DOUBLE_DASHES"):
            setattr(self, rule, self._compiled(*getattr(self, rule)))

    @staticmethod
    def _compiled(pattern, substitute):
        return re.compile(pattern.pattern), substitute


INSTALLED = NLTKWordTokenizer()
NLTK = StandardLibraryTokenizer()
WORDS = (
    "a foo 5 1,000 3.5 don't cannot CANNOT gonna wanna gimme lemme gotta d'ye more'n 'tis 'twas "
    "it's we're I'd've n't N'T 'S 'll 'Ll 'LL U.S. s t m Mr é İ ß 中文 ٣ ² ½ 😀 \ud800 ſ"
)
SIGNS = (
    "$ % @ # & . .. ... , : ; ' '' ''' \" `` ` - -- --- – — / _ ( ) [ ] < > { } » ” ’ “ ‘ « „ "
    "! ? * 。 + = ~ ^ … \u0301 \u093e"
)
SPACES = [" "] * 25 + ["\n", "\t", "\u00a0", "\u2028", "\x1c"]
HARD_TEXT = st.lists(
    st.sampled_from([*WORDS.split(" "), *SIGNS.split(" "), *SPACES]), max_size=12
).map("".join)


def nltk_words(text: str, tokenizer: NLTKWordTokenizer = NLTK) -> list[str]:
    tokens = [token for sentence in sentences(text) for token in tokenizer.tokenize(sentence)]
    return [token.lower() for token in tokens if token.isalnum()]


@cases(
    ("The fee is $604, or 5%.", ["the", "fee", "is", "604", "or", "5"]),
    ("It's state-of-the-art and/or new", ["it", "new"]),
    ("U.S. rates: 1,000 or 2.5", ["rates", "or"]),
    ("Don't! We cannot; I'm gonna.", ["do", "we", "can", "not", "i", "gon", "na"]),
    ("a.b c. d", ["c", "d"]),  # two sentences: "a.b c." and "d"
    ("one,two:three 4,5", ["one", "two", "three"]),
    ("a,,b c---d e--f g...h", ["a", "c", "e", "f", "g", "h"]),
    ("'that's' is 'quoted'", ["that", "is", "quoted"]),
    ("snake_case x=1 e-mail", []),
    ("今日は。元気", ["元気"]),  # 今日は。 is one token, and not alphanumeric
    # Only a final period is set apart.
    *((text, ["pay", "the", "fee"]) for text in ("Pay the fee.", "(Pay the fee.)")),
    *((text, ["pay", "the", "fee"]) for text in ('Pay the "fee."', "Pay the fee..")),
    *(("Pay Mr. Fee", ["pay", "fee"]), ("Pay Mr.", ["pay", "mr"])),
    ('Pay Mr. "', ["pay"]),  # a quote after a space is an opening one to NLTK
    *((text, []) for text in ("", "  \n", "...", "—", "😀")),
)
def test_words_with_any_other_sign_in_them_are_none(text, words):
    assert alphanumeric_words(text) == words == nltk_words(text, INSTALLED)


@settings(max_examples=6 * settings.default.max_examples)
@given(HARD_TEXT)
def test_hard_pieces_in_any_order_give_the_words_of_nltk(text):
    assert alphanumeric_words(text) == nltk_words(text)


@given(st.text(st.characters(codec="ascii", min_codepoint=32)))
def test_printable_ascii_gives_the_words_of_nltk(text):
    assert alphanumeric_words(text) == nltk_words(text, INSTALLED)


def test_real_policies_give_the_words_of_nltk():
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        pytest.skip("RAGAUGE_DATA is not set")
    policies = sorted(Path(folder, "privacy_qa", "corpus").glob("*.txt"))
    assert policies
    for policy in policies:
        text = policy.read_text(encoding="utf-8")
        assert alphanumeric_words(text) == nltk_words(text, INSTALLED), policy.name
