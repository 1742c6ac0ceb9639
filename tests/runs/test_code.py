"""A run's key hangs on all the code that makes its numbers, and on no other."""

import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import ragauge
from ragauge.runs.code import code_of

PACKAGE = Path(ragauge.__file__).parent
KEYS = """
import json, sys
from pathlib import Path
import ragauge
from ragauge.evaluation import Evaluation
import ragauge.cli, ragauge.views.tables

package = Path(ragauge.__file__).parent
rows = [{"id": "q1", "question": "When?", "answer": "I do not know.", "reference": "in 1999"}]

def key():
    return Evaluation.prepare(rows, sys.argv[1:]).manifest.key

before, changes, stays = key(), [], []
for path in sorted(package.rglob("*.py")):
    text = path.read_bytes()
    path.write_bytes(text + b"\\n# changed\\n")
    name = ".".join(("ragauge", *path.relative_to(package).with_suffix("").parts))
    (changes if key() != before else stays).append(name.removesuffix(".__init__"))
    path.write_bytes(text)
assert key() == before
print(json.dumps([changes, stays]))
"""


def file_of(module: str) -> Path | None:
    """The file of one of our modules."""
    if module == "ragauge":
        return PACKAGE / "__init__.py"
    path = PACKAGE / module.removeprefix("ragauge.").replace(".", "/")
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if module.startswith("ragauge.") and file.is_file():
            return file
    return None


def imported(tree: ast.AST) -> set[str]:
    """What a module of ours imports of ours when it runs: each statement but those for type checkers."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
        found |= imported(node)
    return {name for name in found if file_of(name)}


def closure(roots: set[str]) -> set[str]:
    """The modules, their packages, and all that they import: walked here, apart from the product."""
    found, waiting = set(), set(roots)
    while waiting:
        module = waiting.pop()
        found.add(module)
        file = file_of(module)
        assert file is not None
        parts = module.split(".")
        parents = {".".join(parts[:n]) for n in range(1, len(parts))}
        waiting |= (imported(ast.parse(file.read_text("utf-8"))) | parents) - found
    return found


def changes_of_a_copy(folder: Path, *metrics: str) -> tuple[set[str], set[str]]:
    """In a copy of the package: the modules whose change changes the key, and the others."""
    shutil.copytree(
        PACKAGE, folder / "ragauge", ignore=shutil.ignore_patterns("__pycache__"), symlinks=True
    )
    done = subprocess.run(
        [sys.executable, "-c", KEYS, *metrics],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    changes, stays = json.loads(done.stdout)
    return set(changes), set(stays)


ENGINE = "ragauge.engine.engine"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metrics", "roots"),
    [
        (["dont_know"], {"ragauge.metrics.refusal", "ragauge.features.refusals"}),
        pytest.param(
            ["keyword_coverage", "number_match"],
            {
                "ragauge.metrics.coverage",
                "ragauge.metrics.numbers",
                "ragauge.features.keywords",
                "ragauge.features.numbers",
                "ragauge.features.dates",
            },
        ),
    ],
)
def test_the_key_changes_with_each_module_of_the_closure_and_with_no_other(
    tmp_path, metrics, roots
):
    changes, stays = changes_of_a_copy(tmp_path, *metrics)
    expected = closure({ENGINE, *roots})
    assert changes == expected
    assert "ragauge.language.text" in changes
    assert {"ragauge.cli", "ragauge.views.tables", "ragauge.metrics.overlap"} <= stays


HELPER = "LIMIT = 3\n"
OWN = """
import ragauge as rg

@rg.metric
def short(answer: str) -> bool:
    \"\"\"Whether the answer is short.\"\"\"
    from helping import LIMIT

    return len(answer) <= LIMIT
"""
SCRIPT = """
import ragauge as rg, own
run = rg.evaluate([{"id": "q1", "answer": "abcd"}], "short", folder="run")
print(run.scores["value"].item(), run.manifest.key)
"""


def evaluated(folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout.split() or done.stderr.splitlines()[-1:]


@pytest.mark.slow
def test_what_a_metric_of_the_user_imports_inside_a_function_counts(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "helping.py").write_text(HELPER)
    value, key = evaluated(tmp_path)
    assert value == "0.0"
    assert evaluated(tmp_path) == [value, key]
    (tmp_path / "helping.py").write_text("LIMIT = 4\n")
    (refused,) = evaluated(tmp_path)
    assert "holds another run" in refused, "the old number is not given for the new code"
    shutil.rmtree(tmp_path / "run")
    value, other = evaluated(tmp_path)
    assert value == "1.0" and other != key


def test_other_packages_count_by_their_version():
    from ragauge.language import stop_words
    from ragauge.metrics import overlap

    code = code_of([overlap.fuzzy_match])
    assert set(code.packages) >= {"rapidfuzz"}
    assert not any(name.startswith("rapidfuzz") for name in code.modules)
    assert code_of([], [stop_words.__name__]).packages.keys() <= code.packages.keys()


def test_a_function_of_a_notebook_counts_with_the_globals_that_it_names():
    def keyed(source: str) -> str:
        namespace = {"__name__": "__main__"}
        exec(source, namespace)
        return code_of([namespace["metric"]]).digest()

    main = sys.modules["__main__"]
    file = main.__dict__.pop("__file__", None)  # as in a notebook
    try:
        first = keyed("LIMIT = 3\ndef inner(x): return x > LIMIT\ndef metric(x): return inner(x)")
        again = keyed("LIMIT = 3\ndef inner(x): return x > LIMIT\ndef metric(x): return inner(x)")
        other = keyed("LIMIT = 4\ndef inner(x): return x > LIMIT\ndef metric(x): return inner(x)")
    finally:
        if file is not None:
            main.__file__ = file
    assert first == again != other


def test_a_data_file_beside_a_module_counts(tmp_path, monkeypatch):
    (tmp_path / "with_data_beside.py").write_text("def metric(answer): return 1\n")
    (tmp_path / "with_data_beside.toml").write_text("a = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    first = code_of([], ["with_data_beside"]).digest()
    (tmp_path / "with_data_beside.toml").write_text("a = 2\n")
    assert code_of([], ["with_data_beside"]).digest() != first


METRIC = "from ragauge import metric\n{0}\n@metric\ndef own(answer: str) -> float:\n    {1}\n"
SHOW_CODE = """
from ragauge.metric import METRICS
from ragauge.runs.code import code_of
print(code_of([METRICS["own"].function]).digest())
"""
HALF, WHOLE = "def f(): return 0.5\n", "def f(): return 1.0\n"
FACTORY = """
from ragauge import metric

def make(value):
    @metric
    def own(answer: str) -> float:
        return value
"""
DECORATOR = """
class Kept:
    def __init__(self, function):
        self.function, self.__name__ = function, "own"

    def __call__(self, answer: str) -> float:
        return self.function()
"""
FINDER = """
import importlib.util, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "elsewhere":
            places = {"submodule_search_locations": ["source/elsewhere"]}
            file = "source/elsewhere/__init__.py"
            return importlib.util.spec_from_file_location(name, file, **places)

sys.meta_path.append(Finder())
"""
USES = METRIC.format("import helping", "return helping.f()")


def printed_by(folder: Path, files: dict[str, str], *options: str, text: str | None = None) -> str:
    """The digest of a metric's code in a new process: of `main.py`, or of `text` as in a notebook.

    It is the part of a run's key that follows the code.
    """
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    command = [sys.executable, *(options or (["-"] if text else ["main.py"]))]
    done = subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("files", "changed", "options"),
    [
        pytest.param(
            {
                "pack/__init__.py": "",
                "pack/main.py": METRIC.format("from .helping import f", "return f()") + SHOW_CODE,
                "pack/helping.py": HALF,
            },
            {"pack/helping.py": WHOLE},
            ["-m", "pack.main"],
            id="relative import of python -m",
        ),
        pytest.param(
            {"main.py": "import making\nmaking.make(0.5)" + SHOW_CODE, "making.py": FACTORY},
            {"main.py": "import making\nmaking.make(1.0)" + SHOW_CODE},
            [],
            id="value given to the factory of a metric",
        ),
        pytest.param(
            {
                "main.py": "import kept, helping, ragauge as rg\nrg.metric(kept.Kept(helping.f))"
                + SHOW_CODE,
                "kept.py": DECORATOR,
                "helping.py": HALF,
            },
            {"helping.py": WHOLE},
            [],
            id="function inside an instance",
        ),
        pytest.param(
            {
                "main.py": METRIC.format(
                    "from typing import TYPE_CHECKING\nif not TYPE_CHECKING:\n    import helping",
                    "return helping.f()",
                )
                + SHOW_CODE,
                "helping.py": HALF,
            },
            {"helping.py": WHOLE},
            [],
            id="not TYPE_CHECKING",
        ),
        pytest.param(
            {
                "main.py": METRIC.format("helping = __import__('helping')", "return helping.f()")
                + SHOW_CODE,
                "helping.py": HALF,
            },
            {"helping.py": WHOLE},
            [],
            id="__import__",
        ),
        pytest.param(
            {
                "main.py": METRIC.format("import this", "return this.f()") + SHOW_CODE,
                "this.py": HALF,
            },
            {"this.py": WHOLE},
            [],
            id="file with the name of a standard module",
        ),
        pytest.param(
            {
                "main.py": FINDER
                + METRIC.format("", "from elsewhere.helping import f; return f()")
                + SHOW_CODE,
                "source/elsewhere/__init__.py": "",
                "source/elsewhere/helping.py": HALF,
            },
            {"source/elsewhere/helping.py": WHOLE},
            [],
            id="editable install that is not imported yet",
        ),
        pytest.param(
            {
                "main.py": USES + SHOW_CODE,
                "helping.py": HALF + "LONG = " + " + ".join(["''"] * 2_000),
            },
            {"helping.py": WHOLE},
            [],
            id="deep source",
        ),
    ],
)
def test_the_key_follows_the_code_of_the_user(tmp_path, files, changed, options):
    before = printed_by(tmp_path, files, *options)
    assert printed_by(tmp_path, {}, *options) == before
    assert printed_by(tmp_path, changed, *options) != before


@pytest.mark.parametrize(
    ("globals_", "body", "change"),
    [
        (
            "import re\nWANTED = re.compile('a')",
            "return bool(WANTED.search(answer))",
            ("'a'", "'b'"),
        ),
        ("def f(k=0.5): return k", "return f()", ("0.5", "0.6")),
        ("from functools import partial\nf = partial(max, 1.0)", "return f(0)", ("1.0", "1.5")),
        ("class F:\n    def __call__(self): return 0.5\nf = F()", "return f()", ("0.5", "0.6")),
        ("class F:\n    def g(self): return 0.5", "return F().g()", ("0.5", "0.6")),
        ("TABLE = {'f': lambda: 0.5, 'w': {'x', 'y', 'z'}}", "return TABLE['f']()", ("0.5", "0.6")),
        ("import numpy as np\nW = np.array([0.5])", "return W[0]", ("0.5", "0.6")),
        (
            "def make(k):\n    def f(n=3): return f(n - 1) if n else k\n    return f\nf = make(0.5)\n",
            "return f()",
            ("0.5", "0.6"),
        ),
    ],
)
def test_the_key_follows_the_values_of_a_notebook(tmp_path, globals_, body, change):
    text = METRIC.format(globals_, body) + SHOW_CODE
    before = printed_by(tmp_path, {}, text=text)
    assert printed_by(tmp_path, {}, text=text) == before
    assert printed_by(tmp_path, {}, text=text.replace(*change)) != before


def test_an_import_inside_a_function_of_a_notebook_counts(tmp_path):
    text = METRIC.format("", "import helping; return helping.f()") + SHOW_CODE
    before = printed_by(tmp_path, {"helping.py": HALF}, text=text)
    assert printed_by(tmp_path, {"helping.py": WHOLE}, text=text) != before


def test_a_module_in_a_zip_archive_counts(tmp_path, monkeypatch):
    def digest(source: str) -> str:
        with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
            archive.writestr("in_an_archive.py", source)
        importlib.invalidate_caches()
        return code_of([], ["in_an_archive"]).digest()

    monkeypatch.syspath_prepend(tmp_path / "archive.zip")
    assert digest(HALF) != digest(WHOLE)


AGGREGATED = """
import ragauge as rg

def twice(sums):
    return sums[:, 0] * 2

@rg.metric(aggregate=twice)
def own(answer: str) -> rg.Score:
    return rg.Score(1.0, evidence={"parts": [len(answer)]})
"""
REOPENED = """
import own_metrics, ragauge as rg
print(*rg.open_run("run").summary()["mean"])
"""


@pytest.mark.slow
def test_a_run_made_with_a_plugin_is_summarised_where_the_file_is_imported(tmp_path):
    files = {"own_metrics.py": AGGREGATED, "data.jsonl": '{"id": "q1", "answer": "abcd"}'}
    command = "-m ragauge run data.jsonl -m own --plugin own_metrics.py --folder run --cache none"
    printed_by(tmp_path, files, *command.split())
    assert printed_by(tmp_path, {"main.py": REOPENED}) == "8.0\n"
    assert printed_by(tmp_path, {"own_metrics.py": AGGREGATED + "# changed\n"}) == "None\n"
