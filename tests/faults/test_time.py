"""FAULTS.md, inputs that hang: the processor time of every metric is nearly linear in each of its texts."""

import itertools
import os
import random
import time
from collections.abc import Iterator, Sequence

import pytest
from cases import cases

import ragauge as rg
from ragauge import catalog
from ragauge.judges.providers.scripted import ScriptedJudge
from ragauge.metric import Definition
from ragauge.score import Score

ALL_SWEEPS = os.environ.get("RAGAUGE_SWEEPS") == "all"
N, NOTICED = (12_000, 0.25) if ALL_SWEEPS else (3_000, 0.1)
"""Characters of the shorter texts; seconds below which a ratio says nothing. `make test-sweeps` takes the long ones."""
MODEL_SAMPLE, MODEL_SHARE = (1, 8) if ALL_SWEEPS else (24, 6)
"""With a model, one kind of text in this many, and texts of this share of the length: an encoder reads 1,000 words a second."""
WORDS = 200_000 if ALL_SWEEPS else 40_000
RATIO = 6.0
"""Most that four times the text may take; 4 is linear, 16 quadratic."""
SAMPLE: dict[str, object] = {
    "question": "What is the fee in 2012?",
    "answer": "The fee is $604 in London.",
    "reference": "$604",
    "contexts": ["The fee is $604 in London."],
    "context_ids": ["d1"],
    "relevant": {"d1": 1},
    "gold_contexts": ["The fee is $604."],
}
ELSEWHERE = {"ragauge.rankings.measures", "ragauge.metrics.ragas_package"}
TEXTS = {"question", "answer", "reference", "references", "contexts", "gold_contexts"}


UNITS = (
    *("\u0301\u0327\u0323", "1", "1 ", "$1", "1,", "1.", "5% ", "1 million ", "one hundred "),
    *("(", "()[]{}", "[1]", "12/12/2012 ", "May 1 ", "\n- a", "\n1. Rule A-1: ", '"a ', "a'"),
    *(".", "e.g. U.S. ", "word ", "a", "a-", "漢字", " ", "\n", "👩‍👩‍👧", "```", "*", "<b>", "="),
    *("I do not know ", "not ", "The answer is ", "½", "5-6 ", "5 kg ", "a, ", "\n# a", "| a "),
    *("http://a.b/c?d=e ", "Dr. Smith's ", "&amp;", "\u202eא", "１٢", "345 ", "1:1 "),
    *("John Smith. ", "1'234 ", "about 500 ", "\n- 5", "a\u2028b\u2029", "\u202eשלום "),
    *("5 + 5 = 10 ", "2012-2013 ", "increased by 5% ", "(A) ", "Of The ", "New York, ", ".[p.1]"),
    *("![](", "<!--", "?!", "It is not shown. ", "I cannot decide that (", "e\u0301\u200d"),
    *("ไทย", "العربية ", "XIV ", "1/2/", "a@b.c "),
)
"""What rules look for: marks, numbers, brackets, lists, quotes, refusals, links, other scripts."""


def bad_texts(n: int) -> Iterator[tuple[str, str]]:
    """Texts that no person writes, of about `n` characters: long runs of what rules look for; by kind."""
    for unit in UNITS:
        yield repr(unit), "x" + unit * (n // len(unit)) + "x"
    yield "spaces between words", f"I cannot say what did{' ' * n}fee"
    yield "spaces in a bullet", f"\n- a{' ' * n}b"
    yield "hyphens in a bullet", f"\n- a{'-' * n}b"
    yield "brackets in a bullet", f"\n- a{'[' * n}b"
    yield "links in a bullet", f"\n- a{'[a](' * (n // 4)}b"
    chosen = random.Random(0)
    names = ["John", "Mary", "Acme", "Bank", "New", "York"]
    yield "different sentences", " ".join(f"Fee {at} is ${at}." for at in range(n // 14))
    yield "different words", " ".join(f"w{at}" for at in range(n // 6))
    yield "capitalised words", " ".join(chosen.choices(names, k=n // 5))
    yield "short sentences", " ".join(f"A{at}b c." for at in range(n // 8))
    yield "different amounts", " ".join(f"${at}.{at % 100:02}" for at in range(n // 9))
    yield "different numbers in brackets", " ".join(f"({at})" for at in range(n // 6))
    yield "different round numbers", " ".join(f"about {at}00" for at in range(n // 11))
    # Numbers of one length, so that four times the lines have four times the tokens.
    yield "different lines", "\n".join(f"- {1_000 + at}" for at in range(n // 7))
    yield "different dates", " ".join(f"{at % 28 + 1}/{at % 12 + 1}/{at}" for at in range(n // 9))
    yield "different ideographs", "".join(chr(0x4E00 + at * 37 % 20_000) for at in range(n))
    some = "not I know the answer is no information context does mention sorry but 5 $5 May John"
    yield "mixed words", " ".join(chosen.choices(some.split(), k=n // 5))
    signs = 'aB1 .,;:-–—$€%()[]{}<>"“”‘’\n\t\u2028\u0301漢א👍½'
    yield "mixed signs", "".join(chosen.choices(signs, k=n))
    yield "mixed", "".join(chosen.choices('abc ABC019.,-$%()\n"', k=n))


Made = dict[str, Definition]


def definitions() -> Made:
    """Features and metrics by name; a feature goes before a metric of that name."""
    return {**catalog.metrics(), **catalog.features()}


def below(definition: Definition, made: Made) -> Iterator[Definition]:
    """The metric or feature, and all that its columns are made by."""
    yield definition
    for column in definition.columns:
        # `latency_s` is a field and the metric that reads it.
        if column.name in made and column.name != definition.name:
            yield from below(made[column.name], made)


def columns(definition: Definition) -> set[str]:
    """The fields of the sample that a metric or feature reads."""
    made = definitions()
    return {
        column.name
        for each in below(definition, made)
        for column in each.columns
        if column.name not in made or column.name == each.name
    }


def needs(definition: Definition) -> set[str]:
    """The resources that a metric or feature needs, with those of its columns."""
    return {name for each in below(definition, definitions()) for name in each.resources}


def fields(definitions: Made, *, with_model: bool) -> list[tuple[str, str]]:
    """Each metric or feature with each text that it reads and with all; measures of rankings share one input.

    Without those of the package ragas, which is not installed here.
    """
    return [
        (name, "reference" if field == "references" else field)
        for name, definition in sorted(definitions.items())
        if bool(needs(definition)) == with_model and definition.function.__module__ not in ELSEWHERE
        for field in (*sorted(columns(definition) & TEXTS), ALL)
    ]


ALL = "all fields"
"""The same bad text in every field: what is compared with each other is long on both sides."""


LETTERS = ("bcdfghj", "aeiouyaeiouy", "klmnpqrst")
WORDS_OF_LETTERS = ["".join(letters) for letters in itertools.product(*LETTERS, *LETTERS)]


def joining(words: list[str]) -> dict[str, str]:
    """A question that joins many things, and an answer that states none of them."""
    question = f"What is the {', '.join(f'{word} and cost{word}' for word in words)}?"
    stated = " ".join(f"Z{word} is." for word in words)
    return {"question": question, "answer": f"The {' '.join(words)} is not stated. {stated}"}


@cases(
    ("hallucination", 0, 1_500, lambda n: {"answer": "The answer is " * n, "contexts": ["The answer is " * n]}),
    ("rougeLsum", 1, 1_500, lambda n: dict.fromkeys(("answer", "reference"), "- a\n" * n)),
    ("rougeLsum", 1, 1_500, lambda n: dict.fromkeys(("answer", "reference"), "\n".join(f"item {at}" for at in range(n)))),
    # Each has more neighbours than it is compared with.
    ("number_match", 1, 500, lambda n: dict.fromkeys(("answer", "reference"), " ".join(map(str, range(1_000, 1_000 + n)))) | {"question": "Which?"}),
    ("dont_know", 0, 9_000, lambda n: dict.fromkeys(("question", "answer"), " ".join(f"({at})" for at in range(3_000, 3_000 + n)))),
    ("dont_know", 1, 1_000, lambda n: joining(WORDS_OF_LETTERS[:n])),
)  # fmt: skip
def test_a_repetition_in_several_fields_takes_linear_time(
    metric, value, n, fields, assert_linear_time
):
    def work(sample: dict[str, object]) -> None:
        assert rg.score(metric, **sample).value == value

    assert_linear_time(work, fields, n)


NUMBERS = itertools.count()
LABELS = {
    "g_eval": 'g_eval(criteria="It is right")',
    "conversation_g_eval": 'conversation_g_eval(criteria=["Is it polite?"])',
}
JUDGE = ScriptedJudge(lambda request: request.stand_in, name="agreeable")
"""Gives each question the reply that a dry run expects."""


def sample_with(read: set[str], field: str, text: str) -> dict[str, object]:
    """The fields that are read, the text in one of them or in all; no cache knows the texts, since each has
    letters of its own."""

    def own() -> str:
        return f"{next(NUMBERS):x}".translate(str.maketrans("0123456789", "ghijklmnop")) + text

    changed = read & TEXTS if field == ALL else {field}
    sample = {
        name: value
        for name, value in SAMPLE.items()
        if name in read or (name == "reference" and "references" in read)
    }
    return sample | {
        name: [own()] if name in ("contexts", "gold_contexts") else own()
        for name in ("reference" if name == "references" else name for name in changed)
    }


def seconds(name: str, field: str, text: str) -> float:
    """The processor time of one score, or of a feature and of those that it is computed from."""
    definition = catalog.metrics().get(name) or catalog.features()[name]
    sample = sample_with(columns(definition), field, text)
    judge = JUDGE if "judge" in needs(definition) else None
    start = time.process_time()
    if name in catalog.metrics():
        rg.score(LABELS.get(name, name), judge=judge, **sample)
    else:
        value_of(name, sample)
    return time.process_time() - start


def value_of(name: str, sample: dict[str, object]) -> object:
    """A field of the sample, or the feature of that name, computed from the sample and other features."""
    feature = catalog.features().get(name)
    if feature is None:
        return sample.get(name)
    cells = [value_of(column.name, sample) for column in feature.columns]
    for column, cell in zip(feature.columns, cells, strict=True):
        if isinstance(cell, Score) or (cell is None and not column.nullable):
            return Score.missing(f"the sample has no {column.name}")
    if not feature.batch:
        return feature.function(*cells, **feature.defaults)
    (value,) = feature.function(*([cell] for cell in cells), **feature.defaults)
    return value


def slow_kinds(name: str, field: str, texts: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """The kinds of text, each in three lengths, of which both the second and the third take too long beside the one
    before: once may be a length from which a text is read twice, as an answer too long for a cache is.
    """
    seconds(name, field, "a")
    slow: list[str] = []
    for kind, short, long, longest in texts:
        if ratio := growth(name, field, short, long):
            again = growth(name, field, long, longest)
            slow += [f"{kind}: {ratio:.1f} times, then {again:.1f}"] if again else []
    return slow


def growth(name: str, field: str, short: str, long: str) -> float | None:
    """How many times as long the longer text takes; None if that is at most RATIO or too short to notice."""
    taken, ratio = seconds(name, field, long), 0.0
    for _ in range(8):  # the lowest of several, since other work on the machine takes time too
        if taken < NOTICED:
            return None
        ratio = taken / seconds(name, field, short)
        if ratio <= RATIO:
            return None
        taken = min(taken, seconds(name, field, long))
    return ratio


def texts_of(n: int, every: int = 1, first: int = 0) -> list[tuple[str, str, str, str]]:
    """Kind and texts of `n`, 4 `n` and 16 `n` characters; of many kinds one in `every`."""
    lengths = zip(bad_texts(n), bad_texts(4 * n), bad_texts(16 * n), strict=True)
    each = [(kind, short, long, longest) for (kind, short), (_, long), (_, longest) in lengths]
    return each[first % every :: every]


METRICS, FEATURES = catalog.metrics(), catalog.features()
OFFLINE = fields(METRICS, with_model=False)
WITH_MODEL = fields(METRICS, with_model=True)
ALONE = fields(FEATURES, with_model=False)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "field"), [*OFFLINE, *ALONE])
def test_four_times_the_text_takes_at_most_six_times_as_long(name, field):
    assert not slow_kinds(name, field, texts_of(N))


@pytest.mark.slow
@pytest.mark.parametrize(("at", "case"), list(enumerate(WITH_MODEL)))
def test_the_same_with_an_encoder_or_a_judge(at, case):
    """Each metric and field takes other kinds; all of them in `make test-sweeps`."""
    assert not slow_kinds(*case, texts_of(N // MODEL_SHARE, MODEL_SAMPLE, at))


def test_every_feature_is_timed_by_itself_or_in_a_metric():
    """None can be left out: one that needs a model is timed in the metrics that use it."""
    in_metrics = {
        each.name for name, _ in WITH_MODEL for each in below(METRICS[name], definitions())
    }
    assert set(FEATURES) <= {name for name, _ in ALONE} | in_metrics


@pytest.mark.slow
@pytest.mark.parametrize("field", ["question", "answer", "reference", "contexts"])
def test_one_sentence_of_very_many_words_takes_linear_time(field):
    """Of the metrics without a model; 200,000 words in `make test-sweeps`."""
    texts = [("words", *("word " * count for count in (WORDS // 4, WORDS, WORDS * 4)))]
    slow = [
        f"{metric}: {kind}"
        for metric, read in OFFLINE
        if read == field
        for kind in slow_kinds(metric, field, texts)
    ]
    assert not slow
