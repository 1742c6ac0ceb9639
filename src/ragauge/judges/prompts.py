"""The prompts: one file per question, with a version and a digest; `{{name}}` is replaced by an untrusted text, `[[n]]` by our own value."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from ragauge.errors import PlanError, did_you_mean
from ragauge.judges.delimiters import FORM, MARK, fill
from ragauge.judges.protocol import Message
from ragauge.storage.regular_file import is_folder, read_regular

SHARED = ("system", "repair")
HEAD = re.compile(r"version = (\d+)\n---\n")
WORD = re.compile(r"\[\[(\w+)\]\]")
PLACE = re.compile(r"\0(\w+)\0")
DIGEST_LENGTH = 8
MAX_BYTES = 1_000_000


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
