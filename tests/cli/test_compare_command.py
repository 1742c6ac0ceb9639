"""`ragauge compare`: systems of a run, runs in folders, files of answers; formats and errors."""

import io
import json
import re

import pytest
from cases import cases
from rich.console import Console

import ragauge as rg
from ragauge.comparing.report import comparison_report
from ragauge.report.terminal import print_report


def answers(right: dict[str, int], n: int = 12) -> str:
    """Answers of each system, the first of them right and the others wrong, as JSON lines."""
    return "".join(
        json.dumps(
            {
                "id": f"q{at:02}",
                "system": system,
                "question": f"What is {at}?",
                "answer": "Rome" if at < n_right else "Oslo",
                "reference": "Rome",
                "topic": "odd" if at % 2 else "even",
            }
        )
        + "\n"
        for system, n_right in right.items()
        for at in range(n)
    )


@pytest.fixture
def run(made, tmp_path):
    """A run of three systems with 2, 11 and 2 of 12 right answers."""
    (tmp_path / "a.jsonl").write_text(answers({"old": 2, "new": 11, "same": 2}))
    return made("a.jsonl", "-m", "exact_match", folder="r")


def test_the_first_screen_says_what_changed_and_what_to_open(ragauge, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    done = ragauge("compare", run, "old", "new", code=0, err="")
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[0] == "new is better than old on exact_match (+0.750)."
    assert lines[1] == "new against old · 12 questions"
    # Nine fixed, none broken: 2 / 2^9 = 0.004.
    (row,) = [line for line in lines if line.startswith("exact_match ↑")]
    assert row.split()[2:5] == ["0.167", "0.917", "+0.750*"]
    assert row.split()[-5:] == ["0.004", "12", "9", "3", "0"]
    assert "fixed on exact_match: 9 (q02, q03, q04, q05 … 5 more)" in lines
    assert "broken on exact_match: 0" in lines
    assert lines[-1] == "next: ragauge show r q02"
    assert len(lines) <= 25


def test_ten_metrics_of_one_pair_take_at_most_25_lines(ragauge, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    names = [f"precision@{k}" for k in range(1, 11)]
    rows = [json.loads(line) for line in answers({"old": 2, "new": 11}).splitlines()]
    found = {"Rome": ["d"], "Oslo": ["e"]}
    rows = [row | {"context_ids": found[row["answer"]], "relevant": {"d": 1}} for row in rows]
    rg.evaluate(rows, names, folder="ten")
    lines = ragauge("compare", "ten", "old", "new").out.splitlines()
    assert sum(line.count("[") for line in lines) == 10  # an interval each
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 100


@cases(("80", None), ("60", "+ = −"), ("40", "old · new · 95 % interval · + = −"))
def test_no_number_is_cut_in_a_narrow_terminal(width, missing, ragauge, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    done = ragauge("compare", run, "old", "new")
    lines = done.out.splitlines()
    (row,) = [line for line in lines if line.startswith("exact_match ↑")]
    assert "+0.750*" in row and "0.004" in row and "…" not in row
    assert ("0.917" in row) == (width != "40")
    note = f"the terminal is too narrow for: {missing}; -f md prints every column"
    assert (note in " ".join(done.out.split())) == (missing is not None)
    assert max(map(len, lines)) <= int(width)


@pytest.mark.parametrize(("width", "n_shown"), [("40", 3), ("33", 1)])
def test_as_many_systems_are_shown_as_fit(run, tmp_path, width, n_shown):
    # Without the command, since it prints at least 40 columns into a pipe.
    comparison = rg.open_run(tmp_path / run).compare("old", "new", "same")
    out = io.StringIO()
    print_report(Console(file=out, width=int(width)), comparison_report(comparison))
    (row,) = [line for line in out.getvalue().splitlines() if line.startswith("exact_match ↑")]
    assert len(re.findall(r"\b0\.\d{3}\b", row)) == n_shown
    assert "…" not in row


def test_systems_are_named_with_their_folder_or_all_of_a_run_compared(ragauge, run, tmp_path):
    one = ragauge("compare", "old@r", "new@r", "-f", "json").out
    assert one == ragauge("compare", run, "old", "new", "-f", "json").out
    (tmp_path / "old").mkdir()  # a system of the run is meant, whatever is called so besides
    assert one == ragauge("compare", run, "old", "new", "-f", "json").out
    every = json.loads(ragauge("compare", run, "-f", "json", "--all-pairs").out)
    assert every["systems"] == ["new", "old", "same"]
    assert len(every["rows"]) == 3


@pytest.mark.parametrize("is_named", [False, True])
def test_files_of_answers_are_evaluated_first(ragauge, tmp_path, is_named):
    for name, n_right in (("old", 3), ("new", 9)):
        text = answers({name: n_right})
        text = text if is_named else text.replace(f'"system": "{name}", ', "")
        (tmp_path / f"{name}.jsonl").write_text(text)
    done = ragauge("compare", "old.jsonl", "new.jsonl", "-m", "exact_match", "-f", "json", code=0)
    data = json.loads(done.out)
    assert (data["systems"], data["rows"][0]["difference"]) == (["old", "new"], 0.5)
    assert "stored in ragauge-runs" in done.err
    assert (tmp_path / "ragauge-runs").is_dir()


def test_slices_are_printed_below(ragauge, run):
    done = ragauge("compare", run, "old", "new", "--by", "topic")
    lines = done.out.splitlines()
    at = lines.index("by topic")
    assert lines[at + 1].split()[:2] == ["topic", "metric"]
    assert [line.split()[0] for line in lines[at + 3 : at + 5]] == ["even", "odd"]
    assert "Holm-corrected for 3 tests" in done.out


@cases(
    ("r odl", 2, "'odl' is neither a path nor a system of r; did you mean 'old'?"),
    ("r r", 2, "r has 3 systems: new, old, same; choose one: new@r"),
    ("r old", 2, "a comparison needs two systems or more"),
    ("r old old", 2, "'old' of r is given twice"),
    ("missing old", 2, "missing: no such run folder or file of answers"),
    ("r old new -m exact", 2, "no metric 'exact'"),
    ("r old new --by topci", 2, "did you mean 'topic'"),
    ("r old new --suite rag", 2, "are for files of answers"),
    ("r old new --cluster topic --test mcnemar", 2, "as independent"),
    ("r old new -o x.xls", 2, "'x.xls': unknown format; -o takes a file that ends in .md,"),
    ("r old new -o x.md -f table", 2, "x.md: a table is for the terminal"),
    ("e old", 5, "e: is not a run folder"),
    ("s3://b/r.jsonl old", 2, "s3://b/r.jsonl: compare reads runs at URLs, and answers on"),
)
def test_what_cannot_be_compared_is_said(arguments, code, message, ragauge, run, tmp_path):
    (tmp_path / "e").mkdir()
    assert message in ragauge("compare", *arguments.split(), code=code, out="").err


def test_without_a_second_system_the_command_says_what_can_be_compared(ragauge, run, tmp_path):
    nothing = ragauge("compare")
    assert nothing.code == 2 and "none in ragauge-runs" in nothing.err
    (tmp_path / "new.jsonl").write_text(answers({"new": 11}))
    for _ in range(2):  # the same run twice is one run
        assert ragauge("run", "new.jsonl", "-m", "exact_match").code == 0
    assert ragauge("run", "a.jsonl", "-m", "token_f1").code == 0
    three, one = (str(next((tmp_path / "ragauge-runs").glob(name))) for name in ("a-*", "new-*"))
    listed = ragauge("compare", code=2)
    three, one = (path.removeprefix(f"{tmp_path}/") for path in (three, one))
    assert f"  ragauge compare {three} new old same\n" in listed.err
    assert f"  ragauge compare {one} OTHER\n" in listed.err
    alone = ragauge("compare", "new@r", code=2, out="")
    assert "new@r is one system, new; compare it with another:" in alone.err
    assert "  ragauge compare new@r old@r\n" in alone.err
    assert f"  ragauge compare new@r new@{one}\n" in alone.err
    assert three not in alone.err  # it has no metric in common
    alone = ragauge("compare", one)
    assert f"{one} is one system, new; give another run too" in alone.err


def test_systems_of_one_name_are_named_by_their_runs(ragauge, tmp_path):
    (tmp_path / "a.jsonl").write_text(answers({"mine": 2}))
    for folder in ("mon/run", "tue/run", "wed"):
        assert ragauge("run", "a.jsonl", "-m", "exact_match", "--folder", folder).code == 0
    shown = ragauge("compare", "mon/run", "wed").out
    assert "mine@wed against mine@run · 12 questions" in shown
    shown = ragauge("compare", "mon/run", "tue/run").out
    assert "mine@tue/run against mine@mon/run · 12 questions" in shown
