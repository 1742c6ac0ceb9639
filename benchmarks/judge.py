"""Compare judged metrics with ragas and deepeval on a stub server: time, calls, tokens, waste.

    python benchmarks/judge.py [--only calls latency limit stream commit faults] [--peers PYTHON]

Each tool (judge_tools.py) runs in a separate process against a fresh server process (judge_server.py);
of the peers, only those that `--peers` (an interpreter) can import are run. Samples (judge_samples.py)
are generated with a fixed random seed: 5 contexts of about 180 words, an answer of 2 to 4 sentences and
a reference of 1 to 3, two facts per sentence. A reply (judge_replies.py) has the requested form: two
claims per sentence, a verdict for each claim and each context. Embeddings are a digest of the text, so
no model's time is included. The timing starts after the imports and ends with the scores, and includes
committing our replies to a cache on disk.

    calls    calls and prompt tokens per sample, for the four RAGAS metrics, and ours with
             factual_accuracy and answer_class. A token is 4 characters, or with --tokenizer what
             tiktoken's encoding of that name makes of it (its file, in TIKTOKEN_CACHE_DIR, is a
             download; the wheel of litellm has it)
    latency  200 samples, four metrics, at each latency and concurrency, and the time of the latency
             alone: calls x latency / concurrency
    limit    40 requests in flight allowed, more are refused with 429: the calls wasted
    stream   10,000 samples: peak memory, and the time of a second run from the cache
    commit   one reply committed to the cache, repeatedly
    faults   200 samples, four metrics, the longest latency and lowest concurrency, a quarter of the
             verdicts no: requests that fail, and replies that are too short; the scores lost, and
             those changed against the tool's own run without faults (judge_faults.py)
"""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import judge_faults
from judge_replies import BECAUSE
from judge_samples import make_samples
from judge_server import serving
from judge_tools import FOUR, TOOLS

TOOLS_FILE = Path(__file__).with_name("judge_tools.py").resolve()
Body = dict[str, Any]


class Bench:
    """The samples in a folder, and the interpreters that the tools run in."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.options = folder, options
        self.n = options.samples

    @property
    def tools(self) -> list[str]:
        return [name for name in self.options.tools if name == "ragauge" or self.options.peers]

    def data(self, n: int) -> Path:
        path = self.folder / f"{n}.jsonl"
        if not path.exists():
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in make_samples(n))
        return path

    def run(self, tool: str, url: str, n: int, concurrency: int, *arguments: str) -> Body | None:
        """A tool's result; None if it cannot run, with a message."""
        found = self.outcome(tool, url, n, concurrency, *arguments)
        if isinstance(found, str):
            print(f"    {tool:22} not measured: {found}", flush=True)
            return None
        return found

    def outcome(
        self,
        tool: str,
        url: str,
        n: int,
        concurrency: int,
        *arguments: str,
        limit_s: float | None = None,
    ) -> Body | str:
        """A tool's result, or the reason for none, such as more than `limit_s`."""
        python = self.options.ours if tool == "ragauge" else self.options.peers
        command = [python, str(TOOLS_FILE), tool, "--url", url, "--data", str(self.data(n))]
        command += ["--concurrency", str(concurrency), *arguments]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                cwd=self.folder,
                env={**os.environ, "OPENAI_API_KEY": "none"},
                timeout=limit_s,
            )
        except subprocess.TimeoutExpired:
            return f"not finished in {limit_s:g} s"
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line[:1].strip()]
            return (lines or ["no error message"])[-1][:200]
        return json.loads(done.stdout.strip().splitlines()[-1])

    def fresh(self) -> list[str]:
        """A new cache for our replies."""
        return ["--cache", str(self.folder / f"{time.monotonic_ns()}.db")]

    def measured(
        self, tool: str, concurrency: int, latency_ms: float = 0, in_flight: int | None = None
    ) -> tuple[Body, Body] | None:
        """A tool's result, and the counts of its fresh server."""
        with serving(latency_ms, in_flight) as (url, asked):
            arguments = self.fresh() if tool == "ragauge" else []
            found = self.run(tool, url, self.n, concurrency, *arguments)
        return None if found is None else (found, asked)

    def calls(self) -> None:
        counted = self.options.tokenizer or "a token is 4 characters"
        print(f"calls and prompt tokens a sample ({self.n} samples; {counted})")
        for tool in self.tools:
            self.report_calls(tool, f"{tool}, four measures")
        self.report_calls("ragauge", "ragauge, and two more", "--six")

    def report_calls(self, tool: str, name: str, *arguments: str) -> None:
        arguments = (*self.fresh(), *arguments) if tool == "ragauge" else arguments
        with serving(tokenizer=self.options.tokenizer) as (url, asked):
            found = self.run(tool, url, self.n, self.options.concurrency[0], *arguments)
        if found is None:
            return
        calls, prompt, completion = (
            asked[key] / self.n for key in ("n_requests", "prompt_tokens", "completion_tokens")
        )
        print(
            f"    {name:36} {calls:6.2f} calls {prompt:8,.0f} tokens, {completion:6,.0f} of replies"
        )

    def latency(self) -> None:
        for latency_ms in self.options.latency_ms:
            for concurrency in self.options.concurrency:
                print(f"{self.n} samples, {latency_ms:g} ms, {concurrency} at once")
                first = None
                for tool in self.tools:
                    found = self.measured(tool, concurrency, latency_ms)
                    if found is not None:
                        first = first or found[0]["s"]
                        self.report_latency(tool, *found, latency_ms, concurrency, first)

    def report_latency(
        self, tool: str, took: Body, asked: Body, latency_ms: float, at_once: int, first: float
    ) -> None:
        bound = asked["n_requests"] * latency_ms / 1_000 / at_once
        reached = f"bound {bound:6.2f} s, {bound / took['s']:6.1%} reached  " if bound else ""
        cpu_ms = 1_000 * took["cpu_s"] / max(1, asked["n_requests"])
        print(
            f"    {tool:22} {took['s']:8.2f} s {took['s'] / first:7.1f} x  {reached}"
            f"{asked['n_requests']:6,} calls, at most {asked['most']:3} at once, {cpu_ms:5.1f} ms cpu a call  "
            f"{n_values(took):,} of {len(FOUR) * self.n:,} values  {took['peak_mb']:,.0f} MB",
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
                f"({wasted / n:.2%})  {n_values(took):,} of {len(FOUR) * self.n:,} values",
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
                f"{asked['n_requests']:,} calls  {n_values(took):,} of {len(FOUR) * n:,} values",
                flush=True,
            )
        size = Path(cache[1]).stat().st_size / 2**20
        print(f"    the cache has {size:,.0f} MB")

    def commit(self) -> None:
        """Commits in this process, of one reply and of 64 at once."""
        from ragauge.judges.protocol import Message, Reply, Request, entry_of, reply_ledger

        row = next(make_samples(1))
        messages = (Message("user", "\n".join(row["contexts"])),)
        ledger = reply_ledger(self.folder / "commit.db")
        taken: dict[int, list[float]] = {1: [], 64: []}
        for size, times in taken.items():
            for at in range(500):
                entries = [
                    entry_of(
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

    def faults(self) -> None:
        judge_faults.report(self)


def n_values(took: Body) -> int:
    return sum(one is not None for one in took["values"].values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    everything = ["calls", "latency", "limit", "stream", "commit", "faults"]
    parser.add_argument("--only", nargs="+", default=everything, choices=everything)
    parser.add_argument("--peers", default="", help="an interpreter that has ragas and deepeval")
    parser.add_argument("--ours", default=sys.executable, help="an interpreter that has ragauge")
    parser.add_argument("--tools", nargs="+", default=list(TOOLS), choices=list(TOOLS))
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--stream", type=int, default=10_000, help="samples of `stream`")
    parser.add_argument("--latency-ms", type=float, nargs="+", default=[0, 200])
    parser.add_argument("--concurrency", type=int, nargs="+", default=[16, 128])
    parser.add_argument("--in-flight", type=int, default=40, help="what `limit` allows")
    parser.add_argument("--tokenizer", help="of tiktoken, by which `calls` counts tokens")
    parser.add_argument("--timeout-s", type=float, default=10, help="of a call of `faults`")
    parser.add_argument("--limit-s", type=float, default=600, help="of a tool's run of `faults`")
    parser.add_argument("--folder", type=Path, help="where samples and caches are put")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        bench = Bench(Path(folder), options)
        for work in options.only:
            getattr(bench, work)()


if __name__ == "__main__":
    main()
