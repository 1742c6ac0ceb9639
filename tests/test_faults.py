"""What goes wrong in the world, through the command line: nothing lost, nothing half-written, no
traceback, and a message with the way out."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from cases import cases

import ragauge as rg

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


class Done(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


def written(path: Path, rows: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ragauge", *map(str, arguments)]


def started(folder: Path, *arguments: object, env: Mapping[str, str] = {}, **how: Any) -> Done:
    """The command as a process of its own."""
    how = {"env": {**os.environ, **env}, "capture_output": True, "timeout": 60, **how}
    done = subprocess.run(command(*arguments), cwd=folder, check=False, **how)
    said = (done.stderr or b"").decode()
    assert "Traceback" not in said
    return Done(done.returncode, (done.stdout or b"").decode(), said)


def scores(folder: Path) -> pl.DataFrame:
    return rg.open_run(folder).scores


GOOD = '{"id": "q1", "answer": "x"}\n'

UNREADABLE = {
    "empty": (b"", "holds no samples"),
    "duplicate ids": (GOOD.encode() * 2, "a.jsonl:2: id 'q1': duplicate id, first at a.jsonl:1"),
    "truncated": (GOOD.encode() + b'{"id": "q2", "answ', "a.jsonl:2: is not JSON"),
    "100,000 levels": (b'{"id":' + b"[" * 100_000, "a.jsonl:1: is nested too deeply"),
    "half a character in an id": (b'{"id": "q\\udfff", "answer": "x"}', "lone surrogate U+DFFF"),
    "a binary file": (bytes(range(256)) * 10, "a.jsonl"),
}
"""tests/loaders/formats/test_jsonl.py has all of them."""


@pytest.mark.parametrize(("content", "said"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_told_and_nothing_is_left(ragauge, tmp_path, content, said):
    (tmp_path / "a.jsonl").write_bytes(content)
    done = ragauge("run", "a.jsonl", "-m", "dont_know", "-o", "s.csv", code=3, out="")
    assert done.err.startswith("ragauge: error: a.jsonl")
    assert said in done.err
    assert len(done.err) < 2_000
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


def test_ids_that_look_like_something_else_stay_themselves_everywhere(ragauge, tmp_path):
    ids = ["007", "7", "NA", "true", "1e5", "null", "-0", "caf\u00e9", "cafe\u0301"]
    (tmp_path / "a.csv").write_text("id,answer\n" + "".join(f"{id},x\n" for id in ids))
    done = ragauge("run", "a.csv", "-m", "dont_know", "--folder", "r", "-o", "s.csv", code=0)
    assert scores(tmp_path / "r")["id"].to_list() == ids
    rows = (tmp_path / "s.csv").read_text().splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == ids
    assert "look alike but are different: '007', '7'" in done.err
    assert "look alike but are different: 'cafe\\u0301', 'caf\\xe9'" in done.err


def test_templates_and_formulas_in_data_are_verbatim(ragauge, tmp_path):
    texts = ["{{7*7}}", "{% endraw %}", "{q.__class__}", "%s %d", "$HOME", "[/foo][red]", "`id`"]
    written(tmp_path / "a.jsonl", [{"id": one, "system": "%s", "answer": one} for one in texts])
    done = ragauge("run", "a.jsonl", "-m", "dont_know", "--folder", "r", "-o", "s.jsonl", "--full")
    assert done.code == 0
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == texts
    assert "%s\n" in done.out
    for one in texts:
        assert f"answer{' ' * 14}{one}" in ragauge("show", "r", one).out


def test_a_long_filter_that_is_sound_is_not_printed_whole(ragauge, tmp_path):
    (tmp_path / "a.jsonl").write_text(GOOD)
    for id, code in (("q1", 0), ("q2", 3)):
        text = " or ".join([f'id = "{id}"'] * 700)
        done = ragauge("run", "a.jsonl", "-m", "dont_know", "--where", text, code=code)
        assert len(done.err) < 1_000


def test_what_is_large_is_done_in_bounded_time_and_cut_with_a_mark(ragauge, tmp_path):
    contexts = [f"passage number {n}" for n in range(10_000)]
    rows = [
        {"id": "wide", "answer": "word", "reference": "word", "contexts": contexts},
        {"id": "long", "answer": "word and more " * 100_000, "reference": "word"},
    ]
    written(tmp_path / "a.jsonl", rows)
    metrics = ("-m", "exact_match", "-m", "citation_quality", "-m", "dont_know")
    start = time.process_time()
    assert ragauge("run", "a.jsonl", *metrics, "--folder", "r").code == 0
    assert time.process_time() - start < 5
    for id in ("wide", "long"):
        done = ragauge("show", "r", id)
        assert "more" in done.out
        assert len(done.out) < 20_000


def test_answers_and_questions_that_do_not_meet_are_counted_and_shown(ragauge, tmp_path):
    written(tmp_path / "a.jsonl", [{"id": "q1", "answer": "x"}, {"id": "extra", "answer": "y"}])
    written(tmp_path / "g.jsonl", [{"id": f"q{n}", "reference": "x"} for n in (1, 2, 3)])
    done = ragauge(
        "run", "a.jsonl", "--gold", "g.jsonl", "-m", "exact_match", "--folder", "r", "--full"
    )
    assert done.code == 0
    assert "did not answer 2 of 3 questions: q2, q3" in done.err
    assert "answers 1 question not in the gold; kept: extra" in done.err
    # One of four scored; the other three at worst 0, at best 1.
    assert "default 3 missing, 2 of them: the sample has no answer" in done.out
    assert "(worst 0.250, best 1.000)" in done.out
    assert "q2, q3" in (tmp_path / "r/summary.md").read_text()
    assert "missing" in ragauge("show", "r", "q2").out


def test_a_path_that_is_no_utf_8_works_and_its_files_are_strict_json(ragauge, tmp_path):
    name = os.fsdecode(b"d\xff.jsonl")
    try:
        (tmp_path / name).write_text(GOOD)
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system takes UTF-8 only")
    folder = os.fsdecode(b"r\xff[1]*")
    done = started(tmp_path, "run", name, "-m", "dont_know", "--folder", folder, "-o", "s.json")
    assert done.code == 0
    assert json.loads((tmp_path / "s.json").read_text())["data"]["source"] == name
    assert ragauge("show", folder, "q1").code == 0


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A run of hostile text from which no environment may differ."""
    folder = tmp_path_factory.mktemp("reference")
    rows = [
        {"id": f"İq{n}", "system": f"né 東{n % 2}", "answer": f"Iı {n} $5", "reference": "ıI 5"}
        for n in range(20)
    ]
    written(folder / "a.jsonl", [{**row, "kind": "İİ"} for row in rows])
    return folder, in_environment(folder, {"PYTHONHASHSEED": "0"}, "reference")


def in_environment(folder: Path, env: Mapping[str, str], name: str) -> Done:
    outputs = [one for kind in ("csv", "md", "tex", "jsonl") for one in ("-o", f"{name}.{kind}")]
    arguments = ("run", "a.jsonl", "-s", "answer-quality", "--by", "kind", "--folder", name)
    done = started(folder, *arguments, *outputs, env=env)
    assert done.code == 0, done.err
    return done


@cases(
    {"LANG": "C", "LC_ALL": "", "PYTHONHASHSEED": "1", "PYTHONUTF8": "0"},
    *(
        pytest.param(env, marks=pytest.mark.slow)
        for env in (
            {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
            {"LC_ALL": "tr_TR.UTF-8"},
            {"LC_ALL": "xx"},
        )
    ),
    ids=str,
)
def test_locale_encoding_and_hash_seed_change_no_byte(env, reference, tmp_path):
    folder, expected = reference
    name = tmp_path.name
    done = in_environment(folder, env, name)
    assert done.out.replace(name, "reference") == expected.out
    parts = ("scores/000000.parquet", "evidence/000000.parquet")
    files = [f"/{file}" for file in (*parts, "summary.json", "summary.md", "samples.parquet")]
    for end in (*files, ".csv", ".md", ".tex", ".jsonl"):
        ours, theirs = folder / f"{name}{end}", folder / f"reference{end}"
        assert ours.read_bytes() == theirs.read_bytes()


def test_the_order_of_rows_changes_no_score_and_no_mean(ragauge, tmp_path, handbook):
    lines = handbook.read_text().splitlines()[:24]
    for name, rows in (("rows", lines), ("turned", lines[::-1])):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    there = ragauge("run", "rows.jsonl", "-s", "factual-qa", "--folder", "there")
    back = ragauge("run", "turned.jsonl", "-s", "factual-qa", "--folder", "back")
    assert there.out == back.out.replace("back", "there")
    keys = ["id", "system", "metric"]
    assert scores(tmp_path / "there").sort(keys).equals(scores(tmp_path / "back").sort(keys))


@LINUX
@pytest.mark.parametrize(
    "arguments",
    # `doctor` imports every extra that is installed, which takes seconds.
    [
        ("show", "reference"),
        *(pytest.param((name,), marks=pytest.mark.slow) for name in ("metrics", "doctor")),
    ],
)
def test_a_reader_that_leaves_is_no_error(reference, arguments):
    pipe_out, pipe_in = os.pipe()
    os.close(pipe_out)
    pipes = {"capture_output": False, "stdout": pipe_in, "stderr": subprocess.PIPE}
    done = started(reference[0], *arguments, **pipes)
    os.close(pipe_in)
    assert (done.code, done.err) == (0, "")


@LINUX
def test_a_full_disk_behind_standard_output_is_an_error_of_the_disk_and_no_failed_gate(reference):
    with Path("/dev/full").open("wb") as full:
        streams = {"capture_output": False, "stdout": full, "stderr": subprocess.PIPE}
        done = started(reference[0], "gate", "reference", "--rule", "exact_match > 1", **streams)
    assert done.code == 5
    assert done.err.startswith("ragauge: error: cannot write: ")


SLOW_ROWS = 6_000
SLOW = (
    "import time\nimport ragauge as rg\n\n@rg.metric(batch=True)\ndef slow(answer):\n"
    "    time.sleep(0.15)\n    return [len(one) % 7 / 7 for one in answer]\n"
)


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with answers, a metric that takes 0.15 s a batch of 1,000, and a whole run of it."""
    folder = tmp_path_factory.mktemp("slow")
    rows = [{"id": f"q{n}", "answer": "x" * (n % 11), "kind": n % 3} for n in range(SLOW_ROWS)]
    written(folder / "a.jsonl", rows)
    (folder / "slow.py").write_text(SLOW)
    assert started(folder, *slow_run("whole")).code == 0
    return folder


def slow_run(folder: str) -> tuple[str, ...]:
    plan = ("-m", "slow", "-m", "dont_know", "--plugin", "slow.py", "--by", "kind", "-j", "1")
    return ("run", "a.jsonl", *plan, "--folder", folder)


def stopped(folder: Path, name: str, sign: signal.Signals, n_parts: int) -> tuple[int, str]:
    """The command, sent a signal when it has so many parts; its exit code and what it said."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen(command(*slow_run(name)), cwd=folder, **pipes)
    parts, deadline = folder / name / "scores", time.monotonic() + 30
    while len(list(parts.glob("[0-9]*.parquet"))) < n_parts and time.monotonic() < deadline:
        time.sleep(0.005)
    running.send_signal(sign)
    _, said = running.communicate(timeout=30)
    return running.returncode, said.decode()


def assert_same_run(folder: Path, name: str) -> None:
    whole = folder / "whole"
    parts = [*whole.glob("scores/*"), *whole.glob("evidence/*")]
    files = [str(part.relative_to(whole)) for part in parts]
    for file in (*files, "samples.parquet", "summary.json", "summary.md"):
        assert (folder / name / file).read_bytes() == (whole / file).read_bytes()
    assert {one.name for one in (folder / name).iterdir() if not one.name.startswith(".")} == {
        one.name for one in (folder / "whole").iterdir()
    }


@pytest.mark.slow
@LINUX
@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_run_says_so_and_goes_on_where_it_stopped(slow):
    code, said = stopped(slow, "interrupted", signal.SIGINT, 2)
    assert code == 130
    assert "Traceback" not in said
    assert "interrupted; finished batches are kept" in said
    assert started(slow, "show", "interrupted").code == 5
    part = slow / "interrupted/scores/000000.parquet"
    made = part.stat().st_mtime_ns
    os.link(part, slow / "kept.parquet")
    assert started(slow, *slow_run("interrupted")).code == 0
    assert (slow / "kept.parquet").stat().st_mtime_ns == made, "the part was not made again"
    assert_same_run(slow, "interrupted")


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("n_parts", [0, 1, 4])
def test_a_killed_run_is_finished_by_the_same_command_with_the_same_bytes(slow, n_parts):
    name = f"killed-{n_parts}"
    code, _ = stopped(slow, name, signal.SIGKILL, n_parts)
    assert code == -signal.SIGKILL
    assert started(slow, "show", name).code == 5
    if n_parts == 4:  # and one of them is damaged
        (slow / name / "scores/000001.parquet").write_bytes(b"PAR1 not really")
    done = started(slow, *slow_run(name))
    assert done.code == 0, done.err
    assert_same_run(slow, name)


NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}  # it would be cut off like every file


def small_files_only() -> None:
    """As on a full disk: no file may grow beyond 2,000 bytes."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))


@LINUX
@pytest.mark.slow
def test_a_full_disk_in_mid_run_is_said_and_the_run_can_be_finished(slow):
    done = started(slow, *slow_run("full"), preexec_fn=small_files_only, env=NO_BYTECODE)
    assert (done.code, done.out) == (5, "")
    assert "cannot be written: File too large" in done.err
    assert started(slow, *slow_run("full")).code == 0
    assert_same_run(slow, "full")


@LINUX
def test_a_folder_that_may_not_be_written_is_said_and_can_be_avoided(
    ragauge, tmp_path, without_superuser_rights
):
    written(tmp_path / "a.jsonl", [{"id": "q1", "answer": "x"}])
    tmp_path.chmod(0o555)
    run = ("run", "a.jsonl", "-m", "dont_know")
    try:
        done = started(tmp_path, *run, preexec_fn=without_superuser_rights)
        assert (done.code, done.out) == (5, "")
        assert "cannot be written: Permission denied" in done.err
        assert "free space" not in done.err
        assert "choose another place" in done.err
        assert ragauge("validate", "a.jsonl").code == 0
    finally:
        tmp_path.chmod(0o755)
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]


@LINUX
@pytest.mark.slow
def test_a_finished_run_in_a_read_only_folder_can_be_shown_and_run_again(
    slow, tmp_path, without_superuser_rights
):
    for name in ("a.jsonl", "slow.py"):
        shutil.copy(slow / name, tmp_path / name)
    shutil.copytree(slow / "whole", tmp_path / "whole")
    (tmp_path / "whole").chmod(0o555)
    try:
        for arguments in (("show", "whole"), slow_run("whole")):
            done = started(tmp_path, *arguments, preexec_fn=without_superuser_rights)
            assert done.code == 0, done.err
    finally:
        (tmp_path / "whole").chmod(0o755)


@cases(
    (("-o", "folder.csv"), 2, "folder.csv: is a folder; give a file in it"),
    (("-o", "a.jsonl/s.csv"), 5, "a file is in the way"),
    (("--folder", "a.jsonl"), 5, "a.jsonl: cannot be written: a file is in the way"),
    (("--folder", "folder.csv"), 5, "folder.csv: is not a run folder: it contains 'mine.txt'"),
)
def test_a_place_that_cannot_be_written_to_is_said(arguments, code, said, ragauge, tmp_path):
    (tmp_path / "a.jsonl").write_text(GOOD)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.csv/mine.txt").write_text("mine")
    assert said in ragauge("run", "a.jsonl", "-m", "dont_know", *arguments, code=code, out="").err
    assert (tmp_path / "a.jsonl").read_text() == GOOD
    assert [one.name for one in (tmp_path / "folder.csv").iterdir()] == ["mine.txt"]
