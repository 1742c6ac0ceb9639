"""Commands that people paste into a shell."""

import shlex
import shutil
import subprocess

import pytest

from ragauge.report.plain import for_terminal, shell_word, show_command

NAMES = [
    "q1", "two words", "it's", 'say "hi"', "$HOME", "`id`", "a;b", "new\nline", "tab\tand'quote",
    "ünï", "zero\u200bwidth", "::error::x", "##[debug]", "back\\slash\x07", "\U000e0041", "#x",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("name", NAMES)
def test_a_shell_reads_the_name_back(name: str):
    word = shell_word(name)
    assert for_terminal(word) == word, "nothing is left to escape"
    script = f"printf %s {word}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert done.stdout.decode() == name


@pytest.mark.parametrize(
    ("folder", "id", "words"),
    [
        ("run", "q1", ["run", "q1"]),
        ("run", "-x", ["--", "run", "-x"]),
        ("-run", "q1", ["--", "-run", "q1"]),
        ("run", None, ["run", "--full"]),
        ("-run", None, ["--full", "--", "-run"]),
    ],
)
def test_a_name_with_a_dash_is_no_option(folder: str, id: str | None, words: list[str]):
    assert shlex.split(show_command(folder, id)) == ["ragauge", "show", *words]
