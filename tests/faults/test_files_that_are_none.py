"""FAULTS.md 24 and 29: files from outside that are devices, pipes, folders, huge, or full of keys."""

import time

import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import PlanError, StoreError, SuiteError
from ragauge.storage.regular_file import NotReadableError, read_regular
from ragauge.storage.tomlfile import parse_toml

ROW = '{"id": "q1", "answer": "x", "reference": "x"}\n'


def test_no_more_than_the_limit_is_read(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"x" * 11)
    assert read_regular(path, 11) == b"x" * 11
    with pytest.raises(NotReadableError, match="over 10 bytes"):
        read_regular(path, 10)
    with pytest.raises(NotReadableError, match="NUL"):
        read_regular(tmp_path / "a\0b", 10)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "absent", 10)


@cases(
    ("data", 'data = "a\\u0000b"'),
    ("systems.new", '[systems]\nnew = "a\\u0000b"'),
    ("plugins", 'plugins = ["a\\u0000b"]'),
    ("judge.model", '[judge]\nmodel = "a\\u0000b"'),
    ("gate.baseline", '[gate]\nbaseline = "a\\u0000b"'),
)
def test_a_nul_character_is_named_with_its_key(key, line, tmp_path, ragauge):
    (tmp_path / "c.toml").write_text(line)
    assert f"{key} has a NUL character" in ragauge("run", "c.toml", code=2).err


def test_a_nul_character_in_a_path_of_python_is_an_error():
    row = {"id": "q1", "answer": "x"}
    for options in ({"folder": "a\0b"}, {"cache": "a\0b"}):
        with pytest.raises(PlanError, match="has a NUL character"):
            rg.evaluate([row], "dont_know", **options)
    with pytest.raises(StoreError, match="NUL"):
        rg.open_run("a\0b")


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 50_000) + " = 1",
        "x = 1\n[" + " . ".join(["a"] * 5_000) + "]",
        "q = {" + ".".join(["a"] * 50_000) + " = 1}",
    ],
)
def test_keys_of_many_parts_are_refused_at_once(assert_quick, text):
    def read() -> None:
        with pytest.raises(SuiteError, match="a key has more than 50 parts"):
            parse_toml(text, "c.toml")

    assert_quick(read, 2)


def test_many_unknown_keys_are_refused_quickly_and_counted(tmp_path, ragauge):
    (tmp_path / "c.toml").write_text("".join(f"k{at} = 1\n" for at in range(20_000)))
    start = time.thread_time()
    said = ragauge("run", "c.toml", code=2).err.splitlines()
    assert time.thread_time() - start < 5
    assert len(said) == 21
    assert said[-1].endswith("… and up to 19,980 more")


@cases(
    "seed = -1",
    "seed = 9223372036854775808",
    "limit = 0",
    "workers = 0",
    "[judge]\nmodel = 'm'\nconcurrency = 0",
    "[judge]\nmodel = 'm'\nbase_url = 'ftp://x/v1'",
    "[judge]\nmodel = 'm'\nbase_url = 'http://x:99999/v1'",
    "[judge]\nmodel = 'm'\nbase_url = ''",
)
def test_values_out_of_range_are_usage_errors(line, tmp_path, ragauge):
    (tmp_path / "a.jsonl").write_text(ROW)
    (tmp_path / "c.toml").write_text(f"data = 'a.jsonl'\nmetrics = ['answer_class']\n{line}\n")
    ragauge("run", "c.toml", "--folder", "run", code=2)
    assert not (tmp_path / "run").exists()


@cases(
    "answer_class --judge m --judge-url localhost:8000",
    "semantic_similarity --encoder m --encoder-url file:///x",
)
def test_an_address_that_is_none_is_a_usage_error_and_not_an_unreachable_model(
    metric, tmp_path, ragauge
):
    (tmp_path / "a.jsonl").write_text(ROW)
    place = ("--folder", "run", "--cache", "none")
    assert "base_url" in ragauge("run", "a.jsonl", *place, "-m", *metric.split(), code=2).err


@cases("run a\0b", "show a\0b", "rank a\0b c", "cache a\0b", "doctor --check \0")
def test_a_nul_character_in_an_argument_is_a_usage_error(arguments, ragauge):
    assert "NUL character" in ragauge(*arguments.split(" "), code=2).err


@cases("[" * 100_000, "**/" * 30 + "x.jsonl", "*" * 5_000, "\udcff[" * 50, "?" * 4_000)
def test_a_pattern_without_end_is_refused_at_once(pattern, tmp_path, ragauge):
    tmp_path.joinpath(*"abcdefgh").mkdir(parents=True)
    start = time.process_time()
    said = ragauge("run", pattern, "-m", "exact_match", code=3).err
    assert time.process_time() - start < 5
    assert said.startswith("ragauge: error: ")


def test_a_file_that_a_pattern_finds_in_several_ways_is_read_once(tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.jsonl").write_text(ROW)
    monkeypatch.chdir(tmp_path)
    assert len(rg.load("**/**/x.jsonl")) == 1
