"""`ragauge run` with several files: which rows belong together, and what it says if it is unclear."""

import json
from pathlib import Path

import pytest
from cases import cases

import ragauge as rg

EXACT = ("-m", "exact_match", "--folder", "r")
SYSTEMS = ("--system", "a=a.jsonl", "--system", "b=b.jsonl")


@pytest.fixture
def write(tmp_path: Path):
    def rows(name: str, *given: dict[str, object]) -> None:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in given))

    return rows


def row(question: str, answer: str, reference: str, **more: object) -> dict[str, object]:
    return {"question": question, "answer": answer, "reference": reference, **more}


def test_one_id_with_two_questions_is_bad_data_with_ways_out(ragauge, write):
    write("a.jsonl", row("Who?", "Ann", "Ann", id=1), row("Where?", "Kiel", "Rome", id=2))
    write("b.jsonl", row("Where?", "Rome", "Rome", id=1), row("Who?", "Ann", "Ann", id=2))
    done = ragauge("run", *SYSTEMS, *EXACT, code=3, out="")
    assert (
        "b.jsonl:1: id '1', field 'question': is 'Where?' here, but 'Who?' in a.jsonl:1" in done.err
    )
    assert "2 ids differ like this" in done.err
    assert not Path("r").exists()
    for way_out in (("--by-place",), ("--prefer", "first"), ("--prefer", "answers")):
        done = ragauge("run", *SYSTEMS, "-m", "exact_match", *way_out, code=0)
        assert "question differs between rows for 2 ids (the first is '1')" in done.err


def test_gold_that_disagrees_with_the_answers_is_bad_data(ragauge, write):
    write("a.jsonl", row("Who?", "Ann", "Bob", id=1))
    write("gold.jsonl", {"id": 1, "question": "who?", "reference": "Ann"})
    run = ("run", "a.jsonl", "--gold", "gold.jsonl", "-m", "exact_match")
    done = ragauge(*run, code=3)
    assert "field 'references': is 'Bob' here, but 'Ann' in gold.jsonl:1" in done.err
    assert "--prefer gold|answers|first" in done.err
    assert ragauge(*run, "--prefer", "gold", "--folder", "r").code == 0
    assert rg.open_run("r").scores["value"].to_list() == [1.0]
    done = ragauge("validate", "a.jsonl", "--gold", "gold.jsonl", code=3)
    assert ragauge("validate", "a.jsonl", "--gold", "gold.jsonl", "--prefer", "gold").code == 0


def test_the_configuration_may_choose(ragauge, write, tmp_path):
    write("a.jsonl", row("Who?", "Ann", "Bob"))
    write("gold.jsonl", {"question": "Somebody?", "reference": "Ann"})
    text = 'data = "a.jsonl"\ngold = "gold.jsonl"\nmetrics = ["exact_match"]\n'
    (tmp_path / "run.toml").write_text(text + 'by_place = true\nprefer = "gold"\nfolder = "r"\n')
    done = ragauge("run", "run.toml", code=0)
    assert rg.open_run("r").scores["value"].to_list() == [1.0]
    (tmp_path / "run.toml").write_text(text + 'prefer = "gould"\n')
    done = ragauge("run", "run.toml", code=2, out="")
    assert "prefer is 'gould'; did you mean 'gold'?" in done.err


@cases(
    (("--prefer", "golden"), 2, "'golden' is not one of"),
    (("--prefer", "gold"), 2, "needs a gold file"),
    (("--by-place",), 3, "rows can be paired by place only if their numbers are equal"),
    ((), 3, "1 row has no id and no question"),
)
def test_pairing_that_is_impossible_is_refused(arguments, code, said, ragauge, write):
    write("a.jsonl", row("Who?", "Ann", "Ann"), row("Where?", "Kiel", "Rome"))
    write("b.jsonl", {"answer": "Rome", "reference": "Rome"})
    assert said in ragauge("run", *SYSTEMS, *EXACT, *arguments, code=code, out="").err
    assert not Path("r").exists()
