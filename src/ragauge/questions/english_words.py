"""English words by what they do in a sentence, and the forms of verbs."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

TOKEN = re.compile(r"[$€£]?\d(?:[\d.,:/-]*\d)?[%\w]*|\w+(?:[.'’/-]\w+)*|--?\w[\w-]*|[^\w\s]")


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
POINTING = set_of(
    """it they them this these those he she him we us our ours i my me here following such same other
    others another former latter itself themselves there"""
)
"""Words that point to something outside of the sentence."""
OF_THE_PAGE = set_of(
    "page figure table document text passage section chapter example paragraph column row list note appendix"
)
JOINING = set_of(
    """that which who whom whose where when while if unless because although though whereas since as than so but or
    nor whether how what why not n't once"""
)
ADVERBS = set_of(
    "also always only usually often never not now currently typically normally generally still then already just"
)
CONDITIONS = set_of("if unless except provided only but although though whereas until once when")
NO_SUBJECT = set_of(
    """early late nearby inside outside there here both one some many few each what no nobody whoever please let yes any first second third today perhaps
    then now however therefore thus tomorrow yesterday either neither everything anything something half and none"""
)
OTHERS = set_of("his her its their my our us")
"""Whose they are only the sentences before say."""
NO_LEAD = set_of("addition fact general contrast example particular short total case most")
NOT_ADVERBS = set_of(
    "family assembly supply reply italy july monthly weekly daily yearly early only fly"
)
VAGUE = set_of(
    """cause reason result difference point problem idea purpose aim goal way thing case question answer rest others end
    number amount part kind side effect example time day place change fact order one ones company man woman group team
    film book city country area building family boy girl agency organization university government court author authors
    report study site website game band couple victim suspect official review work process event story movie town"""
)
"""Nouns that say too little alone: `the main cause`, `the American company`."""

WITH_NOUN = set_of("gives helps makes offers provides requires takes")
"""Verbs before words that may be verbs: `takes place`, `offers support`."""


@cache
def verbs() -> Mapping[str, tuple[str, str, str]]:
    """By form: the base, what the form is (`base`, `third`, `past`, `participle`) and the past tense."""
    table = tomllib.loads((resources.files("ragauge.questions") / "verbs.toml").read_text("utf-8"))
    known: dict[str, tuple[str, str, str]] = {}
    triples = [tuple(each.split()) for each in table["irregular"].split(";")]
    irregular = {base for base, *_ in triples}
    triples += [
        (base, _past(base), _past(base))
        for base in table["regular"].split()
        if base not in irregular
    ]
    for base, past, participle in triples:
        third = "has" if base == "have" else _third(base)
        forms = {"participle": participle, "past": past, "base": base, "third": third}
        known |= {form: (base, kind, past) for kind, form in forms.items()}
    known["found"] = ("find", "past", "found")
    return known


def _third(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + "s"


DOUBLED = set_of(
    "permit submit refer transfer stop ship plan ban equip map control enrol commit occur log admit star wrap tag"
)


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if base in DOUBLED else base + "ed"


def third_of(participle: str) -> str:
    """The present that belongs to a participle: `leads` of `led`."""
    return _third(verbs()[participle][0])


def past_of(participle: str) -> str | None:
    """The past tense that belongs to a participle: `founded` of `founded`, `wrote` of `written`."""
    return verbs()[participle][2] if participle in verbs() else None


def form_of(verb: str) -> str:
    return verbs()[verb][1] if verb in verbs() else ""


def is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in NOT_ADVERBS)


def is_participle(word: str) -> bool:
    """Whether a word may be a past participle."""
    return form_of(word) in ("past", "participle") or (word.endswith("ed") and len(word) > 4)


ABOVE = re.compile(r"\b(?:above|below)\b(?! (?:an?|the|[A-Z]|\w+['’]s|\$?\d|\w+ level))")


def points_outside(text: str) -> bool:
    """Whether a text points to something outside of it: `it`, `these`, `the following`, `above`."""
    words = {token[0].lower() for token in TOKEN.finditer(text)}
    return bool(words & POINTING) or bool(ABOVE.search(text))


def is_bare(subject: str) -> bool:
    """Whether a subject is `the` and one noun: only dates and amounts of it make a clear question."""
    return bool(re.fullmatch(r"the [a-z][\w-]*", subject))


def is_plural(word: str) -> bool:
    """Whether a lower-cased noun looks like a plural."""
    if word in ("people", "men", "women", "children"):
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def content_words(text: str) -> list[str]:
    """The words of a text that carry meaning, lower-cased."""
    words = (token[0].lower() for token in TOKEN.finditer(text))
    skip = (
        AUXILIARIES
        | PREPOSITIONS
        | DETERMINERS
        | JOINING
        | ADVERBS
        | POINTING
        | {"be", "been", "and"}
    )
    return [word for word in words if word not in skip and word[0].isalnum()]


def ends_open(text: str) -> bool:
    """Whether a text ends with a word that more must follow."""
    open_words = PREPOSITIONS | DETERMINERS | JOINING | {"-", "and", "early", "late", "mid"}
    return text.lower().rstrip(",").split(" ")[-1] in open_words - {"about", "over"}


def as_question(*parts: str) -> str:
    """The words as a question, without `also`, `still` and `even`."""
    text = re.sub(r"\b(?:also|still|even) ", "", " ".join(parts))
    text = re.sub(r"\s+([,.?])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,;")
    return f"{text[0].upper()}{text[1:]}?"
