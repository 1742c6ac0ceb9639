"""axe-core finds no problem in any view, light or dark."""

import pytest

PLACES = (
    "",
    "#/compare?base=hasty&other=careful",
    "#/questions?chip=system+%3D+%22hasty%22",
    "#/questions?id=q05&why=all&diff=1",
    "#/questions?where=nothing",
)


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
