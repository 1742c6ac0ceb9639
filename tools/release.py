"""Build the last commit for release into dist/, and check it: make release

Builds sdist and wheel twice, each from a checkout of its own, and compares the files byte by byte. Checks the
metadata, the wheel's contents and its size. Installs the wheel without network into an empty environment of each
Python from 3.11 to 3.14 on the path, and runs the demo there.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAX_WHEEL_MB = 45
"""Far below the 100 MB that PyPI takes; the embedded encoder is nearly all of it."""
PYTHONS = tuple(f"python3.{minor}" for minor in range(11, 15))
IN_WHEEL = (
    "ragauge/py.typed",
    "ragauge/encoders/minilm/weights.bin",
    "ragauge/examples/handbook/answers.jsonl",
)
# Nobody listens on port 9: what asks for the network fails.
OFFLINE = dict.fromkeys(
    ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"
)


def main() -> None:
    """Build, check and install; exits with a message at the first thing that is wrong."""
    if changed := run("git", "status", "--porcelain", cwd=ROOT):
        sys.exit(f"a release is built from the last commit; commit or remove first:\n{changed}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        first, second = (build(folder / name) for name in ("first", "second"))
        compare(first, second)
        check(first)
        pythons = [python for python in PYTHONS if starts(python)]
        for python in pythons:
            install(python, wheel_in(first), folder / python)
        if not pythons:
            sys.exit(
                f"none of {', '.join(PYTHONS)} is on the path, so that the wheel was not tried"
            )
        print(
            f"not on the path, so not tried: {', '.join(sorted({*PYTHONS} - {*pythons})) or 'none'}"
        )
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        shutil.copytree(first, ROOT / "dist")
    print(f"ready in {ROOT / 'dist'}")


def run(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """What a command prints; exits with its messages if it fails."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def build(folder: Path) -> Path:
    """The folder with sdist and wheel, built from a fresh checkout of the last commit."""
    checkout, out = folder / "checkout", folder / "dist"
    checkout.mkdir(parents=True)
    archive = folder / "checkout.tar"
    run("git", "archive", "--output", archive, "HEAD", cwd=ROOT)
    with tarfile.open(archive) as opened:
        opened.extractall(checkout, filter="data")
    time = run("git", "log", "-1", "--format=%ct", cwd=ROOT)
    # The wheel is built from the sdist, so that the sdist is known to be complete.
    run(
        sys.executable,
        "-m",
        "build",
        "--outdir",
        out,
        cwd=checkout,
        env={"SOURCE_DATE_EPOCH": time},
    )
    return out


def compare(first: Path, second: Path) -> None:
    """Exits if the two builds differ; prints the name, size and digest of each file."""
    built = [{file.name: digest(file) for file in folder.iterdir()} for folder in (first, second)]
    if built[0] != built[1]:
        sys.exit(f"two builds of the same commit differ:\n{built[0]}\n{built[1]}")
    for name, sha256 in sorted(built[0].items()):
        print(f"{name}  {(first / name).stat().st_size / 1e6:.1f} MB  sha256 {sha256}")
    print("the same bytes twice")


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def wheel_in(folder: Path) -> Path:
    (wheel,) = folder.glob("*.whl")
    return wheel


def check(folder: Path) -> None:
    """Exits if the metadata, the contents or the size of the files is wrong."""
    wheel = wheel_in(folder)
    run(sys.executable, "-m", "twine", "check", "--strict", *folder.iterdir(), cwd=ROOT)
    run(sys.executable, "-m", "check_wheel_contents", wheel, cwd=ROOT)
    with zipfile.ZipFile(wheel) as opened:
        if lost := set(IN_WHEEL) - set(opened.namelist()):
            sys.exit(f"{wheel.name} lacks {', '.join(sorted(lost))}")
    size = wheel.stat().st_size / 1e6
    if size > MAX_WHEEL_MB:
        sys.exit(f"{wheel.name} has {size:.1f} MB, more than {MAX_WHEEL_MB}")
    print(f"twine and check-wheel-contents agree; {size:.1f} MB of at most {MAX_WHEEL_MB}")


def starts(python: str) -> bool:
    """Whether there is such a Python; one that pyenv lists but does not select is none."""
    found = shutil.which(python)
    return (
        found is not None
        and not subprocess.run([found, "-V"], capture_output=True, check=False).returncode
    )


def install(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel into an empty environment without network, and run the demo from it."""
    binaries = folder / "venv" / "bin"
    run(python, "-m", "venv", folder / "venv", cwd=ROOT)
    run(binaries / "pip", "download", "--quiet", "--dest", folder / "wheels", wheel, cwd=folder)
    run(
        binaries / "pip",
        "install",
        "--quiet",
        "--no-index",
        "--find-links",
        folder / "wheels",
        wheel,
        cwd=folder,
        env=OFFLINE,
    )
    run(binaries / "ragauge", "demo", cwd=folder, env=OFFLINE)
    print(f"{python}: installed without network, the demo runs")


if __name__ == "__main__":
    main()
