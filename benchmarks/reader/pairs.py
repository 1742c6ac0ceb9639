"""What the embedded reader learns from: pairs of a claim and a passage, and whether the passage says what the claim says.

| data | pairs | terms |
|---|---|---|
| SNLI: dev, test, and 100,000 of its training set (Bowman et al. 2015) | 120,000 | CC BY-SA 4.0 |
| FEVER dev (Thorne et al. 2018) | 13,332 | CC BY-SA 3.0 |
| Fool Me Twice (Eisenschlos et al. 2021) | 2,500 | Apache-2.0 |
| ConjNLI, adversarial training set (Saha et al. 2020) | 15,000 | MIT |
| EVOUNA-NQ (Wang et al. 2023), the half of the questions with an even CRC-32 | 7,500 | Apache-2.0 |
| InfoTabS (Gupta et al. 2020): statements on tables; dev and alpha1 are held out | 20,100 | Apache-2.0, tables CC BY-SA 3.0 |
| Breaking NLI (Glockner et al. 2018): one word exchanged | 8,100 | CC BY-SA 4.0 |
| negation-and-nli (Hossain et al. 2020): a "not" added on one side or both | 4,500 | MIT |
| scenes.jsonl.gz, written for this | see benchmarks/README.md | ours |

The three before the last are public repositories (infotabs/infotabs, BIU-NLP/Breaking_NLI, mosharafhossain/negation-and-nli), beside each other in
one folder. A quarter of the premises of each set, and a tenth of the scenes, by the CRC-32 of their text or id, are never learned from. All other sets of
benchmarks/grounded_sets.py are unseen.
"""

import csv
import gzip
import json
import math
import random
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from answer_sets import answer_sets
from grounded_sets import is_held_out, without_brackets

from ragauge.language.stems import stemmed
from ragauge.language.text import sentence_spans

SAYS, LEAVES_OPEN, DENIES, SAYS_NOT = range(4)
"""What a passage does with a claim; the last is one of the two before it."""
LABELS = {
    "entailment": SAYS,
    "neutral": LEAVES_OPEN,
    "contradiction": DENIES,
    "not_entailment": SAYS_NOT,
    "SUPPORTS": SAYS,
    "REFUTES": DENIES,
}
PASSAGE_WORDS = (30, 45, 60, 110)
"""A passage of a scene is cut to the closest sentences of one of these lengths, so that the reader knows short and long ones."""
PASSAGE_WORDS_HELD = 60
INFOTABS_HELD = ("infotabs_dev", "infotabs_test_alpha1")


class Pair(NamedTuple):
    """`question`: may be empty. `source`: the set it is from; scenes have "passages" or "reference"."""

    question: str
    claim: str
    passage: str
    label: int
    source: str

    @property
    def text(self) -> str:
        return f"{self.question.strip()} = {self.claim}" if self.question else self.claim


def entailment(
    folder: Path, snli_train: Path | None, rng: random.Random
) -> tuple[list[Pair], list[Pair]]:
    """The public sets of entailment, to learn from and held out."""
    learned: list[Pair] = []
    held: list[Pair] = []

    def add(key: str, pair: Pair) -> None:
        (held if is_held_out(key) else learned).append(pair)

    known: set[str] = set()
    for name in ("snli-dev", "snli-test", "conjnli-adversarial-train"):
        for row in rows(folder / f"{name}.jsonl.gz"):
            known.add(row["premise"])
            if row["label"] in LABELS:
                pair = Pair(
                    "",
                    row["hypothesis"].strip(),
                    row["premise"].strip(),
                    LABELS[row["label"]],
                    name,
                )
                add(row["premise"], pair)
    if snli_train:
        for row in rows(snli_train):
            if row["gold_label"] in LABELS and row["sentence1"] not in known:
                label = LABELS[row["gold_label"]]
                learned.append(Pair("", row["sentence2"], row["sentence1"], label, "snli-train"))
    fever = [
        {**row, "premise": without_brackets(row["premise"])}
        for row in rows(folder / "fever-dev.jsonl.gz")
    ]
    for row in fever:
        passage = [row["premise"]]
        if rng.random() < 0.4:
            passage += [rng.choice(fever)["premise"] for _ in range(rng.randint(1, 2))]
            rng.shuffle(passage)
        add(
            row["premise"],
            Pair("", row["hypothesis"], "\n".join(passage), LABELS[row["label"]], "fever"),
        )
    for name in ("fool-me-twice-dev", "fool-me-twice-test"):
        for row in rows(folder / f"{name}.jsonl.gz"):
            gold = row["gold_evidence"]
            others = [*dict.fromkeys([*row["retrieved_evidence"][:2], *gold])]
            passage = " ".join(gold if rng.random() < 0.5 else others)
            pair = Pair("", row["hypothesis"], passage, LABELS[row["label"]], "fool-me-twice")
            add((gold or [row["hypothesis"]])[0], pair)
    return learned, held


def details(folder: Path, rng: random.Random) -> tuple[list[Pair], list[Pair]]:
    """Public sets in which one detail decides, to learn from and held out."""
    learned: list[Pair] = []
    held: list[Pair] = []
    labels = {"E": SAYS, "N": LEAVES_OPEN, "C": DENIES}
    tables = folder / "infotabs" / "data"
    for file in sorted((tables / "maindata").glob("*.tsv")):
        for row in tab_separated(file):
            if row["label"] in labels:
                fields = json.loads(
                    (tables / "tables" / "json" / f"{row['table_id']}.json").read_text("utf-8")
                )
                passage = closest(row["hypothesis"], written_out(fields, rng), PASSAGE_WORDS[-1])
                pair = Pair("", row["hypothesis"], passage, labels[row["label"]], "infotabs")
                (held if file.stem in INFOTABS_HELD else learned).append(pair)
    with zipfile.ZipFile(folder / "Breaking_NLI" / "breaking_nli_dataset.zip") as archive:
        for line in archive.read("data/dataset.jsonl").decode().splitlines():
            row = json.loads(line)
            pair = Pair(
                "", row["sentence2"], row["sentence1"], LABELS[row["gold_label"]], "breaking-nli"
            )
            (held if is_held_out(row["sentence1"]) else learned).append(pair)
    benchmarks = folder / "negation-and-nli" / "data" / "new_benchmarks" / "clean_data"
    for name in ("MNLI", "RTE", "SNLI"):
        for n, row in enumerate(tab_separated(benchmarks / f"{name}.txt", "cp1252")):
            label = LABELS[row["gold_label"]]
            pair = Pair("", row["Hypothesis"], row["Text"], label, "negation-nli")
            (held if is_held_out(f"{name}{n // 3}") else learned).append(pair)
    return learned, held


def written_out(fields: Mapping[str, Sequence[str]], rng: random.Random) -> str:
    """A table of facts on one thing, as lines, as a table in Markdown or as sentences."""
    title = " ".join(fields.get("title", []))
    said = [(name, ", ".join(values)) for name, values in fields.items() if name != "title"]
    form = rng.choice(("lines", "Markdown", "sentences"))
    if form == "lines":
        return "\n".join([title, *(f"{name}: {value}" for name, value in said)])
    if form == "Markdown":
        return "\n".join([f"| | {title} |", *(f"| {name} | {value} |" for name, value in said)])
    return "\n".join(f"{name} of {title} is {value}." for name, value in said)


def real_answers(folder: Path, rng: random.Random) -> tuple[list[Pair], list[Pair]]:
    """People's verdicts on answers, given a reference."""
    learned: list[Pair] = []
    held: list[Pair] = []
    for case in answer_sets(folder)["evouna-nq"]:
        if case.references:
            label = SAYS if case.is_correct else SAYS_NOT
            pair = Pair(case.question, case.answer, rng.choice(case.references), label, "evouna-nq")
            (held if zlib.crc32(case.question.encode()) % 2 else learned).append(pair)
    return learned, held


def scenes(path: Path) -> tuple[list[Pair], list[Pair]]:
    """Each answer beside its passages and beside its reference."""
    learned: list[Pair] = []
    held: list[Pair] = []
    for scene in rows(path):
        is_held = is_held_out(scene["id"], 10)
        out = held if is_held else learned
        passages = "\n".join(scene["passages"])
        for item in scene["items"]:
            question, reference = item["question"], item["reference"]
            answers = [(answer, SAYS) for answer in (*item["right"], reference)]
            answers += [(wrong["answer"], SAYS_NOT) for wrong in item["wrong"]]
            for answer, label in answers:
                n = (
                    PASSAGE_WORDS_HELD
                    if is_held
                    else random.Random(scene["id"] + answer).choice(PASSAGE_WORDS)
                )
                passage = closest(f"{question} {answer}", passages, n)
                out.append(Pair(question, answer, passage, label, "passages"))
                if answer != reference:
                    out.append(Pair(question, answer, reference, label, "reference"))
    return learned, held


def closest(claim: str, text: str, n_words: int) -> str:
    """About `n_words` words of the text: the sentences that share most rare words with the claim, in the text's order."""
    sentences = [
        line for a, b in sentence_spans(text) for line in text[a:b].split("\n") if line.strip()
    ]
    if sum(len(each.split()) for each in sentences) <= n_words:
        return "\n".join(sentences)
    stems = [{word.stem for word in stemmed(each)} for each in sentences]
    frequency: dict[str, int] = {}
    for each in stems:
        for stem in each:
            frequency[stem] = frequency.get(stem, 0) + 1
    wanted = {word.stem for word in stemmed(claim)}
    shared = [
        sum(math.log1p(len(sentences) / frequency[stem]) for stem in wanted & each)
        for each in stems
    ]
    chosen: list[int] = []
    length = 0
    for at in sorted(range(len(sentences)), key=lambda at: -shared[at]):
        n = len(sentences[at].split())
        if not length or length + n <= n_words:
            chosen.append(at)
            length += n
    return "\n".join(sentences[at] for at in sorted(chosen))


def tab_separated(path: Path, encoding: str = "utf-8") -> Iterator[dict[str, str]]:
    with path.open(encoding=encoding, newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def rows(path: Path) -> Iterator[dict]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    yield from map(json.loads, text.splitlines())


# --- Pairs that differ in one detail ---------------------------------------------------------------------

CLASSES = [
    line.split()
    for line in """\
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
January February March April May June July August September October November December
one two three four five six seven eight nine ten eleven twelve
zwei drei vier fünf sechs sieben acht neun zehn
deux trois quatre cinq six sept huit neuf dix
dos tres cuatro cinco seis siete ocho nueve diez
red blue green yellow black white brown pink orange purple grey
rot blau grün gelb schwarz weiß
first second third fourth fifth sixth last
before after
vor nach
avant après
antes después
more less fewer
higher lower
upper lower
larger smaller
increased decreased fell
rose fell
north south east west
northern southern eastern western
seconds minutes hours days weeks months years
minute hour day week month year
daily weekly monthly yearly
kg g mg tonnes
km m cm mm miles
euros dollars pounds francs
thousand million billion
morning afternoon evening night
spring summer autumn winter
man woman boy girl
men women boys girls children
adults children
dog cat horse bird
son daughter brother sister father mother husband wife
inside outside
open closed
allowed forbidden prohibited
included excluded
required optional
always never
minimum maximum
least most
with without
free paid
old new
early late
left right
front rear
hot cold
buy sell
import export""".splitlines()
]
CLASSES_OF: dict[str, list[list[str]]] = {}
for members in CLASSES:
    for member in members:
        CLASSES_OF.setdefault(member, []).append(members)
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,:]\d+)*(?![\w]|[.,]\d)")
NAME = re.compile(
    r"(?<![.!?\n] )(?<!^)(?<!\n)\b[A-ZÄÖÜÉ][\w'’-]+(?: (?:of |the |de |von )?[A-ZÄÖÜÉ][\w'’-]+)*"
)
WORD = re.compile(r"[^\W\d_]+")
NO_NAMES = frozenset(
    [
        "The",
        "A",
        "An",
        "It",
        "He",
        "She",
        "They",
        "I",
        "In",
        "On",
        "At",
        "For",
        "If",
        "This",
        "That",
        "There",
        "We",
        "You",
        "Yes",
        "No",
        "Its",
        "His",
        "Her",
    ]
)


def edited(pairs: Sequence[Pair], rng: random.Random, most: int) -> list[Pair]:
    """Four pairs of each of `most` entailed ones: claim and passage, each with its detail or with another.

    No side alone tells which pairs are true, so only comparing them helps.
    """
    entailed = [pair for pair in pairs if pair.label == SAYS]
    rng.shuffle(entailed)
    names = sorted({name for pair in entailed[:4_000] for name in names_in(pair.passage)})
    out: list[Pair] = []
    for pair in entailed:
        if len(out) >= 4 * most:
            break
        found = another_detail(pair, names, rng)
        if found is None:
            continue
        detail, other = found
        claim, passage = replaced(pair.claim, detail, other), exchanged(pair.passage, detail, other)
        out += [
            pair,
            pair._replace(claim=claim, label=SAYS_NOT),
            pair._replace(passage=passage, label=SAYS_NOT),
            pair._replace(claim=claim, passage=passage),
        ]
    return out


def another_detail(pair: Pair, names: Sequence[str], rng: random.Random) -> tuple[str, str] | None:
    """A number, name or word of a closed class that both sides have, and one of its kind in its place."""
    kinds = {
        "number": [n for n in NUMBER.findall(pair.claim) if has(n, pair.passage)],
        "name": [name for name in names_in(pair.claim) if has(name, pair.passage)],
        "word": [w for w in WORD.findall(pair.claim) if w in CLASSES_OF and has(w, pair.passage)],
    }
    there = [kind for kind, found in kinds.items() if found]
    if not there:
        return None
    kind = rng.choice(there)
    detail = rng.choice(kinds[kind])
    if kind == "number":
        neighbours = [
            n for n in NUMBER.findall(pair.passage) if n != detail and len(n) == len(detail)
        ]
        other = (
            rng.choice(neighbours)
            if neighbours and rng.random() < 0.55
            else another_number(detail, rng)
        )
    elif kind == "word":
        other = rng.choice([word for word in rng.choice(CLASSES_OF[detail]) if word != detail])
    else:
        neighbours = [
            name for name in names_in(pair.passage) if name != detail and not has(name, pair.claim)
        ]
        other = rng.choice(neighbours if neighbours and rng.random() < 0.7 else names)
    is_same = other in detail or detail in other or has(other, pair.claim)
    is_asked = has(detail, pair.question) or has(other, pair.question)
    return None if is_same or is_asked else (detail, other)


def another_number(number: str, rng: random.Random) -> str:
    at = rng.choice([at for at, letter in enumerate(number) if letter.isdigit()])
    return number[:at] + str(rng.randint(at == 0, 9)) + number[at + 1 :]


def names_in(text: str) -> list[str]:
    return [name for name in NAME.findall(text) if name not in NO_NAMES]


def has(detail: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(detail)}(?!\w)", text) is not None


def replaced(text: str, detail: str, other: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(detail)}(?!\w)", lambda _: other, text)


def exchanged(text: str, one: str, other: str) -> str:
    """The text with the two details swapped."""
    return replaced(replaced(replaced(text, one, "\0"), other, one), "\0", other)
