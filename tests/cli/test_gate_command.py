"""`ragauge gate`: exit code 1 for a failed gate and for nothing else; safe output for CI services."""

import json
import re
import shlex
from xml.etree import ElementTree

import pytest
from cases import cases

import ragauge as rg

HOSTILE = "::error::x\n::set-output name=a::b ##[command] <b>&|`$(id)` \x1b[31m"


@pytest.fixture
def run(made, answers):
    return made(answers.name, "-m", "exact_match", "-m", "token_f1", folder="run")


def test_a_gate_that_fails_says_why_and_what_to_open(ragauge, run):
    done = ragauge("gate", run, "--rule", "exact_match > 0.5", "--rule", "failed <= 0", code=1)
    assert done.out.splitlines() == [
        "failed: 1 of 3 checks",
        "✗ exact_match > 0.5  (a)",
        "    exact_match is 0.5",
        "    open: q2",
        "✓ exact_match > 0.5  (b)",
        "    exact_match 1",
        "✓ failed <= 0",
        "    failed 0",
    ]
    done = ragauge("gate", run, "--rule", "exact_match >= 0.5", "--rule", "failed <= 0")
    assert (done.code, done.out.splitlines()[0]) == (0, "passed: 3 checks")


def test_a_gate_is_a_report_in_every_format(ragauge, run, tmp_path):
    gate = ("gate", run, "--rule", "exact_match > 0.5", "--rule", "failed <= 0")
    done = ragauge(*gate, "-o", tmp_path / "gate.md", "-o", tmp_path / "gate.csv", code=1, out="")
    assert (
        "| no | exact\\_match \\> 0.5 | a | exact\\_match 0.5 |"
        in (tmp_path / "gate.md").read_text()
    )
    assert len((tmp_path / "gate.csv").read_text().splitlines()) == 4
    done = ragauge(*gate, "-f", "json")
    read = json.loads(done.out)
    assert (done.code, read["passed"], len(read["checks"])) == (1, False, 3)
    first = read["checks"][0]
    assert (first["rule"], first["system"], first["passed"]) == ("exact_match > 0.5", "a", False)
    assert (first["values"], first["questions"]) == ({"exact_match": 0.5}, ["q2"])


@cases(
    ("", 2),
    ("run", 2),
    ("run --rule 'exact_match >'", 2),
    ("run --rule 'nothing > 1'", 2),
    ("run --rule 'exact_match[nofield = 1] > 1'", 2),
    ("run --rule 'exact_match > 0' --system c", 2),
    ("run --max-drop 0.1", 2),
    ("run --max-drop exact_match=much", 2),
    ("run --max-drop -1", 2),
    ("run --rule 'exact_match > 0' --on both", 2),
    ("nowhere --rule 'exact_match > 0'", 5),
    ("run --rule 'exact_match > 0' --baseline nowhere", 5),
    ("run --max-drop 1 --baseline b --system b", 2),
    ("run --rule 'exact_match >= 0' --junit run", 2),
    ("run --rule 'exact_match >= 0' --config none.toml", 2),
)
def test_wrong_calls_do_not_look_like_a_failed_gate(arguments, code, ragauge, run):
    done = ragauge("gate", *shlex.split(arguments), code=code)
    assert done.err


def test_a_rule_without_its_option_is_written_with_it(ragauge, run):
    done = ragauge("gate", run, "exact_match > 0", code=2)
    assert "give one RUN, and rules with --rule: --rule 'exact_match > 0'" in done.err


def test_the_configuration_has_the_rules(ragauge, run, tmp_path):
    (tmp_path / "c.toml").write_text('folder = "run"\n[gate]\nrules = ["exact_match > 0.5"]\n')
    assert ragauge("gate", "--config", "c.toml").code == 1
    assert ragauge("gate", "--config", "c.toml", "--rule", "exact_match >= 0.5").code == 0


@cases(
    ("rules = [1]", "gate.rules must be a list of texts"),
    ("rule = ['x > 1']", "unknown key 'rule'; did you mean 'rules'?"),
    ("max_drop = -1", "gate.max_drop must be a number of at least 0, got -1"),
    ("max_drop = { correct = 'x' }", "gate.max_drop.correct must be a number of at least 0"),
    ("on = 'both'", "gate.on must be point or bound, got 'both'"),
    ("baseline = 3", "gate: baseline must be text"),
)
def test_wrong_configurations(gate, problem, ragauge, tmp_path):
    (tmp_path / "c.toml").write_text(f"[gate]\n{gate}\n")
    assert problem in ragauge("gate", "run", "--config", "c.toml", code=2).err


def test_junit_has_a_case_for_each_check(ragauge, run, tmp_path):
    ragauge("gate", run, "--rule", "exact_match > 0.5", "--junit", "out/gate.xml", code=1)
    suite = ElementTree.parse(tmp_path / "out/gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    cases = list(suite.iter("testcase"))
    assert [case.get("name") for case in cases] == [
        "exact_match > 0.5  (a)",
        "exact_match > 0.5  (b)",
    ]
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.get("message") == "exact_match is 0.5"
    both = ["gate", run, "--rule", "exact_match > 0.5", "--junit", "a.md", "-o", "./a.md"]
    assert "a.md: is given twice; choose another file" in ragauge(*both, code=2, out="").err


@pytest.fixture
def hostile(tmp_path):
    row = {"system": HOSTILE, "answer": "x", "reference": "y", "kind": HOSTILE}
    rows = [{"id": f"{HOSTILE}{at}", **row} for at in range(3)]
    (tmp_path / "hostile.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    rg.evaluate(tmp_path / "hostile.jsonl", "exact_match", folder=tmp_path / "hostile-run")
    return "hostile-run"


def test_nothing_from_data_is_a_workflow_command(ragauge, hostile, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    rules = [f"exact_match >= 0.{at}" for at in range(1, 13)]
    options = [part for rule in rules for part in ("--rule", rule)]
    done = ragauge("gate", hostile, *options, "--github", "--junit", "gate.xml", code=1)
    commands = [line for line in done.out.splitlines() if line.lstrip().startswith("::")]
    assert len(commands) == 10
    assert all(line.startswith("::error title=ragauge gate::") for line in commands)
    assert commands[-1] == "::error title=ragauge gate::3 more checks failed"
    assert "##[" not in done.out
    assert "\x1b" not in done.out
    others = [line for line in done.out.splitlines() if line not in commands]
    assert not [line for line in others if re.search(r"::(error|set-)", line)]
    summary = (tmp_path / "summary.md").read_text()
    assert "### ragauge gate failed: 12 of 12 checks" in summary
    assert "<b>" not in summary
    assert "##[" not in summary
    ElementTree.parse(tmp_path / "gate.xml")


def test_the_worst_failures_are_annotated(ragauge, run):
    rules = [part for at in range(51, 63) for part in ("--rule", f"exact_match > 0.{at}")]
    done = ragauge("gate", run, "--system", "a", *rules, "--github")
    commands = [line for line in done.out.splitlines() if line.startswith("::error")]
    limits = [line.split("> 0.")[1][:2] for line in commands[:9]]
    assert limits == ["62", "61", "60", "59", "58", "57", "56", "55", "54"]
    assert commands[9].endswith("::3 more checks failed")


def test_a_step_summary_stays_below_githubs_limit(run, tmp_path, monkeypatch):
    from ragauge.gating.gate import Gate, Reading, Verdict
    from ragauge.gating.words import gate_markdown

    verdict = Verdict("r" * 900, "s" * 500, False, (Reading("x", 1.0),), "é" * 900, ("q",) * 9)
    text = gate_markdown(Gate((verdict,) * 2_000))
    assert len(text.encode()) < 900_000
    shown = text.count("❌")
    assert f"{2_000 - shown:,} more checks" in text


def test_without_a_summary_file_there_is_a_word(ragauge, run, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    done = ragauge("gate", run, "--rule", "exact_match >= 0", "--github", code=0)
    assert "GITHUB_STEP_SUMMARY is not set" in done.err
