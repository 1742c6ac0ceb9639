"""FAULTS.md, inputs that hang: the processor time of every metric is nearly linear in each of its texts."""

import itertools
import os
import random
import time
from collections.abc import Iterator

import pytest

import ragauge as rg
from ragauge import catalog
from ragauge.metric import Definition

N, NOTICED = (12_000, 0.25) if os.environ.get("RAGAUGE_SWEEPS") == "all" else (3_000, 0.1)
"""Characters of the shorter texts; seconds below which a ratio says nothing. `make test-sweeps` takes the long ones."""
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
TEXTS = {"question", "answer", "reference", "references", "contexts", "gold_contexts"}


def bad_texts(n: int) -> Iterator[tuple[str, str]]:
    """Texts that no person writes, of about `n` characters: long runs of what rules look for; by kind."""
    units = {
        "marks": "\u0301\u0327\u0323",
        "digits": "1",
        "numbers": "1 ",
        "amounts": "$1",
        "grouped digits": "1,",
        "decimals": "1.",
        "percentages": "5% ",
        "scales": "1 million ",
        "number words": "one hundred ",
        "open brackets": "(",
        "brackets": "()[]{}",
        "citations": "[1]",
        "dates": "12/12/2012 ",
        "nearly dates": "May 1 ",
        "bullets": "\n- a",
        "numbered items": "\n1. Rule A-1: ",
        "quotes": '"a ',
        "apostrophes": "a'",
        "full stops": ".",
        "abbreviations": "e.g. U.S. ",
        "one sentence": "word ",
        "no spaces": "a",
        "hyphens": "a-",
        "ideographs": "漢字",
        "spaces": " ",
        "line ends": "\n",
        "emoji": "👩‍👩‍👧",
        "code fences": "```",
        "stars": "*",
        "tags": "<b>",
        "equations": "=",
        "refusals": "I do not know ",
        "negations": "not ",
        "claims": "The answer is ",
        "fractions": "½",
        "ranges": "5-6 ",
        "units": "5 kg ",
        "lists of words": "a, ",
        "headings": "\n# a",
        "tables": "| a ",
        "links": "http://a.b/c?d=e ",
        "titles": "Dr. Smith's ",
        "entities": "&amp;",
        "right to left": "\u202eא",
        "signs of other scripts": "１٢",
        "groups of three digits": "345 ",
    }
    for kind, unit in units.items():
        yield kind, "x" + unit * (n // len(unit)) + "x"
    chosen = random.Random(0)
    names = ["John", "Mary", "Acme", "Bank", "New", "York"]
    yield "different sentences", " ".join(f"Fee {at} is ${at}." for at in range(n // 14))
    yield "different words", " ".join(f"w{at}" for at in range(n // 6))
    yield "capitalised words", " ".join(chosen.choices(names, k=n // 5))
    yield "mixed", "".join(chosen.choices('abc ABC019.,-$%()\n"', k=n))


def columns(definition: Definition) -> set[str]:
    """The fields of the sample that a metric or feature reads."""
    found: set[str] = set()
    for column in definition.columns:
        made = catalog.features().get(column.name) or catalog.metrics().get(column.name)
        found |= columns(made) if made else {column.name}
    return found


def needs(definition: Definition) -> set[str]:
    """The resources that a metric or feature needs, with those of its columns."""
    found = set(definition.resources)
    for column in definition.columns:
        if made := catalog.features().get(column.name) or catalog.metrics().get(column.name):
            found |= needs(made)
    return found


def fields() -> list[tuple[str, str]]:
    """Each metric without a model, with each text that it reads and with all; measures of rankings share one input."""
    return [
        (name, "reference" if field == "references" else field)
        for name, metric in sorted(catalog.metrics().items())
        if not needs(metric) and metric.function.__module__ != "ragauge.rankings.measures"
        for field in (*sorted(columns(metric) & TEXTS), ALL)
    ]


def test_an_answer_that_repeats_a_claim_of_its_context_takes_linear_time(assert_linear_time):
    def work(text: str) -> None:
        rg.score("hallucination", answer=text, contexts=[text])

    assert_linear_time(work, lambda n: "The answer is " * n, 1_500)


ALL = "all fields"
"""The same bad text in every field: what is compared with each other is long on both sides."""


@pytest.mark.parametrize("line", ["- a", "item {}"])
def test_rouge_of_many_lines_takes_linear_time(assert_linear_time, line):
    def work(text: str) -> None:
        assert rg.score("rougeLsum", answer=text, reference=text).value == 1

    assert_linear_time(work, lambda n: "\n".join(line.format(at) for at in range(n)), 1_500)


def test_two_long_tables_of_different_numbers_take_linear_time(assert_linear_time):
    def work(text: str) -> None:
        assert rg.score("number_match", question="Which?", answer=text, reference=text).value == 1

    # Each has more neighbours than it is compared with.
    assert_linear_time(work, lambda n: " ".join(map(str, range(1_000, 1_000 + n))), 500)


NUMBERS = itertools.count()


def seconds(metric: str, field: str, text: str) -> float:
    """The processor time of one score; no cache knows the texts, which begin with letters of their own."""

    def own() -> str:
        return f"{next(NUMBERS):x}".translate(str.maketrans("0123456789", "ghijklmnop")) + text

    changed = columns(catalog.metrics()[metric]) & TEXTS if field == ALL else {field}
    sample = SAMPLE | {
        name: [own()] if name in ("contexts", "gold_contexts") else own()
        for name in ("reference" if name == "references" else name for name in changed)
    }
    start = time.process_time()
    rg.score(metric, **sample)
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "field"), fields())
def test_four_times_the_text_takes_at_most_six_times_as_long(metric, field):
    rg.score(metric, **SAMPLE)
    slow: list[str] = []
    for (kind, short), (_, long) in zip(bad_texts(N), bad_texts(4 * N), strict=True):
        taken, ratio = seconds(metric, field, long), 0.0
        for _ in range(8):  # the lowest of several, since other work on the machine takes time too
            if taken < NOTICED:
                break
            ratio = taken / seconds(metric, field, short)
            if ratio <= RATIO:
                break
            taken = min(taken, seconds(metric, field, long))
        else:
            slow.append(f"{kind}: {ratio:.1f} times, {taken:.2f} s")
    assert not slow
