"""FAULTS.md 29 and 32: what a command finds around it: folders, links, limits, terminals and clocks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ragauge as rg

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
RAGAUGE = f"{sys.executable} -m ragauge"
RUN = f"{RAGAUGE} run $here/a.jsonl -m exact_match --quiet --folder"
AT_TIME = (
    f'{sys.executable} -c "import time; time.time = lambda: {{}}; time.monotonic = lambda: 0.0; '
    "from ragauge.cli import main; main(['run', 'a.jsonl', '-m', 'exact_match', '--folder', 'r'])\""
)

# A script, and the exit codes that it may have.
QUICK = {
    "no home, a terminal of no columns, and a folder that was removed": (
        f"mkdir d; cd d; rmdir ../d; unset HOME; COLUMNS=0 {RAGAUGE} show $here/run", (0,)),
}  # fmt: skip
SLOW = {
    "a new folder in one that was removed": (
        f"mkdir d; cd d; rmdir ../d; {RAGAUGE} run $here/a.jsonl -m exact_match", (5,)),
    "a closed input and a terminal of one column": (
        f"LC_ALL=C COLUMNS=1 TERM=dumb {RAGAUGE} show run --full <&-", (0,)),
    "no threads for polars": (f"POLARS_MAX_THREADS=0 {RAGAUGE} show $here/run", (2,)),
    "a home that is none": (f"HOME=/nonexistent {RUN} r", (0,)),
    "no folder for temporary files": (f"TMPDIR=/nonexistent {RUN} r", (0,)),
    "no permissions for anybody": (f"umask 777; {RUN} r", (0, 5)),
    "few open files": (f"ulimit -n 24; {RUN} r", (0, 5)),
    "no file may be written": (f"ulimit -f 0; {RUN} r", (5,)),
    "columns below 0": (f"COLUMNS=-5 {RAGAUGE} show run", (0,)),
    "columns without end": (f"COLUMNS=99999999 {RAGAUGE} show run", (0,)),
    "a time zone that is none": (f"TZ=Nowhere/x {RUN} r", (0,)),
    "the year 9999": (AT_TIME.format("253402300000.0"), (0,)),
    "a clock before 1970": (AT_TIME.format("-5.0"), (0,)),
    "data that are a circle of links": (f"ln -s loop loop; {RAGAUGE} run loop -m exact_match", (3,)),
    "a folder that is a circle of links": (f"ln -s loop loop; {RAGAUGE} show loop", (5,)),
    "an output in a circle of links": (f"ln -s loop loop; {RUN} r -o loop/x.csv", (2, 5)),
    "an output that is the data": (f"{RUN} r -o a.jsonl", (2,)),
    "an output that is a link to the data": (f"ln -s a.jsonl x.csv; {RUN} r -o x.csv", (0, 2, 5)),
    "an output that is a pipe": (f"mkfifo x.csv; {RUN} r -o x.csv", (0, 2, 5)),
    "a name that is too long": (f"{RUN} {'x' * 300}", (5,)),
}  # fmt: skip


@LINUX
@pytest.mark.parametrize(
    ("script", "codes"),
    [*QUICK.values(), *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW.values())],
    ids=[*QUICK, *SLOW],
)
def test_the_surroundings_of_a_command_are_no_bug(tmp_path, script, codes):
    rows = [{"id": f"q{at}", "answer": "é \u202e", "reference": "é"} for at in range(3)]
    data = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "a.jsonl").write_text(data)
    rg.evaluate(rows, "exact_match", folder=tmp_path / "run")
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, check=False, timeout=110,
        env={**os.environ, "here": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    said = done.stderr.decode()
    assert done.returncode in codes, said
    assert "Traceback" not in said
    assert "bug in ragauge" not in said
    assert (tmp_path / "a.jsonl").read_text() == data, "the data are as they were"
    assert not list(tmp_path.rglob("*.part"))
    assert Path(tmp_path / "run/manifest.json").exists()
