"""Run one tool of `judge.py` in this process, whose interpreter must be able to import it.

    python benchmarks/judge_tools.py ragauge|ragas|deepeval --url URL --data SAMPLES --concurrency 16

prints, as JSON on the last line, the seconds from after the imports to the scores, the processor's,
the peak of memory, and the scores. It imports only what the tool needs.
"""

import argparse
import hashlib
import json
import math
import os
import resource
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

FOUR = ("faithfulness", 'context_precision(average="ap")', "context_recall", "answer_relevance")
TWO_MORE = ("factual_accuracy", "answer_class")
DIMENSIONS = 64


def vector(text: str) -> list[float]:
    """A unit vector that depends on the text alone and takes no time."""
    digest = hashlib.shake_128(text.encode()).digest(DIMENSIONS)
    own = [byte - 100.0 for byte in digest]
    length = sum(one * one for one in own) ** 0.5
    return [one / length for one in own]


class Task:
    """A tool's task, read from the command line of its process.

    `timeout_s`: of one call, None for the tool's default; `stops`: stop at the first error if that is
    the tool's default.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.url: str = options.url
        self.concurrency: int = options.concurrency
        self.path: str = options.data
        self.cache: str | None = options.cache
        self.labels = FOUR + (TWO_MORE if options.six else ())
        self.timeout_s: float | None = options.timeout_s
        self.stops: bool = options.stops

    def rows(self) -> list[dict[str, Any]]:
        with Path(self.path).open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


Scores = Iterable[tuple[str, float | None]]
"""Each score by its sample and measure; NaN and None are none."""
Timed = tuple[float, Scores]
"""Seconds, and what came of them."""


def run_ragauge(task: Task) -> Timed:
    import numpy as np

    import ragauge as rg
    from ragauge import catalog
    from ragauge.judges.providers.endpoint import ChatEndpoint

    class Digest:
        name, identity = "digest", {"name": "digest"}

        def encode(self, texts: list[str], **_: object) -> object:
            return np.array([vector(text) for text in texts], np.float32)

        def count_tokens(self, _: list[str]) -> None:
            return None

    catalog.metrics()
    import_module("openai.resources.chat.completions")  # else imported with the first call
    samples = rg.load(task.path)
    timeout = {} if task.timeout_s is None else {"timeout_s": task.timeout_s}
    judge = ChatEndpoint("judge", base_url=task.url, concurrency=task.concurrency, **timeout)
    start = time.perf_counter()
    run = rg.evaluate(samples, task.labels, judge=judge, encoder=Digest(), cache=task.cache)
    seconds = time.perf_counter() - start
    names = map(" ".join, zip(run.scores["id"], run.scores["metric"], strict=True))
    return seconds, zip(names, run.scores["value"], strict=True)


def run_ragas(task: Task) -> Timed:
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    from langchain_openai import ChatOpenAI
    from ragas import EvaluationDataset, RunConfig, evaluate
    from ragas.embeddings.base import BaseRagasEmbeddings
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics import (
        Faithfulness,
        LLMContextPrecisionWithReference,
        LLMContextRecall,
        ResponseRelevancy,
    )

    class Digest(BaseRagasEmbeddings):
        def embed_query(self, text: str) -> list[float]:
            return vector(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [vector(text) for text in texts]

        async def aembed_query(self, text: str) -> list[float]:
            return vector(text)

        async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
            return self.embed_documents(texts)

    dataset = EvaluationDataset.from_list(
        [
            {
                "user_input": row["question"],
                "response": row["answer"],
                "reference": row["reference"],
                "retrieved_contexts": row["contexts"],
            }
            for row in task.rows()
        ]
    )
    four = [
        Faithfulness(),
        LLMContextPrecisionWithReference(),
        LLMContextRecall(),
        ResponseRelevancy(),
    ]
    # RunConfig's own timeout is of a whole metric, with all its calls and pauses.
    judge = ChatOpenAI(  # pyright: ignore
        model="judge", base_url=task.url, api_key="none", timeout=task.timeout_s
    )
    start = time.perf_counter()
    found = evaluate(
        dataset,
        four,
        llm=LangchainLLMWrapper(judge),
        embeddings=Digest(),
        run_config=RunConfig(max_workers=task.concurrency),
        show_progress=False,
    )
    seconds = time.perf_counter() - start
    return seconds, [
        (f"{row} {name}", value)
        for row, values in enumerate(found.scores)  # pyright: ignore
        for name, value in values.items()
    ]


def run_deepeval(task: Task, *, is_shared: bool = False) -> Timed:
    """`is_shared`: with a model class that keeps one client, where its own makes one a call."""
    os.environ |= {
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
        "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
        "DEEPEVAL_DISABLE_DOTENV": "1",
        "DEEPEVAL_NO_INSPECT_PROMPT": "1",
        "DEEPEVAL_HOME": os.getcwd(),  # noqa: PTH109
    }
    if task.timeout_s is not None:
        # The longer one is its default, which would follow the shorter.
        os.environ["DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE"] = str(task.timeout_s)
        os.environ["DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE"] = "180"
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import (
        AnswerRelevancyMetric,
        ContextualPrecisionMetric,
        ContextualRecallMetric,
        FaithfulnessMetric,
    )
    from deepeval.models import DeepEvalBaseLLM, LocalModel
    from deepeval.test_case import LLMTestCase
    from openai import AsyncOpenAI

    class Shared(DeepEvalBaseLLM):
        def load_model(self) -> AsyncOpenAI:
            timeout = {} if task.timeout_s is None else {"timeout": task.timeout_s}
            return AsyncOpenAI(base_url=task.url, api_key="none", **timeout)

        def get_model_name(self) -> str:
            return "judge"

        def generate(self, prompt: str, schema: Any = None) -> Any:
            raise NotImplementedError

        async def a_generate(self, prompt: str, schema: Any = None) -> Any:
            found = await self.model.chat.completions.create(
                model="judge", messages=[{"role": "user", "content": prompt}]
            )
            text = found.choices[0].message.content or ""
            return text if schema is None else schema.model_validate_json(text)

    own = LocalModel(model="judge", base_url=task.url, api_key="none")
    model = Shared("judge") if is_shared else own
    cases = [
        LLMTestCase(
            input=row["question"],
            actual_output=row["answer"],
            expected_output=row["reference"],
            retrieval_context=row["contexts"],
        )
        for row in task.rows()
    ]
    kinds = (
        FaithfulnessMetric,
        ContextualPrecisionMetric,
        ContextualRecallMetric,
        AnswerRelevancyMetric,
    )
    start = time.perf_counter()
    found = evaluate(
        cases,
        [kind(model=model) for kind in kinds],
        async_config=AsyncConfig(max_concurrent=task.concurrency),
        display_config=DisplayConfig(
            show_indicator=False, print_results=False, inspect_after_run=False
        ),
        cache_config=CacheConfig(write_cache=False),
        error_config=ErrorConfig(ignore_errors=not task.stops),
    )
    seconds = time.perf_counter() - start
    return seconds, [
        (f"{case.input} {one.name}", one.score)
        for case in found.test_results
        for one in case.metrics_data or ()
    ]


def run_deepeval_shared(task: Task) -> Timed:
    return run_deepeval(task, is_shared=True)


TOOLS: dict[str, Callable[[Task], Timed]] = {
    "ragauge": run_ragauge,
    "ragas": run_ragas,
    "deepeval": run_deepeval,
    "deepeval, one client": run_deepeval_shared,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", choices=list(TOOLS))
    parser.add_argument("--url", required=True)
    parser.add_argument("--data", required=True, help="samples, as JSON lines")
    parser.add_argument("--concurrency", type=int, required=True)
    parser.add_argument("--cache", help="where our replies are kept")
    parser.add_argument("--six", action="store_true", help="two measures more than the four")
    parser.add_argument("--timeout-s", type=float, help="of one call; else the tool's own")
    parser.add_argument("--stops", action="store_true", help="at the first error, as it comes")
    options = parser.parse_args()
    before = time.process_time()
    seconds, scores = TOOLS[options.tool](Task(options))
    own = resource.getrusage(resource.RUSAGE_SELF)
    spent = time.process_time() - before
    values = {name: None if one is None or math.isnan(one) else one for name, one in scores}
    result = {"s": seconds, "cpu_s": spent, "peak_mb": own.ru_maxrss / 1024, "values": values}
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
