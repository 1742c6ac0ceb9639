"""`ragauge rank`: what it prints, writes and refuses."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cases
from pytest import approx

EXAMPLES = Path(__file__).parents[2] / "examples" / "rankings"
TREC_EVAL = Path(os.environ.get("RAGAUGE_DATA", "/nowhere")) / "trec_eval"
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq2 0 d 1\n"
RUN = "q1 Q0 b 1 2.0 mine\nq1 Q0 a 2 1.0 mine\nq2 Q0 c 1 3.0 mine\nq2 Q0 x 2 2.0 mine\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "mine.run").write_text(RUN)
    (tmp_path / "other.run").write_text(RUN.replace("b 1 2.0", "b 1 0.5").replace("mine", "other"))
    return tmp_path


def test_the_table_has_a_row_for_each_run_with_interval_and_mark(ragauge):
    names = [EXAMPLES / name for name in ("qrels.txt", "bm25.run", "ngrams.run", "overlap.run")]
    done = ragauge("rank", *names, "-m", "map", code=0)
    assert "27 judged queries · 3 runs" in done.out
    lines = done.out.splitlines()
    assert next(line for line in lines if line.startswith("bm25")).split()[2] == "0.7711"
    assert next(line for line in lines if line.startswith("overlap")).rstrip().endswith("*")
    assert "Holm-corrected for 2 pairs" in done.out
    assert "bm25, ngrams, overlap: 3 unjudged queries left out" in done.err


def test_trec_evals_layout_has_the_measure_as_it_was_asked_for(ragauge, files):
    done = ragauge("rank", "qrels", "mine.run", "-m", "P.1,5", "-m", "RR", "-m", "num_rel", "-q",
                   "-o", "tsv")  # fmt: skip
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [(measure, query) for measure, query, _ in rows] == [
        (measure, query)
        for query in ("q1", "q2", "all")
        for measure in ("P_1", "P_5", "RR", "num_rel")
    ]
    values = {(measure, query): value for measure, query, value in rows}
    assert values["RR", "q1"] == "0.5000000000"
    assert values["P_1", "all"] == "0.5000000000"
    assert values["num_rel", "all"] == "3"


def test_a_missing_query_counts_0_with_c_and_has_a_line_in_csv_only(ragauge, files):
    (files / "half.run").write_text(RUN.partition("q2")[0])
    done = ragauge("rank", "qrels", "half.run", "-m", "mrr", "-m", "num_q", "-c", "-q", "-o", "tsv")
    assert done.out == "mrr\tq1\t0.5000000000\nmrr\tall\t0.2500000000\nnum_q\tall\t2\n"
    done = ragauge("rank", "qrels", "half.run", "-m", "mrr", "-c", "-q", "-o", "csv")
    assert done.out.splitlines()[1:] == ["mine,q1,mrr,0.5", "mine,q2,mrr,0.0"]


def test_each_of_several_runs_begins_with_its_name(ragauge, files):
    done = ragauge("rank", "qrels", "mine.run", "other.run", "-m", "recip_rank", "-o", "tsv")
    assert done.out.splitlines() == [
        "runid\tall\tmine",
        "recip_rank\tall\t0.7500000000",
        "runid\tall\tother",
        "recip_rank\tall\t1.0000000000",
    ]


@pytest.mark.parametrize("option", ["-o", "-f"])
@pytest.mark.parametrize("form", ["md", "tex", "latex", "markdown", "html"])
def test_papers_and_notebooks_get_the_table(ragauge, files, form, option):
    done = ragauge("rank", "qrels", "mine.run", "other.run", "--compare", option, form)
    assert "0.7500" in done.out
    assert ("toprule" in done.out) == (form in ("tex", "latex"))
    assert "against" in done.out


def test_runs_are_fused_to_a_run_that_can_be_scored(ragauge, files):
    ragauge("rank", "--fuse", "rrf", "mine.run", "other.run", "-o", "fused.run", code=0)
    line = (files / "fused.run").read_text().splitlines()[0].split()
    # a and b are first once and second once: a tie, and b is the higher name.
    assert line == ["q1", "Q0", "b", "1", str(1 / 61 + 1 / 62), "rrf"]
    again = ragauge("rank", "qrels", "fused.run", "-m", "mrr", "-o", "tsv")
    assert again.out == "mrr\tall\t0.7500000000\n"
    printed = ragauge("rank", "--fuse", "combsum", "mine.run", "other.run", "--weights", "1,3")
    assert printed.out.splitlines()[0].split()[2] == "a"


def test_runs_come_through_a_pipe_which_is_read_once(files):
    command = [sys.executable, "-m", "ragauge", "rank", "qrels", "-", "-m", "mrr", "-o", "tsv"]
    done = subprocess.run(
        command, cwd=files, input=gzip.compress(RUN.encode()), capture_output=True, check=True
    )
    assert done.stdout == b"mrr\tall\t0.7500000000\n"
    command[5:6] = ["-", "-"]
    done = subprocess.run(command, cwd=files, input=RUN.encode(), capture_output=True, check=False)
    assert done.returncode == 3
    assert b"read only once" in done.stderr


def test_samples_are_scored_by_their_context_ids_a_row_for_each_system(ragauge, tmp_path):
    rows = [
        {"id": "q1", "system": system, "context_ids": ids, "relevant": {"a": 1}}
        for system, ids in (("one", ["b", "a"]), ("two", ["a", "b"]))
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = ragauge("rank", "answers.jsonl", "answers.jsonl", "-m", "mrr", "-o", "csv")
    found = {row["run"]: row["value"] for row in csv.DictReader(io.StringIO(done.out))}
    assert found == {"one": "0.5", "two": "1.0"}
    (tmp_path / "mine.run").write_text(RUN)
    done = ragauge("rank", "answers.jsonl", "mine.run", "answers.jsonl")
    assert "samples and runs cannot be scored together" in done.err
    done = ragauge("rank", "answers.jsonl", "answers.jsonl", "answers.jsonl")
    assert "is in two of the files" in done.err


@cases(
    ("qrels", 2, "QRELS RUN..."),
    ("qrels mine.run -m ndgc@10", 2, "did you mean"),
    ("qrels mine.run -o xls", 2, "or one of table, md, latex, csv, json, html, tsv"),
    ("qrels mine.run -o tsv -o json", 2, "only one format can go to standard output"),
    ("qrels mine.run -o mine.run/x.csv", 5, "cannot be written"),
    ("qrels no.run", 3, "no such file"),
    ("--fuse rrf mine.run other.run -f md", 2, "--fuse only writes a run"),
    ("qrels mine.run --weights 1", 2, "--weights, --k and --norm need --fuse METHOD"),
    ("--fuse best mine.run other.run", 2, "best"),
    ("--fuse combsum mine.run other.run --k 5", 2, "--k applies only to"),
    ("--fuse rrf mine.run other.run --weights a,b", 2, "--weights takes"),
    ("--fuse rrf mine.run other.run -m map", 2, "--fuse only writes a run; score that run"),
    ("--fuse rrf mine.run other.run -o mine.run", 2, "overwritten"),
    ("qrels mine.run --compare", 2, "--compare needs at least two runs"),
)
def test_what_cannot_be_done_is_said_before_any_work(arguments, code, says, ragauge, files):
    done = ragauge("rank", *arguments.split(), code=code)
    assert says in done.err
    assert done.out == ""


def test_a_run_with_other_query_ids_is_refused_and_shown_one_of_the_judgements(ragauge, files):
    (files / "far.run").write_text(RUN.replace("q", "topic-"))
    done = ragauge("rank", "qrels", "far.run", code=3)
    assert "far.run: run 'mine'" in done.err
    assert "none of the 2 judged queries" in done.err
    assert "'q1'" in done.err


@pytest.mark.skipif(not TREC_EVAL.is_dir(), reason="RAGAUGE_DATA is not set")
@cases(("out.test", ["official"]), ("out.test.aq", ["all_trec", "-q"]))
def test_trec_evals_own_expected_output(expected, options, ragauge):
    done = ragauge(
        *("rank", TREC_EVAL / "qrels.test", TREC_EVAL / "results.test", "--compat", "trec10"),
        *("-o", "tsv", "-m", *options),
    )
    found = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in done.out.splitlines()}
    for line in (TREC_EVAL / expected).read_text().splitlines():
        measure, query, value = (cell.strip() for cell in line.split("\t"))
        if measure not in ("runid", "relstring"):
            assert float(found[measure, query]) == approx(float(value), abs=5.1e-5), line


def test_the_command_imports_no_loader_polars_or_rich_when_it_writes_trec_evals_layout(files):
    script = (
        "import sys; from ragauge.cli import main\n"
        "try: main(['rank', 'qrels', 'mine.run', '-o', 'tsv'])\n"
        "except SystemExit: print(sorted({'polars', 'rich', 'pandas', 'ragauge.loaders'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=files, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
