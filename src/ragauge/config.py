"""Configuration files of `ragauge run`: what the options say, written down.

    suites = ["answer-quality"]
    metrics = ["ndcg@10"]
    data = "answers.jsonl"             # or [systems], one file each
    gold = "questions.jsonl"
    where = 'topic = "fees"'
    limit = 100
    by = ["question_type"]
    plugins = ["my_metrics.py"]        # executed
    output = ["scores.csv", "summary.md"]
    seed = 0
    cache = "vectors.sqlite"           # or "none"; ragauge-runs/cache.sqlite when not given

    [systems]
    baseline = "baseline.jsonl"
    candidate = "candidate.jsonl"

    [map]
    answer = "model_output"

    [encoder]                          # for metrics that compare meaning; not needed
    model = "BAAI/bge-m3"              # or a folder, or an endpoint's model
    base_url = "http://localhost:8080/v1"
    api_key_env = "EMBEDDINGS_KEY"     # the environment variable that holds the key
    precision = "fp32"

    [judge]                            # for metrics that ask one
    model = "gpt-4o-mini"              # or several: ["gpt-4o-mini", "qwen3"], or replay:FILE
    base_url = "http://localhost:11434/v1"
    api_key_env = "OPENAI_API_KEY"     # the environment variable that holds the key
    temperature = 0
    max_tokens = 2000                  # of a reply
    rpm = 500                          # requests a minute
    tpm = 200000                       # tokens a minute
    concurrency = 64                   # most requests at the same time
    max_cost_usd = 2.5                 # what goes beyond is skipped
    max_calls = 1000
    price = [0.15, 0.60]               # dollars for a million tokens of prompts and of replies
    repeat = 3                         # ask everything so often
    prompts = "my_prompts"             # a folder of one's own words
    language = "de"                    # of prompts and replies
    window = 32000                     # how many tokens the model takes

Paths are relative to the configuration's folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import cast

from ragauge.errors import SuiteError
from ragauge.judges.config import KEYS as JUDGE_KEYS
from ragauge.tomlfile import Table, as_list, as_table, check_table, read_toml

KEYS = {
    "data": str,
    "gold": str,
    "suites": list,
    "metrics": list,
    "where": str,
    "limit": int,
    "by": list,
    "output": list,
    "plugins": list,
    "folder": str,
    "seed": int,
    "workers": int,
    "systems": dict,
    "map": dict,
    "encoder": dict,
    "judge": dict,
    "cache": str,
}
REPLAY = "replay:"
NO_CACHE = "none"
"""In place of a cache's path: keep nothing."""
ENCODER_KEYS = {
    "model": str,
    "precision": str,
    "revision": str,
    "device": str,
    "base_url": str,
    "api_key_env": str,
    "dimensions": int,
}
"""What `open_encoder` takes."""


@dataclass(frozen=True, slots=True)
class Config:
    """What to evaluate, with what, and where the results go; None or empty where not said."""

    data: Path | None = None
    gold: Path | None = None
    suites: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    where: str | None = None
    limit: int | None = None
    by: tuple[str, ...] = ()
    output: tuple[Path, ...] = ()
    plugins: tuple[Path, ...] = ()
    folder: Path | None = None
    seed: int = 0
    workers: int | None = None
    systems: Mapping[str, Path] = field(default_factory=dict[str, Path])
    map: Mapping[str, str] = field(default_factory=dict[str, str])
    encoder: Table = field(default_factory=dict[str, object])
    cache: str | None = None
    judge: Table = field(default_factory=dict[str, object])

    @classmethod
    def load(cls, path: Path) -> "Config":
        """The configuration in a file; SuiteError names every unknown key and wrong type."""
        table = read_toml(path)
        if any(
            as_table(one) for key in ("metric", "check") for one in as_list(table.get(key)) or ()
        ):
            raise SuiteError(
                f"{path}: is a suite; run it with: ragauge run DATA --suite {quote(str(path))}"
            )
        problems = check_table(table, KEYS, str(path))
        problems += _texts_only(table, path)
        problems += [
            f"{path}: {key} must be at least 1, got {table[key]}"
            for key in ("limit", "workers")
            if isinstance(table.get(key), int) and cast(int, table[key]) < 1
        ]
        problems += check_table(
            as_table(table.get("encoder")) or {}, ENCODER_KEYS, f"{path}: encoder"
        )
        problems += _judge_problems(table, path)
        if "data" in table and "systems" in table:
            problems.append(f"{path}: give data or [systems], not both")
        if problems:
            raise SuiteError("\n".join(problems))
        return cls._read(table, path.parent)

    @classmethod
    def _read(cls, table: Table, base: Path) -> "Config":
        def path_of(key: str) -> Path | None:
            return base / str(table[key]) if key in table else None

        def texts(key: str) -> tuple[str, ...]:
            return tuple(cast(list[str], table.get(key, [])))

        systems = cast(Mapping[str, str], table.get("systems", {}))
        suites = tuple(str(base / one) if one.endswith(".toml") else one for one in texts("suites"))
        return cls(
            path_of("data"),
            path_of("gold"),
            suites,
            texts("metrics"),
            cast(str | None, table.get("where")),
            cast(int | None, table.get("limit")),
            texts("by"),
            tuple(base / one for one in texts("output")),
            tuple(base / one for one in texts("plugins")),
            path_of("folder"),
            cast(int, table.get("seed", 0)),
            cast(int | None, table.get("workers")),
            {name: base / one for name, one in systems.items()},
            dict(cast(Mapping[str, str], table.get("map", {}))),
            _encoder(table, base),
            _cache(table, base),
            _judge(table, base),
        )


def _judge_problems(table: Table, path: Path) -> list[str]:
    given = as_table(table.get("judge")) or {}
    others = {name: value for name, value in given.items() if name != "model"}
    problems = check_table(others, JUDGE_KEYS, f"{path}: judge")
    model = given.get("model")
    names = [model] if isinstance(model, str) else as_list(model)
    if model is not None and not (names and all(isinstance(one, str) and one for one in names)):
        problems.append(
            f"{path}: judge: model must be a name or a list of names, got {model!r:.80}"
        )
    return problems


def _judge(table: Table, base: Path) -> Table:
    """The table of the judge; prompts and recordings are taken from the configuration's folder."""
    given = dict(as_table(table.get("judge")) or {})
    if isinstance(given.get("prompts"), str):
        given["prompts"] = str(base / str(given["prompts"]))
    model = given.get("model")
    if model is not None:
        names = [model] if isinstance(model, str) else cast(list[str], model)
        given["model"] = [_from_base(name, base) for name in names]
    return given


def _from_base(name: str, base: Path) -> str:
    return f"{REPLAY}{base / name.removeprefix(REPLAY)}" if name.startswith(REPLAY) else name


def _cache(table: Table, base: Path) -> str | None:
    given = cast(str | None, table.get("cache"))
    return given if given in (None, NO_CACHE) else str(base / given)


def _encoder(table: Table, base: Path) -> Table:
    """The table of the encoder; a model that is a path is taken from the configuration's folder."""
    given = dict(as_table(table.get("encoder")) or {})
    model = given.get("model")
    if isinstance(model, str) and (model.startswith((".", "~")) or (base / model).is_dir()):
        given["model"] = str(base / Path(model).expanduser())
    return given


def _texts_only(table: Table, path: Path) -> list[str]:
    problems: list[str] = []
    for key, kind in KEYS.items():
        listed = as_list(table.get(key)) if kind is list else None
        if listed and not all(isinstance(item, str) for item in listed):
            problems.append(f"{path}: {key} must be a list of texts, got {listed!r:.80}")
        named = as_table(table.get(key)) if key in ("systems", "map") else None
        if named:
            problems += [
                f"{path}: {key}.{name} must be text, got {item!r:.80}"
                for name, item in named.items()
                if not isinstance(item, str)
            ]
    return problems
