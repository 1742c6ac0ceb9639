from pathlib import Path

import pytest
from cases import cases

from ragauge.errors import SuiteError
from ragauge.evaluation.config import Config


def load(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "run.toml"
    path.write_text(text)
    return Config.load(path)


def test_paths_are_relative_to_the_configurations_folder(tmp_path):
    config = load(
        tmp_path,
        'data = "answers.jsonl"\ngold = "gold.jsonl"\nsuites = ["answer-quality", "mine.toml"]\n'
        'metrics = ["ndcg@10"]\nwhere = "a = 1"\nlimit = 5\nby = ["topic"]\n'
        'output = ["scores.csv"]\nplugins = ["mine.py"]\nfolder = "run"\nseed = 3\nworkers = 2\n'
        '[map]\nanswer = "output"\n',
    )
    assert config == Config(
        data=tmp_path / "answers.jsonl",
        gold=tmp_path / "gold.jsonl",
        suites=("answer-quality", str(tmp_path / "mine.toml")),
        metrics=("ndcg@10",),
        where="a = 1",
        limit=5,
        by=("topic",),
        output=(tmp_path / "scores.csv",),
        plugins=(tmp_path / "mine.py",),
        folder=tmp_path / "run",
        seed=3,
        workers=2,
        map={"answer": "output"},
    )


def test_systems_have_a_file_each(tmp_path):
    config = load(tmp_path, '[systems]\na = "a.jsonl"\nb = "/b.jsonl"\n')
    assert config.systems == {"a": tmp_path / "a.jsonl", "b": Path("/b.jsonl")}


@cases(
    ("sutes = []", "unknown key 'sutes'; did you mean 'suites'"),
    ('limit = "3"', "limit must be a whole number, got '3'"),
    ("limit = true", "limit must be a whole number, got True"),
    ("limit = 0", "limit must be at least 1, got 0"),
    ("workers = -1", "workers must be at least 1, got -1"),
    ("seed = true", "seed must be a whole number, got True"),
    ("suites = [1]", "suites must be a list of texts"),
    ('suites = "answer-quality"', "suites must be a list"),
    ("[systems]\na = 1", "systems.a must be text, got 1"),
    ("[map]\nanswer = ['x']", "map.answer must be text"),
    ('data = "a"\n[systems]\na = "b"', "give data or [systems], not both"),
    ('data = "a"\ndata = "b"', "Cannot overwrite a value"),
    ("data = !!python/object:os.system", "not valid TOML"),
)
def test_what_is_wrong_in_a_configuration_is_said_with_its_file(text, problem, tmp_path):
    with pytest.raises(SuiteError) as caught:
        load(tmp_path, text)
    assert str(tmp_path / "run.toml") in str(caught.value)
    assert problem in str(caught.value)


def test_every_problem_is_said_at_once(tmp_path):
    with pytest.raises(SuiteError) as caught:
        load(tmp_path, 'sutes = []\nlimit = "x"\nmetrics = [1]\n[map]\na = 1\n')
    assert len(str(caught.value).splitlines()) == 4


def test_a_suite_is_told_from_a_configuration(tmp_path):
    for text in ('[[metric]]\nlabel = "ndcg"\n', '[[check]]\nwhere = "x"\n'):
        with pytest.raises(SuiteError, match="is a suite; run it with: ragauge run DATA --suite"):
            load(tmp_path, text)
