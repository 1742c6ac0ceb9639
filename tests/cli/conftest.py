import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ANSWERS = """\
{"id": "q1", "system": "a", "answer": "Paris", "reference": "Paris", "kind": "fact", "year": 2019}
{"id": "q2", "system": "a", "answer": "Rome is it", "reference": "Rome", "kind": "list", "year": 2021}
{"id": "q1", "system": "b", "answer": "paris", "reference": "Paris", "kind": "fact", "year": 2019}
{"id": "q2", "system": "b", "answer": null, "reference": "Rome", "kind": "list", "year": 2021}
"""


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Two systems, two questions; `b` gives no answer to q2.

    exact_match: a 1 and 0, b 1 and missing. token_f1 of "Rome is it" with "Rome": precision 1/3,
    recall 1, so 0.5.
    """
    path = tmp_path / "answers.jsonl"
    path.write_text(ANSWERS)
    return path


class Clock:
    """Seconds that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def runs_made() -> dict[tuple[object, ...], Path]:
    """The folders of runs that tests have made, by what they were made of."""
    return {}


@pytest.fixture
def made(ragauge, tmp_path, tmp_path_factory, runs_made) -> Callable[..., str]:
    """`ragauge run DATA …` in the test's folder; what another test has made already is copied."""

    def call(data: str, *arguments: str, folder: str) -> str:
        key = ((tmp_path / data).read_bytes(), data, arguments, folder)
        if key in runs_made:
            shutil.copytree(runs_made[key], tmp_path / folder)
        else:
            done = ragauge("run", data, *arguments, "--folder", folder)
            assert done.code == 0, done.err
            kept = tmp_path_factory.mktemp("made") / folder
            runs_made[key] = Path(shutil.copytree(tmp_path / folder, kept))
        return folder

    return call


def _numbers_as_text(text: str) -> list[str]:
    """The texts in JSON that are a number, or one with an interval, a unit or a total."""
    found: list[str] = []

    def leaf(members: list[tuple[str, object]]) -> None:
        names = ("version", "digest", "documentation")  # "1.2" of a package is no number
        found.extend(v for k, v in members if isinstance(v, str) and k not in names)

    json.loads(text, object_pairs_hook=leaf)
    number = r"[-+]?[\d,]*\.?\d+( ?%| ?MiB)?|[\d,]+ of [\d,]+|[\d.]+ ?[–(].*"
    return [each for each in found if re.fullmatch(number, each)]


@pytest.fixture
def numbers_as_text() -> Callable[[str], list[str]]:
    return _numbers_as_text
