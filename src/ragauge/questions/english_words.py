"""English words by what they do in a sentence, the forms of verbs, and how documents write their names."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache, partial
from importlib import resources
from typing import NamedTuple

TOKEN = re.compile(r"[$€£]?\d(?:[\d.,:/-]*\d)?[%\w]*|\w+(?:[.'’/-]\w+)*|--?\w[\w-]*|[^\w\s]")
ABOVE = re.compile(
    r"\b(?:(?:above|below)\b(?! (?:an?|the|[A-Z]|\w+['’]s|[$€£]?\d|\w+ level))|the (?:other|former|same)\b(?! (?:day|time|way)))"
)


def set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


BE = set_of("is are was were")
MODALS = set_of("can could may might must shall should will would cannot")
HAVE, DO = set_of("has have had"), set_of("does do did")
AUXILIARIES = BE | MODALS | HAVE | DO
ARTICLES = set_of("the a an")
PREPOSITIONS = set_of(
    """of in on at to for from by with within without after before during until since between among over under above
    below through across against into onto about around near per via toward towards behind beyond inside outside"""
)
DETERMINERS = ARTICLES | set_of(
    "each every any no all some most many several both its their his her my our your whose"
)
BEFORE_NOUNS = DETERMINERS | PREPOSITIONS
POINTING = set_of(
    """it they them this these those he she him we us our ours i my me here following such
    others another latter itself themselves there"""
)
"""Words that point to something outside of the sentence."""
OF_THE_PAGE = set_of(
    "page figure table document text passage section chapter example paragraph column row list note appendix"
)
JOINING = set_of(
    """that which who whom whose where when while if unless because although though whereas since as than so but or
    nor whether how what why not n't once whichever whoever wherever"""
)
ADVERBS = set_of(
    "also always only usually often never not now currently typically normally generally still then already just"
)
NOT_ADVERBS = set_of(
    "family assembly supply reply italy july monthly weekly daily yearly early only fly"
)
OTHERS = set_of("his her its their my our us")
"""Whose they are only the sentences before say."""
VAGUE = set_of(
    """cause reason result difference point problem idea purpose aim goal way thing case question answer rest others end
    number amount part kind side effect example time day place change fact order one ones company man woman group team
    film book city country area building family boy girl agency organization university government court author authors
    report study site website game band couple victim suspect official review work process event story movie town office hall room page"""
)
"""Nouns that say too little alone: `the main cause`, `the American company`."""
DOUBLED = set_of(
    "permit submit refer transfer stop ship plan ban equip map control enrol commit occur log admit star wrap tag"
)
"""Verbs whose last letter is doubled: `stopped`."""


class Verb(NamedTuple):
    """What a form of a verb is (`base`, `third`, `past`, `participle`), and other forms of the verb."""

    base: str
    form: str
    past: str
    third: str


@cache
def verbs() -> Mapping[str, Verb]:
    """The verbs by each of their forms."""
    table = tomllib.loads((resources.files("ragauge.questions") / "verbs.toml").read_text("utf-8"))
    triples = [tuple(each.split()) for each in table["irregular"].split(";")]
    irregular = {base for base, *_ in triples}
    triples += [
        (base, past := _with_ending(base, "ed"), past)
        for base in table["regular"].split()
        if base not in irregular
    ]
    known: dict[str, Verb] = {}
    for base, past, participle in triples:
        third = "has" if base == "have" else _with_ending(base, "s")
        forms = {"participle": participle, "past": past, "base": base, "third": third}
        known |= {word: Verb(base, form, past, third) for form, word in forms.items()}
    known["found"] = Verb("find", "past", "found", "finds")
    return known


def _with_ending(base: str, ending: str) -> str:
    """A regular verb with `s` or `ed`: `tries`, `stopped`."""
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ie{ending[-1]}"
    if ending == "s":
        return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    return (base if base not in DOUBLED else base + base[-1]) + ending[base.endswith("e") :]


def form_of(word: str) -> str:
    """What form of a verb a word may be; "" for none."""
    return verbs()[word].form if word in verbs() else ""


def is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in NOT_ADVERBS)


def is_participle(word: str) -> bool:
    """Whether a word may be a past participle."""
    return form_of(word) in ("past", "participle") or (word.endswith("ed") and len(word) > 4)


def is_plural(word: str) -> bool:
    """Whether a lower-cased noun looks like a plural."""
    if word in ("people", "men", "women", "children"):
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is", ".js"))


def tokens_of(text: str) -> list[str]:
    """The words and signs of a text, lower-cased but for the month of May; `more than` is a preposition."""
    tokens = [token if token == "May" else token.lower() for token in TOKEN.findall(text)]
    return [
        "over" if word == "than" and before in ("more", "less", "fewer") else word
        for before, word in zip(["", *tokens], tokens, strict=False)
    ]


def points_outside(text: str) -> bool:
    """Whether a text points to something outside of it: `it`, `these`, `the following`, `above`."""
    return not POINTING.isdisjoint(tokens_of(text)) or bool(ABOVE.search(text))


def content_words(text: str) -> list[str]:
    """The words of a text that carry meaning, lower-cased."""
    skip = AUXILIARIES | BEFORE_NOUNS | JOINING | ADVERBS | POINTING | {"be", "been", "and"}
    return [word for word in tokens_of(text) if word not in skip and word[0].isalnum()]


def ends_open(text: str) -> bool:
    """Whether a text ends with a word that more must follow."""
    open_words = BEFORE_NOUNS | JOINING | {"-", "and", "early", "late", "mid"}
    return text.lower().rstrip(",").split(" ")[-1] in open_words - {"about", "over"}


def as_question(*parts: str) -> str:
    """The words as a question, without `also`, `still`, `even` and `yet`."""
    text = re.sub(r"\b(?:also|still|even|yet) ", "", " ".join(parts))
    text = re.sub(r"\s+([,.?])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,;")
    return f"{text[0].upper()}{text[1:]}?"


NO_NAMES = {"your"} | ARTICLES | OTHERS | POINTING | JOINING | PREPOSITIONS


class Names:
    """How documents write words inside of sentences: which are names, and what `the hut` may be.

    `capital`, `small`: how often a word begins with either letter; `small` also counts `a hut`, `the hut`,
    `the hut of`, and `a hut.` where a sign follows. `by_head`: for each document, the names that end with a word.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.capital, self.small = Counter[str](), Counter[str]()
        new_heads = partial(defaultdict[str, Counter[str]], Counter[str])
        self.by_head: dict[str, dict[str, Counter[str]]] = defaultdict(new_heads)
        for document, text in texts.items():
            for word in re.findall(r"(?<=[\w,] )([^\W\d_][\w’'-]*)", text):
                (self.capital if word[0].isupper() else self.small)[word.lower()] += 1
            for article, noun, end in re.findall(
                r"\b([Tt]he|[Aa]n?) ([a-z]+)\b( of\b|[.,;:)]| (?:is|was|has|with|that|which|in|at|on|for|to|and)\b)?",
                text,
            ):
                phrase = f"{'the' if article.lower() == 'the' else 'a'} {noun}"
                self.small.update([phrase])
                self.small.update([f"{phrase}{end if end == ' of' else '.'}"] if end else ())
            for found in re.findall(r"(?:[A-Z][\w’'-]+ ){1,3}[A-Z][\w’'-]+", text):
                words = found.split()
                if words[0].lower() in NO_NAMES:
                    words = words[1:]
                is_plain = all(re.search(r"[a-z]", word) for word in words)
                if len(words) > 1 and is_plain and AUXILIARIES.isdisjoint(map(str.lower, words)):
                    self.by_head[document][words[-1].lower()][" ".join(words)] += 1

    def is_name(self, word: str) -> bool:
        """Whether a capital at the beginning of a sentence is the word's own."""
        if any(sign.isupper() or sign.isdigit() for sign in word[1:]):
            return True
        return self.capital[word.lower()] > self.small[word.lower()]

    def resolved(self, head: str, document: str) -> str | None:
        """The one name of the document that ends with this word."""
        found = self.by_head[document].get(head, Counter[str]())
        return next(iter(found)) if len(found) == 1 and head not in VAGUE else None
