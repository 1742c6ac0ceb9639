"""Doors from other tools: scripts written for ranx, ragas and deepeval run here with their imports changed.

Their models become judges and encoders here, and their rows are scored by several metrics at once.
"""

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragauge import catalog
from ragauge.errors import PlanError
from ragauge.judges.managed import JudgeDefaults
from ragauge.judges.protocol import Identity, Reply, Request
from ragauge.judges.providers.factory import JUDGE_ATTRIBUTES, JudgeLike

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder, Floats

JUDGE_VARIABLE = "RAGAUGE_JUDGE"
"""The environment variable that names the judge of scripts that give no model."""
INSTEAD = {
    "testset|synthes|persona|knowledge": "`ragauge questions make` writes questions from documents (docs/questions.md)",
    "turn|convers|simulat|messages": "ragauge.evaluate takes conversations as `messages` (docs/conversations.md)",
    r"trac|observ|span|integrat|callback|^(openai|anthropic|langchain|llama_index)\b": "`ragauge ask` runs a system (docs/ask.md), and exported traces load as they are (docs/data.md)",
    "experiment|dataset|backend|benchmark": "ragauge.ask asks a system, ragauge.load reads files (docs/ask.md, docs/data.md)",
    "tool|agent|goal|plan|task|step|mcp": "the suite `agent` scores calls of tools and the state at the end (docs/conversations.md)",
    "prompt|optimiz|template": "`ragauge prompts` writes the judges' prompts for you to change (docs/judges.md)",
    "hyperparameter|arena|contestant|compare": "`ragauge compare` and the page compare systems (docs/comparing.md)",
    "cache": "ragauge keeps replies and vectors, and none is paid twice (docs/judges.md)",
    "cost|token": "a run with a judge says what it cost (docs/judges.md)",
    "image|audio|voice|speech|multimodal|mllm": "ragauge scores texts",
    "llm|model|embedding": "give a model's name, or a model of LangChain",
    "metric|rubric|score|eval|dag": "write a function with @ragauge.metric (docs/adding-a-metric.md), or a criterion for g_eval",
}
"""What to use instead of the modules and names of other tools that match a pattern; the first one counts."""


def not_covered(tool: str, name: str) -> str:
    """What an error says of a name of another tool."""
    found = (text for words, text in INSTEAD.items() if re.search(words, name, re.IGNORECASE))
    instead = next(found, f"help('ragauge.compat.{tool}') says what is")
    return f"{tool}'s {name} is not covered here: {instead}"


class _LastFinder:
    """Where Python looks for a module after all other places: an error that says what to use instead."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:  # noqa: ARG004
        tool, _, inside = name.removeprefix(f"{__name__}.").partition(".")
        if name.startswith(f"{__name__}.") and inside and not inside.startswith("_"):
            place = Path(__file__).parent / tool / inside.replace(".", "/")
            # pytest also asks with folders in which a module that is here is not.
            if not place.exists() and not place.with_suffix(".py").exists():
                raise ModuleNotFoundError(not_covered(tool, inside))


sys.meta_path.append(_LastFinder)


class ModelJudge(JudgeDefaults):
    """A model of deepeval (`a_generate`) or LangChain (`ainvoke`) as a judge, known to caches by its name."""

    def __init__(self, model: Any) -> None:
        self._model, self._generates = model, hasattr(model, "a_generate")
        if self._generates:
            schema = inspect.signature(model.a_generate).parameters.get("schema")
            if schema is not None and schema.default is schema.empty:
                what = f"{type(model).__name__}.a_generate needs a schema, which is not covered"
                raise PlanError(f"{what}; give it a default: schema=None")
        self.name: str = model.get_model_name() if self._generates else name_of(model)
        self.identity: Identity = {"model": self.name, "door": "compat"}

    async def reply(self, request: Request) -> Reply:
        """What the model says to the request's messages."""
        if self._generates:
            prompt = "\n\n".join(each.content for each in request.messages)
            said: Any = await self._model.a_generate(prompt)
            return Reply(str(cast("Any", said)[0] if isinstance(said, tuple) else said))
        said = await self._model.ainvoke([(each.role, each.content) for each in request.messages])
        return Reply(str(getattr(said, "content", said)))


class EmbeddingsEncoder:
    """An object with LangChain's `embed_documents` as an encoder."""

    def __init__(self, embeddings: Any) -> None:
        self.name = name_of(embeddings)
        self.identity = {"name": self.name, "door": "compat"}
        self._embeddings = embeddings

    def encode(self, texts: Sequence[str], *, long_text: str = "cut") -> "Floats":  # noqa: ARG002
        """One unit vector for each text."""
        import numpy as np

        from ragauge.encoders.local import unit_rows

        return unit_rows(np.asarray(self._embeddings.embed_documents(list(texts)), np.float32))


def name_of(model: object) -> str:
    """The name that a model's object gives itself, else that of its class."""
    for attribute in ("model_name", "model", "deployment_name"):
        if isinstance(name := getattr(model, attribute, None), str) and name:
            return name
    return type(model).__name__


def judge_of(model: Any, argument: str) -> JudgeLike:
    """The judge that a script gives as `argument`.

    A model's name, a judge or async function of ragauge, a LangChain chat model, or deepeval's `DeepEvalBaseLLM`. Without one,
    the model that the environment variable RAGAUGE_JUDGE names. PlanError if there is none, or it is something else.
    """
    if model is None and not (model := os.environ.get(JUDGE_VARIABLE)):
        needed = f"a judge is needed: give {argument}= a model's name, a judge or a LangChain model"
        raise PlanError(f"{needed}, or name a model in the environment variable {JUDGE_VARIABLE}")
    is_judge = all(hasattr(model, name) for name in JUDGE_ATTRIBUTES)
    if is_judge or isinstance(model, str) or inspect.iscoroutinefunction(model):
        return model
    if hasattr(model, "a_generate") or hasattr(model, "ainvoke"):
        return ModelJudge(model)
    known = "a model's name, a judge of ragauge, an async function, or a LangChain chat model"
    raise PlanError(f"{argument}={model!r:.80} is not covered; give {known}")


def encoder_of(embeddings: Any) -> "Encoder | str | None":
    """The encoder that a script gives: a model's name, an encoder of ragauge, or LangChain's embeddings."""
    if embeddings is None or isinstance(embeddings, str) or hasattr(embeddings, "encode"):
        return embeddings
    if hasattr(embeddings, "embed_documents"):
        return cast("Encoder", EmbeddingsEncoder(embeddings))
    known = "a model's name, an encoder of ragauge, or an object with embed_documents"
    raise PlanError(f"embeddings={embeddings!r:.80} is not covered; give {known}")


@dataclass(frozen=True, slots=True)
class SampleValue:
    """One sample's value by one metric, or why there is none; and the evidence."""

    value: float | None
    reason: str | None
    evidence: str | None


def measure(
    rows: Iterable[Mapping[str, object]],
    labels: Sequence[str],
    *,
    model: Any,
    argument: str,
    embeddings: Any = None,
) -> dict[str, list[SampleValue]]:
    """By label, its value on each row, in ragauge's field names. A field that is None is left out.

    `model` and `embeddings` are what the script gives, `model` as its `argument`; PlanError without one that a metric needs.
    """
    from ragauge.evaluation import evaluate

    planned = {label: catalog.find(catalog.read_label(label)) for label in labels}
    is_judged = any("judge" in settings for _, settings in planned.values())
    # Two spellings of one label, such as one with a default written out, are measured once.
    names = {label: str(metric.label(settings)) for label, (metric, settings) in planned.items()}
    distinct = list(dict.fromkeys(names.values()))
    given = [
        {"id": str(place), **{name: value for name, value in row.items() if value is not None}}
        for place, row in enumerate(rows, 1)
    ]
    judge = judge_of(model, argument) if is_judged else None
    run = evaluate(given, distinct, judge=judge, encoder=encoder_of(embeddings))
    scores = run.scores.select("metric", "id", "value", "reason", "evidence")
    found = {(metric, id): SampleValue(*measured) for metric, id, *measured in scores.iter_rows()}
    columns = dict(zip(distinct, (metric.metric for metric in run.metrics), strict=True))
    return {
        label: [found[columns[name], str(row["id"])] for row in given]
        for label, name in names.items()
    }


def refusing(tool: str, alias_of: Callable[[str], str] | None = None) -> Callable[[str], Any]:
    """A module's `__getattr__`: ImportError for a name of the tool that is not covered.

    Of a metric, whose alias in `aliases.toml` `alias_of` gives, the error has the nearest one.
    """

    def refuse(name: str) -> Any:
        if name == "__path__":
            # As of a package: Python asks the last finder for submodules, and it says what to use instead.
            return []
        said = not_covered(tool, name)
        alias = alias_of(name) if alias_of else ""
        if alias and (ours := str(catalog.read_label(alias))) != alias:
            said = f"{tool}'s {name} is not covered here: ragauge's metric is {ours}"
        elif alias and "nearest" in (near := catalog.unknown(alias)):
            said = f"{tool}'s {name} is not covered here: {near}"
        # Python looks for submodules, and tools for names of their own, in any module.
        raise (ImportError if name[:1].isupper() or "nearest" in said else AttributeError)(said)

    return refuse
