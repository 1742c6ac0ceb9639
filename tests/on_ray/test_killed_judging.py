"""A driver that is killed while it asks judges pays for no reply twice, and the run ends the same."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ragauge as rg

pytest.importorskip("ray", reason="pip install 'ragauge[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

N = 30
RUN = """
    import asyncio, os, sys
    import ragauge as rg
    from ragauge.judges.protocol import entry_of, key_of, reply_ledger
    from ragauge.judges.providers.factory import open_judge

    folder, log, kill_at, on = sys.argv[1], open(sys.argv[2], "a"), int(sys.argv[3]), sys.argv[4]
    cache, keys, one_at_a_time = folder + ".sqlite", [], asyncio.Semaphore(1)

    async def judge(request):
        async with one_at_a_time:
            log.write(key_of(opened.identity, request).hex() + "\\n")
            log.flush()
            if len(keys) + 1 == kill_at:
                while len(reply_ledger(cache).find(keys)) < len(keys):  # all that came before is kept
                    await asyncio.sleep(0.01)
                os.kill(os.getpid(), 9)
            keys.append(key_of(opened.identity, request))
            return '{"reason": "r", "verdict": "CORRECT"}'

    opened = open_judge(judge)
    rows = [
        {"id": f"q{at}", "question": f"What is {at}?", "answer": f"It is {at}.", "reference": f"{at}"}
        for at in range(int(sys.argv[5]))
    ]
    if __name__ == "__main__":
        rg.evaluate(
            rows, ["exact_match", "answer_class", "token_f1"], judge=opened, batch_size=5, folder=folder,
            cache=cache, executor=rg.Ray(workers=2) if on == "ray" else None,
        )
"""


def ended(home: Path, folder: str, on: str, kill_at: int = 0) -> tuple[int, list[str]]:
    """The exit code of a run, and the keys of all that was asked for this folder so far."""
    script, log = home / "judged.py", home / f"{folder}.log"
    script.write_text(textwrap.dedent(RUN))
    given = (home / folder, log, kill_at, on, N)
    process = subprocess.run(
        [sys.executable, str(script), *map(str, given)],
        cwd=home,
        env=os.environ,
        check=False,
        timeout=300,
    )
    return process.returncode, log.read_text().split()


def test_nothing_is_paid_twice_and_the_scores_are_those_of_one_process(tmp_path):
    code, whole = ended(tmp_path, "here", "here")
    assert code == 0
    assert len(whole) == len(set(whole)) == N
    for kill_at in (7, 11):
        code, _ = ended(tmp_path, "there", "ray", kill_at)
        assert code == -signal.SIGKILL
    code, asked = ended(tmp_path, "there", "ray")
    assert code == 0
    # Asked one at a time: each kill loses the reply that was being waited for, and no other.
    assert sorted(set(asked)) == sorted(whole)
    assert len(asked) == N + 2
    here, there = (rg.open_run(tmp_path / name) for name in ("here", "there"))
    assert there.scores.equals(here.scores)
    assert there.summary().equals(here.summary())
