"""`ragauge run` with metrics that compare meaning: encoders, the cache, what is said of models."""

import json

import pytest
from cases import cases

import ragauge as rg

SIMILAR = ("-m", "semantic_similarity")


@pytest.fixture
def pairs(tmp_path):
    rows = [
        {"id": "1", "answer": "Dogs are free.", "reference": "No fee is taken for dogs."},
        {"id": "2", "answer": "word " * 300, "reference": "A word."},
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path.name


def kept(tmp_path, folder="r"):
    return rg.open_run(tmp_path / folder).scores


def precision_of(folder):
    return rg.open_run(folder).manifest.code["models"][0]["precision"]


def test_the_model_stands_in_the_label_under_the_table_and_in_the_manifest(
    ragauge, pairs, tmp_path
):
    done = ragauge("run", pairs, *SIMILAR, "-m", "sentences_covered", "--folder", "r", "--full")
    assert done.code == 0
    assert 'semantic_similarity(model="all-MiniLM-L6-v2")' in set(kept(tmp_path)["metric"])
    said = " ".join(done.out.split())
    assert "by all-MiniLM-L6-v2: " in said
    assert "the threshold 0.85 is applied to all-MiniLM-L6-v2" in said
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["code"]["models"][0]["revision"].startswith("53aa5117")


def test_texts_that_were_cut_are_told_of(ragauge, pairs):
    done = ragauge("run", pairs, *SIMILAR)
    assert "1 score used a truncated text" in done.err
    whole = ragauge("run", pairs, "-m", 'semantic_similarity(long_text="windows")')
    assert "truncated" not in whole.err


def test_runs_in_two_precisions_are_compared_with_a_note(ragauge, pairs, tmp_path):
    for folder, options in (("ci", ()), ("laptop", ("--precision", "int8"))):
        done = ragauge("run", pairs, *SIMILAR, *options, "--folder", folder, "--full", code=0)
        assert kept(tmp_path, folder)["metric"][0].endswith('model="all-MiniLM-L6-v2")')
    assert "by all-MiniLM-L6-v2 (int8): " in " ".join(done.out.split())
    # Stored parts of one precision are not used for the other.
    assert ragauge("run", pairs, *SIMILAR, "--folder", "laptop").code != 0
    note = "the encoder all-MiniLM-L6-v2 computed in {}, which moves means by at most"
    done = ragauge("gate", "laptop", "--baseline", "ci", "--max-drop", "0.05", code=0)
    assert note.format("fp32 and int8") in done.out
    done = ragauge("compare", "laptop", "ci", "--full", code=0)
    assert note.format("int8 and fp32") in " ".join(done.out.split())


def test_vectors_are_kept_beside_the_runs_or_where_it_is_said_or_not(ragauge, pairs, tmp_path):
    ragauge("run", pairs, "-m", "exact_match", "--folder", "alone")  # it needs no encoder
    ragauge("run", pairs, *SIMILAR, "--cache", "none", "--folder", "r0")
    assert not (tmp_path / "ragauge-runs").exists()
    ragauge("run", pairs, *SIMILAR, "--cache", "mine.sqlite", "--folder", "r1")
    assert (tmp_path / "mine.sqlite").exists()
    ragauge("run", pairs, *SIMILAR, "--folder", "r2")
    assert (tmp_path / "ragauge-runs" / "cache.sqlite").exists()
    assert kept(tmp_path, "r0").equals(kept(tmp_path, "r2"))


def test_a_configuration_names_encoder_and_cache(ragauge, pairs, tmp_path):
    (tmp_path / "run.toml").write_text(
        f'data = "{pairs}"\nmetrics = ["semantic_similarity"]\nfolder = "r"\ncache = "none"\n'
        '[encoder]\nmodel = "all-MiniLM-L6-v2"\nprecision = "int8"\n'
    )
    assert ragauge("run", "run.toml").code == 0
    assert precision_of(tmp_path / "r") == "int8"
    assert not (tmp_path / "ragauge-runs").exists()
    ragauge("run", "run.toml", "--precision", "fp32", "--folder", "other", code=0)
    assert precision_of(tmp_path / "other") == "fp32"


@cases(
    (
        ("--encoder-url", "http://127.0.0.1:1"),
        2,
        "the encoder endpoint needs a model; add --encoder MODEL",
    ),
    (("--precision", "int4"), 2, "Invalid value for '--precision'"),
    (("--precision", "fp16"), 6, "fp32 and int8, not 'fp16'"),
    (("--encoder-key", "KEY"), 6, "the embedded encoder has no api_key_env"),
    (("--encoder", "./no-such-folder"), 6, "no-such-folder"),
)
def test_an_encoder_that_cannot_be_had_is_said_before_any_work(
    options, code, said, ragauge, pairs, tmp_path
):
    done = ragauge("run", pairs, *SIMILAR, *options, "--folder", "r", code=code)
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert not (tmp_path / "r").exists()
