"""A run's key depends on ragauge's sources that make numbers, and on the user's files that its metrics use."""

import importlib
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cases import cases

import ragauge as rg
from ragauge.cli.options import import_plugins
from ragauge.errors import PlanError
from ragauge.metrics.overlap import exact_match
from ragauge.runs.code import WITHOUT_NUMBERS, digest_of_sources, user_code
from ragauge.runs.manifest import StoredAggregate

PACKAGE = Path(rg.__file__).parent


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> tuple[Path, str]:
    """A copy of the package's sources, and their digest."""
    folder = tmp_path_factory.mktemp("copied") / "ragauge"
    left_out = shutil.ignore_patterns("__pycache__", "minilm", "built")
    shutil.copytree(PACKAGE, folder, ignore=left_out)
    return folder, digest_of_sources(folder)


@cases(
    ("metrics/overlap.py", True),
    ("metrics/estimated_correctness.toml", True),
    ("judges/providers/endpoint.py", True),
    ("score.py", True),
    ("metrics/trust.toml", False),
    *((f"{room}/__init__.py", False) for room in WITHOUT_NUMBERS),
)
def test_a_source_counts_if_it_makes_numbers(file, counts, copied):
    folder, before = copied
    path = folder / file
    text = path.read_bytes()
    path.write_bytes(text + b"\n# changed\n")
    assert (digest_of_sources(folder) != before) is counts
    path.write_bytes(text)


@pytest.mark.parametrize("file", ["features/texts.py", "metrics/trust.toml"])
def test_where_a_source_lies_counts(copied, file):
    folder, before = copied
    assert before == digest_of_sources(folder) == digest_of_sources(PACKAGE)
    moved = (folder / file).rename(folder / f"{file[:-5]}moved{file[-5:]}")
    assert digest_of_sources(folder) != before
    moved.rename(folder / file)


EVALUATES = """
import sys
import ragauge as rg

async def judge(messages):
    print("asked")
    return '{"verdict": "CORRECT", "reason": "same"}'

rows = [{"id": "q1", "question": "When?", "answer": "in 1999", "reference": "1999"}]
rg.evaluate(rows, "answer_class", judge=judge, cache="cache", folder=sys.argv[1])
"""


@pytest.mark.slow
def test_after_a_change_of_ragauge_a_run_is_made_again_and_no_judge_is_asked_again(tmp_path):
    package = tmp_path / "ragauge"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "minilm"))
    (tmp_path / "main.py").write_text(EVALUATES)

    def evaluated(folder: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "main.py", folder], cwd=tmp_path, capture_output=True, text=True
        )

    assert evaluated("run").stdout == "asked\n"
    assert evaluated("run").stdout == ""
    with (package / "metrics" / "refusal.py").open("a") as file:
        file.write("# changed\n")
    refused = evaluated("run")
    assert refused.returncode == 1 and "holds another run" in refused.stderr
    again = evaluated("new")
    assert (again.returncode, again.stdout) == (0, ""), again.stderr


MINE = '''"""A user's metrics."""
import re
import ragauge as rg
from helping.words import LIMIT

WORD = "[a-z]+"
UNUSED = 1
SIZES = {}
SIZES["least"] = 0


def is_long(word):
    """Whether a word is long."""
    return len(word) > LIMIT + SIZES["least"]


@rg.feature
def long_words(answer: str) -> int:
    return sum(is_long(word) for word in re.findall(WORD, answer))


@rg.metric(version=1, high=None)
def n_long(long_words, *, most=9) -> float:
    """How many words are long."""
    from late import rounded

    return float(rounded(long_words))
'''
FILES = {
    "mine.py": MINE,
    "mine.toml": "a = 1",
    "late.py": "from helping import words\n\ndef rounded(x):\n    import numpy\n    return numpy.round(x)\n",
    "helping/__init__.py": "",
    "helping/words.py": "from .limits import LIMIT\n",
    "helping/limits.py": "LIMIT = 3\n",
    "unrelated.py": "",
}


@pytest.fixture
def mine(tmp_path, monkeypatch, own_metrics):
    """The folder of a user's module `mine`, which can be imported."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.split(".")[0] in ("mine", "helping", "late", "this"):
            del sys.modules[name]


@cases(
    ("mine.py", "float(rounded", "-float(rounded", True),
    ("mine.py", "most=9", "most=8", True),
    ("mine.py", "version=1", "version=2", True),
    ("mine.toml", "a = 1", "a = 2", True),
    ("late.py", "numpy.round(x)", "x", True),
    ("helping/__init__.py", "", "LIMIT = 3", True),
    ("helping/words.py", "import LIMIT", "import LIMIT as LIMIT", True),
    ("helping/limits.py", "3", "4", True),
    ("helping/limits.py", "3", "3 + ''" + " + ''" * 3_000, True),  # too deep for a syntax tree
    ("mine.py", '"How many', '"The number of', False),
    ("mine.py", "UNUSED = 1", "UNUSED = 2", False),
    ("mine.py", "SIZES = {}", "SIZES   =   {}\n\n\nOTHER = 2  # a comment", False),
    ("mine.py", "@rg.feature", "@rg.metric\ndef other(answer: str) -> float:\n    return 0.5\n\n@rg.feature", False),
    ("mine.py", "", "\nif __name__ == '__main__':\n    run = rg.evaluate([], n_long)", False),
    ("unrelated.py", "", "import mine", False),
    # What its feature depends on.
    ("mine.py", "[a-z]+", "[a-y]+", True),
    ("mine.py", "len(word) >", "len(word) >=", True),
    ("mine.py", "] = 0", "] = 1", True),
)  # fmt: skip
def test_what_a_metric_of_the_user_depends_on_counts(file, old, new, counts, mine):
    module = importlib.import_module("mine")
    before = user_code([module.n_long])
    assert sorted(before.files) == ["helping", "helping.limits", "helping.words", "late", "mine"]
    assert before.packages == {"numpy"}
    both = user_code([module.n_long, module.long_words]).digest()
    text = (mine / file).read_text()
    (mine / file).write_text(text.replace(old, new, 1) if old else text + new)
    assert (user_code([module.n_long, module.long_words]).digest() != both) is counts


@pytest.mark.parametrize("part", [exact_match, len, json.dumps, None.__class__])
def test_only_code_of_the_user_has_a_digest(part):
    assert user_code([part]).digest() == ""


def test_a_file_of_the_user_may_have_the_name_of_a_standard_module(mine):
    (mine / "this.py").write_text("A = 1")
    (mine / "late.py").write_text("import this\ndef rounded(x):\n    return x\n")
    assert "this" in user_code([importlib.import_module("mine").n_long]).files


def test_the_files_of_encoders_judges_and_aggregates_count(mine):
    (mine / "late.py").write_text(
        "import ragauge as rg\nfrom helping import words\n\n"
        "class Mine:\n    def __init__(self):\n        self.identity = {'name': 'mine'}\n"
        "    name, max_tokens = 'mine', 9\n    def count_tokens(self, texts):\n        return None\n    def encode(self, texts, **_):\n        import numpy\n        return numpy.ones((len(texts), 1), 'float32')\n\n"
        "async def judge(messages):\n    return '{}'\n\n"
        "def twice(sums):\n    return sums[:, 0] * 2\n\n"
        "@rg.metric(aggregate=twice)\ndef own(answer: str) -> rg.Score:\n    return rg.Score(1.0, evidence={'parts': [1]})\n"
    )
    late = importlib.import_module("late")
    rows = [{"id": "q1", "question": "When?", "answer": "a", "reference": "b", "contexts": ["c"]}]
    for metric, given in (
        ("semantic_similarity", {"encoder": late.Mine()}),
        ("answer_class", {"judge": late.judge}),
        ("own", {}),
    ):
        code = rg.evaluate(rows, metric, **given).manifest.code
        assert "late" in code["modules"], metric


@cases(("3", "4", True), ("x >", "x >=", True), ("", "", False))
def test_a_function_of_a_notebook_counts_with_what_it_names(old, new, counts, mine, monkeypatch):
    source = (
        "import helping.words\nLIMIT = 3\ndef inner(x): return x > LIMIT + helping.words.LIMIT\n"
        "def metric(x):\n    import late\n    return inner(x)\n"
    )
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)

    def code_of(text: str):
        namespace: dict[str, object] = {"__name__": "__main__"}
        exec(text, namespace)
        return user_code([namespace["metric"]])

    before, after = code_of(source), code_of(source.replace(old, new, 1))
    assert before.files.keys() >= {"late", "helping.words"}
    assert (before.digest() != after.digest()) is counts


SAMPLES = [{"id": f"q{at}", "answer": "a long answer"} for at in range(3)]


@pytest.fixture
def run_with(mine):
    """Evaluates with `mine.py` as a plugin in this state."""

    def evaluate(old: str = "", new: str = "") -> rg.Run:
        (mine / "mine.py").write_text(MINE.replace(old, new) if old else MINE)
        import_plugins([mine / "mine.py"])
        return rg.evaluate(SAMPLES, "n_long")

    return evaluate


@cases(
    ("float(rounded(", "2 * float(rounded(", "n_long"),
    ("> LIMIT", ">= LIMIT", "feature long_words"),
    ("version=1", "version=2", "version 1 in .*, version 2"),
)
def test_code_that_changed_without_a_version_is_not_compared(old, new, what, run_with):
    base, other = run_with(), run_with(old, new)
    assert base.manifest.key != other.manifest.key
    with pytest.raises(PlanError, match=rf"cannot compare n_long: (the code of )?{what}"):
        rg.compare(base, other)
    comparison = rg.compare(base, other, allow_mismatch=True)
    assert any("n_long: " in note for note in comparison.notes)


@pytest.mark.parametrize("known", [{}, {"code": "12ab"}])
def test_the_code_of_a_run_of_an_earlier_version_is_unknown(run_with, known):
    base, changed = run_with(), run_with("> LIMIT", ">= LIMIT")
    nodes = base.manifest.plan["nodes"]
    nodes = [{k: v for k, v in node.items() if k != "code"} | known for node in nodes]
    plan = {**base.manifest.plan, "nodes": nodes}
    old = replace(base, manifest=replace(base.manifest, plan=plan))
    assert rg.compare(old, changed).row("n_long").n == 3


def test_an_aggregate_is_the_same_as_far_as_its_digest_tells():
    def stored(digest: str) -> StoredAggregate:
        return StoredAggregate("custom", "mine", "mine.py", digest)

    one, two, earlier = stored("files:1"), stored("files:2"), stored("1")
    assert one.is_same(stored("files:1")) and not one.is_same(two)
    assert one.is_same(earlier) and earlier.is_same(one)
    assert not earlier.is_same(stored("2"))
    assert not one.is_same(replace(one, file="other.py"))
    assert one.is_same(replace(one, module="ragauge_plugin_mine"))
