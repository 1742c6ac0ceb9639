"""Judged measures beside ragas and deepeval, against one stub server: time, calls, tokens, waste.

    python benchmarks/judge.py [--only calls latency limit stream commit] [--peers PYTHON]

The server (tests/judges/faulty_server.py with the replies below) is a process of its own, and each
tool runs in a process of its own against a fresh one; only those that `--peers` (an interpreter) can
import are run beside ours. Samples are made by rule from a seed: 5 contexts of some 180 words, an
answer of 2 to 4 sentences and a reference of 1 to 3, two facts a sentence. A reply takes what the
question asks for: two claims a sentence, a verdict for each claim and each context. Embeddings are a
digest of the text, so that no model's time is in this. What is timed begins after the imports and ends
with the scores; our replies are committed to a cache on disk meanwhile.

    calls    calls and prompt tokens a sample, for the four RAGAS measures, and ours with
             factual_accuracy and answer_class; a token is 4 characters, for tiktoken's vocabulary is
             a download
    latency  200 samples, four measures, at each latency and concurrency, and what the latency alone
             would take: calls x latency / concurrency
    limit    40 requests in flight allowed, more are refused with 429: the calls wasted
    stream   10,000 samples: peak memory, and the time of running again from the cache
    commit   one reply committed to the cache, over and over
"""

import argparse
import asyncio
import hashlib
import json
import math
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
FAULTY_SERVER = ROOT / "tests" / "judges" / "faulty_server.py"
HANDBOOK = ROOT / "examples" / "handbook" / "handbook.md"
FOUR = ("faithfulness", 'context_precision(average="ap")', "context_recall", "answer_relevance")
TWO_MORE = ("factual_accuracy", "answer_class")
N_CONTEXTS = 5
DIMENSIONS = 64
CHARACTERS_A_TOKEN = 4
Body = dict[str, Any]

# Samples ------------------------------------------------------------------------------------------

CLAUSE = re.compile(r"\b[AR]\d+s\d+[xy](?: [a-z]+)+?(?= and [AR]\d+s|\.)")
"""One fact: a code that stands nowhere else, and words."""
CONTEXT = re.compile(r"\bK\d+c\d+\b")


def make_samples(n: int, seed: int = 5) -> Iterator[dict[str, Any]]:
    """So many samples, of the handbook's words."""
    found = re.findall(r"\b[a-z]{2,}\b", HANDBOOK.read_text("utf-8"))
    words = [word for word in found if word != "and"]
    chance = random.Random(seed)

    def some(least: int, most: int) -> str:
        return " ".join(chance.choices(words, k=chance.randint(least, most)))

    def said(code: str, n_sentences: int) -> str:
        return " ".join(
            f"{code}s{at}x {some(5, 11)} and {code}s{at}y {some(5, 11)}."
            for at in range(n_sentences)
        )

    for at in range(n):
        yield {
            "id": f"q{at}",
            "question": f"What of {some(6, 12)}?",
            "answer": said(f"A{at}", chance.randint(2, 4)),
            "reference": said(f"R{at}", chance.randint(1, 3)),
            "contexts": [f"K{at}c{place} {some(160, 200)}." for place in range(N_CONTEXTS)],
        }


# What the server says -----------------------------------------------------------------------------

BECAUSE = "the texts say so in these words"


def reply_to(told: str, prompt: str | None) -> object:
    """A reply of the form and length that the question asks for; `prompt`: ours, by its name."""
    if prompt is not None:
        return said_to_us(told, prompt)
    if "Now perform the same with the following input" in told:
        return said_to_ragas(told)
    return said_to_deepeval(told)


def said_to_us(told: str, prompt: str) -> object:
    if prompt == "claims":
        lines = [line for line in block(told, "sentences").splitlines() if CLAUSE.search(line)]
        return {
            "sentences": [
                {"sentence": at, "claims": CLAUSE.findall(line), "claim_free": False}
                for at, line in enumerate(lines, 1)
            ]
        }
    if prompt == "support":
        quote = " ".join(block(told, "contexts").splitlines()[1].split()[1:13])
        found = {"reason": BECAUSE, "supported": True, "context": 1, "quote": quote}
        n = len(block(told, "claims").splitlines()) // 2
        return {"verdicts": [{"claim": at, **found} for at in range(1, n + 1)]}
    if prompt == "relevance":
        n = len(CONTEXT.findall(block(told, "contexts")))
        verdicts = [
            {"context": at, "reason": BECAUSE, "relevant": at < 4} for at in range(1, n + 1)
        ]
        return {"verdicts": verdicts}
    if prompt == "questions":
        words = " ".join(block(told, "answer").split()[:8])
        asked = [{"question": f"What {at} of {words}?", "noncommittal": False} for at in range(3)]
        return {"questions": asked}
    if prompt == "accuracy":
        graded = {"reason": BECAUSE, "score": 80}
        return dict.fromkeys(("correctness", "completeness", "consistency"), graded)
    return {"reason": BECAUSE, "verdict": "CORRECT"}


def block(told: str, name: str) -> str:
    """What stands between our delimiters, without them."""
    inside = told[told.index(f"<{name} id=") : told.index(f"</{name} id=")]
    return inside.partition("\n")[2]


def said_to_ragas(told: str) -> object:
    head, _, given = told.partition("Now perform the same with the following input\ninput: ")
    fields = json.loads(given.rpartition("\nOutput: ")[0])
    if '"title": "StatementGeneratorOutput"' in head:
        return {"statements": CLAUSE.findall(fields["answer"])}
    if '"title": "NLIStatementOutput"' in head:
        verdict = {"reason": BECAUSE, "verdict": 1}
        return {"statements": [{"statement": one, **verdict} for one in fields["statements"]]}
    if '"title": "ContextRecallClassifications"' in head:
        sentences = fields["answer"].removesuffix(".").split(". ")
        verdict = {"reason": BECAUSE, "attributed": 1}
        return {"classifications": [{"statement": one, **verdict} for one in sentences]}
    if '"title": "ResponseRelevanceOutput"' in head:
        words = " ".join(fields["response"].split()[:8])
        return {"question": f"What of {words}?", "noncommittal": 0}
    return {"reason": BECAUSE, "verdict": 1}


def said_to_deepeval(told: str) -> object:
    if '"truths" key' in told:
        contexts = told.rpartition("\nText:\n")[2]
        return {"truths": [f"{code} says this and that." for code in CONTEXT.findall(contexts)]}
    if '"claims" key' in told:
        return {"claims": CLAUSE.findall(told.rpartition("AI Output:\n")[2])}
    if '"statements" key' in told:
        return {"statements": CLAUSE.findall(told.rpartition("\nText:\n")[2])}
    if "'reason' key providing the reason" in told:
        return {"reason": f"The score is 1.00 because {BECAUSE}."}
    verdict = {"reason": BECAUSE, "verdict": "yes"}
    return {"verdicts": [verdict] * n_asked_by_deepeval(told)}


def n_asked_by_deepeval(told: str) -> int:
    """How many verdicts it wants: one for each claim, statement, context or sentence."""
    for heading in ("\nClaims:\n", "\nStatements:\n"):
        if heading in told:
            return len(set(re.findall(r"\b[AR]\d+s\d+[xy]\b", told.rpartition(heading)[2])))
    if "For EACH sentence" in told:
        expected = told.rpartition("\nExpected Output:\n")[2].partition("\nRetrieval Context:")[0]
        return len(set(re.findall(r"\bR\d+s\d+x\b", expected)))
    return len(set(CONTEXT.findall(told.rpartition("\nRetrieval Context")[2])))


# The server ---------------------------------------------------------------------------------------


def faulty_server() -> ModuleType:
    spec = spec_from_file_location("faulty_server", FAULTY_SERVER)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["faulty_server"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serve(latency_ms: float, in_flight: int | None) -> None:
    """Prints the port, serves until standard input ends, then prints what it was asked."""
    faulty = faulty_server()
    counts = {"prompt_tokens": 0, "completion_tokens": 0}

    def answer(number: int, body: Body) -> object:
        told = "\n".join(str(message["content"]) for message in body["messages"])
        schema = (body.get("response_format") or {}).get("json_schema") or {}
        text = json.dumps(reply_to(told, schema.get("name")))
        n = body.get("n") or 1
        usage = {
            "prompt_tokens": len(told) // CHARACTERS_A_TOKEN,
            "completion_tokens": n * len(text) // CHARACTERS_A_TOKEN,
        }
        for name, number_of in usage.items():
            counts[name] += number_of
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"message": message, "finish_reason": "stop", "logprobs": None}
        choices = [{"index": at, **choice} for at in range(n)]
        usage["total_tokens"] = sum(usage.values())
        return faulty.ok(text, usage=usage, choices=choices)

    async def run() -> None:
        server = faulty.FaultyServer(
            answer, latency_s=latency_ms / 1_000, in_flight=in_flight, keeps=False
        )
        listening = await server.listen()
        print(server.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)
        listening.close()
        print(json.dumps({**server.stats, **counts}), flush=True)
        os._exit(0)  # connections that are still open would be waited for

    asyncio.run(run())


@contextmanager
def serving(latency_ms: float = 0, in_flight: int | None = None) -> Iterator[tuple[str, Body]]:
    """The server's address, and what it was asked, which is there when it has ended."""
    told = [] if in_flight is None else ["--in-flight", str(in_flight)]
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve", "--latency-ms", str(latency_ms), *told],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    asked: Body = {}
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1", asked
        process.stdin.close()
        asked |= json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


# The tools, each in a process of its own ----------------------------------------------------------


def vector(text: str) -> list[float]:
    """A unit vector that depends on the text alone and takes no time."""
    digest = hashlib.shake_128(text.encode()).digest(DIMENSIONS)
    own = [byte - 100.0 for byte in digest]
    length = sum(one * one for one in own) ** 0.5
    return [one / length for one in own]


class Task:
    """What a tool is to do, read from the command line of its process."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.url: str = options.url
        self.concurrency: int = options.concurrency[0]
        self.path: str = options.data
        self.cache: str | None = options.cache
        self.labels = FOUR + (TWO_MORE if options.six else ())

    def rows(self) -> list[dict[str, Any]]:
        with Path(self.path).open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


Timed = tuple[float, int]
"""Seconds, and how many scores have a value."""


def run_ragauge(task: Task) -> Timed:
    import numpy as np

    import ragauge as rg
    from ragauge import catalog
    from ragauge.judges.endpoint import ChatEndpoint

    class Digest:
        name, identity = "digest", {"name": "digest"}

        def encode(self, texts: list[str], **_: object) -> object:
            return np.array([vector(text) for text in texts], np.float32)

        def count_tokens(self, _: list[str]) -> None:
            return None

    catalog.metrics()
    import_module("openai.resources.chat.completions")  # else imported with the first call
    samples = rg.load(task.path)
    judge = ChatEndpoint("judge", base_url=task.url, concurrency=task.concurrency)
    start = time.perf_counter()
    run = rg.evaluate(samples, task.labels, judge=judge, encoder=Digest(), cache=task.cache)
    seconds = time.perf_counter() - start
    return seconds, int((run.scores["status"] == "ok").sum())


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
    judge = ChatOpenAI(model="judge", base_url=task.url, api_key="none")  # pyright: ignore
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
    values = [value for row in found.scores for value in row.values()]  # pyright: ignore
    return seconds, sum(not math.isnan(value) for value in values)


def run_deepeval(task: Task, *, is_shared: bool = False) -> Timed:
    """`is_shared`: with a model class that keeps one client, where its own makes one a call."""
    os.environ |= {
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
        "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
        "DEEPEVAL_DISABLE_DOTENV": "1",
        "DEEPEVAL_NO_INSPECT_PROMPT": "1",
        "DEEPEVAL_HOME": os.getcwd(),  # noqa: PTH109
    }
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
            return AsyncOpenAI(base_url=task.url, api_key="none")

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
        error_config=ErrorConfig(ignore_errors=True),
    )
    seconds = time.perf_counter() - start
    scores = [one.score for case in found.test_results for one in case.metrics_data or ()]
    return seconds, sum(score is not None for score in scores)


def run_deepeval_shared(task: Task) -> Timed:
    return run_deepeval(task, is_shared=True)


TOOLS: dict[str, Callable[[Task], Timed]] = {
    "ragauge": run_ragauge,
    "ragas": run_ragas,
    "deepeval": run_deepeval,
    "deepeval, one client": run_deepeval_shared,
}


def run_tool(options: argparse.Namespace) -> None:
    """Prints what a tool came to, as JSON on the last line."""
    before = time.process_time()
    seconds, n_values = TOOLS[options.run](Task(options))
    own = resource.getrusage(resource.RUSAGE_SELF)
    spent = time.process_time() - before
    told = {"s": seconds, "n_values": n_values, "cpu_s": spent, "peak_mb": own.ru_maxrss / 1024}
    print(json.dumps(told), flush=True)


# What is measured ---------------------------------------------------------------------------------


class Bench:
    """The samples in a folder, and the interpreters that the tools run in."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.options = folder, options
        self.n = options.samples

    @property
    def tools(self) -> list[str]:
        return [name for name in TOOLS if name == "ragauge" or self.options.peers]

    def data(self, n: int) -> Path:
        path = self.folder / f"{n}.jsonl"
        if not path.exists():
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in make_samples(n))
        return path

    def run(self, tool: str, url: str, n: int, concurrency: int, *told: str) -> Body | None:
        """What a tool came to; None where it cannot be run, which is said."""
        python = self.options.ours if tool == "ragauge" else self.options.peers
        command = [python, str(Path(__file__).resolve()), "--run", tool, "--url", url]
        command += ["--data", str(self.data(n)), "--concurrency", str(concurrency), *told]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env={**os.environ, "OPENAI_API_KEY": "none"},
        )
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            print(f"    {tool:22} not measured: {' '.join(last)[:200]}", flush=True)
            return None
        return json.loads(done.stdout.strip().splitlines()[-1])

    def fresh(self) -> list[str]:
        """A new cache for our replies."""
        return ["--cache", str(self.folder / f"{time.monotonic_ns()}.db")]

    def measured(
        self, tool: str, concurrency: int, latency_ms: float = 0, in_flight: int | None = None
    ) -> tuple[Body, Body] | None:
        """What a tool came to, and what a fresh server was asked by it."""
        with serving(latency_ms, in_flight) as (url, asked):
            told = self.fresh() if tool == "ragauge" else []
            found = self.run(tool, url, self.n, concurrency, *told)
        return None if found is None else (found, asked)

    def calls(self) -> None:
        print(f"calls and prompt tokens a sample ({self.n} samples; a token is 4 characters)")
        for tool in self.tools:
            if found := self.measured(tool, self.options.concurrency[0]):
                self.tell_calls(f"{tool}, four measures", found[1])
        with serving() as (url, asked):
            told = [*self.fresh(), "--six"]
            self.run("ragauge", url, self.n, self.options.concurrency[0], *told)
        self.tell_calls("ragauge, and two more", asked)

    def tell_calls(self, name: str, asked: Body) -> None:
        calls, prompt, said = (
            asked[key] / self.n for key in ("n_requests", "prompt_tokens", "completion_tokens")
        )
        print(f"    {name:36} {calls:6.2f} calls {prompt:8,.0f} tokens, {said:6,.0f} of replies")

    def latency(self) -> None:
        for latency_ms in self.options.latency_ms:
            for concurrency in self.options.concurrency:
                print(f"{self.n} samples, {latency_ms:g} ms, {concurrency} at once")
                first = None
                for tool in self.tools:
                    found = self.measured(tool, concurrency, latency_ms)
                    if found is not None:
                        first = first or found[0]["s"]
                        self.tell_latency(tool, *found, latency_ms, concurrency, first)

    def tell_latency(
        self, tool: str, took: Body, asked: Body, latency_ms: float, at_once: int, first: float
    ) -> None:
        bound = asked["n_requests"] * latency_ms / 1_000 / at_once
        reached = f"bound {bound:6.2f} s, {bound / took['s']:6.1%} reached  " if bound else ""
        cpu_ms = 1_000 * took["cpu_s"] / max(1, asked["n_requests"])
        print(
            f"    {tool:22} {took['s']:8.2f} s {took['s'] / first:7.1f} x  {reached}"
            f"{asked['n_requests']:6,} calls, at most {asked['most']:3} at once, {cpu_ms:5.1f} ms cpu a call  "
            f"{took['n_values']:,} of {len(FOUR) * self.n:,} values  {took['peak_mb']:,.0f} MB",
            flush=True,
        )

    def limit(self) -> None:
        latency_ms, at_once = max(self.options.latency_ms), max(self.options.concurrency)
        allowed = self.options.in_flight
        print(f"{allowed} in flight allowed, {latency_ms:g} ms, up to {at_once} at once")
        for tool in self.tools:
            found = self.measured(tool, at_once, latency_ms, allowed)
            if found is None:
                continue
            took, asked = found
            n, wasted = asked["n_requests"], asked["n_refused"]
            bound = (n - wasted) * latency_ms / 1_000 / allowed
            print(
                f"    {tool:22} {took['s']:8.2f} s  bound {bound:6.2f} s  {wasted:6,} of {n:,} calls wasted "
                f"({wasted / n:.2%})  {took['n_values']:,} of {len(FOUR) * self.n:,} values",
                flush=True,
            )

    def stream(self) -> None:
        n, at_once = self.options.stream, max(self.options.concurrency)
        print(f"{n:,} samples, {self.data(n).stat().st_size / 2**20:.0f} MB of text")
        cache = self.fresh()
        for name in ("asked", "from the cache"):
            with serving() as (url, asked):
                took = self.run("ragauge", url, n, at_once, *cache)
            if took is None:
                return
            print(
                f"    {name:22} {took['s']:8.2f} s  peak {took['peak_mb']:,.0f} MB  "
                f"{asked['n_requests']:,} calls  {took['n_values']:,} of {len(FOUR) * n:,} values",
                flush=True,
            )
        size = Path(cache[1]).stat().st_size / 2**20
        print(f"    the cache has {size:,.0f} MB")

    def commit(self) -> None:
        """In this process, one after the other, and as many at once as come while one is stored."""
        from ragauge.judges.ledger import Entry, Ledger
        from ragauge.judges.protocol import Message, Reply, Request

        row = next(make_samples(1))
        messages = (Message("user", "\n".join(row["contexts"])),)
        ledger = Ledger(self.folder / "commit.db")
        taken: dict[int, list[float]] = {1: [], 64: []}
        for size, times in taken.items():
            for at in range(500):
                entries = [
                    Entry(
                        hashlib.sha256(f"{size} {at} {one}".encode()).digest(),
                        "judge",
                        Request("support", messages, None, sample=at),
                        Reply(json.dumps({"reason": BECAUSE * 20}), 1_200, 150),
                    )
                    for one in range(size)
                ]
                start = time.perf_counter()
                ledger.keep(entries)
                times.append(time.perf_counter() - start)
        ledger.close()
        print(f"a commit to the cache, synchronous, in {self.folder}")
        for size, times in taken.items():
            low, middle, high = (1_000 * one for one in statistics.quantiles(times, n=4))
            print(
                f"    {size:3} replies {middle:8.3f} ms (quartiles {low:.3f} and {high:.3f}), {middle / size:.3f} ms a reply"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    everything = ["calls", "latency", "limit", "stream", "commit"]
    parser.add_argument("--only", nargs="+", default=everything, choices=everything)
    parser.add_argument("--peers", default="", help="an interpreter that has ragas and deepeval")
    parser.add_argument("--ours", default=sys.executable, help="an interpreter that has ragauge")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--stream", type=int, default=10_000, help="samples of `stream`")
    parser.add_argument("--latency-ms", type=float, nargs="+", default=[0, 200])
    parser.add_argument("--concurrency", type=int, nargs="+", default=[16, 128])
    parser.add_argument("--in-flight", type=int, help="what the server of `limit` allows: 40")
    parser.add_argument("--folder", type=Path, help="where samples and caches are put")
    for name in ("--serve", "--six"):
        parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
    for name in ("--run", "--url", "--data", "--cache"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.latency_ms[0], options.in_flight)
        return
    if options.run:
        run_tool(options)
        return
    options.in_flight = options.in_flight or 40
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        bench = Bench(Path(folder), options)
        for work in options.only:
            getattr(bench, work)()


if __name__ == "__main__":
    main()
