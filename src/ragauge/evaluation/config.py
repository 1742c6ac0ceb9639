"""The configuration of `ragauge run`: its options, also in a TOML file, checked and opened.

    suites = ["answer-quality"]
    metrics = ["ndcg@10"]
    data = "answers.jsonl"             # or [systems], one file each
    gold = "questions.jsonl"
    prefer = "gold"                    # where gold and answers differ; or "answers", "first"
    by_place = false                   # true pairs rows by place, not by id or question
    where = 'topic = "fees"'
    limit = 100
    by = ["question_type"]
    plugins = ["my_metrics.py"]        # executed
    output = ["scores.csv", "summary.md"]
    seed = 0
    on = "ray"                         # score on a Ray cluster; or "ray://host:10001"
    evidence = "all"                   # keep it of all scores, of "failed" and flagged ones, or "none"
    cache = "vectors.sqlite"           # or "none"; ragauge-runs/cache.sqlite by default

    [systems]
    baseline = "baseline.jsonl"
    candidate = "candidate.jsonl"

    [map]
    answer = "model_output"

    [encoder]                          # for metrics that compare meaning; optional
    model = "BAAI/bge-m3"              # or a folder, or an endpoint's model
    base_url = "http://localhost:8080/v1"
    api_key_env = "EMBEDDINGS_KEY"     # the environment variable that holds the key
    precision = "int8"                 # fp32 by default

    [judge]                            # for metrics that need one
    model = "gpt-4o-mini"              # or several: ["gpt-4o-mini", "qwen3"], or replay:FILE
    base_url = "http://localhost:11434/v1"
    api_key_env = "OPENAI_API_KEY"     # the environment variable that holds the key
    temperature = 0
    max_tokens = 2000                  # of a reply
    rpm = 500                          # requests a minute
    tpm = 200000                       # tokens a minute
    concurrency = 64                   # most concurrent requests
    max_cost_usd = 2.5                 # further calls are skipped
    max_calls = 1000
    price = [0.15, 0.60]               # dollars per million tokens of prompts and of replies
    repeat = 3                         # ask each question three times
    prompts = "my_prompts"             # a folder with your own prompts
    language = "de"                    # of prompts and replies
    window = 32000                     # context window of the model in tokens

    [gate]                             # for `ragauge gate --config`
    rules = ["correct >= 0.8", "failed <= 0"]
    baseline = "runs/main"             # a run, or a system of the run that is checked
    max_drop = { correct = 0.02 }      # or a number for all metrics
    on = "point"                       # or "bound": the worse end of the difference's interval

Paths are relative to the folder of the configuration file.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from ragauge.errors import FilterError, LabelError, PlanError, SuiteError, did_you_mean
from ragauge.judges.config import KEYS as JUDGE_KEYS
from ragauge.judges.config import JudgeConfig
from ragauge.label import Label, outside_brackets
from ragauge.storage.regular_file import as_url, exists, is_folder
from ragauge.storage.tomlfile import Table, as_list, as_table, check_table, read_toml
from ragauge.suite import Suite, shipped_suites
from ragauge.where import Filter

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.session import Mode
    from ragauge.on_ray.executor import Ray

TEXTS = ("data", "gold", "prefer", "where", "folder", "on", "storage", "evidence", "cache")
LISTS = ("suites", "metrics", "without", "by", "output", "plugins")
KEYS = {
    **dict.fromkeys(TEXTS, str),
    **dict.fromkeys(LISTS, list),
    **dict.fromkeys(("limit", "seed", "workers"), int),
    **dict.fromkeys(("systems", "map", "encoder", "judge", "gate"), dict),
    "by_place": bool,
}
GATE_KEYS = {"rules": list, "baseline": str, "max_drop": float, "on": str}
DROP_JUDGED_ON = ("point", "bound")
REPLAY = "replay:"
NO_CACHE = "none"
"""Value of `cache` that switches the cache off."""
ENCODER_KEYS = {
    **dict.fromkeys(("model", "precision", "revision", "device", "base_url", "api_key_env"), str),
    "dimensions": int,
}


@dataclass(frozen=True, slots=True)
class GateConfig:
    """The rules of a gate. `max_drop` is by metric; "" is for all metrics. `on` is point or bound."""

    rules: tuple[str, ...] = ()
    baseline: Path | None = None
    max_drop: Mapping[str, float] = field(default_factory=dict[str, float])
    on: str = "point"

    def with_options(
        self,
        rules: Sequence[str],
        baseline: Path | None,
        max_drop: Mapping[str, float],
        on: str | None,
    ) -> "GateConfig":
        """These rules, replaced by those that are given."""
        given = (tuple(rules) or self.rules, baseline or self.baseline, max_drop or self.max_drop)
        return GateConfig(*given, on or self.on)

    @classmethod
    def read(cls, table: Table, base: Path) -> "GateConfig":
        """The table [gate]; a baseline that exists beside the configuration is a path."""
        drop = table.get("max_drop", {})
        by_metric = cast("Mapping[str, float]", drop) if isinstance(drop, Mapping) else {"": drop}
        named = cast("str | None", table.get("baseline"))
        place = None if named is None else base / named
        baseline = place if place is None or exists(place) else Path(cast(str, named))
        return cls(
            tuple(cast("list[str]", table.get("rules", []))),
            baseline,
            {name: float(cast(float, value)) for name, value in by_metric.items()},
            cast(str, table.get("on", "point")),
        )


@dataclass(frozen=True, slots=True)
class Config:
    """What to evaluate, with what, and where the results go; None or empty where not given."""

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
    evidence: str | None = None
    systems: Mapping[str, Path] = field(default_factory=dict[str, Path])
    map: Mapping[str, str] = field(default_factory=dict[str, str])
    encoder: Table = field(default_factory=dict[str, object])
    cache: str | None = None
    judge: Table = field(default_factory=dict[str, object])
    prefer: str | None = None
    by_place: bool = False
    gate: GateConfig = field(default_factory=GateConfig)
    without: tuple[str, ...] = ()
    on: str | None = None
    storage: str | None = None

    @classmethod
    def load(cls, path: Path) -> "Config":
        """The configuration in a file; SuiteError lists every unknown key and wrong type."""
        table = read_toml(path)
        tables = [item for key in ("metric", "check") for item in as_list(table.get(key)) or ()]
        if any(map(as_table, tables)):
            raise SuiteError(
                f"{path}: is a suite; run it with: ragauge run DATA --suite {quote(str(path))}"
            )
        problems = check_table(table, KEYS, str(path))
        problems += [f"{path}: {problem}" for problem in _problems(table)]
        inner = {
            "encoder": (ENCODER_KEYS, ""),
            "judge": (JUDGE_KEYS, "model"),
            "gate": (GATE_KEYS, "max_drop"),
        }
        for key, (keys, own) in inner.items():  # `own` is checked apart
            given = as_table(table.get(key)) or {}
            plain = {name: value for name, value in given.items() if name != own}
            problems += check_table(plain, keys, f"{path}: {key}")
        if problems:
            raise SuiteError("\n".join(problems))
        return cls(**dict(_fields(table, path.parent)))

    @property
    def inputs(self) -> list[Path]:
        """The files of the answers and of the gold."""
        given = (self.data, self.gold, *self.systems.values())
        return [path for path in given if path is not None]

    def open_encoder(self) -> "Encoder | None":
        """The configured encoder; None for the built-in one."""
        from ragauge.encoders import open_encoder

        if not self.encoder:
            return None
        if "base_url" in self.encoder and "model" not in self.encoder:
            raise PlanError("the encoder endpoint needs a model; add --encoder MODEL")
        return open_encoder(**self.encoder)  # pyright: ignore[reportArgumentType]

    def judge_config(
        self, mode: "Mode", *, retry_unreadable: bool, record: Path | None
    ) -> JudgeConfig:
        """The configured judges."""
        how: dict[str, Any] = {"mode": mode, "retry_unreadable": retry_unreadable, "record": record}
        if self.judge.get("model"):
            return JudgeConfig.read(self.judge, **how)
        # -j alone sets worker processes, so it does not imply a judge.
        settings = ", ".join(name for name in self.judge if name != "concurrency")
        unused = f"judge settings without a judge: {settings}" if settings else ""
        unused = "--retry-unreadable needs a judge" if retry_unreadable else unused
        unused = f"--record {record} needs a judge" if record is not None else unused
        if unused:
            raise PlanError(f"{unused}; add --judge MODEL")
        return JudgeConfig()

    def checked(self) -> "tuple[Sequence[Suite], Ray | None]":
        """The metrics and the cluster; PlanError with everything that is wrong before any file is read."""
        from ragauge import catalog
        from ragauge.engine.selection import DEFAULT, suites_of, without
        from ragauge.on_ray.executor import Ray
        from ragauge.runs.working_copy import url_of_run
        from ragauge.views.run_files import check_outputs

        problems: list[str] = []
        for text in self.metrics:
            with suppress(LabelError):  # named later
                parts = [str(part).strip() for part in outside_brackets(",", text)]
                if len([Label.parse(part) for part in parts]) > 1:
                    own = " ".join(f"-m {quote(part)}" for part in parts)
                    problems.append(
                        f"{text!r} names several metrics; give each its own option: {own}"
                    )
        if problems:
            raise PlanError(problems)
        known, executor, metrics = shipped_suites(), None, list[Suite]()
        suites = [name for name in self.suites if name in known or name.endswith(".toml")]
        with collecting(problems):
            if self.on is not None:
                executor = Ray.named(self.on, self.workers, self.storage)
            elif self.storage is not None:
                raise PlanError("--storage is for a cluster; add --on, or remove it")
        with collecting(problems):
            if self.folder is not None:
                url_of_run(self.folder)
        with collecting(problems):
            check_outputs(self.output, self.inputs)
        for name in (name for name in self.suites if name not in suites):
            hint = did_you_mean(name, known) or f"; the suites are {', '.join(known)}"
            is_metric = "; it is a metric, which -m names" if name in catalog.metrics() else ""
            problems.append(f"unknown suite {name!r}{hint}{is_metric}")
        with collecting(problems):
            metrics = without(suites_of([*suites, *self.metrics] or [DEFAULT]), self.without)
        with collecting(problems):
            if self.where is not None:
                Filter.parse(self.where)
        if problems:
            raise PlanError(problems)
        return metrics, executor


@contextmanager
def collecting(problems: list[str]) -> Generator[None]:
    """Add the problems that are raised."""
    try:
        yield
    except (PlanError, SuiteError, FilterError) as error:
        problems += str(error).splitlines()


def _fields(table: Mapping[str, Any], base: Path) -> Iterator[tuple[str, Any]]:
    """The fields of a configuration; paths in it are relative to its folder."""

    def place(text: str) -> Path:
        return base / text if as_url(text) is None else Path(text)

    for key, value in table.items():
        match key:
            case "data" | "gold" | "folder":
                yield key, place(value)
            case "metrics" | "by" | "without":
                yield key, tuple(value)
            case "output" | "plugins":
                yield key, tuple(base / name for name in value)
            case "suites":
                names = (str(base / name) if name.endswith(".toml") else name for name in value)
                yield key, tuple(names)
            case "systems":
                yield key, {name: place(path) for name, path in value.items()}
            case "cache":
                yield key, value if value == NO_CACHE else str(base / value)
            case "encoder":
                model = value.get("model", "")
                is_path = model.startswith((".", "~")) or (model and is_folder(base / model))
                path = {"model": str(base / Path(model).expanduser())} if is_path else {}
                yield key, {**value, **path}
            case "judge":
                given = dict(value)
                if "prompts" in given:
                    given["prompts"] = str(base / given["prompts"])
                if model := given.get("model"):
                    names = [model] if isinstance(model, str) else model
                    given["model"] = [_place_of_judge(name, base) for name in names]
                yield key, given
            case "gate":
                yield key, GateConfig.read(value, base)
            case _:
                yield key, value


def _place_of_judge(name: str, base: Path) -> str:
    path = name.removeprefix(REPLAY)
    return name if path == name else f"{REPLAY}{base / path}"


def _problems(table: Table) -> Iterator[str]:
    """What is wrong with the values of a configuration, apart from the types of its keys."""
    gate = as_table(table.get("gate")) or {}
    lists = {key: table.get(key) for key in LISTS} | {"gate.rules": gate.get("rules")}
    for key, listed in lists.items():
        if not all(isinstance(item, str) for item in as_list(listed) or ()):
            yield f"{key} must be a list of texts, got {listed!r:.80}"
    for key in ("systems", "map"):
        for name, item in (as_table(table.get(key)) or {}).items():
            if not isinstance(item, str):
                yield f"{key}.{name} must be text, got {item!r:.80}"
    for key, problem in _unusable_texts(table):
        yield f"{key} {problem}"
    for key in ("limit", "workers"):
        if isinstance(value := table.get(key), int) and value < 1:
            yield f"{key} must be at least 1, got {value}"
    model = (as_table(table.get("judge")) or {}).get("model")
    names = [model] if isinstance(model, str) else as_list(model)
    if model is not None and not (names and all(isinstance(name, str) and name for name in names)):
        yield f"judge: model must be a name or a list of names, got {model!r:.80}"
    drop = gate.get("max_drop", {})
    for name, value in ((as_table(drop) or {"": drop}) if drop != {} else {}).items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= cast(float, value) < float("inf"):
            at = name and f".{name}"
            yield f"gate.max_drop{at} must be a number of at least 0, got {value!r:.80}"
    if gate.get("on", "point") not in DROP_JUDGED_ON:
        yield f"gate.on must be point or bound, got {gate['on']!r:.80}"
    if "data" in table and "systems" in table:
        yield "give data or [systems], not both"


def _unusable_texts(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """The keys of the texts that no path, name or condition can be, each with what is wrong."""
    if isinstance(value, str) and "\0" in value:
        yield key, "has a NUL character"
    if isinstance(value, str) and not value.strip():
        yield key, "is empty; leave it out"
    for name, item in (as_table(value) or {}).items():
        yield from _unusable_texts(item, f"{key}.{name}" if key else name)
    for item in as_list(value) or ():
        yield from _unusable_texts(item, key)
