"""The prompts: what a judge reads, and what a user's folder may change."""

import re

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.documents.passage import Passage
from ragauge.errors import PlanError
from ragauge.judges import questions
from ragauge.judges.prompts import Prompts
from ragauge.questions import models

SHIPPED = Prompts().by_name
TRANSLATED = ["de", "es", "fr", "zh"]
HEAD = "version = 1\n---\n"


def folder(tmp_path, **files):
    """A folder with a user's prompts; text as such, or bytes."""
    tmp_path.mkdir(exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / f"{name}.md").write_bytes(data)
    return tmp_path


def problems(tmp_path, **files):
    with pytest.raises(PlanError) as caught:
        Prompts(folder(tmp_path, **files))
    return caught.value.problems


CLAIMS = f"{HEAD}{{{{question}}}}\n{{{{sentences}}}}\nList what is claimed.\n"


def asked():
    yield questions.claims("q", ["s"])
    yield questions.support(["c"], ["s"])
    yield questions.support_at_once("q", ["s"], ["c"])
    yield questions.relevance("q", ["c"], ["r"])
    yield questions.questions("a", 3)
    yield questions.rubric("q", "a")
    yield questions.accuracy("q", "r", "a")
    yield questions.verdict("q", ["r"], "a")
    yield questions.preference("q", ["r"], "a", "b")
    yield questions.criteria("q", "r", "a")
    yield questions.conversation("i", "g", ["t"])
    yield questions.conversation_grades("i", ["t"], ["kind?"], 1, 5)
    yield questions.steps("kind?", 1, 5)
    texts = {"question": "q", "answer": "a", "references": ["r"], "contexts": ["c"]}
    yield questions.grade("kind?", ["Read."], texts, 1, 5)
    slot = models.Slot("number", (Passage("p", "d", 0, 1, "p"),))
    yield models._asked(0, slot, "somebody")
    yield models.answering("q", ["p"])


@pytest.mark.parametrize("language", [None, *TRANSLATED, "sw"])
def test_each_question_has_a_prompt_with_just_its_texts_and_words_in_each_language(language):
    prompts = Prompts(language=language)
    told = []
    for one in asked():
        assert prompts.by_name[one.prompt].marks == {*one.texts, *one.words}, one.prompt
        told.append(prompts.messages(one.prompt, one.texts, one.words))
        text = told[-1][1].content
        assert not re.search(r"\{\{|\[\[|\0", text), "no mark is left"
        words = re.split(r"\{\{\w+\}\}|\[\[\w+\]\]", prompts.by_name[one.prompt].text)
        assert all(each in text for each in words)
    assert {one.prompt for one in asked()} | {"system", "repair"} == set(SHIPPED)
    assert len({messages[0] for messages in told}) == 1
    assert [one.role for one in told[0]] == ["system", "user"]


def test_the_contexts_come_first_so_that_their_prefix_is_the_same_for_all_claims():
    first, second = (
        Prompts().messages("support", {"contexts": ["c1", "c2"], "claims": [one]})
        for one in ("a", "b")
    )
    start = first[1].content.index("</contexts")
    assert first[1].content[:start] == second[1].content[:start]
    assert first[1].content.startswith("<contexts ")


def test_a_text_that_is_not_there_takes_its_line_with_it():
    with_it = Prompts().messages("claims", {"question": "Why?", "sentences": ["s"]})[1].content
    without = Prompts().messages("claims", {"question": None, "sentences": ["s"]})[1].content
    assert "<question id=" in with_it
    assert "question" not in without.split("\n")[0]
    assert without.startswith("<sentences id=")


def test_a_mark_amid_a_line_goes_alone_where_others_stand_beside_it(tmp_path):
    own = f"{HEAD}Asked: {{{{question}}}}\n{{{{question}}}} and {{{{sentences}}}}\nNow.\n"
    ours = Prompts(folder(tmp_path, claims=own))
    told = ours.messages("claims", {"question": None, "sentences": ["s"]})[1].content
    assert told.startswith(" and <sentences id=")
    assert told.endswith("\nNow.\n")
    assert "Asked" not in told


MARKS = ["{{answer}}", "{{question}}", "{{7*7}}", "[[low]]", "\\1", "\\g<1>", "\0low\0", "%s"]


@given(
    st.lists(
        st.sampled_from(MARKS) | st.text(max_size=5).filter(lambda one: "Q" not in one), max_size=6
    ).map("".join)
)
def test_what_looks_like_a_mark_stays_as_it_is_in_texts_and_in_words(text):
    """The steps of g_eval are a judge's words: they must not pull a text into the prompt, nor break it."""
    given = {"question": "QQQ", "answer": text or "x", "references": None, "contexts": None}
    words = {"criteria": "kind?", "steps": text, "low": 1, "high": 5}
    told = Prompts().messages("g_eval", given, words)[1].content
    assert f"\n{text}\n\nReply" in told
    assert told.count("QQQ") == 1
    printable = text.replace("\r\n", "\n").replace("\r", "\n")
    printable = re.sub("[\0-\x08\x0b-\x1f\x7f-\x9f]", "\ufffd", printable)
    assert printable.strip("\ufffd\n") in told


def test_ones_own_words_stand_in_for_the_shipped_ones_of_that_name_only(tmp_path):
    ours = Prompts(folder(tmp_path, claims=CLAIMS))
    told = ours.messages("claims", {"question": None, "sentences": ["s"]})[1].content
    assert told.endswith("List what is claimed.\n")
    assert {**ours.by_name, "claims": None} == {**SHIPPED, "claims": None}


@cases(
    ({"claims": CLAIMS.replace("{{question}}\n", "")}, ["claims.md: is missing the mark {{question}}"]),
    ({"claims": CLAIMS + "{{answer}}"}, ["claims.md: has the mark 'answer', which nothing fills"]),
    ({"claims": CLAIMS + "[[n]]"}, ["claims.md: has the mark 'n', which nothing fills"]),
    ({"claims": CLAIMS.removeprefix("version = 1\n")}, ['claims.md: must begin with "version = 1"']),
    ({"claims": CLAIMS.replace("= 1", "= one")}, ['claims.md: must begin with "version = 1"']),
    ({"claims": CLAIMS.replace("---\n", "")}, ['claims.md: must begin with "version = 1"']),
    ({"claims": HEAD + " \n\n"}, ["claims.md: has no text below its head"]),
    ({"claims": CLAIMS.encode("utf-16")}, ["claims.md: is not UTF-8; save it as UTF-8"]),
    ({"claim": CLAIMS}, ["claim.md: no prompt has that name; did you mean 'claims'?"]),
    ({"zzz": ""}, ["zzz.md: no prompt has that name; they are accuracy, answer_question, claims, "]),
    (
        {"claims": "", "verdikt": CLAIMS, "rubric": HEAD + "{{answer}} {{x}}"},
        ["must begin", "is missing the mark {{question}}", "the mark 'x'", "did you mean 'verdict'?"],
    ),
)  # fmt: skip
def test_a_prompt_that_cannot_be_used_is_told_of_with_its_file(files, says, tmp_path):
    found = problems(tmp_path, **files)
    assert len(found) == len(says)
    for problem, said in zip(found, says, strict=True):
        assert said in problem
        assert str(tmp_path) in problem


def test_a_folder_that_is_none_or_holds_no_prompt_is_refused(tmp_path):
    with pytest.raises(PlanError, match=r"nowhere: is not a folder; put prompts in it as NAME\.md"):
        Prompts(tmp_path / "nowhere")
    (tmp_path / "claims.txt").write_text(CLAIMS)
    with pytest.raises(PlanError, match=r"has no prompts; add files such as claims\.md"):
        Prompts(tmp_path)
    with pytest.raises(PlanError, match="is not a folder"):
        Prompts(tmp_path / "claims.txt")
    (tmp_path / "verdict.md").mkdir()
    with pytest.raises(PlanError, match=r"verdict\.md"):
        Prompts(tmp_path)


def test_a_digest_is_of_the_words_of_its_prompts_and_of_those_in_every_call(tmp_path):
    shipped = Prompts()

    def differs(prompts, name="claims"):
        return prompts.digest([name]) != shipped.digest([name])

    assert re.fullmatch("[0-9a-f]{8}", shipped.digest(["claims"]))
    assert shipped.digest(["claims", "support"]) == shipped.digest(["support", "claims", "claims"])
    assert shipped.digest(["claims"]) != shipped.digest(["support"])
    own = Prompts(folder(tmp_path / "own", claims=CLAIMS))
    assert differs(own) and not differs(own, "support")
    newer = Prompts(folder(tmp_path / "newer", claims=CLAIMS.replace("= 1", "= 2")))
    assert newer.digest(["claims"]) != own.digest(["claims"])
    dressed = b"\xef\xbb\xbf" + CLAIMS.replace("\n", "\r\n").encode()  # as Windows writes it
    assert Prompts(folder(tmp_path / "d", claims=dressed)).digest(["claims"]) == own.digest(
        ["claims"]
    )
    assert differs(Prompts(folder(tmp_path / "system", system=f"{HEAD}Judge.\n")))
    assert differs(Prompts(folder(tmp_path / "repair", repair=f"{HEAD}Wrong: {{{{problem}}}}\n")))
    digests = {Prompts(language=one).digest(["claims"]) for one in (*TRANSLATED, "sw", None)}
    assert len(digests) == 6


def test_a_language_without_prompts_of_its_own_is_asked_for_in_english():
    swahili, shipped = Prompts(language="sw"), Prompts()
    texts = {"question": "q", "answer": "a"}
    told, english = swahili.messages("rubric", texts), shipped.messages("rubric", texts)
    assert told[0].content.startswith(english[0].content)
    assert "'sw'" in told[0].content
    assert told[1] == english[1]
    assert swahili.digest(["claims"]) != shipped.digest(["claims"])


def test_ones_own_words_stand_before_a_translation(tmp_path):
    ours = Prompts(folder(tmp_path, claims=CLAIMS), language="de")
    assert ours.by_name["claims"].text.endswith("List what is claimed.\n")
    assert ours.by_name["rubric"] == Prompts(language="de").by_name["rubric"]
