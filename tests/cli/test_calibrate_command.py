import json
import shlex

import pytest
from cases import cases

from ragauge.people.calibration import label_plan_report
from ragauge.stats import labels_needed

ANSWERS = "".join(
    json.dumps({"id": f"q{n:02}", "system": s, "answer": "Rome" if (n + k) % 3 else "Oslo", "reference": "Rome"}) + "\n"
    for n in range(40)
    for k, s in enumerate(("old", "new"))
)  # fmt: skip


@pytest.fixture
def run(tmp_path, made):
    """A run of exact_match on 40 questions and two systems; "Rome" is right."""
    (tmp_path / "answers.jsonl").write_text(ANSWERS)
    return made("answers.jsonl", "-m", "exact_match", "-m", "token_f1", folder="run")


@pytest.fixture
def labels(tmp_path):
    """yes for Rome, but for the first answer, of the first 25 questions."""
    rows = [json.loads(line) for line in ANSWERS.splitlines()]
    lines = [
        f"{row['id']},{row['system']},{'yes' if (row['answer'] == 'Rome') != (at == 1) else 'no'}"
        for at, row in enumerate(rows[:50])
    ]
    (tmp_path / "labels.csv").write_text("id,system,label\n" + "\n".join(lines) + "\n")
    return "labels.csv"


def test_the_first_screen_says_how_far_to_trust_and_what_to_open(ragauge, run, labels):
    done = ragauge("calibrate", labels, run, code=0)
    lines = done.out.splitlines()
    assert lines[0].startswith("exact_match agrees at least well with people: AUROC 0.9")
    assert lines[1] == "labels.csv · 50 labels (yes or no) of 1 rater on 50 answers to 25 questions"
    assert any(line.startswith("exact_match ≥ 0.5") for line in lines)
    assert "  new: people no, exact_match 1.00  q00" in lines
    assert "next: ragauge show run q00" in done.out
    assert "      ragauge label-plan labels.csv run" in done.out
    assert len(lines) < 30 and max(map(len, lines)) <= 100


def test_the_commands_to_type_next_work(ragauge, run, labels):
    out = ragauge("calibrate", labels, run).out
    commands = [
        line.split("ragauge ")[1].split() for line in out.splitlines() if "ragauge " in line
    ]
    assert len(commands) == 2
    for command in commands:
        assert ragauge(*command).code == 0


def test_json_and_markdown_and_csv_are_written(ragauge, run, labels, tmp_path):
    done = ragauge("calibrate", labels, run, "-o", "json", "-o", "a.md", "-o", "a.csv")
    data = json.loads(done.out, parse_constant=pytest.fail)
    assert data["metrics"][0]["name"] == "exact_match"
    assert data["rates"]["exact_match"]["systems"][0]["corrected"]["n_labels"] == 25
    assert data["disagreements"]["exact_match"] == [
        {"id": "q00", "system": "new", "people": 0.0, "value": 1.0, "apart": pytest.approx(2 / 3, abs=0.1)}
    ]  # fmt: skip
    assert (tmp_path / "a.md").read_text().startswith("**exact\\_match agrees at least well")
    assert (tmp_path / "a.csv").read_text().startswith("metric,name,n,")
    assert "wrote a.md" in done.err


def test_thresholds_words_and_columns_are_chosen_on_the_command_line(ragauge, run, tmp_path):
    (tmp_path / "l.tsv").write_text(
        "qid\twho\tsays\n"
        + "".join(f"q{n:02}\told\t{'fine' if n % 3 else 'meh'}\n" for n in range(30))
    )
    columns = ["--map", "id=qid", "--map", "value=says", "--map", "system=who", "--yes", "fine"]
    threshold = ("--threshold", "exact_match=0.9", "-m", "exact_match")
    done = ragauge("calibrate", "l.tsv", run, *columns, *threshold, code=0)
    assert "exact_match ≥ 0.9" in done.out
    assert "counted as no: 'meh' (10)" in done.out
    (plan,) = [line.split("ragauge ")[1] for line in done.out.splitlines() if "label-plan" in line]
    assert ragauge(*shlex.split(plan)).code == 0


def test_labels_beside_the_answers_are_named_by_their_field(ragauge, tmp_path):
    said = ("bad so", "fine")
    rows = [
        {"id": f"q{n}", "answer": str(n % 2), "reference": "1", "human": said[n % 2]}
        for n in range(20)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert ragauge("run", "a.jsonl", "-m", "exact_match", "--folder", "r").code == 0
    done = ragauge("calibrate", "human", "r", "--yes", "fine")
    assert done.code == 0 and "field 'human' · 20 labels" in done.out
    done = ragauge("calibrate", "human", "r")
    assert (
        done.code == 3
        and "field 'human':1: id 'q0', field 'value': 'bad so' is neither" in done.err
    )


@cases(
    (("missing.csv", "run"), 3, "missing.csv: no such file"),
    (("labels.csv", "nowhere"), 5, "nowhere"),
    (("labels.csv", "run", "-m", "exact"), 2, "no metric 'exact'"),
    (("labels.csv", "run", "--threshold", "exact_match=high"), 2, "'high' is not a number"),
    (("labels.csv", "run", "--threshold", "x=1"), 2, "no metric 'x'"),
    (("labels.csv", "run", "--threshold", "token_f1=50"), 2, "50 is not on the scale of"),
    (("labels.csv", "run", "--threshold", "token_f1=nan"), 2, "nan is not on the scale"),
    (("labels.csv", "run", "-o", "pdf"), 2, "'pdf': unknown format"),
    (("labels.csv", "run", "-o", "labels.csv"), 2, "also an input"),
    (("labels.csv", "run", "-o", "md", "-o", "json"), 2, "only one format"),
    (("labels.csv", "run", "--map", "value=nothing"), 3, "has no column 'nothing'"),
)
@pytest.mark.usefixtures("labels")
def test_what_cannot_be_done_is_said(arguments, code, message, ragauge, run):
    arguments = [run if each == "run" else each for each in arguments]
    assert message in ragauge("calibrate", *arguments, code=code, out="").err


def test_labels_without_a_figure_say_why_and_exit_with_0(ragauge, run, tmp_path):
    (tmp_path / "one.csv").write_text("id,system,label\nq00,old,yes\n")
    done = ragauge("calibrate", "one.csv", run, code=0)
    assert "No figure of agreement: exact_match: 1 labelled answer; label at least 2." in done.out
    assert ragauge("label-plan", "one.csv", run).code == 2


def test_a_plan_is_made_of_assumed_quality(ragauge):
    assumed = "--rate 0.7 --sensitivity 0.9 --specificity 0.8 --rows 1000"
    done = ragauge("label-plan", *assumed.split())
    assert done.out.startswith(
        "A rate within ± 0.05 needs 199 labels with the metric (correlation 0.69), 323 without: 38% fewer."
    )
    assert "more than 1,000" in done.out


def test_a_plan_that_a_system_has_too_few_answers_for_names_the_system():
    few, many = labels_needed(0.05, n_rows=18), labels_needed(0.05, n_rows=2_000)
    report = label_plan_report({"a": [many], "b": [few]}, None, 0.0)
    why = "The rate of b within ± 0.05 needs more than the 18 answers there are"
    assert report.headline.startswith(why)
    both = label_plan_report({"a": [few], "b": [few]}, None, 0.0).headline
    assert both.startswith("The rate of each system within ± 0.05 needs more than the 18 answers")
    assert label_plan_report({"": [few]}, None, 0.0).headline.startswith("A rate within ± 0.05")


def test_a_plan_is_made_of_measured_quality(ragauge, run, labels):
    done = ragauge("label-plan", labels, run, "--within", "0.15", "--json")
    data = json.loads(done.out)
    assert data["metric"] == "exact_match" and set(data["systems"]) == {"old", "new"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--sensitivity", "0.9"),
        ("labels.csv",),
        ("labels.csv", "run", "--rate", "0.5"),
        ("--correlation", "0.5", "--sensitivity", "0.9", "--specificity", "0.9"),
        ("--within", "nan"),
        ("--sensitivity", "nan", "--specificity", "0.5"),
    ],
)
def test_a_plan_of_what_does_not_fit_is_refused(ragauge, arguments):
    done = ragauge("label-plan", *arguments)
    assert done.code == 2 and "Traceback" not in done.err


def test_a_single_system_has_no_note_on_the_errors_of_all_systems(ragauge, tmp_path):
    rows = [json.loads(line) for line in ANSWERS.splitlines()]
    kept = [row for row in rows if row["system"] == "old"]
    (tmp_path / "old.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
    lines = [f"{row['id']},{'yes' if row['answer'] == 'Rome' else 'no'}" for row in kept[:12]]
    (tmp_path / "few.csv").write_text("id,label\n" + "\n".join(lines) + "\n")
    assert ragauge("run", "old.jsonl", "-m", "exact_match", "--folder", "old").code == 0
    done = ragauge("calibrate", "few.csv", "old")
    assert done.code == 0 and "all systems" not in done.out and "old*" not in done.out


def test_an_option_without_effect_is_the_first_note(ragauge, run, labels):
    done = ragauge("calibrate", labels, run, "--yes-from", "3")
    assert "\n  --yes-from 3 changes nothing: the labels are yes and no, not grades\n" in done.out
