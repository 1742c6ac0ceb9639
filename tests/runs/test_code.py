"""A run's key hangs on all the code that makes its numbers, and on no other."""

import ast
import json
import os
import shutil
import subprocess
import sys
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
import ragauge.cli, ragauge.report.tables

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


@pytest.mark.parametrize(
    ("metrics", "roots"),
    [
        (["dont_know"], {"ragauge.metrics.refusal", "ragauge.features.refusals"}),
        pytest.param(
            ["keyword_coverage", "number_match"],
            {
                "ragauge.metrics.coverage",
                "ragauge.features.keywords",
                "ragauge.features.numbers",
                "ragauge.features.dates",
            },
            marks=pytest.mark.slow,
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
    assert {"ragauge.cli", "ragauge.report.tables", "ragauge.metrics.overlap"} <= stays


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
