"""The stub server of `judge.py`, a separate process: correct replies, and faults in given shares.

    python benchmarks/judge_server.py [--latency-ms 200] [--in-flight 40] [--faults failing]

Prints the port, serves until standard input ends, then prints its counts. The fate of a request depends
on a digest of its text and on how often the text was sent before, so every tool meets the same shares,
in any order of requests.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from judge_replies import Replies, chance_of

FAULTY_SERVER = Path(__file__).parents[1] / "tests" / "judges" / "faulty_server.py"
CHARACTERS_PER_TOKEN = 4
DENIED = 0.25
"""Of the verdicts beside faults: where all say yes, one that is missing moves no score."""
FAULTS: Mapping[str, Mapping[str, float]] = {
    "none": {},
    "failing": {"refused": 0.05, "refused for a second": 0.05, "cut": 0.05, "hung": 0.01},
    "short": {"short": 0.2},
    "short within": {"short within": 0.2},
}
"""The shares of requests that are refused with 429, with and without a Retry-After; of replies whose
JSON is cut in half; that never come; whose list has one entry too few; and whose last entry's own list
has one too few. The last two are of the replies that have such a list."""
Body = dict[str, Any]


def _loaded(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Stub:
    """Decides the fate of each request, and counts.

    `counts`: requests by fate; "listed" and "nested": replies that have a list, and whose last entry
    has one; and tokens.
    """

    def __init__(
        self,
        server: ModuleType,
        shares: Mapping[str, float],
        replies: Replies,
        n_tokens: Callable[[str], int],
    ) -> None:
        self.server, self.shares, self.replies = server, shares, replies
        self.n_tokens = n_tokens
        self.counts: Counter[str] = Counter(prompt_tokens=0, completion_tokens=0)
        self._times_asked: Counter[int] = Counter()

    def answer(self, _: int, body: Body) -> Any:
        asked_text = "\n".join(str(message["content"]) for message in body["messages"])
        fate = self._fate(asked_text)
        if fate.startswith("refused"):
            self.counts[fate] += 1
            wait = "1" if fate == "refused for a second" else None
            return replace(self.server.too_many(wait), latency_s=0)
        schema = (body.get("response_format") or {}).get("json_schema") or {}
        reply = self.replies.to(asked_text, schema.get("name"))
        shorter = {"short": without_last(reply), "short within": without_last_within(reply)}
        self.counts.update(listed=shorter["short"] is not None)
        self.counts.update(nested=shorter["short within"] is not None)
        if fate in shorter:
            reply, fate = (reply, "right") if shorter[fate] is None else (shorter[fate], fate)
        self.counts[fate] += 1
        if fate == "hung":
            return self.server.HANG
        return self._completion(
            asked_text, json.dumps(reply), body.get("n") or 1, is_cut=fate == "cut"
        )

    def _fate(self, asked_text: str) -> str:
        if not self.shares:
            return "right"
        key = hash(asked_text)
        self._times_asked[key] += 1
        chance = chance_of(self._times_asked[key], asked_text)
        for fate, share in self.shares.items():
            chance -= share
            if chance < 0:
                return fate
        return "right"

    def _completion(self, asked_text: str, text: str, n: int, *, is_cut: bool) -> Any:
        """The reply `n` times, the first cut in half where it is cut."""
        usage = {
            "prompt_tokens": self.n_tokens(asked_text),
            "completion_tokens": n * self.n_tokens(text),
        }
        self.counts.update(usage)
        usage["total_tokens"] = sum(usage.values())
        first = text[: len(text) // 2] if is_cut else text
        choices = [
            {
                "index": at,
                "message": {"role": "assistant", "content": one, "refusal": None},
                "finish_reason": "stop",
                "logprobs": None,
            }
            for at, one in enumerate([first] + (n - 1) * [text])
        ]
        return self.server.ok(text, usage=usage, choices=choices)


def without_last(reply: Body) -> Body | None:
    """The reply with one entry less in its list; None where it has none."""
    lists = {name: one[:-1] for name, one in reply.items() if isinstance(one, list) and one}
    return {**reply, **lists} if lists else None


def without_last_within(reply: Body) -> Body | None:
    """The reply with one entry less in the list of its last entry; None where that has none."""
    for name, entries in reply.items():
        if isinstance(entries, list) and entries and isinstance(entries[-1], dict):
            short = without_last(entries[-1])
            return None if short is None else {**reply, name: [*entries[:-1], short]}
    return None


def counter(tokenizer: str | None) -> Callable[[str], int]:
    """The number of tokens of a text by one of tiktoken's tokenizers, or an estimate."""
    if tokenizer is None:
        return lambda text: len(text) // CHARACTERS_PER_TOKEN
    encoding = import_module("tiktoken").get_encoding(tokenizer)
    return lambda text: len(encoding.encode_ordinary(text))


def serve(
    latency_ms: float, in_flight: int | None, faults: str | None, tokenizer: str | None
) -> None:
    faulty = _loaded(FAULTY_SERVER)
    shares, denied = ({}, 0.0) if faults is None else (FAULTS[faults], DENIED)
    stub = Stub(faulty, shares, Replies(denied), counter(tokenizer))

    async def run() -> None:
        server = faulty.FaultyServer(
            stub.answer, latency_s=latency_ms / 1_000, in_flight=in_flight, keeps=False
        )
        listening = await server.listen()
        print(server.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)
        listening.close()
        print(json.dumps({**server.stats, **stub.counts}), flush=True)
        os._exit(0)  # connections that are still open would be waited for

    asyncio.run(run())


@contextmanager
def serving(
    latency_ms: float = 0,
    in_flight: int | None = None,
    faults: str | None = None,
    tokenizer: str | None = None,
) -> Iterator[tuple[str, Body]]:
    """The server's address, and what it was asked, which is there when it has ended."""
    command = [sys.executable, __file__, "--latency-ms", str(latency_ms)]
    command += [] if in_flight is None else ["--in-flight", str(in_flight)]
    command += [] if faults is None else ["--faults", faults]
    command += [] if tokenizer is None else ["--tokenizer", tokenizer]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--in-flight", type=int, help="more at once are refused with 429")
    parser.add_argument("--faults", choices=list(FAULTS))
    parser.add_argument("--tokenizer", help="of tiktoken, by which tokens are counted")
    options = parser.parse_args()
    serve(options.latency_ms, options.in_flight, options.faults, options.tokenizer)


if __name__ == "__main__":
    main()
