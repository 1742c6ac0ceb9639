"""Imports only go down, as docs/architecture.md has it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import ragauge
from ragauge.storage.memory import gc_paused

SOURCE = Path(ragauge.__file__).parent

LAYERS = (
    {"errors", "score", "start", "trust"},
    {"plugins"},
    {"conversations", "label", "language", "network", "report", "stats", "storage", "where"},
    {"calls", "samples", "setting", "suite"},
    {"metric"},
    {"encoders", "judges", "loaders"},
    {"documents", "rankings"},
    {"features"},
    {"metrics"},
    {"catalog"},
    {"engine"},
    {"runs"},
    {"comparing"},
    {"gating", "people"},
    {"views"},
    {"page"},
    {"run"},
    {"asking", "on_ray", "questions"},
    {"evaluation"},
    {"compat", "web"},
    {"ragauge"},
    {"cli", "pytest_plugin"},
    {"__main__"},
)
"""From the ground up; a module imports from the layers below its own, or from its own package."""

HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}
HEAVY = {
    *("matplotlib", "nltk", "numpy", "onnxruntime", "openai", "pandas", "polars", "pyarrow"),
    *("ray", "rich", "sacrebleu", "scipy", "sklearn", "spacy", "torch", "transformers"),
}
"""Packages that are imported inside the function that needs them."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NESTING = (ast.stmt, ast.excepthandler, ast.match_case)


def name_of(path: Path) -> str:
    """`ragauge/features/text.py` as `features.text`; the package itself as `ragauge`."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) or "ragauge"


MODULES = {name_of(path): path for path in SOURCE.rglob("*.py")}
LIGHT = {"rankings.names"}


def modules(room: str, *names: str) -> set[str]:
    return {f"{room}.{name}" for name in names}


LATE = {
    *modules("comparing", "compare", "mismatches", "pair", "rows", "scores"),
    *modules("engine", "executors"),
    *modules("evaluation", "judge_bias"),
    *modules("gating", "gate", "slices", "words"),
    *modules("loaders", "gold", "loading", "pairing", "pieces", "questions", "rows"),
    *modules("people", "calibrate", "calibration", "judge_effects", "metric_agreement"),
    *modules("people", "rater_agreement", "review_stats", "verdicts"),
    *modules("rankings", "fusion"),
    *(module for module in MODULES if module.startswith(("page.", "web."))),
} - LIGHT
"""The modules of what only some commands and inputs need."""
NUMERICAL = {
    *(module for module in MODULES if module.startswith(("encoders.", "rankings.", "stats."))),
    *modules("features", "rankings", "matches", "sentences"),
    *modules("metrics", "ranking", "token_similarity", "groundedness"),
}
MAY_BE_HEAVY = {
    ("report.terminal", "rich"),
    *((module, "numpy") for module in NUMERICAL),
    *((module, name) for module in LATE for name in ("numpy", "polars")),
}
"""These are themselves imported inside functions only; metrics and features when the catalog is first
asked for one."""
IMPORTED_LATE = {
    *(module for module, _ in MAY_BE_HEAVY),
    *modules("metrics", "estimated_correctness", "relevance", "token_similarity"),
    *modules("features", "correctness"),
    *modules("rankings", "tables"),
} - LIGHT


@cache
def tree_of(module: str) -> ast.Module:
    with gc_paused():  # else looking for garbage takes two thirds of the time
        return ast.parse(MODULES[module].read_text("utf-8"))


def statements(tree: ast.AST, *, at_import: bool) -> Iterator[ast.stmt]:
    """Import statements: all of them, or those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif at_import and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from statements(other, at_import=True)
        elif isinstance(node, NESTING) and not (at_import and isinstance(node, FUNCTIONS)):
            yield from statements(node, at_import=at_import)


def names(statement: ast.stmt) -> list[str]:
    """The modules that a statement imports, `from ragauge.features import text` as that module."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    assert isinstance(statement, ast.ImportFrom)
    assert statement.level == 0, "imports are absolute"
    whole = [f"{statement.module}.{alias.name}" for alias in statement.names]
    ours = [one for one in whole if one.removeprefix("ragauge.") in MODULES]
    return ours or [statement.module or ""]


@cache
def imports(module: str, *, at_import: bool = False) -> set[str]:
    """The modules of this package that a module imports."""
    found = {
        name
        for statement in statements(tree_of(module), at_import=at_import)
        for name in names(statement)
    }
    return {name.removeprefix("ragauge.") for name in found if name.split(".")[0] == "ragauge"}


def part(module: str) -> str:
    return module.split(".")[0]


def test_every_module_stands_in_a_layer():
    assert {part(module) for module in MODULES} == set(HEIGHT)


def test_a_module_imports_only_from_below_or_its_own_package():
    wrong = [
        f"{module} imports {other}"
        for module in MODULES
        for other in imports(module)
        if other not in MODULES
        or not (part(other) == part(module) or HEIGHT[part(other)] < HEIGHT[part(module)])
    ]
    assert not wrong


def test_no_module_imports_itself_by_way_of_others():
    # Inside a room a result may import, when it is shown, the module that states it as a report.
    graph = {
        module: {
            other
            for other in imports(module) - {module}
            if part(other) != part(module) or other in imports(module, at_import=True)
        }
        for module in MODULES
    }
    # static_order() raises CycleError with the circle in it.
    assert set(TopologicalSorter(graph).static_order()) >= set(MODULES)


def test_no_metric_imports_another_metrics_file():
    metrics = [module for module in MODULES if module.startswith("metrics.")]
    assert not [
        (each, other) for each in metrics for other in imports(each) if part(other) == "metrics"
    ]


def test_heavy_packages_are_imported_inside_functions():
    heavy = {
        (module, name.split(".")[0])
        for module in MODULES
        for statement in statements(tree_of(module), at_import=True)
        for name in names(statement)
        if name.split(".")[0] in HEAVY
    }
    assert not heavy - MAY_BE_HEAVY


def test_only_functions_import_what_imports_something_heavy():
    for module in set(MODULES) - IMPORTED_LATE:
        assert not imports(module, at_import=True) & IMPORTED_LATE, module


POSSESSIVE_GROUP = re.compile(r"[)}][*+?]\+|\(\?>")


def test_no_pattern_depends_on_how_python_matches_possessive_groups():
    # Python 3.11.0 to 3.11.2 matches a wrong text for `(...)*+`; a single character class is fine.
    assert not [
        module for module in MODULES if POSSESSIVE_GROUP.search(MODULES[module].read_text("utf-8"))
    ]
