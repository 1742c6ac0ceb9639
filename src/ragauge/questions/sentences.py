"""The prose of documents in plain words: without the signs of Markdown and reStructuredText, sentence by sentence."""

import re
from collections.abc import Iterator
from html import unescape

from ragauge.documents.passage import Passage
from ragauge.language.text import sentence_spans
from ragauge.questions.question import Source

FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
EMPHASIS = re.compile(
    r"\*\*|(?<![\w`])_{1,2}(?=\w)|(?<=\w)_{1,2}(?![\w`])|(?<![\w`])\*(?=\w)|(?<=\w)\*(?![\w`])"
)
LINE_START = re.compile(r"^(?:#+\s*|>\s*|\s*(?:[-*•+]|\d{1,3}[.)]|[a-z][.)])\s+)+", re.MULTILINE)
LINK = re.compile(r"(?<!\w)!?\[([^\]]{1,300})\](?:\([^)]{0,1000}\)|\[[^\]\n]{0,80}\])?")
CITATION = re.compile(
    r"\s?\[\^?\d{1,3}\]|\s?\[?(?<!\w)@\w+\d{4}\w*\]?|\s*\((?:page|p\.|see|cf\.)[^)]*\)"
)
NOISE = re.compile(
    r"\b(?:to|from|the|of|by|our|and|using)[A-Z]|[#|©•<>=]|\w--\w|\s\.$|[a-z]{3}\.[A-Z]|\{[%{]|https?:|//|\.\.\.|…| - .* - |[a-z][A-Z][a-z]+[a-z][A-Z]"
)
"""Signs of menus, code and headings that ran into a sentence."""
ITEM = re.compile(
    r"\W*(?:\*\*|__|`)(?P<term>[^*`\n]{2,50}?)[:.]?(?:\*\*|__|`)\s?[:–—-]?\s(?=(?:An?|The)\s)"
)
"""The name of an item that says what it is: `- **Sprint**: A period of two weeks …`"""
MAX_SENTENCE = 400


def plain(text: str) -> str:
    """A text without Markdown's signs, citations and line breaks."""
    text = LINE_START.sub("", re.sub(r"\\(?=[^\w\s])", "", unescape(text)))
    text = re.sub(r":(pep|rfc):`(\d+)`", lambda role: f"{role[1].upper()} {role[2]}", text)
    text = re.sub(r":[a-z]+:(?=`)", "", LINK.sub(r"\1", CITATION.sub("", text)))
    text = re.sub(r"(?<!`)`([^`<]+?)(?: <[^`>]*>)?`_+", r"\1", text)  # a link of reStructuredText
    parts = re.split("(`+[^`]*`+)", text)  # code stays as it is
    text = "".join(part if part[:1] == "`" else EMPHASIS.sub("", part) for part in parts)
    return re.sub(r"\s+", " ", text).strip()


def sentences(passage: Passage) -> Iterator[tuple[str, Source]]:
    """Whole sentences of prose: each in plain words, with its place."""
    text = FENCE.sub(lambda found: " " * len(found[0]), passage.text)
    for start, end in sentence_spans(text):
        item = ITEM.match(text, start, end)
        sentence = plain(text[start:end])
        if item:
            what = plain(text[item.end() : end])
            sentence = f"{plain(item['term'])} is {what[:1].lower()}{what[1:]}"
        is_whole = sentence[:1].isalnum() and sentence.endswith((".", "。"))
        if is_whole and end - start <= MAX_SENTENCE and not NOISE.search(sentence):
            sentence = re.sub(r"^[A-Z][^.!?]{0,57}\w{3}\.\s+(?=[A-Z])", "", sentence)
            yield sentence, Source(passage, start, end)
