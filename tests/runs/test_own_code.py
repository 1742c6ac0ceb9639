"""A user's metric whose code changed without a new version: `compare` notices, and only that."""

import os

import pytest

import ragauge as rg
from ragauge.cli.running import import_plugins
from ragauge.errors import PlanError
from ragauge.runs.own_code import own_digest

pytestmark = pytest.mark.usefixtures("own_metrics")

PLUGIN = '''"""A user's metrics."""
import re
import ragauge as rg

LIMIT = 3
UNUSED = 1


@rg.feature
def long_words(answer: str) -> int:
    return sum(is_long(word) for word in re.findall(r"[a-z]+", answer))


def is_long(word):
    """Whether a word is long."""
    return len(word) > LIMIT


@rg.metric(version=1, high=None)
def n_long(long_words) -> float:
    """How many words are long."""
    return float(long_words)
'''
SAMPLES = [{"id": f"q{at}", "answer": "a long answer"} for at in range(3)]


@pytest.fixture
def run_with(tmp_path):
    """Evaluates with the plugin in this state; each call is a later one."""
    file = tmp_path / "mine_for_digest.py"
    calls = []

    def evaluate(text: str) -> rg.Run:
        file.write_text(text)
        calls.append(text)
        os.utime(file, ns=(len(calls), len(calls)))  # edits within one tick of the clock
        import_plugins([file])
        return rg.evaluate(SAMPLES, "n_long")

    return evaluate


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("float(long_words)", "float(long_words) / 2", "n_long"),
        ("LIMIT = 3", "LIMIT = 4", "feature long_words"),
        ("> LIMIT", ">= LIMIT", "feature long_words"),
        ("[a-z]+", "[a-y]+", "feature long_words"),
    ],
)
def test_code_that_changed_without_a_version_is_refused(run_with, old, new, what):
    base, other = run_with(PLUGIN), run_with(PLUGIN.replace(old, new))
    with pytest.raises(PlanError, match=rf"cannot compare n_long: the code of {what} is other in"):
        rg.compare(base, other)
    comparison = rg.compare(base, other, allow_mismatch=True)
    assert any("its version is not" in note for note in comparison.notes)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("How many words are long.", "The number of long words."),
        ("Whether a word is long.", "Is it?"),
        ("UNUSED = 1", "UNUSED = 2  # and a comment"),
        ("LIMIT = 3\n", "LIMIT   =   3\n\n\n"),
        ("@rg.feature", "@rg.metric(version=1)\ndef other(answer: str) -> float:\n    return 0.5\n\n\n@rg.feature"),
    ],
)  # fmt: skip
def test_what_makes_no_number_may_change(run_with, old, new):
    assert rg.compare(run_with(PLUGIN), run_with(PLUGIN.replace(old, new))).row("n_long").n == 3


def test_a_new_version_is_named_as_such(run_with):
    with pytest.raises(PlanError, match=r"n_long: version 1 in .*, version 2 in"):
        rg.compare(run_with(PLUGIN), run_with(PLUGIN.replace("version=1", "version=2")))


def test_runs_of_an_earlier_version_do_not_say_and_are_compared(run_with):
    base = run_with(PLUGIN)
    changed = run_with(PLUGIN.replace("> LIMIT", ">= LIMIT"))
    plan = {
        **base.manifest.plan,
        "nodes": [
            {k: v for k, v in node.items() if k != "code"} for node in base.manifest.plan["nodes"]
        ],
    }
    from dataclasses import replace

    old = replace(base, manifest=replace(base.manifest, plan=plan))
    assert rg.compare(old, changed).row("n_long").n == 3


def test_code_in_other_files_of_the_user_counts(run_with, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    helper = tmp_path / "words_for_digest.py"
    text = PLUGIN.replace("LIMIT = 3", "from words_for_digest import LIMIT")
    helper.write_text("LIMIT = 3\nOTHER = 1\n")
    base = run_with(text)
    helper.write_text("LIMIT = 3\nOTHER = 22\n")
    same = run_with(text)
    assert rg.compare(base, same).row("n_long").n == 3
    helper.write_text("LIMIT = 444\nOTHER = 22\n")
    other = run_with(text)
    with pytest.raises(PlanError, match="its version is not"):
        rg.compare(base, other)


def test_only_the_user_s_own_code_has_a_digest():
    from ragauge.metrics.overlap import exact_match

    assert own_digest(exact_match) is None
    assert own_digest(os.path.join) is not None
    assert own_digest(len) is None
