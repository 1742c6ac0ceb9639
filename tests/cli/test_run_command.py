"""`ragauge run`: every option, what it prints where, and its exit codes."""

import csv
import json
import re
import shlex
from pathlib import Path

import polars as pl
import pytest
from cases import cases

import ragauge as rg
from ragauge.report.writing import ENDINGS

EXACT = ("-m", "exact_match")


def scores(folder: Path) -> pl.DataFrame:
    return rg.open_run(folder).scores


def values(folder: Path) -> dict[tuple[str, str], float | None]:
    frame = scores(folder)
    return dict(zip(zip(frame["id"], frame["system"], strict=True), frame["value"], strict=True))


def means(out: str) -> dict[str, list[str]]:
    """Each metric's means in the first table, system by system."""
    lines = out.split("\n\n")[0].splitlines()
    rows = [line for line in lines[3:] if line and not line.startswith("  ")]
    return {row.split()[0]: re.findall(r"(?<![–\d])\d\.\d{3}(?![–\d])", row) for row in rows}


def test_the_summary_is_on_standard_output_and_the_notes_are_not(ragauge, answers):
    done = ragauge("run", answers, *EXACT, "-m", "token_f1", "--folder", "r", "--full", code=0)
    # a: (1 + 0) / 2 and (1 + 0.5) / 2; b: its one answer is right
    assert means(done.out) == {"exact_match": ["0.500", "1.000"], "token_f1": ["0.750", "1.000"]}
    assert "1/2" in done.out, "b answered one of two"
    # b's exact_match and token_f1 are 1 and missing: 1/2 at worst, 2/2 at best, for both.
    said = "exact_match, token_f1: b 1 missing: the sample has no answer (worst 0.500, best 1.000)"
    assert said in done.out
    assert "ragauge:" not in done.out
    assert "read 'reference' as references" in done.err
    assert "stored in r" in done.err


def test_a_file_without_suite_or_metric_is_scored_with_the_suite_rag(ragauge, answers):
    done = ragauge("run", answers, "--folder", "r")
    assert "rag · 4 answers · 2 systems\n" in done.out
    assert "not scored, needs a judge; none is configured: answer_class" in done.out


def test_a_suite_may_be_a_file(ragauge, answers, tmp_path):
    suite = (
        'name = "mine"\nscale = 100\ndigits = 1\n[[metric]]\nlabel = "exact_match"\nname = "hit"\n'
    )
    (tmp_path / "mine.toml").write_text(suite)
    done = ragauge("run", answers, "-s", "mine.toml", "--folder", "r", "--full")
    assert re.search(r"^hit +50\.0 .* 100\.0 ", done.out, re.MULTILINE)


def test_by_breaks_the_summary_down(ragauge, answers):
    done = ragauge("run", answers, *EXACT, "--by", "kind", "--folder", "r")
    _, a, b = re.split(r"\n(?=[ab] by kind\n)", done.out)
    assert re.search(r"^metric +fact +list$", a, re.MULTILINE)
    assert re.search(r"^answers +1 +1$", a, re.MULTILINE)
    assert re.search(r"^exact_match +1\.000 +0\.000$", a, re.MULTILINE)
    assert re.search(r"^exact_match +1\.000 +–$", b, re.MULTILINE)
    assert "| system | kind |" in Path("r/summary.md").read_text()


def test_every_kind_of_output_holds_what_it_should(ragauge, answers):
    kinds = ("json", "jsonl", "csv", "parquet", "md", "tex")
    outputs = [one for kind in kinds for one in ("-o", f"out/s.{kind}")]
    done = ragauge("run", answers, *EXACT, *outputs, "--folder", "r", code=0)
    assert "ragauge: wrote out/s.json\nragauge: wrote out/s.jsonl\n" in done.err
    stored = scores(Path("r"))
    assert pl.read_parquet("out/s.parquet").equals(stored)
    whole = json.loads(Path("out/s.json").read_text())
    assert [row["mean"] for row in whole["summary"]] == [0.5, 1.0]
    lines = [json.loads(line) for line in Path("out/s.jsonl").read_text().splitlines()]
    assert lines == whole["scores"]
    assert [row["value"] for row in lines] == [1.0, 0.0, 1.0, None]
    assert isinstance(lines[1]["evidence"], dict), "evidence is data, not text"
    rows = list(csv.DictReader(Path("out/s.csv").read_text().splitlines()))
    assert [row["value"] for row in rows] == ["1.0", "0.0", "1.0", ""]
    assert "| a | exact\\_match | 0.5000 |" in Path("out/s.md").read_text()
    assert r"a & exact\_match & 0.5000 &" in Path("out/s.tex").read_text()


def test_the_default_folder_is_named_for_data_and_suite(ragauge, answers):
    done = ragauge("run", answers, *EXACT)
    (folder,) = Path("ragauge-runs").iterdir()
    assert re.fullmatch(r"answers-custom-[0-9a-f]{8}", folder.name)
    assert str(folder) in done.err
    names = {"manifest.json", "samples.parquet", "scores", "evidence"}
    names |= {"summary.json", "summary.md", "report.html"}
    assert {file.name for file in folder.iterdir()} == names
    # The same command again finds what is finished.
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    ragauge("run", answers, *EXACT, code=0, out=done.out)
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == before


def test_a_dry_run_says_what_would_be_done_and_does_nothing(ragauge, answers, tmp_path):
    done = ragauge("run", answers, *EXACT, "-m", "ndcg@5", "--dry-run", "-o", "s.csv", code=0)
    assert re.search(r"^exact_match +exact_match +ready *$", done.out, re.M)
    assert re.search(r"^ndcg@5 +ndcg@5 +the sample has no context_ids and relevant", done.out, re.M)
    assert "4 answers of 2 systems" in done.out
    assert "the run would be stored in ragauge-runs/answers-custom-" in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["answers.jsonl"]


PLUGIN = '''
import ragauge as rg

@rg.metric(version=1)
def brevity(answer: str, *, enough: int = 2) -> float:
    """1 up to `enough` words, then falling with every word more."""
    if answer == "crash":
        raise KeyError("a bug")
    return min(1.0, enough / max(len(answer.split()), 1))
'''


@pytest.mark.slow
def test_two_plugins_of_one_name_both_count_for_what_is_finished(ragauge, answers, tmp_path):
    for folder, value in (("one", 0.25), ("two", 0.75)):
        (tmp_path / folder).mkdir()
        text = f"import ragauge as rg\n@rg.metric\ndef {folder}(answer: str): return {value}\n"
        (tmp_path / folder / "m.py").write_text(text)
    plugins = ("--plugin", "one/m.py", "--plugin", "two/m.py")
    assert ragauge("run", answers, "-m", "one", "-m", "two", *plugins).code == 0
    edited = tmp_path / "one" / "m.py"
    edited.write_text(edited.read_text().replace("0.25", "0.5"))
    done = ragauge("run", answers, "-m", "one", "-m", "two", *plugins, "--full")
    assert re.search(r"^one +0\.500 ", done.out, re.MULTILINE), "not what was finished before"


def test_a_bug_in_a_plugin_names_metric_sample_and_system(ragauge, answers, tmp_path):
    (tmp_path / "mine.py").write_text(PLUGIN)
    answers.write_text(answers.read_text().replace('"paris"', '"crash"'))
    done = ragauge("run", answers, "-m", "brevity", "--plugin", "mine.py", "--folder", "r")
    assert (done.code, done.out) == (2, "")
    assert (
        "metric brevity raised KeyError: 'a bug' on sample 'q1' of system 'b'; fix it in"
        in done.err
    )
    assert not list((tmp_path / "r").glob("scores/*"))


@cases(
    ("def broken(:", "SyntaxError"),
    ("raise RuntimeError('no key')", "RuntimeError: no key"),
    ("import sys; sys.exit(0)", "SystemExit"),
    ("raise BaseException('x')", "BaseException"),
    ("raise GeneratorExit", "GeneratorExit"),
    ("import ragauge as rg\n@rg.metric\ndef m(*answers): return 1.0", "DefinitionError"),
)
def test_a_plugin_that_cannot_be_used_is_said(text, said, ragauge, answers, tmp_path, own_metrics):
    (tmp_path / "mine.py").write_text(text)
    done = ragauge("run", answers, *EXACT, "--plugin", "mine.py", code=2)
    assert done.err.startswith("ragauge: error: mine.py: importing the plugin raised ")
    assert said in done.err


def test_a_file_of_the_run_itself_is_no_place_for_its_results(ragauge, answers):
    run = ("run", answers, "-m", "exact_match", "--folder", "r", "--no-report")
    for name in ("manifest.json", "summary.json", "scores/000000.parquet", "report.html"):
        done = ragauge(*run, "-o", f"r/{name}", code=2, out="")
        assert f"r/{name}: is a file of the run itself; choose another name" in done.err
    ragauge(*run, "-o", "r/mine.csv", code=0)
    assert ragauge("doctor", "--check", "r").code == 0


def test_everything_wrong_with_what_is_asked_is_said_at_once(ragauge, answers):
    asked = ("-s", "answr-quality", "-m", "ndgc@10", "-m", "exact_match(normalise=1)", "-m", "f1(")
    done = ragauge("run", answers, *asked, "-o", "x.xlsx", "--where", "kind =", code=2, out="")
    for said in (
        "'answr-quality'; did you mean 'answer-quality'",
        "'ndgc'; did you mean 'ndcg'",
        "no setting 'normalise'; did you mean 'normalize'?",
        "metric label 'f1('",
        f"x.xlsx: cannot write '.xlsx'; use one of {', '.join(ENDINGS)}, .jsonl, .parquet",
        "filter 'kind =': expected a value",
    ):
        assert said in done.err
    assert done.err.count("ragauge: error: ") == 6


@cases(
    ("", "no answers given; name a data file, a configuration file, or --system NAME=FILE"),
    ("answers.jsonl --system a=answers.jsonl", "both name answers; give only one of them"),
    ("answers.jsonl --system a", "expected NAME=FILE, got 'a'"),
    ("--system a=answers.jsonl --system a=b", "system 'a' is given twice"),
    ("answers.jsonl --map answer=x --map answer=y", "'answer' is given twice"),
    ("answers.jsonl -m 'ndcg@5, recall@5'", "its own option: -m ndcg@5 -m recall@5"),
    ("answers.jsonl --by many", "cannot group by 'many': it has 101 values"),
    ("answers.jsonl --map =x", "expected FIELD=COLUMN, got '=x'"),
    ("answers.jsonl --limit 0", "0 is not in the range"),
    ("answers.jsonl 'my other.csv'", "--system 'my other=my other.csv'"),
    ("answer.jsonl", "did you mean 'answers.jsonl'?"),
    ("answers.jsonl -m exact_match --where 'year > 3000'", "no row matches the filter year >"),
    ("answers.jsonl -j 0", "0 is not in the range"),
    ("answers.jsonl -s ragg", "unknown suite 'ragg'; did you mean 'rag'"),
    ("answers.jsonl -s zzzzzz", "unknown suite 'zzzzzz'; the suites are "),
    ("answers.jsonl -s exact_match", "it is a metric, which -m names"),
    ("answers.jsonl --seed x", "'x' is not a valid integer"),
    ("answers.jsonl --metrik x", "No such option"),
    ("answers.jsonl --where 'kin = \"x\"'", "no field 'kin'; did you mean 'kind'?"),
    ("answers.jsonl --map answr=x", "did you mean 'answer' or 'answerable'?"),
    ("answers.jsonl -o .", ".: is a folder; give a file in it"),
    ("answers.jsonl -o answers.jsonl", "answers.jsonl: is also an input"),
    ("answers.jsonl --plugin none.py", "none.py: not a Python file"),
    ("answers.jsonl --by knd", "the samples have no such field; did you mean 'kind'?"),
    ("answers.jsonl --by references", "'references' holds lists; rows cannot be grouped by it"),
    ("answers.jsonl -m exact_match --without exact_mach", "it is not among the metrics of"),
    ("answers.jsonl -m exact_match --without exact_match", "no metric is left; leave out"),
)
def test_a_wrong_use_is_refused_and_says_what_to_do(command, said, ragauge, answers):
    if "many" in command:
        rows = [{"id": f"q{n}", "answer": "x", "many": n} for n in range(101)]
        answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = answers.read_bytes()
    done = ragauge("run", *shlex.split(command))
    is_data = command == "answer.jsonl" or "3000" in command
    assert (done.code, done.out) == (3 if is_data else 2, "")
    assert said in " ".join(done.err.split())
    assert answers.read_bytes() == before


CONFIG = """
data = "answers.jsonl"
metrics = ["exact_match", "dont_know"]
without = ["dont_know"]
where = 'kind = "fact"'
by = ["kind"]
output = ["out.csv"]
folder = "from-config"
seed = 3
workers = 1
"""


def test_a_configuration_says_it_all_and_its_paths_are_its_own(ragauge, answers, tmp_path):
    home = tmp_path / "sub"
    home.mkdir()
    answers.rename(home / "answers.jsonl")
    (home / "run.toml").write_text(CONFIG)
    done = ragauge("run", "sub/run.toml", code=0)
    assert values(home / "from-config") == {("q1", "a"): 1.0, ("q1", "b"): 1.0}
    assert (home / "out.csv").exists()
    assert "a by kind" in done.out
    assert json.loads((home / "from-config/manifest.json").read_text())["seed"] == 3


def test_options_stand_before_the_configuration(ragauge, answers, tmp_path):
    (tmp_path / "run.toml").write_text(CONFIG)
    done = ragauge(
        "run", "run.toml", "-m", "token_f1", "-m", "dont_know", "--where", 'kind = "list"', "--folder", "other",
        "--seed", "0", "-o", "too.md",
    )  # fmt: skip
    assert done.code == 0, done.err
    frame = scores(tmp_path / "other")
    assert (set(frame["id"]), set(frame["metric"])) == ({"q2"}, {"token_f1"})
    assert json.loads((tmp_path / "other/manifest.json").read_text())["seed"] == 0
    assert (tmp_path / "out.csv").exists()
    assert (tmp_path / "too.md").exists()
    assert not (tmp_path / "from-config").exists()


def test_systems_given_as_options_stand_before_the_configured_data(ragauge, answers, tmp_path):
    (tmp_path / "run.toml").write_text('data = "gone.jsonl"\nmetrics = ["exact_match"]')
    (tmp_path / "c.jsonl").write_text('{"id": "q1", "answer": "x", "reference": "x"}')
    ragauge("run", "run.toml", "--system", "c=c.jsonl", "--folder", "r", code=0)
    assert values(tmp_path / "r") == {("q1", "c"): 1.0}


@cases(
    ('data = "answers.jsonl"\nmetric = ["x"]', "unknown key 'metric'; did you mean 'metrics'"),
    ('metrics = ["exact_match"]', "the configuration has no answers"),
    ("[" * 5_000, "not valid TOML"),
    ('[encoder]\nmodle = "x"', "encoder: unknown key 'modle'; did you mean 'model'"),
    ("[encoder]\nmodel = 3", "encoder: model must be text, got 3"),
    ('encoder = "x"', "encoder must be a table"),
    ("cache = 3", "cache must be text"),
)
def test_a_configuration_that_is_wrong_is_refused(text, said, ragauge, answers, tmp_path):
    (tmp_path / "run.toml").write_text(text)
    assert said in ragauge("run", "run.toml", code=2, out="").err
    assert not (tmp_path / "ragauge-runs").exists()


def test_a_configuration_names_its_plugins(ragauge, answers, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/mine.py").write_text(PLUGIN)
    text = 'data = "../answers.jsonl"\nmetrics = ["brevity"]\nplugins = ["mine.py"]\n'
    (tmp_path / "sub/run.toml").write_text(text)
    ragauge("run", "sub/run.toml", "--folder", "r", code=0)
    assert values(tmp_path / "r")["q2", "a"] == pytest.approx(2 / 3)


def test_a_run_without_any_value_says_so_and_why(ragauge, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "q1", "answer": "x"}\n{"id": "q2", "answer": "y"}\n')
    done = ragauge("run", "a.jsonl", *EXACT, "-s", "graphrag", "-m", "token_f1", "--limit", "1")
    assert "no answer could be scored" not in done.err, "dont_know needs only the answer"
    done = ragauge("run", "a.jsonl", *EXACT, "-m", "token_f1", "--full", code=4)
    assert "ragauge: no answer could be scored: the sample has no references\n" in done.err
    # What is the same for both metrics is said once.
    assert done.out.count("the sample has no references") == 1
    said = "exact_match, token_f1: default 2 missing: the sample has no references\n"
    assert said in done.out


def test_rankings_without_ids_are_told_of_their_texts_where_those_are_there(ragauge, tmp_path):
    row = {"id": "q1", "answer": "x", "contexts": ["a"], "gold_contexts": ["a"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    done = ragauge("run", "a.jsonl", "-m", "ndcg@5", "-m", "exact_match", "--full")
    said = 'the sample has no context_ids and relevant; use ndcg(match="text")@5\n'
    assert said in done.out
    assert done.out.count("; use ") == 1
    # With ids and judgements there, of which none is relevant, the texts are no way out.
    (tmp_path / "c.jsonl").write_text(json.dumps({**row, "context_ids": ["d"], "relevant": {}}))
    done = ragauge("run", "c.jsonl", "-m", "ndcg@5", "--full")
    assert "no relevant document is judged\n" in done.out
    (tmp_path / "b.jsonl").write_text(json.dumps({"id": "q1", "contexts": ["a"]}))
    assert "; use " not in ragauge("run", "b.jsonl", "-m", "ndcg@5", "--full").out


def test_metrics_of_one_name_have_rows_of_their_own(ragauge, answers):
    asked = ("-s", "answer-quality", "-s", "passage-retrieval", "-m", "number_match")
    done = ragauge("run", answers, *asked, "-o", "s.md", "--full")
    names = [line.split("  ")[0] for line in done.out.splitlines()]
    assert "exact_match" in names
    assert "exact_match (passage_exact_match)" in names
    assert "number_match" in names
    assert 'number_match(extractor="regex",on_no' in names, "its label, folded"
    assert "| a | exact\\_match \\(passage\\_exact\\_match\\) |" in Path("s.md").read_text()


def test_a_metric_of_the_suite_can_be_left_out(ragauge, answers):
    done = ragauge("run", answers, "--without", "correct", "--folder", "r", "--quiet", code=0)
    labels = scores(Path("r"))["metric"].unique().to_list()
    assert "keyword_coverage" in labels
    assert not any(label.startswith("correct") for label in labels)
    # The suite's findings all need `correct`, so they are gone as well.
    assert "likely wrong" not in done.out


def test_systems_side_by_side_are_compared(ragauge, tmp_path):
    table = tmp_path / "sheet.csv"
    table.write_text("question,expected,Small,Large\nwhere?,Rome,Paris,Rome\nwho?,she,he,she\n")
    done = ragauge("run", table, "--map", "answer=Small,Large", *EXACT, code=0)
    assert "exact_match 1.00, next Small 0.00" in " ".join(done.out.split())


def test_a_dry_run_says_which_columns_are_missing_and_runs_no_plugin(ragauge, tmp_path):
    row = {"id": "q1", "question": "Capital?", "answer": "Rome"}
    (tmp_path / "bare.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "mine.py").write_text(
        "import ragauge as rg\n\n\n@rg.metric(version=1)\n"
        "def asks_a_server(answer: str, references) -> float:\n"
        '    """0 to 1."""\n    raise KeyError("called")\n'
    )
    options = ("-s", "rag", "-m", "asks_a_server", "--plugin", "mine.py")
    done = ragauge("run", "bare.jsonl", *options, "--dry-run", code=0)
    status = {line.split()[0]: line for line in done.out.splitlines() if line.strip()}
    assert status["dont_know"].rstrip().endswith("ready")
    for name in ("correct", "number_match", "asks_a_server"):
        assert status[name].rstrip().endswith("the sample has no references")
    assert status["support"].rstrip().endswith("the sample has no contexts")
