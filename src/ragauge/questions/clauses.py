"""Clauses of English sentences: the subject, the verb and the rest, where the rules are sure of them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.numbers.numbers import quantities
from ragauge.questions import english_words as en

MAX_SUBJECT, MAX_REST, MIN_CLAUSE = 9, 24, 4
"""Tokens of a subject, of what follows the verb, and of a clause."""
SPEECH, LEAD, CUTS, BROKEN_OFF = (
    re.compile(en.pattern(each)) for each in ("speech", "lead", "cuts", "broken_off")
)
OF_A_PAGE = en.words_of("of_the_page") | en.words_of("others")
NO_NAMES = en.POINTING | en.JOINING | en.AUXILIARIES | OF_A_PAGE | {*"!?…-–—/", "until"}
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

    def asked(self, rest: str) -> str:
        """The clause in the order of a question, with another rest."""
        return " ".join(filter(None, (self.auxiliary, self.subject, self.main, rest, self.lead)))


def clauses(sentence: str, names: en.Names) -> Iterator[Clause]:
    """The clauses of a sentence that could be read with certainty, each standing alone.

    `X has 30 beds and costs £5` gives two: both verbs have the same subject.
    """
    if SPEECH.search(sentence) or sentence.count(";") > 1:
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
            if verb in en.AUXILIARIES or en.form_of(verb) in ("third", "past"):
                clause = _with_verb(clause.subject, verb, more[len(verb) :])
            else:
                clause = _clause(more[0].upper() + more[1:], names)


def _clause(piece: str, names: en.Names) -> Clause | None:
    lead = ""
    if opening := LEAD.match(piece):
        lead = opening[1][0].lower() + opening[1][1:]
        no_lead = en.AUXILIARIES | en.POINTING | en.JOINING | en.words_of("no_lead")
        if not no_lead.isdisjoint(lead.lower().split()):
            return None
        piece = piece[opening.end() :]
    tokens, words = list(en.TOKEN.finditer(piece)), en.tokens_of(piece)
    # A word with a capital is a part of a name, `Members of the Heritage Trust enter …`, but not MUST.
    plain = [
        "X" if n and token[0][0].isupper() and token[0].lower() not in en.MODALS else word
        for n, (token, word) in enumerate(zip(tokens, words, strict=True))
    ]
    at = verb_at(plain) if len(words) >= MIN_CLAUSE else None
    if at is None:
        return None
    before = [word for word in words[:at] if not en.is_adverb(word)]
    if not before or words[: len(before)] != before:
        return None
    behind = tokens[len(before)].start()
    is_past = en.form_of(words[at]) == "past" or words[at] in ("was", "were")
    subject = subject_of(piece[:behind].strip(), before, names, is_past=is_past)
    head = next((word for word, after in pairwise([*before, "of"]) if after in en.PREPOSITIONS), "")
    # `Checks for updates of plugins`
    is_odd = en.form_of(words[at]) == "third" and en.is_plural(head) and not names.is_name(head)
    if subject is None or is_odd:
        return None
    adverb = piece[behind : tokens[at].start()].strip()
    return _with_verb(subject, words[at], piece[tokens[at].end() :], lead, adverb)


def _with_verb(
    subject: str, verb: str, behind: str, lead: str = "", adverb: str = ""
) -> Clause | None:
    """The clause of a subject and a verb with what stands behind it; None where its form is unsure."""
    if verb == "cannot":
        verb, behind = "can", f"not {behind}"
    rest, ending = cut(behind.strip())
    words = en.tokens_of(rest.rstrip(", "))
    condition = {word.lower().strip(",;:") for word in ending.split()[:4]}
    if (
        len(words) > MAX_REST
        or en.points_outside(rest)
        or not en.words_of("of_the_page").isdisjoint(words)
        # `learn that the head of the office, Ada Cole, had …`
        or (ending and not en.JOINING.isdisjoint(words))
        # It is not true without what was cut off.
        or not en.words_of("conditions").isdisjoint(condition)
        or ["", *words][-1] in en.BEFORE_NOUNS | en.words_of("open_ends")
        or ending.startswith("or ")
        # `to plan and to hold it`
        or (ending.startswith("and ") and re.search(r"\b(?:to \w+|\w+ing)$", rest))
        or re.search(r"\band (?:therefore|thus|\w+ly) ", rest)
        or re.search(r"\b(?:both|between)\b(?!.* and )", rest)
        or not _may_end(verb, rest, ending)
    ):
        return None
    following, second = [*rest.lower().split()[:2], "", ""][:2]
    participle = second if en.is_adverb(following) else following
    is_perfect = verb in en.HAVE and (participle == "been" or en.is_participle(participle))
    is_negative = "never" in (adverb, following) or following == "not"
    if verb in en.HAVE and en.is_adverb(following) and en.form_of(second) == "base":
        return None  # `has regularly run`
    if verb == "had" and (is_perfect or is_negative):
        return None  # earlier than what the sentences before say
    if verb in en.BE | en.MODALS or is_perfect or (verb in en.DO and is_negative):
        auxiliary = "may" if verb == "must" and is_negative else verb
        rest = " ".join(rest.split()[1:]) if is_negative else f"{adverb} {rest}".strip()
        return Clause(subject, auxiliary, "", verb, rest, lead, ending, is_negative)
    if verb not in en.verbs() or subject == "you":
        return None
    auxiliary = {"third": "does", "base": "do"}.get(en.form_of(verb), "did")
    main = en.verbs()[verb].base if is_negative else f"{adverb} {en.verbs()[verb].base}".strip()
    return Clause(subject, auxiliary, main, verb, rest, lead, ending, is_negative)


def _may_end(verb: str, rest: str, ending: str) -> bool:
    """Whether a clause ends before `and`: another verb of the same form follows, or a clause with a verb of its own."""
    joined = re.match("(?:and|but) (.+)", ending)
    if joined is None:
        # `He lost and appealed`: a verb that is not known
        more = re.findall(r"\b(?:and|or) (?:[a-z]+ly )?([a-z]+)(?: ([\w,]+)|$)", rest)
        is_more = any(
            (each.endswith("ed") or en.form_of(each) == "past")
            and (following in en.BEFORE_NOUNS | {""} or following[0].isdigit())
            for each, following in more
        )
        return verb in en.AUXILIARIES or not is_more
    words = en.tokens_of(joined[1])
    form = en.form_of(words[0])
    if verb in en.MODALS or verb in en.DO:
        is_like = form == "base" and " to " not in f" {rest}" and len(rest.split()) > 1
        # `and lower the speed`, not `and lower speed`
        is_like = is_like and [*words, "the"][1] in en.BEFORE_NOUNS | en.POINTING
    elif verb in en.BE | en.HAVE:
        is_like = en.is_participle(words[0]) and en.is_participle((rest.split() or [""])[0])
        is_like = is_like or (form == "third" and rest[:1].isdigit())  # `has 30 beds and costs £5`
    else:  # `adds content and features` has one verb
        is_like = form == en.form_of(verb) and (form != "third" or " " in rest)
    is_own = words[0] in en.AUXILIARIES | en.POINTING | en.words_of("adverbs")
    at = verb_at(words)
    # `grammar and style issues`: no clause
    is_clause = at is not None and (
        words[at] in en.AUXILIARIES or words[0] in en.DETERMINERS or en.is_plural(words[at - 1])
    )
    is_part = words[0].endswith("ing") and "ing " in f"{rest} "  # `by setting up and running it`
    return not is_part and (is_like or is_own or is_clause)


def verb_at(words: Sequence[str]) -> int | None:
    """Where the finite verb stands; None if more than one word may be it."""
    for at, word in enumerate(words[: MAX_SUBJECT + 2]):
        before = next((each for each in reversed(words[:at]) if not en.is_adverb(each)), "")
        after = words[at + 1 :]
        if word in en.JOINING or word in ",;:()" or word == "to" or (before == "you" and at > 1):
            return None
        if not at or not (word in en.AUXILIARIES or _may_be_verb(word, before, words[:at], after)):
            continue
        is_reduced = en.form_of(word) == "past" and (
            after[:1] and (after[0] in en.PREPOSITIONS or en.is_adverb(after[0]))
        )
        second = _second_verb(after, is_strict=bool(is_reduced))
        if second is None:
            return at
        # `Orders placed before noon are …`
        return at + 1 + second if is_reduced and after[second] in en.AUXILIARIES else None
    return None


def _may_be_verb(word: str, before: str, subject: Sequence[str], after: Sequence[str]) -> bool:
    if before in en.BEFORE_NOUNS | {"", "and", "or", "`"} or re.search("['’]", before):
        return False
    form, following = en.form_of(word), next((w for w in after[:2] if not en.is_adverb(w)), "")
    if form == "base":
        if len(subject) == 1 and en.form_of(before) == "third":
            return False  # `Helps direct people to …`
        heads = [head for head, each in pairwise(subject) if each in en.PREPOSITIONS]
        return en.is_plural((*heads, before)[0]) or before == "you"
    is_next = following in en.AUXILIARIES or following.endswith("ed")
    if is_next or en.form_of(following) == "third":
        return False
    if form == "third":  # no noun: `the tests find …`, `approved claims`
        is_noun = en.is_participle(before) or (
            en.form_of(following) == "base" and word not in en.words_of("with_noun")
        )
        may_follow = following not in ("of", "and", "") or word == "consists"
        return not (is_noun or en.is_plural(before)) and may_follow
    # `The team pays approved claims`
    is_reduced = following == "by" or word in ("based", "called", "named", "located")
    is_reduced = is_reduced or (word == "used" and following in en.PREPOSITIONS)
    return form == "past" and not is_reduced and en.form_of(before) != "third"


def _second_verb(words: Sequence[str], *, is_strict: bool) -> int | None:
    """Where another finite verb follows that nothing joins: then the first one may be none."""
    for at, (before, word) in enumerate(pairwise(words), 1):
        if word in en.JOINING or word in ",;:–—" or (word in ("and", "to") and not is_strict):
            return None
        is_finite = en.form_of(word) in ("past", "third", "base") and before not in en.BEFORE_NOUNS
        is_verb = word in en.AUXILIARIES or (is_strict and is_finite)
        if is_verb and before not in ("and", "to"):
            return at
    return None


def subject_of(text: str, words: Sequence[str], names: en.Names, *, is_past: bool) -> str | None:
    """The subject in the form that a question needs; None if it is no noun phrase that points to nothing outside."""
    openers = en.BEFORE_NOUNS | {"and"}
    content = [word for word in words if word not in openers and word != "`"]
    (first, *others), word = text.split(" "), words[0]
    is_alone = len(words) == 1 or words[1] in en.PREPOSITIONS  # `Claims above €50 are …`
    is_verb = en.form_of(word) == "base" or (
        en.is_participle(word) if is_alone else en.form_of(word) == "third"
    )
    is_noun = names.small[f"the {word}"] or names.small[f"a {word}"] or names.is_name(first)
    if (
        not text[0].isalpha()
        or len(words) > MAX_SUBJECT
        or word in en.PREPOSITIONS | en.words_of("no_subject")
        or (is_verb and not is_noun)
        or not en.words_of("relative").isdisjoint(words[: 1 + (word in en.ARTICLES)])
        or not NO_NAMES.isdisjoint(words)
        or words[-1] in openers
        # `Experience building trusted relationships`
        or (words[-1].endswith("ing") and is_past and len(words) > 1)
        # `Maria telecommutes from home and Marco`
        or re.search(r" (?:from|in|at|to|with) .* and [A-Z]", text)
        or (words[-1].endswith("ed") and en.form_of(words[-1]) == "past")
        or len(set(content)) < len(content)
        or any(each in en.DETERMINERS and before not in openers for before, each in pairwise(words))
        or any(each.isupper() and names.small[each.lower()] for each in text.split() if each[1:])
        or quantities(word)  # some of many
        or re.fullmatch(
            r"(?:the|an?) (?:first|second|third|fourth|next|last|final) .+", text.lower()
        )
    ):
        return None
    # `Spreadsheet includes …`: it should be `the spreadsheet`.
    heads = [head for head, each in pairwise([*words, "of"]) if each in en.PREPOSITIONS]
    is_bare = word not in en.DETERMINERS | {"you"} and not en.is_plural(heads[0])
    if is_bare and text == text.capitalize() and names.small[f"a {heads[0]}"]:
        return None
    if is_bare and is_past and len(words) == 1 and not names.is_name(first):  # `Slice cooked …`
        return None
    if is_past and word in ("a", "an"):
        return None  # one of many
    is_known = others or names.capital[word] or names.small[word] or en.is_plural(word)
    if word in en.DETERMINERS | {"you"}:
        return text[0].lower() + text[1:]
    # `Old Brewery`, `Lake Orvann`, and not `Using Slack`
    if names.is_name(first) or (others and others[0][:1].isupper()):
        return None if word[-3:] == "ing" and not names.is_name(first) else text
    return text[0].lower() + text[1:] if is_known else None


def cut(rest: str) -> tuple[str, str]:
    """The rest up to where another clause or a remark begins, and what was cut off."""
    rest = re.sub(r"(?:^|\s+)\([^()]*\)", "", rest)
    for found in CUTS.finditer(rest):
        before, behind, sign = rest[: found.start()], rest[found.end() :].lstrip(), found[0].strip()
        is_clause = sign not in ("and", "or") or _is_clause(behind)
        if sign in (",", ":") and behind[:1].isdigit() and re.search(r"\d\w*$", before):
            continue  # 1,000; 18:30; July 21st, 2016
        if before.count("`") % 2:
            continue  # in code
        # A list goes on, but before the only comma and `and` a clause ends.
        if sign == "," and ("," in before or not re.match(r"(?:and|but) ", behind)):
            is_list = re.match(r"(?:[^,;]{2,50}(?:, [^,;]{2,50})*,? )?(?:and|or) ", behind)
            items = re.split(r", (?:and |or )?| and | or ", behind)
            is_clause = not is_list or any(map(_is_clause, items))
        if is_clause:
            return before.strip(), rest[found.start() :].strip()
    return rest, ""


def _is_clause(text: str) -> bool:
    words = en.tokens_of(re.split(" (?:and|or) ", text)[0])[:8]
    openers = en.AUXILIARIES | en.POINTING | en.words_of("adverbs")
    openers |= {"no", "nobody", "everyone", "even"}
    # A noun is no verb: `and numbers, period and hyphen`, `and rules of it`.
    forms = [
        "" if following in (",", "of", "") and en.is_plural(word) else en.form_of(word)
        for word, following in pairwise([*words, ""])
    ]
    return words[:1] != [] and (
        words[0] in openers
        or forms[0] != ""
        or any(
            word in en.AUXILIARIES
            or (form == "third" and before not in en.DETERMINERS)
            or (form == "base" and en.is_plural(before))
            for before, word, form in zip(words, words[1:], forms[1:], strict=False)
        )
    )
