"""Answers that differ from the truth in one detail, or in none: cases by kind, made from scenes.

    python benchmarks/contrast/make.py --per-kind 200 --seed 1 -o contrast.jsonl

A scene (`en.toml`, `de.toml`, `fr.toml`, `es.toml`, `zh.toml`) is a question, a statement with slots, ways to
say the same, and ways to say another thing. From one filling of the slots come wrong answers, each with one
changed detail, and right ones with none. Every text was written for this project. Kinds and scenes are split
(`--split`): no kind and no scene of the part `test` is in `train`; the part `between` shares one of the two
with `train`.
"""

import argparse
import json
import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "fr", "es", "zh")
TEST_KINDS = {
    "unit",
    "version",
    "roles",
    "item added",
    "condition dropped",
    "side remark",
    "scale",
} | {
    "conversion",
    "number word",
    "list in another order",
}
"""Kinds that nothing is trained on."""
TEST_SCENES = 3
"""Every third scene of a language, from the second one on, is one that nothing is trained on."""


@dataclass(frozen=True)
class Case:
    """An answer, the right one's text, the passages that hold it, and whether the answer is right."""

    id: str
    kind: str
    language: str
    question: str
    reference: str
    contexts: tuple[str, ...]
    answer: str
    is_right: bool
    scene: str
    part: str


@dataclass(frozen=True)
class Language:
    """The words, units, pools and scenes of one file."""

    code: str
    words: Mapping[str, Any]
    units: Mapping[str, Mapping[str, float]]
    pools: Mapping[str, list[str]]
    scenes: list[Mapping[str, Any]]

    @classmethod
    def read(cls, code: str) -> "Language":
        table = tomllib.loads((Path(__file__).parent / f"{code}.toml").read_text("utf-8"))
        return cls(code, table["words"], table["units"], table["pools"], table["scene"])


@dataclass(frozen=True)
class Value:
    """The value of a slot: its text, wrong texts by the kind of the error, and other texts for the same value."""

    text: str
    wrong: Mapping[str, str]
    same: Mapping[str, str]


@dataclass(frozen=True)
class Filled:
    """A scene with values in its slots."""

    language: Language
    scene: Mapping[str, Any]
    values: Mapping[str, Value]

    def say(self, template: str, **changed: str) -> str:
        text = template.format(
            **{name: value.text for name, value in self.values.items()} | changed
        )
        return text[:1].upper() + text[1:]


# ------------------------------------------------------------------ values


def filled(language: Language, scene: Mapping[str, Any], rng: random.Random) -> Filled:
    values: dict[str, Value] = {}
    for name, what in scene["slots"].items():
        kind, *given = what.split(":")
        taken = {value.text for value in values.values()}
        values[name] = VALUES[kind](language, rng, taken, *given)
    return Filled(language, scene, values)


def from_pool(language: Language, rng: random.Random, taken: set[str], pool: str) -> Value:
    free = [text for text in language.pools[pool] if text not in taken]
    text, other = rng.sample(free, 2)
    kind = {"code": "version", "version": "version", "vitamin": "version", "product": "version"}
    return Value(text, {kind.get(pool, "entity"): other}, {})


def number(language: Language, rng: random.Random, taken: set[str], low: str, high: str) -> Value:
    n, other = rng.sample([n for n in range(int(low), int(high) + 1) if str(n) not in taken], 2)
    word = language.words["numbers"].get(str(n))
    return Value(str(n), {"number": str(other)}, {"number word": word} if word else {})


def quantity(language: Language, rng: random.Random, _: set[str], dimension: str) -> Value:
    units = language.units[dimension]
    unit, other_unit = rng.sample(list(units), 2)
    n, other = rng.sample((2, 3, 4, 5, 6, 8, 10, 12, 20, 30), 2)
    space = "" if language.code == "zh" else " "
    same = {}
    word = language.words["numbers"].get(str(n))
    if word:
        same["number word"] = f"{word}{space}{unit}"
    ratio = units[unit] / units[other_unit]
    if ratio > 1 and n * ratio < 1e5:
        same["conversion"] = f"{n * ratio:g}{space}{other_unit}"
    return Value(
        f"{n}{space}{unit}",
        {"number": f"{other}{space}{unit}", "unit": f"{n}{space}{other_unit}"},
        same,
    )


def rate(language: Language, rng: random.Random, _: set[str], currency: str) -> Value:
    n, other = rng.sample(range(4, 90), 2)
    period, other_period = rng.sample(list(language.words["per"].values()), 2)
    money, other_money = (
        money_of(language, currency),
        money_of(language, "$" if currency != "$" else "€"),
    )
    return Value(
        f"{money(n)} {period}",
        {
            "number": f"{money(other)} {period}",
            "currency": f"{other_money(n)} {period}",
            "period": f"{money(n)} {other_period}",
        },
        {},
    )


def money_of(language: Language, currency: str) -> Callable[[object], str]:
    before = language.code == "en"
    return lambda n: f"{currency}{n}" if before else f"{n} {currency}"


def amount(language: Language, rng: random.Random, _: set[str], currency: str) -> Value:
    n, other = rng.sample(range(2, 90), 2)
    scale, other_scale = rng.sample(list(language.words["scale"])[1:], 2)
    money = money_of(language, currency)
    other_money = money_of(language, "€")
    return Value(
        money(f"{n} {scale}"),
        {
            "number": money(f"{other} {scale}"),
            "scale": money(f"{n} {other_scale}"),
            "currency": other_money(f"{n} {scale}"),
        },
        {},
    )


def date(language: Language, rng: random.Random, _: set[str]) -> Value:
    day, other_day = rng.sample(range(1, 28), 2)
    month, other_month = rng.sample(language.words["months"], 2)
    year, other_year = rng.sample(range(1970, 2024), 2)

    def written(day: int, month: str, year: int) -> str:
        return language.words["date"].format(day=day, month=month, year=year)

    place = language.words["months"].index(month) + 1
    return Value(
        written(day, month, year),
        {
            "date": rng.choice(
                (
                    written(other_day, month, year),
                    written(day, other_month, year),
                    written(day, month, other_year),
                )
            )
        },
        {"date in digits": f"{year}-{place:02}-{day:02}"},
    )


def listing(language: Language, rng: random.Random, _: set[str], pool: str) -> Value:
    size = min(rng.choice((3, 4)), len(language.pools[pool]) - 1)
    *items, other = rng.sample(language.pools[pool], size + 1)
    turned = items[1:] + items[:1]

    def joined(items: list[str]) -> str:
        comma = "、" if language.code == "zh" else ", "
        space = "" if language.code == "zh" else " "
        return f"{comma.join(items[:-1])}{space}{language.words['and']}{space}{items[-1]}"

    return Value(
        joined(items),
        {
            "item dropped": joined(items[:-1]),
            "item replaced": joined([*items[:-1], other]),
            "item added": joined([*items, other]),
        },
        {"list in another order": joined(turned)},
    )


VALUES: Mapping[str, Callable[..., Value]] = {
    "pool": from_pool,
    "number": number,
    "quantity": quantity,
    "rate": rate,
    "amount": amount,
    "date": date,
    "list": listing,
}

# ------------------------------------------------------------------ answers

TEMPLATES = {
    "negated": "negation",
    "opposite": "opposite",
    "quantified": "quantifier",
    "unconditional": "condition dropped",
}


def wrong_answers(scene: Filled, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kind and answer, each with one detail that is not so."""
    forms = (scene.scene["statement"], *scene.scene["restated"])
    for name, value in scene.values.items():
        if "{" + name + "}" in scene.scene["question"]:  # another subject; not a wrong detail
            continue
        for kind, other in value.wrong.items():
            if name == "items" or name == scene.scene["asked"] or kind not in ("entity", "version"):
                yield kind, scene.say(rng.choice(forms), **{name: other})
    for key, kind in TEMPLATES.items():
        if key in scene.scene:
            yield kind, scene.say(rng.choice(scene.scene[key]))
    if "turned" in scene.scene:
        two = {value.text for value in scene.values.values()} & set(
            scene.language.pools.get("product", ())
        )
        yield "comparison" if two else "roles", scene.say(rng.choice(scene.scene["turned"]))
    asked = scene.values.get(scene.scene["asked"])
    if asked and "items" not in scene.values:
        other = rng.choice(list(asked.wrong.values()))
        form = rng.choice(scene.language.words["sides"])
        yield "side remark", scene.say(form, wrong=other, right=asked.text)


def right_answers(scene: Filled, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kind and answer, each with every detail as it is."""
    statement = scene.scene["statement"]
    forms = (statement, *scene.scene["restated"])
    yield "paraphrase", scene.say(rng.choice(scene.scene["restated"]))
    said = scene.say(statement)
    yield "explained", rng.choice(scene.language.words["explained"]).format(answer=said)
    if asked := scene.values.get(scene.scene["asked"]):
        yield "only the value", asked.text
        marked = f"**{asked.text}**"
        yield "Markdown", scene.say(rng.choice(forms), **{scene.scene["asked"]: marked})
    for name, value in scene.values.items():
        for kind, same in value.same.items():
            yield kind, scene.say(rng.choice(forms), **{name: same})
    words = scene.scene.get("synonyms", {})
    replaced = said
    for word, other in words.items():
        replaced = re.sub(rf"\b{word}\b", other, replaced)
        replaced = re.sub(rf"\b{word.capitalize()}\b", other.capitalize(), replaced)
    if replaced != said:
        yield "synonym", replaced


def cases(per_kind: int, seed: int) -> list[Case]:
    """At most `per_kind` cases of a kind and language, each of another filling or form."""
    found: dict[tuple[str, str, bool], dict[str, Case]] = {}
    for code in LANGUAGES:
        language = Language.read(code)
        rng = random.Random(f"{seed} {code}")
        for round_ in range(per_kind * 2):
            place = round_ % len(language.scenes)
            scene = filled(language, language.scenes[place], rng)
            reference = scene.say(scene.scene["statement"])
            context = [*scene.scene["context"]]
            context.insert(rng.randrange(len(context) + 1), reference)
            space = "" if code == "zh" else " "
            for is_right, answers in ((False, wrong_answers), (True, right_answers)):
                for kind, answer in answers(scene, rng):
                    n_new = (kind in TEST_KINDS) + (place % TEST_SCENES == 1)
                    part = ("train", "between", "test")[n_new]
                    of_kind = found.setdefault((kind, code, is_right), {})
                    if answer == reference or len(of_kind) >= max(1, per_kind // len(LANGUAGES)):
                        continue
                    case = Case(
                        f"{code}-{kind}-{len(of_kind)}".replace(" ", "-"),
                        kind,
                        code,
                        scene.say(scene.scene["question"]),
                        reference,
                        (space.join(context),),
                        answer,
                        is_right,
                        f"{code}-{place}",
                        part,
                    )
                    of_kind.setdefault(reference + answer, case)
    return [case for of_kind in found.values() for case in of_kind.values()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--per-kind", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", choices=("train", "between", "test"), help="only this part")
    parser.add_argument("-o", "--output", type=Path, default=Path("contrast.jsonl"))
    given = parser.parse_args()
    chosen = [
        case for case in cases(given.per_kind, given.seed) if given.split in (None, case.part)
    ]
    rows = (json.dumps(asdict(case), ensure_ascii=False) for case in chosen)
    given.output.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    print(f"{len(chosen)} cases of {len({case.kind for case in chosen})} kinds in {given.output}")


if __name__ == "__main__":
    main()
