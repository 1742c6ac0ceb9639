"""Run a command again and again, ended by a signal at each place where it touches its files.

    python killed.py BASE WORK STEP SIGNAL COMMAND...

Each time in a fresh copy of the folder BASE, as a child of this process, which has imported all that is needed: so a
hundred times take seconds. Then the same command runs to its end. Prints a JSON object with what was wrong.
"""

import importlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import ragauge
from ragauge.cli import COMMANDS, main

FILES_CHANGED = (
    "os.rename",
    "os.remove",
    "os.link",
    "os.truncate",
    "os.chmod",
    "os.mkdir",
    "os.symlink",
)
TIMES = ("started", "finished", "seconds", "time", "label", "digest", "machine", "digests")
NEVER = 10**9


def imported() -> None:
    for name in COMMANDS:
        importlib.import_module(f"ragauge.cli.commands.{name.replace('-', '_')}")
    for name in (
        "polars",
        "rich.console",
        "rich.table",
        "ragauge.catalog",
        "ragauge.rankings.rank",
    ):
        importlib.import_module(name)
    assert ragauge.evaluate


def is_within(place: Path, path: str) -> bool:
    return os.path.normpath(place / path).startswith(str(place))


def hook(place: Path, signum: int, kill_at: int, seen: Callable[[int], None]) -> None:
    """Send the signal at the n-th time that a file in the folder is opened to write, renamed, removed …"""
    count = 0

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        is_change = event in FILES_CHANGED
        if event == "open":
            flags = arguments[2]
            is_change = isinstance(flags, int) and bool(
                flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            )
        if not is_change:
            return
        path = arguments[0]
        if not isinstance(path, int) and not is_within(
            place, os.fsdecode(cast("str | bytes", path))
        ):
            return
        count += 1
        seen(count)
        if count == kill_at:
            os.kill(os.getpid(), signum)

    sys.addaudithook(audit)


def call(arguments: list[str], work: Path, signum: int, kill_at: int) -> tuple[int, int]:
    """The command's exit code, minus the signal that ended it, and how often it touched its files."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with Path(os.devnull).open("r+b") as nothing:
            for stream in (0, 1, 2):
                os.dup2(nothing.fileno(), stream)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        hook(work, signum, kill_at, lambda _: os.write(writer, b"."))
        try:
            main(arguments)
        except SystemExit as left:
            os._exit(int(left.code or 0))
        os._exit(99)
    os.close(writer)
    touched = 0
    while piece := os.read(reader, 65_536):
        touched += len(piece)
    os.close(reader)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), touched


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def content(file: Path) -> object:
    """What must be the same each time: JSON without the times in it, other files as they are."""
    if file.suffix == ".jsonl":
        return [without_times(json.loads(line)) for line in file.read_text().splitlines()]
    if file.suffix == ".json":
        return without_times(json.loads(file.read_text()))
    return file.stat().st_size > 0 if file.suffix in (".html", ".sqlite") else file.read_bytes()


def tree(folder: Path) -> dict[str, object]:
    files = (
        file for file in sorted(folder.rglob("*")) if file.is_file() and file.suffix != ".lock"
    )
    return {file.relative_to(folder).as_posix(): content(file) for file in files}


def tried(
    base: Path, work: Path, step: int, signum: int, arguments: list[str]
) -> dict[str, object]:
    def fresh() -> None:
        os.chdir(base)
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(base, work)
        os.chdir(work)

    problems: list[str] = []
    fresh()
    before = tree(work)
    code, touched = call(arguments, work, signum, NEVER)
    after = tree(work)
    n_killed = 0
    for kill_at in range(1, touched + 1, step):
        fresh()
        ended, _ = call(arguments, work, signum, kill_at)
        # The code of the whole command where the signal came after its end, or not at all.
        if ended not in (-signum if signum == signal.SIGKILL else 128 + signum, code):
            problems.append(f"{kill_at}: ended with {ended}")
        n_killed += ended != code
        left = [path.name for path in work.rglob("*.part")]
        if left and signum != signal.SIGKILL:
            problems.append(f"{kill_at}: left {left}")
        try:
            for name, now in tree(work).items():
                is_grown = name.endswith((".part", "manifest.json", "labels.jsonl"))
                if not is_grown and now not in (before.get(name), after.get(name)):
                    problems.append(f"{kill_at}: {name} is neither the old nor the new file")
        except ValueError as error:
            problems.append(f"{kill_at}: a file is half written: {error}")
        again, _ = call(arguments, work, signum, NEVER)
        if again != code:
            problems.append(f"{kill_at}: then ended with {again}, not {code}")
        result = tree(work)
        if result != after:
            names = sorted(
                name for name in {*result, *after} if result.get(name) != after.get(name)
            )
            problems.append(f"{kill_at}: then {names} differ")
    return {"code": code, "touched": touched, "killed": n_killed, "problems": problems}


if __name__ == "__main__":
    imported()
    base, work, step, name, *arguments = sys.argv[1:]
    done = tried(Path(base), Path(work), int(step), getattr(signal, name), arguments)
    print(json.dumps(done))
