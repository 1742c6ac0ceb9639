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
