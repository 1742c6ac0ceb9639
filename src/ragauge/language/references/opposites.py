"""Words that turn a statement round: a negation right before it, and the opposites of its words."""

from collections.abc import Collection, Sequence
from functools import cache

from ragauge.language.stems import stem
from ragauge.language.stop_words import is_content_word

NEGATIONS = frozenset({"not", "never", "neither", "nor", "cannot"})
BEFORE_T = frozenset((
    "isn", "wasn", "aren", "weren", "doesn", "didn", "don", "hasn", "haven", "hadn", "couldn", "wouldn", "shouldn", "won", "can",
))  # fmt: skip
"""What stands before the t of `isn't`, which is a word of its own."""
PAIRS_OF_NEGATION = frozenset({("rather", "than"), ("instead", "of"), ("other", "than")})
BETWEEN = frozenset(
    ["by", "in", "on", "at", "from", "to", "for", "with", "of", "as", "be", "called", "named"]
)
"""Small words between a negation and what it denies: the `by` of `not by Jane Austen`."""
NO_DENIAL = frozenset({"if", "whether", "why", "or"})
"""Before `not`, they make no denial: `why not Paris?`."""
LIMITS = frozenset(
    {"only", "unless", "except", "but", "although", "however", "partly", "partially"}
)
"""Words with which an answer is neither a plain yes nor a plain no."""
AUXILIARIES = frozenset(["is", "was", "are", "were", "did", "does", "do", "has", "had", "have"])
MERELY = frozenset(["only", "just", "merely", "alone", "simply"])
"""After `was not`, they make no denial: `Jane Austen was not only the author`."""
PASSIVES = frozenset(["was", "were", "is", "are", "be", "been", "being", "got"])
OPPOSITES = (
    ("increase rise rose risen grow grew grown growth climb up higher improve improvement expand",
     "decrease decline fall fell fallen drop shrink shrank reduce reduction down lower worsen contract"),
    ("more", "less fewer"),
    ("most", "least fewest"),
    ("profit", "loss deficit"),
    ("before", "after"),
    ("above", "below"),
    ("north", "south"),
    ("northern", "southern"),
    ("east", "west"),
    ("eastern", "western"),
    ("left", "right"),
    ("true correct", "false incorrect"),
    ("positive", "negative"),
    ("allow permit permitted", "prohibit forbid forbidden"),
    ("legal lawful", "illegal unlawful"),
    ("male man men", "female woman women"),
    ("win won", "lose lost"),
    ("maximum", "minimum"),
    ("majority", "minority"),
    ("inside", "outside"),
    ("public", "private"),
    ("buy bought", "sell sold"),
    ("open", "close closed"),
    ("accept", "reject"),
    ("early earlier", "late later"),
)  # fmt: skip


@cache
def _sides() -> dict[str, tuple[tuple[int, int], ...]]:
    """The pairs that each stem belongs to, with its side there."""
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    for pair, sides in enumerate(OPPOSITES):
        for side, words in enumerate(sides):
            for word in words.split():
                known = found.get(stem(word), ())
                found[stem(word)] = (*known, (pair, side))
    return found


def relation(one: str, other: str) -> int:
    """-1 if the stems are opposites, 1 if they are on the same side of one pair, else 0.

    >>> relation(stem("increased"), stem("fell")), relation(stem("fell"), stem("declined"))
    (-1, 1)
    """
    ours, theirs = _sides().get(one, ()), _sides().get(other, ())
    for pair, side in ours:
        for other_pair, other_side in theirs:
            if pair == other_pair:
                return 1 if side == other_side else -1
    return 0


def is_negated(words: Sequence[str]) -> bool:
    """Whether lower-cased words have a negation: `not`, `never`, `no`, the t of `isn't`."""
    return any(
        word in NEGATIONS
        or word in ("no", "none", "without")
        or (word == "t" and before in BEFORE_T)
        for before, word in zip(("", *words), words, strict=False)
    )


def polarity(question: Sequence[str], answer: Sequence[str]) -> str | None:
    """What an answer without yes or no says to a question for it; None if it does not take up the question.

    Both are lower-cased words.

    >>> polarity("is the sky green".split(), "the sky is not green".split())
    'no'
    >>> polarity("is it allowed".split(), "that is forbidden".split())
    'no'
    """
    answer = _with_defeats(answer)
    stems = {stem(word) for word in question}
    ours = {stem(word) for word in answer}
    differ = any(relation(one, other) == -1 for one in stems for other in ours - stems)
    if not differ and not any(is_content_word(word) and stem(word) in stems for word in answer):
        return None
    if LIMITS & set(answer) or any(len(word) > 6 and word.endswith("less") for word in answer):
        return None  # `flightless` denies what it does not say
    turned = _order(question, answer) if "than" in question else 1
    if not turned:
        return None
    is_no = (differ != (is_negated(answer) != is_negated(question))) != (turned < 0)
    return "no" if is_no else "yes"


def _with_defeats(words: Sequence[str]) -> list[str]:
    """The words, where `was defeated` is `was lost`, the opposite of `won`."""
    return [
        "lost" if word in ("defeated", "beaten") and before in PASSIVES else word
        for before, word in zip(("", *words), words, strict=False)
    ]


def _order(question: Sequence[str], answer: Sequence[str]) -> int:
    """1 if the answer compares the two of `Is A longer than B?` in this order, -1 in the other, 0 if in none.

    >>> question = "is the nile longer than the danube".split()
    >>> _order(question, "the danube is longer".split())
    -1
    """
    at = question.index("than")
    first, second = (
        {stem(word) for word in part if is_content_word(word)}
        for part in (question[: at - 1], question[at + 1 :])
    )
    compared = {stem(word) for word in question[at - 1 : at]}
    named = [stem(word) for word in answer if stem(word) in (first ^ second) | compared]
    if not compared & set(named) and not any(
        relation(one, stem(other)) for one in compared for other in answer
    ):
        return 0
    names = [each for each in named if each not in compared]
    if not names:
        return 1
    return 1 if names[0] in first else -1


def denial(
    words: Sequence[str], part: Sequence[str], asked: Collection[str] = frozenset()
) -> str | None:
    """The words that deny `part` if `words` denies it wherever it has it; None if it has it undenied or not.

    Both are lower-cased words without articles; `asked`: the stems of the question, which `Jane Austen did not
    write it` repeats.

    >>> denial("it was not by jane austen".split(), "jane austen".split())
    'not by'
    >>> denial("not only jane austen".split(), "jane austen".split()) is None
    True
    """
    if not part:
        return None
    if found := _denied_after(words, part, asked):
        return found
    text, wanted = f" {' '.join(words)} ", f" {' '.join(part)} "
    found: str | None = None
    at = text.find(wanted)
    seen, n = 0, 0
    while at >= 0:
        n += text.count(" ", seen, at)
        seen = at
        found = _denied_at(words, n)
        if found is None:
            return None
        at = text.find(wanted, at + 1)
    return found


def _denied_after(words: Sequence[str], part: Sequence[str], asked: Collection[str]) -> str | None:
    """The negation with which a text that begins with `part` denies what the question asks of it."""
    n = len(part)
    if tuple(words[:n]) != tuple(part):
        return None
    after = list(words[n : n + 2])
    if len(after) < 2 or not (
        (after[0] in AUXILIARIES and after[1] in ("not", "never"))
        or (after[0] in BEFORE_T and after[1] == "t")
    ):
        return None
    denied = words[n + 2 : n + 5]
    if not denied or denied[0] in MERELY or not any(stem(word) in asked for word in denied):
        return None
    return "not"


def _denied_at(words: Sequence[str], at: int) -> str | None:
    first = at
    while first > 0 and at - first < 2 and words[first - 1] in BETWEEN:
        if tuple(words[max(0, first - 2) : first]) in PAIRS_OF_NEGATION:
            break
        first -= 1
    pair = tuple(words[max(0, first - 2) : first])
    if pair in PAIRS_OF_NEGATION:
        return " ".join(words[first - 2 : at])
    before = words[first - 1] if first else ""
    if before == "t" and len(pair) == 2 and pair[0] in BEFORE_T:
        return " ".join(["not", *words[first:at]])
    if before not in NEGATIONS or (len(pair) == 2 and pair[0] in NO_DENIAL):
        return None
    return " ".join(words[first - 1 : at])
