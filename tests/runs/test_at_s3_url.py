"""Runs at URLs of a real S3 server: killed and resumed, and read by every command on any machine."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
EVALUATE = """
import os, signal, sys
import ragauge as rg

rows = [{"id": f"q{at}", "answer": f"It is ${at}.", "reference": f"${at % 50}"} for at in range(200)]
told = 0

def progress(done, n):
    global told
    told += 1
    print(done, flush=True)
    if told == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

rg.evaluate(rows, ["exact_match", "number_match"], folder=sys.argv[1], batch_size=20, progress=progress)
"""


def started(
    *arguments: str, cache: Path, **changed: str | None
) -> subprocess.CompletedProcess[str]:
    """A Python process with a folder of working copies: those of a machine of its own."""
    given = {**os.environ, "XDG_CACHE_HOME": str(cache), **changed}
    environment = {name: value for name, value in given.items() if value is not None}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=cache.parent,
        check=False,
    )


def command(
    *arguments: str, cache: Path, **changed: str | None
) -> subprocess.CompletedProcess[str]:
    return started("-m", "ragauge", *arguments, cache=cache, **changed)


def test_a_killed_run_is_resumed_and_copied_with_the_same_numbers(bucket, tmp_path):
    import s3fs

    files = s3fs.S3FileSystem()
    url = f"{bucket}/killed"
    first, second = tmp_path / "first", tmp_path / "second"
    killed = started("-c", EVALUATE, url, "4", cache=first)
    assert (killed.returncode, killed.stdout.split()) == (-signal.SIGKILL, ["20", "40", "60", "80"])
    files.invalidate_cache()
    assert not files.exists(url)
    same = started("-c", EVALUATE, url, "0", cache=first)
    assert same.stdout.split() == [str(done) for done in range(80, 201, 20)], same.stderr
    other = started("-c", EVALUATE, url, "0", cache=second)
    assert (other.returncode, other.stdout) == (0, ""), other.stderr
    here = tmp_path / "here"
    started("-c", EVALUATE, str(here), "0", cache=second)
    fetched = tmp_path / "fetched"
    files.invalidate_cache()
    files.get(url, str(fetched), recursive=True)
    names = {path.relative_to(here) for path in here.rglob("*") if path.is_file()}
    assert names == {path.relative_to(fetched) for path in fetched.rglob("*") if path.is_file()}
    for name in names - {Path("manifest.json")}:
        assert (here / name).read_bytes() == (fetched / name).read_bytes(), name


def test_what_does_not_answer_is_one_sentence(bucket, tmp_path):
    cache, url = tmp_path / "cache", f"{bucket}/none"
    (tmp_path / "a.jsonl").write_text('{"id": "q1", "answer": "x"}\n')
    run = ("run", "a.jsonl", "-m", "dont_know", "--folder")
    no_bucket = "s3://no-such-bucket/run"
    keys = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"))
    cases: list[tuple[tuple[str, ...], dict[str, str | None], str]] = [
        (("show", url), {}, f"{url}: is not a run folder: it has no manifest.json"),
        (("show", no_bucket), {}, "bucket does not exist; correct the URL, or create the bucket"),
        ((*run, no_bucket), {}, "bucket does not exist; correct the URL, or create the bucket"),
        (("show", url), {**keys, "HOME": str(tmp_path)}, "credentials (such as AWS_ACCESS_KEY_ID"),
        ((*run, url), {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "check the network and the cred"),
    ]
    for arguments, changed, says in cases:
        ended = command(*arguments, cache=cache, **changed)
        errors = [line for line in ended.stderr.splitlines() if "error" in line]
        assert ended.returncode == 5, ended.stderr
        assert len(errors) == 1, ended.stderr
        assert says in errors[0]
        assert "Traceback" not in ended.stderr


LABEL = """
import sys
import ragauge as rg
from ragauge.people.review import Review

review = Review(rg.open_run(sys.argv[1]).review_queue(n_sample=60), opinions=5)
for item in review.queue.items[:int(sys.argv[3])]:
    review.save(item, sys.argv[2], 1)
    print(item.id, flush=True)
"""


def test_people_label_at_the_same_time_and_what_was_saved_survives_a_kill(bucket, tmp_path):
    url, cache = f"{bucket}/labelled", tmp_path / "ann"
    started("-c", EVALUATE, url, "0", cache=cache)
    # Ann labels in two processes on one machine, ben and cleo on machines of their own; cleo is killed.
    people = {
        name: subprocess.Popen(
            [sys.executable, "-c", LABEL, url, name, "1000" if name == "cleo" else "15"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / name.split("-")[0])},
        )
        for name in ("ann-1", "ann-2", "ben", "cleo")
    }
    cleo = people["cleo"]
    assert cleo.stdout is not None
    said = {"cleo": [cleo.stdout.readline().strip() for _ in range(10)]}
    cleo.kill()
    said["cleo"] += cleo.communicate()[0].split()
    for name in ("ann-1", "ann-2", "ben"):
        said[name] = people[name].communicate()[0].split()
        assert (people[name].returncode, len(said[name])) == (0, 15)
    elsewhere = tmp_path / "elsewhere"
    count = (
        "import json, sys, ragauge as rg\n"
        "labels = rg.open_run(sys.argv[1]).labels()\n"
        "print(json.dumps([[id, each.raters] for (id, _), each in labels.answers.items()]))"
    )
    stored = json.loads(started("-c", count, url, cache=elsewhere).stdout)
    for name, ids in said.items():
        found = {id for id, raters in stored if name in raters}
        assert found >= set(ids), name
        # What cleo was not told of is there at most once.
        assert len(found) <= len(ids) + (name == "cleo"), name
