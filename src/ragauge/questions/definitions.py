"""What a thing is: English sentences that define it, `A sect is an offshoot that …`, `Reification refers to …`."""

import re
from collections.abc import Iterator

from ragauge.language.dates.dates import dates
from ragauge.questions import english_words as en
from ragauge.questions.clauses import LEAD, subject_of

MAX_SUBJECT, MAX_WORDS, MIN_SAID = 6, 45, 2
VERB, TERM, ALIAS, ENDING, CLAUSE, RELATIVE, MANY = (
    re.compile(en.pattern(f"defining_{each}"))
    for each in ("verb", "term", "alias", "ending", "clause", "relative", "many")
)
PERSON = re.compile(en.pattern("person"))
ROLE_OF = re.compile(f"the (?:\\w+ )?{en.ROLE.pattern} of ")


def definitions(sentence: str, names: en.Names) -> Iterator[tuple[str, str, str]]:
    """The question what a thing is, its answer, and the thing.

    The answer is what follows the verb, as far as it is one noun phrase with all that describes it.
    """
    sentence, lead = re.sub(r"\s*\([^()]*\)", "", sentence).rstrip(" ."), ""
    if opening := LEAD.match(sentence):
        lead = opening[1][0].lower() + opening[1][1:]
        if en.points_outside(lead) or not en.words_of("no_lead").isdisjoint(lead.lower().split()):
            return
    sentence = sentence[opening.end() :] if opening else sentence
    verb = VERB.search(sentence)
    if verb is None:
        return
    form = verb[1] or verb[2] or ""
    text = re.sub('[“”"]', "", ALIAS.sub("", TERM.sub("", sentence[: verb.start()])))
    what = CLAUSE.sub(r"\1", ENDING.sub("", sentence[verb.end() :])).strip(" ,")
    words = en.tokens_of(text)
    if not 0 < len(words) <= MAX_SUBJECT or re.search("[,:;]", text):
        return
    is_part = text[0].islower() and not names.is_name(text.split(" ")[0])
    subject = subject_of(text[0].upper() + text[1:], words, names, is_past=False)
    if subject is None or not _is_thing(subject, words):
        return
    endings = (what, RELATIVE.sub("", what))
    answer = next((each for each in endings if _defines(form, each, subject)), None)
    if answer is None:
        return
    subject = text if is_part or text[1:2].isupper() else subject
    is_role = en.ROLE.search(_kind(answer)) or re.match(r"[^,]* who ", answer)
    is_person = is_role and PERSON.fullmatch(subject)
    be = "are" if form == "are" else "is"
    yield (
        en.as_question("Who" if is_person or ROLE_OF.match(subject) else "What", be, subject, lead),
        answer,
        subject,
    )


def _kind(answer: str) -> str:
    return re.split(r" (?:of|in|for|who|that|which|where|with|to|at|by)\b|,", answer)[0]


def _is_thing(subject: str, words: list[str]) -> bool:
    """Whether a noun phrase is something that can be defined."""
    first, last, is_bare = words[0], words[-1], words[0] not in en.ARTICLES
    is_vague = last in en.words_of("vague") and len(words) < (2 if is_bare else 4)
    return not (
        is_vague
        or first in (en.DETERMINERS - en.ARTICLES) | {"you"}
        or (first.endswith("ing") and len(words) > 1)  # `crushing vassals was a way of …`
        or any(
            each in en.PREPOSITIONS and (each != "of" or not (is_bare or ROLE_OF.match(subject)))
            for each in words
        )
        or any(map(en.is_adverb, words))
        or any(en.form_of(each) in ("third", "past") for each in words[1:-1])
        or dates(subject)
    )


def _defines(verb: str, answer: str, subject: str) -> bool:
    """Whether what follows a verb says what a thing is, and not only what one thinks of it."""
    words, said = re.findall(r"[\w'’-]+", answer.lower()), en.content_words(answer)
    about = set(en.content_words(subject))
    if (
        en.points_outside(answer)
        or len(said) < MIN_SAID
        or len(words) > MAX_WORDS
        or not en.words_of("remarks").isdisjoint(words[:3])
        or words[0] in en.words_of("vague_answers")
        or re.search(r"\b(?:that|which|who) \w+$", answer)
        or words[-1] in en.BEFORE_NOUNS | en.words_of("open_ends")
        or about <= {*said[: len(about) + 1]}
    ):
        return False
    if verb not in ("is", "are"):
        return words[0] not in en.JOINING and "as" not in words  # `Kant refers to this as …`
    kind = _kind(answer).lower().split(" ")
    if kind[-1] in en.words_of("weak_kinds") | {"one"} or not en.DESCRIBING.search(answer):
        return False
    if verb == "are":
        last, several = subject.lower().split(" ")[-1], MANY.fullmatch(answer)
        is_noun = not (en.is_participle(words[0]) or en.is_adverb(words[0]))
        is_all = en.is_plural(last) and not subject.startswith("the ")
        return bool(
            several
            and (is_noun and is_all)
            and en.JOINING.isdisjoint(several["before"].split())
            and "base" not in map(en.form_of, several["before"].split())
        )
    others = answer.partition(" ")[2]
    is_one_of = re.match(r"(?:\w+-)?(?:second|third|most|least|\w+est)\b", others)
    return words[0] in en.ARTICLES and not (en.SAYING_LITTLE.match(others) or is_one_of)
