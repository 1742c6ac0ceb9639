"""Exports of chats that are no lists of messages with roles: ChatGPT's trees and pydantic-ai's requests and responses."""

from collections.abc import Mapping

from ragauge.conversations.tool_calls import list_of, mapping_of, text_of

SPOKEN = ("text", "multimodal_text")
"""ChatGPT's contents that user and assistant see; others are thoughts and instructions."""

BUILTIN_RESULT = "builtin-tool-return"


def exported(given: object, current: object = None) -> list[object]:
    """The messages of an export, with roles and contents; empty for anything else. `current`: the last node of ChatGPT's branch that is shown.

    >>> exported([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "2 + 2?"}]}])
    [{'role': 'user', 'content': '2 + 2?'}]
    """
    items, nodes = list_of(given) or [], mapping_of(given)
    if items and all(mapping_of(item).get("kind") in ("request", "response") for item in items):
        return [each for item in items for each in _of_pydantic_ai(mapping_of(item))]
    are_nodes = all({"parent", "children"} <= mapping_of(node).keys() for node in nodes.values())
    return _of_chatgpt(nodes, current) if nodes and are_nodes else []


def _of_pydantic_ai(message: Mapping[str, object]) -> list[object]:
    """A message for each part of a request; a response is one with its texts and calls, and those of results that the provider gave."""
    parts = [*map(mapping_of, list_of(message.get("parts")) or ())]
    if message["kind"] == "request":
        return [_of_request(part, str(part.get("part_kind"))) for part in parts]
    texts = [text_of(part.get("content")) for part in parts if part.get("part_kind") == "text"]
    calls: list[Mapping[str, object]] = [
        {
            "id": part.get("tool_call_id"),
            "name": part.get("tool_name"),
            "arguments": part.get("args") or "{}",
        }
        for part in parts
        if part.get("part_kind") in ("tool-call", "builtin-tool-call")
    ]
    made: Mapping[str, object] = {"tool_calls": calls} if calls else {}
    said = "\n".join(filter(None, texts))  # none in a response of thoughts
    results = [_of_request(part, "") for part in parts if part.get("part_kind") == BUILTIN_RESULT]
    return [{"role": "assistant", "content": said, **made}, *results] if said or calls else []


def _of_request(part: Mapping[str, object], kind: str) -> object:
    content, tool = part.get("content"), part.get("tool_name")
    if tool is None:
        role = "system" if kind == "system-prompt" else "user"
        return {"role": role, "content": _parts(list_of(content) or [content], "kind")}
    result = {"role": "tool", "tool_call_id": part.get("tool_call_id"), "name": tool}
    return {
        **result,
        "content": content,
        "is_error": kind == "retry-prompt" or part.get("outcome") == "failed",
    }


def _parts(parts: list[object], kind: str) -> object:
    """The text of the parts; with others, which are named by their kind, a list."""
    if all(isinstance(part, str) for part in parts):
        return "\n".join(map(str, parts))
    return [
        each if isinstance(each, str) else {"type": mapping_of(each).get(kind)} for each in parts
    ]


def _of_chatgpt(nodes: Mapping[str, object], current: object) -> list[object]:
    """The branch that is shown, from the root on; of a tool's messages the first after its call."""
    messages: list[object] = []
    call: object = None  # that has no result yet
    for place in _branch(nodes, current):
        node = mapping_of(nodes[place])
        message = mapping_of(node.get("message"))
        content, to = mapping_of(message.get("content")), message.get("recipient") or "all"
        role = mapping_of(message.get("author")).get("role")
        said = _parts(list_of(content.get("parts")) or [content.get("text") or ""], "content_type")
        if role == "assistant" and to != "all":
            call = place
            made = {"id": call, "name": to, "arguments": {"input": said}}
            messages.append({"role": role, "content": "", "tool_calls": [made]})
        elif role == "tool" and call:
            messages.append({"role": role, "tool_call_id": call, "content": said})
            call = None
        elif role in ("user", "assistant") and said and content.get("content_type") in SPOKEN:
            messages.append({"role": role, "content": said})
    return messages


def _branch(nodes: Mapping[str, object], current: object) -> list[str]:
    """The nodes from the root to the current one; where none is named, to what was written last."""
    place = str(current)
    if place not in nodes:
        place = next((id for id, node in nodes.items() if _parent(node) not in nodes), "")
        for _ in nodes:  # not without end: the nodes of a damaged file may form a circle
            children = list_of(mapping_of(nodes.get(place)).get("children"))
            place = str(children[-1]) if children else place
    way: dict[str, None] = {}
    while place in nodes and place not in way:
        way[place] = None
        place = _parent(nodes[place])
    return [*reversed(way)]


def _parent(node: object) -> str:
    return str(mapping_of(node).get("parent"))
