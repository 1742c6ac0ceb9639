"""The prompts in other languages: the same questions, read in the same way."""

import json
import re
from collections import Counter
from importlib import resources
from itertools import combinations, pairwise

import pytest

import ragauge as rg
from ragauge.judges.prompts import MARK, SHARED, WORD, Prompt, Prompts
from ragauge.judges.questions import CORRECT, MET, NOT_APPLICABLE, NOT_MET, WRONG

FOLDER = resources.files("ragauge.judges") / "prompts"
ENGLISH = Prompts().by_name
LANGUAGES = ("de", "es", "fr", "zh")
KEY = re.compile(r'"(\w+)":')
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LITERAL = re.compile(r'\[\]|""')
"""What stands in an entry that has no claims, and in one that has no quote."""
MENU = (CORRECT, WRONG, MET, NOT_MET, NOT_APPLICABLE)


def translated(language: str, name: str) -> Prompt:
    file = FOLDER / language / f"{name}.md"
    return Prompt.read(name, file.read_text("utf-8"), f"{language}/{name}.md")


def marks(text: str) -> list[str]:
    """The marks of a prompt in their order, those of data and those of words."""
    found = [(one.start(), one[0]) for mark in (MARK, WORD) for one in mark.finditer(text)]
    return [mark for _, mark in sorted(found)]


def marked_lines(text: str) -> list[str]:
    """The lines that are one mark and nothing else: such a line goes when its text is not there."""
    return [line for line in text.split("\n") if MARK.fullmatch(line)]


def menu_words(text: str) -> set[str]:
    quoted = {one for one in MENU if f'"{one}"' in text}
    return quoted | {one for one in (CORRECT, WRONG) if re.search(rf"(?<!\w){one}(?!\w)", text)}


def test_every_language_has_every_prompt_and_no_other():
    folders = {one.name for one in FOLDER.iterdir() if one.is_dir()}
    assert folders == set(LANGUAGES)
    for language in LANGUAGES:
        names = {one.name for one in (FOLDER / language).iterdir()}
        assert names == {f"{name}.md" for name in ENGLISH}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_is_alike_in_all_but_its_words(language):
    """When the words of a prompt change, so must those of its translations."""
    for name, ours in ENGLISH.items():
        theirs = translated(language, name)
        assert theirs.version == ours.version, name
        for like in (marks, marked_lines, menu_words, KEY.findall, LITERAL.findall):
            assert like(theirs.text) == like(ours.text), name
        for sign in ("\n", "{"):
            assert theirs.text.count(sign) == ours.text.count(sign), name
        assert Counter(NUMBER.findall(theirs.text)) == Counter(NUMBER.findall(ours.text)), name
        assert not re.search(r"[０-９]|\d,\d", theirs.text), f"{name}: digits that are JSON"
        # The others show no example, or one with a mark in it.
        if name not in (*SHARED, "g_eval", "conversation_grades"):
            assert _shape(_example(theirs.text)) == _shape(_example(ours.text)), name


def test_no_prompt_is_left_in_english_or_in_another_language():
    for name, ours in ENGLISH.items():
        texts = [ours.text, *(translated(language, name).text for language in LANGUAGES)]
        for one, other in combinations(map(_words, texts), 2):
            assert one and other
            assert len(one & other) <= min(len(one), len(other)) / 10, (name, one & other)


def _words(text: str) -> set[tuple[str, str]]:
    """Each two neighbouring words, without marks and the form of the reply."""
    bare = re.sub(r"\{.*\}|\[\[\w+\]\]|\d+", " ", text)
    return set(pairwise(re.findall(r"[^\W\d_]+", bare.casefold())))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_of_every_call_say_data_one_object_and_the_language(language):
    own_name = {"de": "Deutsch", "es": "español", "fr": "français", "zh": "中文"}
    rules = translated(language, "system").text
    assert "<name id=…>" in rules
    assert "</name id=…>" in rules
    assert rules.count("JSON") == 1
    assert own_name[language] in rules


def _example(text: str) -> object:
    """The first object of a prompt, with what its ellipsis between entries stands for left out."""
    start = next(one.start() for one in re.finditer(r'\{"', text))
    example, _ = json.JSONDecoder().raw_decode(text[start:].replace(", …", ""))
    return example


def _shape(value: object) -> object:
    """The object with its words left out, but for those of the menu."""
    if isinstance(value, dict):
        return {key: _shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shape(one) for one in value]
    return value if not isinstance(value, str) or value in MENU else "…"


ROW = {
    "id": "q1",
    "question": "Was kostet eine Nacht?",
    "answer": "Eine Nacht kostet 9 €. Frühstück ist dabei.",
    "reference": "Eine Nacht kostet 9 €.",
    "contexts": ["Eine Nacht kostet 9 €, für Mitglieder 6 €."],
}
SAID = {
    "claims": {
        "sentences": [
            {"sentence": 1, "claims": ["Eine Nacht kostet 9 €."], "claim_free": False},
            {"sentence": 2, "claims": ["Das Frühstück ist dabei."], "claim_free": False},
        ]
    },
    "support": {
        "verdicts": [
            {"claim": 1, "reason": "steht da", "supported": True, "context": 1,
             "quote": "Eine Nacht kostet 9 €"},
            {"claim": 2, "reason": "nicht erwähnt", "supported": False, "context": 0, "quote": ""},
        ]
    },
    "verdict": {"reason": "wie die Referenz", "verdict": "CORRECT"},
}  # fmt: skip


def test_a_run_in_german_asks_in_german_and_reads_the_replies():
    judge = rg.ScriptedJudge(SAID)
    judging = rg.JudgeConfig(judges=[judge], language="de")
    run = rg.evaluate([ROW], ["faithfulness", "answer_class"], judge=judging)
    assert run.scores["value"].to_list() == [0.5, 1.0]
    assert sorted(one.prompt for one in judge.requests) == ["claims", "support", "verdict"]
    for one in judge.requests:
        system, user = one.messages
        assert system.content.startswith("Du urteilst allein nach den gegebenen Texten.")
        assert "Deutsch" in system.content
        said = translated("de", one.prompt).text.strip().split("\n")
        assert all(line in user.content for line in said if not MARK.search(line))


def test_a_reply_that_cannot_be_read_is_shown_in_german():
    judge = rg.ScriptedJudge({"verdict": ["vielleicht", SAID["verdict"]]})
    judging = rg.JudgeConfig(judges=[judge], language="de")
    run = rg.evaluate([ROW], "answer_class", judge=judging)
    assert run.scores["value"].to_list() == [1.0]
    shown = judge.requests[1].messages[-1].content
    assert shown.startswith("Deine Antwort ist nicht verwendbar:\n<problem id=")
    assert "Beantworte dieselbe Frage noch einmal" in shown
