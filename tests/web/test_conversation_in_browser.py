"""A conversation on the page: bubbles by role, folded calls, scores at their turn, two systems aligned by turn."""

import json

import pytest

import ragauge as rg

pytestmark = pytest.mark.slow


def chat(system, *turns):
    """Turns of (question, call's arguments, result, answer), for which {"to": "Oslo"} and "At 8." are right."""
    messages = []
    for at, (question, arguments, result, answer) in enumerate(turns):
        call = {
            "id": str(at),
            "function": {"name": "<b>find</b>", "arguments": json.dumps(arguments)},
        }
        messages += [
            {"role": "user", "content": question},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": str(at), "content": result},
            {"role": "assistant", "content": answer},
        ]
    right = [{"name": "<b>find</b>", "arguments": {"to": "Oslo"}}]
    given = {
        "latency_s": 2.0,
        "references": [["At 8."]] * len(turns),
        "expected_calls": [right] * len(turns),
    }
    return {"id": "trip", "system": system, "messages": messages, **given}


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "<b>find</b>",
            "description": "Looks up a train.",
            "parameters": {"type": "object", "properties": {"to": {"type": "string"}}},
        },
    },
    {"name": "stop"},
]


@pytest.fixture
def report(tmp_path):
    right = ("When?", {"to": "Oslo"}, "8:00", "At 8.")
    wrong = ("And <i>then</i>?", {"to": "Rome"}, "Error: closed", "At 9.")
    rows = [chat("a", right, right, right), chat("b", right, wrong)]
    return rg.evaluate(rows, ["exact_match", "tool_call_match", "latency_s"]).report(
        tmp_path / "r.html"
    )


def test_the_tools_are_a_list_with_folded_arguments(opened, tmp_path):
    row = {**chat("a", ("When?", {"to": "Oslo"}, "8:00", "At 8.")), "tools": TOOLS}
    page = opened(rg.evaluate([row], "steps").report(tmp_path / "r.html"), "#/questions?id=trip")
    page.page.wait_for_selector(".fields details")
    assert page.texts(".fields details summary") == ["<b>find</b> Looks up a train.", "stop"]
    arguments = page.page.locator(".fields details pre").first
    assert arguments.is_hidden()
    page.page.locator(".fields details summary").first.click()
    assert '"to"' in arguments.inner_text()


def test_a_conversation_is_drawn_turn_by_turn_for_each_system(opened, report):
    page = opened(report, "#/questions?id=trip%232")
    page.page.wait_for_selector(".conversation .bubble")
    assert page.texts(".conversation h3") == ["The conversation, 3 turns"]
    assert page.texts(".conversation th[scope=row]") == ["turn 1", "turn 2", "turn 3"]
    cells = page.texts(".conversation tr.open td")
    assert cells[0].startswith('user When? assistant calls <b>find</b> {"to": "Oslo"}')
    assert cells[0].endswith("assistant At 8. exact_match 1.00 tool_call_match 1.00")
    assert cells[1].endswith(
        "assistant At 9. not good: exact_match 0.00 tool_call_match 0.00 latency_s 2.0000"
    )
    assert page.texts(".conversation tbody tr:last-child td")[1] == "this system has no such turn"
    assert page.page.locator(".conversation :is(b b, i)").count() == 0
    call = page.page.locator(".conversation tr.open td:last-child details")
    assert call.locator("p").first.is_hidden()
    call.locator("summary").click()
    assert page.texts(".conversation tr.open details[open] p") == [
        '{"to": "Rome"}',
        "result Error: closed",
    ]
    page.page.click(".conversation a:has-text('turn 1')")
    page.page.wait_for_selector(".detail[aria-label='Question trip#1'] .conversation")
    assert page.texts(".conversation [aria-current]") == ["turn 1"]
    assert page.complaints == []


@pytest.mark.parametrize("width", [400, 1280, 1920])
def test_the_conversation_fits_its_screen(opened, report, width):
    page = opened(report)
    page.page.set_viewport_size({"width": width, "height": 900})
    page.go("#/questions?id=trip%232")
    page.page.wait_for_selector(".conversation .bubble")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    n_columns = page.page.locator(".conversation thead th").count()
    assert n_columns == (1 if width == 400 else 2)


def test_results_without_an_id_go_to_the_call_of_their_name(opened, tmp_path):
    calls = [{"functionCall": {"name": name, "args": {}}} for name in ("first", "second")]
    results = [
        {"functionResponse": {"name": name, "response": f"of {name}"}}
        for name in ("second", "first")
    ]
    messages = [
        {"role": "user", "content": "Go"},
        {"role": "model", "parts": calls},
        {"role": "user", "parts": results},
        {"role": "model", "tool_calls": json.dumps([{"name": "third", "arguments": {}}])},
    ]
    run = rg.evaluate([{"id": "c", "messages": messages, "tools": []}], ["steps"])
    page = opened(run.report(tmp_path / "r.html"), "#/questions?id=c")
    page.page.wait_for_selector(".conversation .bubble")
    for summary in page.page.locator(".conversation summary").all():
        summary.click()
    assert page.texts(".conversation details p:last-child") == [
        "result of first",
        "result of second",
        "result (none)",
    ]
