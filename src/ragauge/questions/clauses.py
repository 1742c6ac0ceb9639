"""Clauses of English sentences: the subject, the verb and the rest, where the rules are sure of them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.numbers.numbers import quantities
from ragauge.questions import english_words as en

MAX_SUBJECT, MAX_REST, MIN_CLAUSE = 9, 24, 4
"""Tokens of a subject, of what follows the verb, and of a clause."""
SPEECH = re.compile(
    r"(?:n['’]t|['’](?:ve|d|re|ll|m)|\b(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hat|[Ww]ho|[Tt]here|[Ww]hat)['’]s)\b"
)
CUTS = re.compile(
    r"\s*(?:[;:,–—]|\s-\s|\b(?:and|but|or|so|because|which|who|while|whereas|although|though)\b)"
)
BROKEN_OFF = re.compile(
    r"-|,(?! (?:and|but|which|who|where|so|an?|the|with|in|on|at|from|for|after|before|because)\b)"
)
"""What begins the ending of a clause from which its last words cannot be kept."""
NO_NAMES = (
    en.POINTING
    | en.JOINING
    | en.AUXILIARIES
    | en.words_of("of_the_page")
    | en.words_of("others")
    | set("!?…-–—")
)
"""What is in no noun phrase that is known by itself."""


class Clause(NamedTuple):
    """A clause: `auxiliary` `subject` `main` `rest` in this order is its yes/no question.

    `verb`: the verb as it is written, before `rest`. `lead`: what stood before the subject, at its end
    now. `ending`: what was cut off behind it. `is_negative`: it denies what it says.
    """

    subject: str
    auxiliary: str
    main: str
    verb: str
    rest: str
    lead: str = ""
    ending: str = ""
    is_negative: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether what it says ends where its rest ends."""
        return not BROKEN_OFF.match(self.ending)

    def asked(self, rest: str | None = None) -> str:
        """The clause in the order of a question, with another rest."""
        rest = self.rest if rest is None else rest
        return " ".join(filter(None, (self.auxiliary, self.subject, self.main, rest, self.lead)))


def clauses(sentence: str, names: en.Names) -> Iterator[Clause]:
    """The clauses of a sentence that could be read with certainty, each standing alone.

    `X has 30 beds and costs £5` gives two: both verbs have the same subject.
    """
    if SPEECH.search(sentence):
        return
    for piece in re.split(r";\s+(?:and |or )?", sentence.rstrip(" .!。")):
        clause = _clause(piece, names)
        while clause is not None:
            yield clause
            joined = re.match(r",? ?(?:and|but) (?P<more>.+)", clause.ending)
            if not joined:
                break
            # Another verb of its subject, or a clause of its own.
            more, verb = joined["more"], joined["more"].split(" ", 1)[0].lower()
            form = en.form_of(verb)
            is_like = clause.main and form == en.form_of(clause.verb)
            if form == "third" and re.match(r"\w+ (?:of|on|for|about)\b", more):
                is_like = False  # `includes a plan and notes on it`
            if form == "base":  # it may be a noun: `review the product and feature requests`
                nouns = r"\w+ (?:an?|the|their|to|in|on|at|for|from|with|\d+)\b"
                is_like = is_like and re.match(nouns, more)
            if verb in en.AUXILIARIES or is_like:
                clause = _with_verb(clause.subject, verb, more[len(verb) :])
            else:
                clause = _clause(more[0].upper() + more[1:], names)


def _clause(piece: str, names: en.Names) -> Clause | None:
    lead = ""
    if opening := re.match(
        r"((?:In|On|During|Since|At|Under|For) [^,;:]{2,50}), (?=\S)|(In \d{4}) (?=\S)", piece
    ):  # `In 1968, the circle …`
        lead = opening[1] or opening[2]
        no_lead = en.AUXILIARIES | en.POINTING | en.JOINING | en.words_of("no_lead")
        if not no_lead.isdisjoint(lead.lower().split()[1:]):
            return None
        lead, piece = lead[0].lower() + lead[1:], piece[opening.end() :]
    tokens, words = list(en.TOKEN.finditer(piece)), en.tokens_of(piece)
    # A word with a capital is a part of a name: `Members of the Heritage Trust enter …`
    plain = [
        "X" if n and token[0][0].isupper() else word
        for n, (token, word) in enumerate(zip(tokens, words, strict=True))
    ]
    at = _verb_at(plain) if len(words) >= MIN_CLAUSE else None
    if at is None:
        return None
    before = [word for word in words[:at] if not en.is_adverb(word)]
    is_open = words[0].endswith("ing") and en.form_of(words[at]) in ("past", "base")
    if is_open or words[: len(before)] != before:  # `Seating organized by …`
        return None
    behind = tokens[len(before)].start()
    subject = _subject(piece[:behind].strip(), before, names)
    if subject is None:
        return None
    adverb = piece[behind : tokens[at].start()].strip()
    return _with_verb(subject, words[at], piece[tokens[at].end() :], lead, adverb)


def _with_verb(
    subject: str, verb: str, behind: str, lead: str = "", adverb: str = ""
) -> Clause | None:
    """The clause of a subject and a verb with what stands behind it; None where its form is unsure."""
    rest, ending = cut(behind.strip())
    if not _may_end(rest, ending):
        return None
    following, second = [*rest.lower().split()[:2], "", ""][:2]
    participle = second if en.is_adverb(following) else following
    is_perfect = verb in en.HAVE and (participle == "been" or en.is_participle(participle))
    if verb == "cannot":
        return Clause(subject, "can", "", verb, rest, lead, ending, is_negative=True)
    if is_perfect and verb == "had":
        return None  # earlier than what the sentences before say
    if verb in en.BE | en.MODALS or is_perfect or (verb in en.DO and following == "not"):
        is_negative = following in ("not", "never")
        auxiliary = "may" if verb == "must" and is_negative else verb
        rest = " ".join(rest.split()[1:]) if is_negative else f"{adverb} {rest}".strip()
        return Clause(subject, auxiliary, "", verb, rest, lead, ending, is_negative)
    if verb not in en.verbs() or subject == "you":
        return None
    auxiliary = {"third": "does", "base": "do"}.get(en.form_of(verb), "did")
    nouns = re.split(r" (?:of|in|at|for|on|from|with|to|by) ", subject.lower())[0].split()
    if auxiliary == "do" and not (en.is_plural(nouns[-1]) or "and" in nouns):
        return None
    is_negative = adverb == "never"
    main = en.verbs()[verb].base if is_negative else f"{adverb} {en.verbs()[verb].base}".strip()
    return Clause(subject, auxiliary, main, verb, rest, lead, ending, is_negative)


def _verb_at(words: Sequence[str]) -> int | None:
    """Where the finite verb stands; None if more than one word may be it."""
    for at, word in enumerate(words[: MAX_SUBJECT + 2]):
        before = next((each for each in reversed(words[:at]) if not en.is_adverb(each)), "")
        after = words[at + 1 :]
        if word in en.JOINING or word in ",;:()" or word == "to" or (before == "you" and at > 1):
            return None
        if not at or not (word in en.AUXILIARIES or _may_be_verb(word, before, words[:at], after)):
            continue
        next_one = after[0] if after else ""
        is_cut = next_one in en.PREPOSITIONS | {"earlier", "later"} or en.is_adverb(next_one)
        is_reduced = en.form_of(word) == "past" and is_cut
        second = _second_verb(after, is_strict=is_reduced)
        if second is not None:  # `Orders placed before noon are …`
            is_relative = is_reduced and after[second] in en.AUXILIARIES
            return at + 1 + second if is_relative and "and" not in after[:second] else None
        # `Helps find …`, `Mapper removes stop words`, `comments helps retain`
        is_noun = en.form_of(word) == "base" and en.form_of(before) == "third"
        first = words[at - 2] if at > 1 else ""
        is_unsure = en.is_plural(first) or (at < 3 and first not in en.BEFORE_NOUNS)
        return None if is_noun and is_unsure else at
    return None


def _may_be_verb(word: str, before: str, subject: Sequence[str], after: Sequence[str]) -> bool:
    if before in en.BEFORE_NOUNS | {"", "and", "or", "`"} or re.search("['’]", before):
        return False
    following = next((each for each in after[:2] if not en.is_adverb(each)), "")
    if en.form_of(word) == "base":
        heads = [head for head, each in pairwise(subject) if each in en.PREPOSITIONS]
        return en.is_plural(before) or before == "you" or en.is_plural((*heads, "")[0])
    is_object = after[1:2] and after[1] in en.PREPOSITIONS and en.is_plural(following)
    is_third = en.form_of(following) == "third" and not is_object  # `supports upgrades from …`
    if following in en.AUXILIARIES or is_third or following.endswith("ed"):
        return False
    if en.form_of(word) == "third":
        # `the tests find …`, `approved claims`
        is_noun = en.is_participle(before) or (
            en.form_of(following) == "base" and word not in en.words_of("with_noun")
        )  # `the tests find …`
        may_follow = following not in ("of", "and", "") or word == "consists"
        return not is_noun and not en.is_plural(before) and may_follow
    # `The team pays approved claims`
    return en.form_of(word) == "past" and following != "by" and en.form_of(before) != "third"


def _second_verb(words: Sequence[str], *, is_strict: bool) -> int | None:
    """Where another finite verb follows that nothing joins: then the first one may be none."""
    for at, word in enumerate(words):
        if word in en.JOINING or word in ",;:–—" or (word in ("and", "to") and not is_strict):
            return None
        before = words[at - 1]
        is_finite = en.form_of(word) in ("past", "third", "base") and before not in en.BEFORE_NOUNS
        is_verb = word in en.AUXILIARIES or (is_strict and is_finite)
        if at and is_verb and before not in ("and", "to"):
            return at
    return None


def _subject(text: str, words: Sequence[str], names: en.Names) -> str | None:
    """The subject in the form that a question needs; None if it is no noun phrase."""
    if not _is_noun_phrase(text, words, names):
        return None
    first, *others = text.split(" ")
    if words[0] in en.DETERMINERS | {"you"} or quantities(words[0]):
        return text[0].lower() + text[1:]
    if any(sign.isupper() or sign.isdigit() for sign in first[1:]):
        return text
    is_name = names.capital[words[0]] > names.small[words[0]]
    if others and others[0][:1].isupper():  # `Old Brewery`, `Lake Orvann`, `Certain VPC nodes`
        is_name = is_name or bool(names.capital[words[0]]) or not names.small[words[0]]
    elif not (others or names.capital[words[0]] or names.small[words[0]]):
        # A name or not: nothing tells.
        is_noun = en.is_plural(words[0]) or words[0].endswith("ing")
        return text[0].lower() + text[1:] if is_noun else None
    return text if is_name else text[0].lower() + text[1:]


def _is_noun_phrase(text: str, words: Sequence[str], names: en.Names) -> bool:
    """Whether the words before a verb may be one noun phrase that points to nothing outside."""
    if not 0 < len(words) <= MAX_SUBJECT or not text[0].isalnum():
        return False
    openers = en.BEFORE_NOUNS | {"and"}
    content = [word for word in words if word not in openers and word != "`"]
    is_alone = len(words) == 1 or words[1] in en.PREPOSITIONS  # `Claims above €50 are …`
    first, form = words[0], en.form_of(words[0])
    is_verb = form == "base" or (en.is_participle(first) if is_alone else form == "third")
    is_noun = names.small[f"the {first}"] or names.small[f"a {first}"]
    return not (
        first in en.PREPOSITIONS | en.words_of("no_subject")
        or (is_verb and not (is_noun or names.is_name(text.split(" ")[0])))
        or not NO_NAMES.isdisjoint(words)
        or words[-1] in openers
        or words[1:2] == ["more"]
        or len(set(content)) < len(content)
        or any(word in en.DETERMINERS and before not in openers for before, word in pairwise(words))
        or any(each.isupper() and names.small[each.lower()] for each in text.split() if each[1:])
        or (len(words) == 1 and (len(text) < 2 or quantities(text)))
        or re.search(r"(?:[A-Z]\S* ){4}[A-Z]", text)
    )


def cut(rest: str) -> tuple[str, str]:
    """The rest up to where another clause or a remark begins, and what was cut off."""
    rest = re.sub(r"\s*\([^()]*\)", "", rest)
    for found in CUTS.finditer(rest):
        before, behind, sign = rest[: found.start()], rest[found.end() :].lstrip(), found[0].strip()
        is_clause = sign not in ("and", "or") or _is_clause(behind)
        if sign == "," and re.match(r"(?:and|but) ", behind) and "," not in before:
            pass  # before the only comma and `and` a clause ends
        elif sign in (",", ":") and re.match(r"\d", behind) and before[-1:].isdigit():
            continue  # 1,000; 18:30
        elif sign == ",":  # a list goes on
            is_list = re.match(r"(?:[^,;]{2,50}(?:, [^,;]{2,50})*,? )?(?:and|or) ", behind)
            items = re.split(r", (?:and |or )?| and | or ", behind)
            is_clause = not is_list or any(map(_is_clause, items))
        if is_clause:
            return before.strip(), rest[found.start() :].strip()
    return rest, ""


def _is_clause(text: str) -> bool:
    words = en.tokens_of(text)[:8]
    openers = en.AUXILIARIES | en.POINTING | en.words_of("adverbs")
    openers |= {"no", "nobody", "everyone", "even"}
    if not words or words[0] in openers or words[0] in en.verbs():
        return True
    second = words[1] if len(words) > 1 else ""
    if second in en.PREPOSITIONS - {"of"} and quantities(words[0]):
        return True  # `two live here and three at the other hut`
    return (words[0].endswith("s") and second in en.PREPOSITIONS | en.ARTICLES) or any(
        word in en.AUXILIARIES
        or (en.form_of(word) == "third" and before not in en.DETERMINERS)
        or (en.form_of(word) == "base" and en.is_plural(before))
        for before, word in pairwise(words)
    )


def _may_end(rest: str, ending: str) -> bool:
    """Whether the clause stays true without what was cut off, and points to nothing outside."""
    words = en.tokens_of(rest.rstrip(", "))
    after = {word.lower().strip(",;:") for word in ending.split()[:4]}
    before, last = ["", "", *words][-2:]
    # `to read | and write the file`, `the filtered | and sorted results`
    is_shared = ending.startswith("and ") and (
        re.search(r"\bto \w+ (?:out|up|off|in|on)$|\bboth\b|\bbetween \S+(?: \S+)?$", rest)
        or (before == "to" and en.form_of(last))
        or (en.is_participle(last) and before in en.BEFORE_NOUNS | {"only"})
    )
    return not (
        is_shared
        or en.points_outside(rest)
        or not en.words_of("of_the_page").isdisjoint(words)
        or len(words) > MAX_REST
        or not en.words_of("conditions").isdisjoint(after)
        or last in en.BEFORE_NOUNS | en.words_of("open_ends")
        or ending.startswith("or ")
    )
