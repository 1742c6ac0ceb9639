"""Texts from outside as data in a prompt: between delimiters that they cannot close.

    <contexts id=257c00011f5a>
    [1 id=257c00011f5a]
    The fee is $5.
    [2 id=257c00011f5a]
    It rains.
    </contexts id=257c00011f5a>

Only a line with the block's id is ours, and no text between its delimiters holds that id.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import count

MARK = re.compile(r"\{\{(\w+)\}\}")
NAME = re.compile(r"\w+")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
REPLACEMENT = "\ufffd"
NONCE_LENGTH = 12
BLOCKS_AT_HAND = 512
LONGEST_AT_HAND = 50_000
"""The same contexts stand in several prompts, shortly after each other. Characters of a block that is
kept for that."""


def fill(template: str, texts: Mapping[str, str | Sequence[str]]) -> str:
    """The template with each `{{name}}` replaced by the block of that name's text or texts.

    Substituted in one pass: what looks like a mark in a text stays as it is. A block's nonce stands
    in no text of the whole prompt, so that none can forge another's delimiters either. ValueError
    names every mark without a text and every text without a mark.

    >>> print(fill("{{question}}\\nAnswer briefly.", {"question": "What is {{7*7}}?"}))
    <question id=dcf91d7f710f>
    What is {{7*7}}?
    </question id=dcf91d7f710f>
    Answer briefly.
    """
    _check_marks(set(MARK.findall(template)), texts)
    shown = {name: _texts_shown(_tuple(text)) for name, text in texts.items()}
    everything = [text for items in shown.values() for text in items]
    blocks = {
        name: _block(name, shown[name], everything, is_list=not isinstance(text, str))
        for name, text in texts.items()
    }
    return MARK.sub(lambda mark: blocks[mark[1]], template)


def block(name: str, texts: str | Sequence[str]) -> str:
    """One text between delimiters, or several under numbers from 1 on; no line break at the end.

    The same name and texts make the same block, byte for byte. Texts stand as they are, but for
    line ends, which become \\n, and for other control characters and lone surrogates, which become
    U+FFFD; a line break is put after a text that does not end in one.

    >>> print(block("contexts", ["The fee is $5.", "It rains."]))
    <contexts id=257c00011f5a>
    [1 id=257c00011f5a]
    The fee is $5.
    [2 id=257c00011f5a]
    It rains.
    </contexts id=257c00011f5a>
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"a block's name is letters, digits and underscores, got {name!r}")
    shown = _texts_shown(_tuple(texts))
    return _block(name, shown, shown, is_list=not isinstance(texts, str))


def _check_marks(marks: set[str], texts: Mapping[str, object]) -> None:
    problems = [f"no text is given for {{{{{name}}}}}" for name in sorted(marks - texts.keys())]
    problems += [
        f"the template has no {{{{{name}}}}} for the text {name!r}"
        for name in sorted(texts.keys() - marks)
    ]
    if problems:
        raise ValueError("; ".join(problems))


def _tuple(texts: str | Sequence[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _texts_shown(texts: tuple[str, ...]) -> tuple[str, ...]:
    return _shown(texts) if _is_short(texts) else _shown.__wrapped__(texts)


def _is_short(texts: tuple[str, ...]) -> bool:
    return sum(map(len, texts)) <= LONGEST_AT_HAND


@lru_cache(BLOCKS_AT_HAND)
def _shown(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts as they stand in a prompt, each with a line break at its end."""
    return tuple(map(_printable, texts))


def _printable(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = UNPRINTABLE.sub(REPLACEMENT, text)
    return text if text.endswith("\n") else f"{text}\n"


def _block(name: str, texts: tuple[str, ...], everything: Sequence[str], *, is_list: bool) -> str:
    nonce = _nonce(name, texts, everything, is_list=is_list)
    write = _written if _is_short(texts) else _written.__wrapped__
    return write(name, texts, nonce, is_list=is_list)


@lru_cache(BLOCKS_AT_HAND)
def _written(name: str, texts: tuple[str, ...], nonce: str, *, is_list: bool) -> str:
    items = [f"[{place} id={nonce}]\n{text}" for place, text in enumerate(texts, 1)]
    inside = "".join(items if is_list else texts)
    return f"<{name} id={nonce}>\n{inside}</{name} id={nonce}>"


def _nonce(name: str, texts: tuple[str, ...], everything: Sequence[str], *, is_list: bool) -> str:
    """The first digits of a digest of the block's own texts that stand nowhere in `everything`."""
    digest = (_digest if _is_short(texts) else _digest.__wrapped__)(name, texts, is_list=is_list)
    return next(
        nonce
        for nonce in (_digits(digest, attempt) for attempt in count())
        if not any(nonce in text for text in everything)
    )


@lru_cache(BLOCKS_AT_HAND)
def _digest(name: str, texts: tuple[str, ...], *, is_list: bool) -> bytes:
    own = sha256(f"{name} {len(texts) if is_list else 'text'}\n".encode())
    for text in texts:
        encoded = text.encode()
        own.update(b"%d\n" % len(encoded) + encoded)
    return own.digest()


def _digits(digest: bytes, attempt: int) -> str:
    return sha256(digest + b"%d" % attempt).hexdigest()[:NONCE_LENGTH]
