"""The resources of a run: encoders and judges, opened once, and the values of corpus features."""

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, cast

from ragauge.calls import Listener, ignore
from ragauge.encoders import DEFAULT_PRECISION, EMBEDDED
from ragauge.errors import EncoderError, MetricError, RagaugeError
from ragauge.judges.config import JudgeConfig
from ragauge.label import SettingValue
from ragauge.metric import Definition
from ragauge.samples.samples import to_columns
from ragauge.score import KeptEvidence, Score

if TYPE_CHECKING:
    from ragauge.encoders.cached import CachedEncoder
    from ragauge.encoders.protocol import Encoder, LongText
    from ragauge.engine.graph import Node, Plan
    from ragauge.judges.session import JudgeSession
    from ragauge.samples.samples import Samples
    from ragauge.storage.cache import Cache


NOT_SET = ""
ENCODER_ATTRIBUTES = ("name", "identity", "encode")


class Resources:
    """The encoders and judges of one run; a copy in another process opens its own.

    `encoder`: a model's name or an Encoder, for metrics whose label names no other; None for the
    embedded one, in this `precision`. `cache`: the file that keeps vectors and replies between
    runs; None to keep none.
    """

    def __init__(
        self,
        encoder: "Encoder | str | None" = None,
        *,
        precision: str | None = None,
        cache: str | Path | None = None,
        judging: JudgeConfig | None = None,
    ) -> None:
        self._default = _opened(encoder) if isinstance(encoder, str) else encoder
        missing = [name for name in ENCODER_ATTRIBUTES if not hasattr(self._default, name)]
        if missing and self._default is not None:
            raise EncoderError(
                f"encoder must be a model's name or an encoder, got {encoder!r:.80}, "
                f"which has no {', '.join(missing)}"
            )
        self._precision = precision or DEFAULT_PRECISION
        self.cache_path = cache
        self.judging = JudgeConfig() if judging is None else judging
        self._encoders: dict[tuple[str, str], CachedEncoder] = {}
        self._tokens: dict[tuple[str, str], set[tuple[int | None, LongText]]] = {}
        self.repeat_number = 0
        """Which repeat the judges are called for, from 0."""
        self.corpus: dict[str, object] = {}
        """The values of corpus features, by the key of their node."""
        self.listener: Listener = ignore
        """Told of what a run does; set before it begins. A copy in another process tells nobody."""
        self.evidence: KeptEvidence = "all"
        self.threads: int | None = None
        """Batches that an encoder computes at the same time; None for one per processor."""

    def defaults(self) -> Mapping[str, Mapping[str, SettingValue]]:
        """For each available resource, the settings that name it in a label, and the digests of all prompts."""
        found: dict[str, Mapping[str, SettingValue]] = {"encoder": self._encoder_defaults()}
        if self.judging.judges:
            from ragauge.judges.prompts import Prompts

            prompts = Prompts(self.judging.prompts, language=self.judging.language)
            found["judge"] = {"judge": self.judging.judges[0].name}
            found["prompts"] = {name: prompts.digest([name]) for name in prompts.by_name}
        return found

    def _encoder_defaults(self) -> Mapping[str, SettingValue]:
        if self._default is None:
            return {"model": EMBEDDED, "precision": self._precision}
        precision = str(self._default.identity.get("precision") or "fp32")
        return {"model": self._default.name, "precision": precision}

    @property
    def judge_names(self) -> tuple[str, ...]:
        return tuple(judge.name for judge in self.judging.judges)

    def arguments(
        self, definition: Definition, settings: Mapping[str, SettingValue]
    ) -> dict[str, object]:
        """The keyword arguments of a definition's function: its settings and its resources."""
        own = {name: value for name, value in settings.items() if name not in definition.implied}
        arguments = cast("dict[str, object]", own)
        if "encoder" in definition.resources:
            arguments["encoder"] = self.encoder_of(settings)
        if "judge" in definition.resources:  # the first one if none is named
            judge = self.judges[str(settings.get("judge") or self.judge_names[0])]
            n = self.repeat_number
            arguments["judge"] = judge.for_repeat(n) if n else judge
        return arguments

    @cached_property
    def judges(self) -> "Mapping[str, JudgeSession]":
        """A session for each judge, by name."""
        sessions = self.judging.sessions(self.cache_path)
        for session in sessions.values():
            session.retry_unreadable = self.judging.retry_unreadable
        return sessions

    def close_judges(self, names: Collection[str]) -> None:
        """Close these judges' connections; a later call opens them again."""
        for name, session in self.__dict__.get("judges", {}).items():
            if name in names:
                session.close()

    def for_repeat(self, number: int) -> "Resources":
        """The same resources, whose judges are called for this repeat."""
        self.judges  # opened here, so that all repeats share them  # noqa: B018
        return self._with(repeat_number=number)

    def for_estimate(self) -> "Resources":
        """The same resources, whose judges count the calls that they would make and make none."""
        sessions = {name: judge.for_estimate() for name, judge in self.judges.items()}
        return self._with(judges=sessions, listener=ignore)

    def for_workers(self, cache: str | Path | None = None) -> "Resources":
        """The same encoders without judges, for workers of a cluster, and with another file for vectors:
        other machines may not reach this one's."""
        other = self._with(judging=JudgeConfig(), cache_path=cache)
        other.__dict__ = other.__getstate__()
        return other

    def _with(self, **changed: object) -> "Resources":
        other = object.__new__(Resources)
        other.__dict__ = {**self.__dict__, **changed}
        return other

    def watch(self, listener: Listener) -> None:
        """Tell this listener from now on what the run does."""
        self.listener = listener
        for session in self.judges.values():
            session.listener = listener

    @property
    def has_budget(self) -> bool:
        """Whether a judge may be asked, but not without limit."""
        if self.judging.mode != "ask":
            return False
        return any(session.usage.budget.is_limited for session in self.judges.values())

    def encoder_of(self, settings: Mapping[str, SettingValue]) -> "CachedEncoder":
        """The encoder that the settings name; raises EncoderError if it cannot be opened."""
        from ragauge.encoders.cached import CachedEncoder

        key = model, precision = self._model_of(settings)
        if key not in self._encoders:
            default, own = self._default, self._encoder_defaults()["precision"]
            if default is None or default.name != model or (own != precision and model == EMBEDDED):
                encoder = _opened(model, precision)
            elif own == precision:
                encoder = default
            else:
                raise EncoderError(
                    f"a label names {model} in {precision}, but the encoder given has the precision {own}; "
                    "give it in that precision, or leave precision out of the label"
                )
            if self.threads is not None and hasattr(encoder, "threads"):
                encoder.threads = self.threads  # pyright: ignore[reportAttributeAccessIssue]
            self._encoders[key] = CachedEncoder(encoder, self.cache)
            self._encoders[key].wanted_tokens = frozenset(self._tokens.get(key, ()))
        found, layer = self._encoders[key], settings.get("layer")
        last = found.identity.get("n_layers")
        if isinstance(layer, int) and isinstance(last, int) and not 0 <= layer <= last:
            raise EncoderError(f"{found.name} has the layers 0 to {last}, not {layer}")
        return found

    def encodes_elsewhere(self, node: "Node") -> bool:
        """Whether the node has texts encoded by another machine, or a user's own encoder."""
        from ragauge.encoders.local import LocalEncoder

        if "encoder" not in node.definition.resources:
            return False
        return not isinstance(self.encoder_of(node.settings).encoder, LocalEncoder)

    def expect_tokens(self, settings: Iterable[Mapping[str, SettingValue]]) -> None:
        """Register which token vectors are needed, so that one pass of the model gives all."""
        for of_metric in settings:
            layer, long_text = of_metric.get("layer", NOT_SET), of_metric.get("long_text")
            if (layer is None or isinstance(layer, int)) and long_text in ("cut", "windows"):
                self._tokens.setdefault(self._model_of(of_metric), set()).add((layer, long_text))

    def _model_of(self, settings: Mapping[str, SettingValue]) -> tuple[str, str]:
        default = self._encoder_defaults()
        model = str(settings.get("model") or default["model"])
        own = default["precision"] if model == default["model"] else DEFAULT_PRECISION
        return model, str(settings.get("precision") or own)

    @cached_property
    def cache(self) -> "Cache | None":
        """The open cache; None if the run has none."""
        from ragauge.storage.cache import Cache

        return None if self.cache_path is None else Cache(self.cache_path)

    def is_portable(self) -> bool:
        """Whether worker processes can have a copy; not with judges, whose rate one process must limit."""
        if self.judging.judges:
            return False
        try:
            pickle.dumps(self)
        except Exception:  # a user's own encoder may raise anything when it is pickled
            return False
        return True

    def __getstate__(self) -> dict[str, object]:
        own = ("cache", "judges", "listener")
        kept = {name: value for name, value in self.__dict__.items() if name not in own}
        return {**kept, "_encoders": {}, "listener": ignore}


def _opened(model: str, precision: str | None = None) -> "Encoder":
    from ragauge.encoders import open_encoder

    return open_encoder(model, precision=precision)


def compute_corpus_features(plan: "Plan", samples: "Samples", resources: Resources) -> None:
    """Compute corpus features, counting each question once however many systems answered it."""
    for node in plan.nodes:
        if node.definition.corpus:
            names = [source.column for source in node.inputs if source.column]
            in_pieces = samples.is_file and len(names) == 1 and names[0] in samples.columns
            if in_pieces:
                in_pieces = not any(piece[names[0]].null_count() for piece in samples.pieces(names))
            read = _of_filled_column if in_pieces else _by_question
            columns = [read(samples, name) for name in names]
            resources.corpus[node.key] = of_corpus(node, columns, resources)


def _by_question(samples: "Samples", name: str) -> Iterable[object]:
    """For each question, the first non-null cell of a column."""
    import polars as pl

    by_id = samples.scan().group_by("id", maintain_order=True)
    first = (
        pl.col(name).drop_nulls().first() if name in samples.columns else pl.lit(None).alias(name)
    )
    return by_id.agg(first).collect()[name].to_list()


def _of_filled_column(samples: "Samples", name: str) -> Iterator[object]:
    """The same of a column without nulls, piece by piece: in memory is a hash of each question."""
    seen: set[bytes] = set()
    for piece in samples.pieces(["id", name]):
        cells = to_columns(piece)
        for id, cell in zip(cast("list[str]", cells["id"]), cells[name], strict=True):
            key = blake2b(id.encode(), digest_size=12).digest()
            if key not in seen:
                seen.add(key)
                yield cell


def of_corpus(node: "Node", columns: Sequence[Iterable[object]], resources: Resources) -> object:
    """The value of a corpus feature, computed from columns with one cell per question."""
    keywords = resources.arguments(node.definition, node.settings)
    try:
        return node.definition.function(*columns, **keywords)
    except EncoderError as error:
        return Score.failed(str(error))
    except RagaugeError:
        raise
    except Exception as error:  # an error in the feature's own code is a bug of the feature
        raise MetricError(
            f"feature {node.definition.name} raised {type(error).__name__}: {error!s:.500} "
            f"on the corpus; fix it in {source_line(node.definition.function, error)}"
        ) from error


def source_line(function: Callable[..., object], error: BaseException) -> str:
    """The line of the function's file that raised the error; its first line if that is unknown."""
    code = getattr(getattr(function, "func", function), "__code__", None)
    if code is None:
        return str(getattr(function, "__module__", "its module"))
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
    return f"{code.co_filename}:{lines[-1] if lines else code.co_firstlineno}"
