"""Doors from other tools: scripts written for ranx, ragas and deepeval run here with their imports changed."""

import re
import sys
from pathlib import Path

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
