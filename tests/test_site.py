"""The site that `make docs` builds: complete, and without anything from elsewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="make test-slow installs the group docs")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""The elements that make a browser load something, and the attribute that says from where."""
ELSEWHERE = re.compile(r"(\w+:)?//")
IN_STYLES = re.compile(r"""(?:url\(\s*|@import\s+)['"]?((?:\w+:)?//[^'")\s]+)""")


class LoadedAddresses(HTMLParser):
    """The addresses from which a page loads something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.get(LOADED.get(tag, ""))
        if address and given.get("rel") != "canonical":
            self.found.append(address)


def build(out: Path, source: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-c", "docs"]
    # Nobody listens on port 9: whatever would be fetched fails.
    offline = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    return subprocess.run(
        [*command, "-d", str(out / "doctrees"), ".", str(out / "site")],
        cwd=source,
        env={"PATH": "", **offline},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("docs")
    done = build(out)
    assert done.returncode == 0, done.stderr
    return out / "site"


def test_every_page_of_the_documentation_is_on_the_site(site):
    for page in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "benchmarks/README.md"]:
        assert (site / page.relative_to(ROOT).with_suffix(".html")).is_file()
    assert (site / "index.html").is_file()


def test_every_page_is_named_for_models_with_what_it_says(site):
    text = (site / "llms.txt").read_text("utf-8")
    assert text.startswith("# ragauge\n\n> You changed a prompt")
    named = dict(re.findall(r"^- \[.+\]\((.+)\.html\): (.+)$", text, re.MULTILINE))
    assert {f"docs/{page.stem}" for page in (ROOT / "docs").glob("*.md")} <= set(named)
    assert named["docs/quickstart"].startswith("Three minutes.")


def test_no_page_loads_a_script_font_or_style_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        parser = LoadedAddresses()
        parser.feed(page.read_text("utf-8"))
        assert parser.found, page
        outside = [address for address in parser.found if ELSEWHERE.match(address)]
        assert not outside, (page, outside)


def test_no_style_loads_anything_from_elsewhere(site):
    styles = [*site.rglob("*.css"), *site.rglob("*.html")]
    outside = {
        path.name: found for path in styles if (found := IN_STYLES.findall(path.read_text()))
    }
    assert not outside


def test_a_broken_link_and_a_broken_anchor_are_errors(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "conf.py").write_text((ROOT / "docs" / "conf.py").read_text())
    (tmp_path / "docs" / "page.md").write_text("# Page\n\n[other](other.md) [part](#no-part)\n")
    (tmp_path / "README.md").write_text("# Front\n\n[page](docs/page.md#no-heading)\n")
    done = build(tmp_path / "out", tmp_path)
    assert done.returncode != 0
    for name in ("other.md", "no-part", "no-heading"):
        assert name in done.stderr
