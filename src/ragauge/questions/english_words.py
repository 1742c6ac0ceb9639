"""English words by what they do in a sentence, the forms of verbs, and how documents write their names."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

TOKEN = re.compile(r"[$€£]?\d(?:[\d.,:/-]*\d)?[%\w]*|\w+(?:[.'’/-]\w+)*|--?\w[\w-]*|[^\w\s]")
TABLE = tomllib.loads((resources.files("ragauge.questions") / "english.toml").read_text("utf-8"))


@cache
def words_of(name: str) -> frozenset[str]:
    return frozenset(TABLE["words"][name].split())


BE, HAVE, DO, MODALS = (words_of(name) for name in ("be", "have", "do", "modals"))
AUXILIARIES = BE | MODALS | HAVE | DO
ARTICLES, PREPOSITIONS = words_of("articles"), words_of("prepositions")
DETERMINERS = ARTICLES | words_of("determiners")
BEFORE_NOUNS = DETERMINERS | PREPOSITIONS
POINTING, JOINING = words_of("pointing"), words_of("joining")


def pattern(name: str) -> str:
    """A pattern of the table, or any of the words of a list."""
    if name == "before_nouns":
        return "|".join(sorted(BEFORE_NOUNS))
    known = TABLE["patterns"].get(name)
    return "|".join(sorted(words_of(name))) if known is None else filled(known)


def filled(text: str) -> str:
    """A pattern with those that it names in their place."""
    return re.sub("%([a-z_]+)", lambda part: pattern(part[1]), text)


ROLE, ABOVE, DESCRIBING, SAYING_LITTLE = (
    re.compile(pattern(each)) for each in ("role", "above", "describing", "saying_little")
)


class Verb(NamedTuple):
    """What a form of a verb is (`base`, `third`, `past`, `participle`), and other forms of the verb."""

    base: str
    form: str
    past: str
    third: str


@cache
def verbs() -> Mapping[str, Verb]:
    """The verbs by each of their forms."""
    triples = [each.split() for each in TABLE["irregular"].split(";")]
    irregular = {base for base, *_ in triples}
    for base in TABLE["regular"].split():
        if base not in irregular:
            stem = re.sub("(?<![aeiou])y$", "i", base) + base[-1] * (base in words_of("doubled"))
            past = f"{stem}{'d' if base.endswith('e') else 'ed'}"
            triples.append([base, past, past])
    known: dict[str, Verb] = {}
    for base, past, participle in triples:
        ending = "es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s"
        third = "has" if base == "have" else re.sub("(?<![aeiou])y$", "ie", base) + ending
        forms = {"participle": participle, "past": past, "base": base, "third": third}
        known |= {word: Verb(base, form, past, third) for form, word in forms.items()}
    known["found"] = Verb("find", "past", "found", "finds")
    return known


@cache
def only_past() -> frozenset[str]:
    """Pasts that are no participles: `began`."""
    triples = (each.split() for each in TABLE["irregular"].split(";"))
    return frozenset(past for _, past, participle in triples if past != participle)


def form_of(word: str) -> str:
    """What form of a verb a word may be; "" for none."""
    return verbs()[word].form if word in verbs() else ""


def is_adverb(word: str) -> bool:
    return word in words_of("adverbs") or (
        word.endswith("ly") and len(word) > 4 and word not in words_of("not_adverbs")
    )


def is_participle(word: str) -> bool:
    """Whether a word may be a past participle."""
    return form_of(word) in ("past", "participle") or (word.endswith("ed") and len(word) > 4)


def is_plural(word: str) -> bool:
    """Whether a lower-cased noun looks like a plural."""
    is_regular = word.endswith("s") and not word.endswith(
        ("ss", "us", "is", ".js", "series", "alias")
    )
    return is_regular or word in ("people", "men", "women", "children")


def tokens_of(text: str) -> list[str]:
    """The words and signs of a text, lower-cased but for the month of May; `more than` is a preposition."""
    tokens = [token if token == "May" else token.lower() for token in TOKEN.findall(text)]
    return [
        "over" if word == "than" and before in ("more", "less", "fewer") else word
        for before, word in zip(["", *tokens], tokens, strict=False)
    ]


def points_outside(text: str) -> bool:
    """Whether a text points to something outside of it: `it`, `these`, `the following`, `above`."""
    words = (re.sub("['’](?:s|re|ll|ve|d)$", "", word) for word in tokens_of(text))
    return not POINTING.isdisjoint(words) or bool(ABOVE.search(text))


_EMPTY = AUXILIARIES.union(
    BEFORE_NOUNS,
    JOINING,
    POINTING,
    words_of("adverbs"),
    words_of("particles"),
    {"be", "been", "and"},
)


def content_words(text: str) -> list[str]:
    """The words of a text that carry meaning, lower-cased."""
    return [word for word in tokens_of(text) if word not in _EMPTY and word[0].isalnum()]


def as_question(*parts: str) -> str:
    """The words as a question, without words such as `also` and `still`."""
    text = re.sub(
        r"\b(?:also|still|even|yet|especially|alternatively|additionally) ", "", " ".join(parts)
    )
    text = re.sub(r"\s+([,.?])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,;")
    return f"{text[0].upper()}{text[1:]}?"


class Names:
    """How documents write words inside of sentences: which are names, and what `the hut` may be.

    `capital`, `small`: how often a word begins with either letter; `small` also counts `a hut`, `the hut`
    and `the hut of`.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.capital, self.small = Counter[str](), Counter[str]()
        for text in texts.values():
            for word in re.findall(r"(?<=[\w,] )([^\W\d_][\w’'-]*)", text):
                (self.capital if word[0].isupper() else self.small)[word.lower()] += 1
            for article, noun, of in re.findall(r"\b([Tt]he|[Aa]n?) ([a-z]+)\b( of\b)?", text):
                phrase = f"{'the' if article.lower() == 'the' else 'a'} {noun}"
                self.small.update([phrase, f"{phrase}{of}"] if of else [phrase])

    def is_name(self, word: str) -> bool:
        """Whether a capital at the beginning of a sentence is the word's own."""
        if re.fullmatch(r"[A-Z]\.", word) or any(
            sign.isupper() or sign.isdigit() for sign in word[1:]
        ):
            return True
        return self.capital[word.lower()] > self.small[word.lower()]
