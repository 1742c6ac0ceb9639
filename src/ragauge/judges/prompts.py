"""The prompts: one file per question, with a version and a digest; `{{name}}` is replaced by an untrusted text, `[[n]]` by our own value.

Untrusted texts stand between delimiters that they cannot close: no text contains the block's id, or an id that differs
from it in one digit.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import count
from pathlib import Path
from typing import NamedTuple

from ragauge.errors import PlanError, did_you_mean
from ragauge.judges.protocol import Message
from ragauge.storage.regular_file import is_folder, read_regular

SHARED = ("system", "repair")
HEAD = re.compile(r"version = (\d+)\n---\n")
WORD = re.compile(r"\[\[(\w+)\]\]")
PLACE = re.compile(r"\0(\w+)\0")
DIGEST_LENGTH = 8
MAX_BYTES = 1_000_000
MARK = re.compile(r"\{\{(\w+)\}\}")
NAME = re.compile(r"\w+")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
REPLACEMENT = "\ufffd"
NO_DIGITS = bytes(byte for byte in range(0x80) if not 0x30 <= byte <= 0x39)
CONTROLS = bytes((*range(0x09), *range(0x0B, 0x20), 0x7F))
FORM = "2"
"""Version of the delimiters; a change alters all prompts, and so every label."""
DIGITS, TRIES, MORE_DIGITS = 6, 8, 3
"""Digits of a nonce: tokenizers make two tokens of six digits, and many more if there are letters. After
this many tries that are similar to a text's digits, the nonce gets more digits."""
MAX_BLOCKS, MAX_BUFFERED = 1_024, 16_000
"""Several prompts in a row contain the same contexts, so their blocks are cached: how many, and the most characters of one."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The template of one question."""

    name: str
    version: int
    text: str

    @classmethod
    def read(cls, name: str, text: str, place: str) -> "Prompt":
        """Read a prompt file; PlanError if it has no version or no text."""
        text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        head = HEAD.match(text)
        if head is None:
            raise PlanError(f'{place}: must begin with "version = 1" and a line "---"')
        words = text[head.end() :].strip()
        if not words:
            raise PlanError(f"{place}: has no text below its head; write the prompt there")
        return cls(name, int(head[1]), words + "\n")

    @property
    def marks(self) -> frozenset[str]:
        """The names of its texts and values."""
        return frozenset((*MARK.findall(self.text), *WORD.findall(self.text)))


class Prompts:
    """ragauge's prompts; those in `folder` replace the ones with their names, and PlanError lists
    all problems of these.

    `language`: two letters ("de"). Prompts in that language are used if they exist; the others ask
    in English for replies in it.
    """

    def __init__(self, folder: str | Path | None = None, *, language: str | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.language = language
        self.by_name = {**_shipped(), **self._translated(), **self._own()}

    def messages(
        self,
        name: str,
        texts: Mapping[str, str | Sequence[str] | None],
        words: Mapping[str, str | int] | None = None,
    ) -> tuple[Message, ...]:
        """The system message, then the prompt with its texts.

        A mark whose text is None is removed, with its line if the line has no other mark.
        """
        given = {mark: text for mark, text in texts.items() if text is not None}
        kept, absent = self.by_name[name].text, texts.keys() - given
        if absent:
            marked = ((line, {*MARK.findall(line)}) for line in kept.split("\n"))
            kept = "\n".join(line for line, marks in marked if not marks or marks - absent)
            kept = MARK.sub(lambda mark: "" if mark[1] in absent else mark[0], kept)
        # No text has a NUL here, so values are inserted last, and only at their own marks.
        filled = fill(WORD.sub("\0\\1\0", kept), given)
        asked = PLACE.sub(lambda mark: str((words or {})[mark[1]]), filled)
        return (self._system, Message("user", asked))

    def repair(self, problem: str) -> str:
        """The message that shows a judge what is wrong with its reply."""
        return fill(self.by_name["repair"].text, {"problem": problem})

    def digest(self, names: Iterable[str]) -> str:
        """A digest of these prompts: eight hexadecimal digits."""
        made = sha256(f"{FORM}\n{self._system.content}".encode())
        for name in sorted({*names, *SHARED}):
            prompt = self.by_name[name]
            made.update(f"{name} {prompt.version}\n{prompt.text}\n".encode())
        return made.hexdigest()[:DIGEST_LENGTH]

    @cached_property
    def _system(self) -> Message:
        system = self.by_name["system"].text.strip()
        if self.language and self.by_name["system"] != self._translated().get("system"):
            system += (
                f" Write your reasons, claims and questions in the language {self.language!r}; keys, "
                "given values and quotes stay as they are."
            )
        return Message("system", system)

    def _translated(self) -> dict[str, Prompt]:
        """The prompts in the language; empty if there are none."""
        if self.language is None:
            return {}
        name = re.split("[-_]", self.language)[0].lower()
        folder = resources.files("ragauge.judges") / "prompts" / name
        if not name.isalpha() or not folder.is_dir():
            return {}
        return _packaged(folder, f"{name}/")

    def _own(self) -> dict[str, Prompt]:
        if self.folder is None:
            return {}
        if not is_folder(self.folder):
            raise PlanError(f"{self.folder}: is not a folder; put prompts in it as NAME.md")
        shipped, problems = _shipped(), list[str]()
        own: dict[str, Prompt] = {}
        for file in sorted(self.folder.glob("*.md")):
            name = file.stem
            try:
                if name not in shipped:
                    hint = did_you_mean(name, shipped) or f"; they are {', '.join(sorted(shipped))}"
                    raise PlanError(f"{file}: no prompt has that name{hint}")
                own[name] = Prompt.read(name, read_regular(file, MAX_BYTES).decode(), str(file))
                marks, known = own[name].marks, shipped[name].marks
                lacks = [f"is missing the mark {{{{{it}}}}}" for it in sorted(known - marks)]
                extra = [
                    f"has the mark {it!r}, which nothing fills" for it in sorted(marks - known)
                ]
                problems += [f"{file}: {problem}" for problem in lacks + extra]
            except UnicodeError:
                problems.append(f"{file}: is not UTF-8; save it as UTF-8")
            except (PlanError, OSError) as error:
                problems.append(str(error))
        if not own and not problems:
            problems.append(f"{self.folder}: has no prompts; add files such as claims.md")
        if problems:
            raise PlanError(problems)
        return own


def _shipped() -> dict[str, Prompt]:
    return _packaged(resources.files("ragauge.judges") / "prompts", "")


def _packaged(folder: Traversable, place: str) -> dict[str, Prompt]:
    """The prompts of a folder of the package, by name."""
    files = [file for file in folder.iterdir() if file.name.endswith(".md")]
    return {
        file.name[:-3]: Prompt.read(file.name[:-3], file.read_text("utf-8"), place + file.name)
        for file in sorted(files, key=lambda file: file.name)
    }


def file_of(prompt: Prompt) -> str:
    """The content of the prompt's file."""
    return f"version = {prompt.version}\n---\n{prompt.text}"


# Delimiters


def fill(template: str, texts: Mapping[str, str | Sequence[str]]) -> str:
    """The template with each `{{name}}` replaced by the block of that name's text or texts.

    Substitutes in one pass: what looks like a mark in a text stays. No text of the prompt contains a
    block's nonce or a similar one, so none can forge another's delimiters. ValueError names every mark
    without a text and every text without a mark.

    >>> print(fill("{{question}}\\nAnswer briefly.", {"question": "What is {{7*7}}?"}))
    <question id=934811>
    What is {{7*7}}?
    </question id=934811>
    Answer briefly.
    """
    pieces = _pieces(template)
    marks, names = {*pieces[1::2]}, {*texts}
    if marks != names:
        absent, extra = sorted(marks - names), sorted(names - marks)
        problems = [f"no text is given for {{{{{name}}}}}" for name in absent]
        problems += [f"the template has no {{{{{name}}}}} for the text {name!r}" for name in extra]
        raise ValueError("; ".join(problems))
    blocks = {name: _made(name, text) for name, text in texts.items()}
    digits = _digits_in("".join([text for each in blocks.values() for text in each.shown]))
    written = {name: each.beside(digits) for name, each in blocks.items()}
    return "".join([written[piece] if place % 2 else piece for place, piece in enumerate(pieces)])


_pieces = lru_cache(256)(MARK.split)


def block(name: str, texts: str | Sequence[str]) -> str:
    """One text between delimiters, or several numbered from 1; no line break at the end.

    The same name and texts give the same block, byte for byte. In texts, line ends become \\n, and
    other control characters and lone surrogates become U+FFFD; each text ends with a line break.

    >>> print(block("contexts", ["The fee is $5.", "It rains."]))
    <contexts id=472966>
    [1 id=472966]
    The fee is $5.
    [2 id=472966]
    It rains.
    </contexts id=472966>
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"a block's name is letters, digits and underscores, got {name!r}")
    own = _made(name, texts)
    return own.beside(_digits_in("".join(own.shown)))


class _Block(NamedTuple):
    """Texts between delimiters: `shown` in printable form, `digest` of them, `text` with its first nonce."""

    name: str
    shown: tuple[str, ...]
    is_list: bool
    digest: bytes
    text: str

    def beside(self, digits: str) -> str:
        """The block with a nonce that is not similar to `digits`, those of the prompt's texts."""
        if not _is_like_one(_nonce(self.digest, 0), digits):
            return self.text
        nonces = (_nonce(self.digest, attempt) for attempt in count(1))
        nonce = next(nonce for nonce in nonces if not _is_like_one(nonce, digits))
        return _written(self.name, self.shown, nonce, is_list=self.is_list)


def _made(name: str, texts: str | Sequence[str]) -> _Block:
    is_list = not isinstance(texts, str)
    given = tuple(texts) if is_list else (texts,)
    return (_buffered if sum(map(len, given)) <= MAX_BUFFERED else _new)(name, is_list, given)


def _new(name: str, is_list: bool, texts: tuple[str, ...]) -> _Block:
    whole = "".join(texts)
    # A fast check that may miss some texts without unprintable characters.
    if whole.isascii():
        is_plain = len(whole.encode().translate(None, CONTROLS)) == len(whole)
    else:
        is_plain = whole.replace("\n", "").isprintable()
    if not is_plain:
        with_line_ends = (text.replace("\r\n", "\n").replace("\r", "\n") for text in texts)
        texts = tuple([UNPRINTABLE.sub(REPLACEMENT, text) for text in with_line_ends])
    shown = tuple([text if text.endswith("\n") else f"{text}\n" for text in texts])
    head = f"{name} {len(shown) if is_list else 'text'}\n".encode()
    encoded = [text.encode() for text in shown]
    digest = sha256(head + b"".join([b"%d\n%b" % (len(text), text) for text in encoded])).digest()
    text = _written(name, shown, _nonce(digest, 0), is_list=is_list)
    return _Block(name, shown, is_list, digest, text)


_buffered = lru_cache(MAX_BLOCKS)(_new)


def _written(name: str, texts: Sequence[str], nonce: str, *, is_list: bool) -> str:
    items = [f"[{place} id={nonce}]\n{text}" for place, text in enumerate(texts, 1)]
    return f"<{name} id={nonce}>\n{''.join(items if is_list else texts)}</{name} id={nonce}>"


def _nonce(digest: bytes, attempt: int) -> str:
    n = DIGITS + MORE_DIGITS * (attempt // TRIES)
    number = int.from_bytes(sha256(digest + b"%d" % attempt).digest())
    return str(number % 10**n).zfill(n)


def _digits_in(text: str) -> str:
    """The digits of a text in order, as ASCII digits: `No. 4 of ６² pages` has 462."""
    if not text.isascii():
        for sign in set(text):
            if not sign.isascii() and sign.isdigit():
                text = text.replace(sign, str(unicodedata.digit(sign)))
    return text.encode("ascii", "ignore").translate(None, NO_DIGITS).decode()


def _is_like_one(nonce: str, digits: str) -> bool:
    """Whether the digits contain the nonce with at most one digit changed."""
    half, n_places = len(nonce) // 2, len(digits) - len(nonce) + 1
    if nonce[:half] not in digits and nonce[half:] not in digits:  # nearly always
        return False
    import numpy as np

    # All positions at once: a text of one repeated digit can match half a nonce at each position.
    signs = np.frombuffer(digits.encode(), np.uint8)
    n_other = np.zeros(max(n_places, 0), np.uint8)
    for at, sign in enumerate(nonce.encode()):
        n_other += signs[at : at + len(n_other)] != sign
    return bool((n_other <= 1).any())
