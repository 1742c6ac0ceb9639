"""What a worker does: it refuses other code than the driver's, and imports the user's modules."""

import platform
import subprocess
import sys
from pathlib import Path

import polars
from cases import cases

from ragauge.cli.options import import_plugins
from ragauge.on_ray.worker import Worker, difference, staged, versions
from ragauge.runs.code import user_code

HERE = versions(["polars"])


@cases(
    ({}, ""),
    ({"Python": "3.10.1"}, f"Python {platform.python_version()} instead of 3.10.1"),
    ({"ragauge": "1 (sources 12)"}, f"ragauge {HERE['ragauge']} instead of 1 (sources 12)"),
    (
        {"polars": "0.1", "no-such-package": "1.0"},
        f"polars {polars.__version__} instead of 0.1; no-such-package is missing instead of 1.0",
    ),
)
def test_what_differs_is_named(there, says):
    assert difference(HERE | there) == says


def test_a_job_whose_code_cannot_be_read_is_refused():
    packed = b"cno_such_module\nfunction\n."  # what pickle writes of a function by name
    worker = Worker(HERE, packed, ())
    assert worker.ready() == "ModuleNotFoundError: No module named 'no_such_module'"


def test_a_plugin_and_a_package_of_the_user_can_be_imported_from_the_copies(tmp_path, monkeypatch):
    package = tmp_path / "staged_package" / "inner"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "words.py").write_text("WORD = 'nuts'\n")
    plugin = tmp_path / "staged-plugin.py"
    plugin.write_text(
        "from pathlib import Path\ndef own(answer):\n    return WORD, TEXTS\n"
        "from staged_package.inner.words import WORD\n"
        "TEXTS = {Path(__file__).with_name('staged-plugin.json').read_text(),\n"
        "         Path(__file__).with_suffix('.json').read_text()}\n"
    )
    (tmp_path / "staged-plugin.json").write_text("[1]")
    monkeypatch.syspath_prepend(tmp_path)
    import_plugins([plugin])
    name = "ragauge_plugin_staged-plugin"
    modules = [name, "staged_package", "staged_package.inner", "staged_package.inner.words"]
    files = user_code([sys.modules[name].own]).files
    assert sorted(files) == modules
    with staged({**files, "__main__": Path(__file__)}) as paths:
        assert [Path(path).name for path in paths] == [name, "staged_package"]
        script = (
            f"import sys, importlib; sys.path.insert(0, {str(Path(paths[0]).parent)!r})\n"
            f"plugin = importlib.import_module({name!r})\n"
            "print(plugin.WORD, *plugin.TEXTS)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd="/"
        )
    assert done.stdout == "nuts [1]\n"
