"""A conversation becomes a row for each of its turns, with what is said of that turn."""

import json

import polars as pl
import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import DataError
from ragauge.score import NOT_LAST


def said(*texts):
    """Messages of user and assistant in turn."""
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


SYSTEM = {"role": "system", "content": "Be brief."}
CAPITALS = said("Capital of France?", "Paris", "And of Spain?", "Madrid")
CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "1", "function": {"name": "find", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "found"}
FIND = {"name": "find", "arguments": {}}


def rows_of(row, **options):
    samples = rg.load([row], **options)
    return samples.frame.to_dicts(), samples.notes


def test_fields_by_turn_go_to_their_turns_and_others_to_all():
    (first, second), notes = rows_of(
        {
            "id": "c1", "topic": "capitals", "cost_usd": 0.5, "messages": CAPITALS, "references": [["Paris"], None],
            "relevant": [{"d1": 1}, ["d2", "d3"]], "answerable": [True, False],
        }
    )  # fmt: skip
    assert notes == ("read 'messages' as conversations, a row for each of 2 turns",)
    both = {"conversation": "c1", "topic": "capitals"}
    of_first = {
        "id": "c1#1", "turn": 1, "question": "Capital of France?", "answer": "Paris", "references": ["Paris"],
        "answerable": True, "cost_usd": None, "whole_conversation": None, "conversation_before": None,
        "relevant": [{"id": "d1", "grade": 1}],
    }  # fmt: skip
    of_second = {
        "id": "c1#2", "turn": 2, "question": "And of Spain?", "answer": "Madrid", "references": None,
        "answerable": False, "cost_usd": 0.5, "conversation_before": "user: Capital of France?\nassistant: Paris",
        "relevant": [{"id": "d2", "grade": 1}, {"id": "d3", "grade": 1}],
    }  # fmt: skip
    for row, expected in ((first, both | of_first), (second, both | of_second)):
        assert {name: row[name] for name in expected} == expected
    assert json.loads(first["messages"]) == CAPITALS[:2]
    assert json.loads(second["whole_conversation"]) == CAPITALS


def test_calls_tools_and_states_go_where_they_belong():
    found = {"role": "assistant", "content": "Here"}
    rows, _ = rows_of(
        {
            "messages": [*said("Find it"), CALL, RESULT, found, *said("Thanks", "Welcome")],
            "expected_calls": [[FIND], None], "tools": [{"name": "find"}],
            "state": {"found": 1}, "expected_state": {"found": 1},
        }
    )  # fmt: skip
    assert [json.loads(row["expected_calls"] or "null") for row in rows] == [[[FIND]], None]
    assert [row["tools"] is not None for row in rows] == [True, False]
    assert [json.loads(row["final_state"] or "null") for row in rows] == [None, {"found": 1}]
    run = rg.evaluate(rg.load(rows), ["tool_call_match", "invalid_calls", "steps", "state_match"])
    scores = {(row["metric"], row["id"]): row["value"] for row in run.scores.iter_rows(named=True)}
    assert scores["tool_call_match", "1#1"] == scores["state_match", "1#2"] == 1
    assert (scores["steps", "1#1"], scores["steps", "1#2"]) == (1, 0)


@cases(
    ({"reference_tool_calls": [FIND]}, {"id": "a", "answer": None, "expected_calls": '[{"name": "find", "arguments": {}}]'}),
    *[({"relevant": given}, {"relevant": [{"id": "d1", "grade": 1}]}) for given in ([{"d1": 1}], {"d1": 1}, [["d1"]], ["d1"], [{"id": "d1", "grade": 1}])],
    ({"messages": CAPITALS[:2]}, {"question": "Capital of France?", "answer": "Paris"}),
    ({"messages": CAPITALS, "reference": "Madrid"}, {"question": "And of Spain?", "answer": "Madrid", "references": ["Madrid"]}),
)  # fmt: skip
def test_a_single_turn_keeps_its_id_and_takes_what_is_given(fields, expected):
    (row,), notes = rows_of({"id": "a", "messages": [*said("Go"), CALL, RESULT]} | fields)
    assert {name: row[name] for name in expected} == expected
    if fields.get("messages"):  # a chat of one turn, or with one reference, is its last answer
        assert (row.get("messages") is None) == (fields["messages"] == CAPITALS)
        assert "conversation" not in row
        assert any("the last question of 'messages'" in note for note in notes)


def test_repeats_of_a_conversation_have_its_id_and_their_number():
    ends = [
        {"id": "a", "trial": at, "state": {"n": at}, "expected_state": {"n": 1}} for at in (1, 2)
    ]
    samples = rg.load([each | {"messages": CAPITALS} for each in ends])
    named = [(row["id"], row["repeat_of"]) for row in samples.frame.to_dicts()]
    assert named == [("a#1#1", "a"), ("a#1#2", "a"), ("a#2#1", "a"), ("a#2#2", "a")]
    assert "pass^2 0.00, pass@2 1.00" in str(rg.evaluate(samples, ["state_match"]))


def test_conversations_of_one_turn_take_lists_over_turns_as_longer_ones_do():
    one = {"id": "a", "messages": said("Capital of France?", "Paris"), "references": [["Paris"]]}
    two = {"id": "b", "messages": CAPITALS, "references": [["Paris"], ["Madrid"]]}
    none = {"id": "c", "messages": []}
    rows = rg.load([none, one, two]).frame.to_dicts()
    found = [(row["id"], row["references"], row["answer"]) for row in rows]
    assert found[:2] == [("c", None, None), ("a", ["Paris"], "Paris")]
    assert [references for _, references, _ in found[2:]] == [["Paris"], ["Madrid"]]


def test_a_question_that_the_system_left_open_is_a_turn_if_something_is_told_of_it():
    messages = [*said("Go"), CALL, RESULT, *said("x", "Found")[1:], *said("And again")]
    fields = {"messages": messages, "expected_calls": [[FIND], [FIND]]}
    for told in (fields, fields | {"references": [["Found"], ["Found"]]}):
        rows, notes = rows_of({"id": "a"} | told)
        assert [(row["id"], row["question"], row["answer"]) for row in rows] == [
            ("a#1", "Go", "Found"),
            ("a#2", "And again", None),
        ]
        assert notes[0] == "read 'messages' as conversations, a row for each of 2 turns"
        run = rg.evaluate(rg.load([told]), ["tool_call_match", "exact_match"])
        assert run.summary().row(0, named=True)["mean"] == 0.5
    assert rg.score("tool_call_match", **fields).value == 0.5
    (row,), notes = rows_of({"messages": messages, "expected_calls": [FIND]})
    assert row["answer"] == "Found"
    assert notes[0].endswith("a row for each of 1 turn")


def test_calls_that_are_not_nested_are_those_of_the_whole_conversation():
    chat = [*said("Find it"), CALL, RESULT, *said("x", "Here")[1:], *said("And stop"), CALL, RESULT]
    row = {
        "id": "a",
        "messages": chat,
        "reference_tool_calls": [FIND, {"name": "stop"}],
        "reference": "Both",
    }
    rows, _ = rows_of(row)
    assert [row["expected_calls"] is None for row in rows] == [True, False]
    assert [row["references"] for row in rows] == [
        None,
        ["Both"],
    ]  # a single one is for the last answer
    run = rg.evaluate(rg.load([row]), ["tool_recall", "trajectory_match(mode='edits')"])
    values = dict(
        run.scores.filter(run.scores["id"] == "a#2").select("metric", "value").iter_rows()
    )
    assert set(values.values()) == {0.5}
    score = rg.score("tool_recall", messages=chat, expected_calls=row["reference_tool_calls"])
    assert score.value == 0.5


def test_gold_of_conversations_in_a_file_of_its_own_goes_to_their_turns():
    gold = {"id": "a", "references": [["Paris"], ["Madrid"], ["Rome"]], "topic": "capitals"}
    rows = rg.load([{"id": "a", "messages": CAPITALS}], gold=[gold]).frame.to_dicts()
    found = [(row["id"], row["answer"], row["references"], row["topic"]) for row in rows]
    assert found == [
        ("a#1", "Paris", ["Paris"], "capitals"),
        ("a#2", "Madrid", ["Madrid"], "capitals"),
        ("a#3", None, ["Rome"], "capitals"),
    ]
    assert [row["conversation"] for row in rows] == ["a", "a", "a"]


def test_gold_of_bfcl_names_calls_by_turn_and_one_by_position_counts_by_its_name():
    made = [
        {"begin_of_turn_query": [{"role": "user", "content": "Sort"}],
         "step_0": [{"role": "assistant", "content": [{"sort": '{"file": "a"}'}]}]},
        {"begin_of_turn_query": [{"role": "user", "content": "Go"}],
         "step_0": [{"role": "assistant", "content": [{"cd": '{"folder": "b"}'}]}]},
    ]  # fmt: skip
    answers = [{"id": "m_0", "result": [], "inference_log": made}]
    gold = [{"id": "m_0", "ground_truth": [["sort('a')"], ["cd(folder='c')"]]}]
    run = rg.evaluate(rg.load(answers, gold=gold), ["tool_call_match"])
    assert run.scores["value"].to_list() == [1.0, 0.0]


def test_messages_have_their_own_contexts_with_ids_a_rewritten_query_and_slices():
    passage = {"document_id": "d7", "text": "Paris is the capital.", "score": 2.5}
    chat = said("Capital of France?", "Paris", "And of Spain?", "Madrid")
    chat[1]["contexts"] = [passage]
    chat[2]["rewritten_query"] = "capital of Spain"
    chat[3] |= {"contexts": ["Madrid"], "context_ids": ["d8"]}
    (first, second), _ = rows_of(
        {"messages": chat, "slices": [{"country": "FR"}, {"country": "ES"}]}
    )
    assert (first["contexts"], first["context_ids"]) == (["Paris is the capital."], ["d7"])
    assert (second["contexts"], second["context_ids"]) == (["Madrid"], ["d8"])
    assert (first["rewritten_query"], second["rewritten_query"]) == (None, "capital of Spain")
    assert (first["country"], second["country"]) == ("FR", "ES")


def test_parts_that_are_no_texts_are_announced_once():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    chat = [
        {"role": "user", "content": [{"type": "text", "text": "What?"}, image]},
        *said("x", "A cat")[1:],
    ]
    _, notes = rows_of({"messages": [*chat, *chat]})
    assert notes[1:2] == ("only texts are scored; the messages also have image_url",)
    ((row,), notes) = rows_of({"messages": json.dumps(chat)})
    assert (row["question"], row["answer"]) == ("What?", "A cat")
    assert notes[1:2] == ("only texts are scored; the messages also have image_url",)


@cases({"answer": "Madrid"}, {"targets": [{"speaker": "agent", "text": "Madrid"}]}, {"contexts": [{"text": "x"}]},
ids=["answer", "reference", "contexts"],
)  # fmt: skip
def test_a_chat_that_ends_with_the_question_of_its_row_is_what_was_said_before(fields):
    for name in ("messages", "input"):
        ((row,), _) = rows_of({"conversation_id": "c", "turn": "2", name: CAPITALS[:3]} | fields)
        assert row["question"] == "And of Spain?"
        assert row["conversation_before"] == "user: Capital of France?\nassistant: Paris"
        assert (row["id"], row["conversation"], row["turn"]) == ("c#2", "c", 2)
        assert row["answer" if "answer" in fields else "id"] in ("Madrid", "c#2")


@pytest.mark.parametrize("written", [json.dumps, str])  # str: as pandas and ragas write objects
def test_columns_of_csv_and_of_other_names(tmp_path, written):
    path = tmp_path / "chats.csv"
    references = written([["Paris"], ["Madrid"]])
    chat = {"id": ["a"], "conversation": [written(CAPITALS)], "references": [references]}
    pl.DataFrame({**chat, "expected_calls": [""], "state": [""]}).write_csv(path)
    rows = rg.load(path).frame.to_dicts()
    assert [row["references"] for row in rows] == [["Paris"], ["Madrid"]]
    assert [row["conversation"] for row in rows] == ["a", "a"]


@pytest.mark.parametrize("document", [CAPITALS, {"messages": CAPITALS, "tools": [], "next": []}])
def test_a_json_file_may_be_one_conversation(tmp_path, document):
    (tmp_path / "chat.json").write_text(json.dumps(document))
    rows = rg.load(tmp_path / "chat.json").frame.to_dicts()
    assert [(row["id"], row["answer"]) for row in rows] == [("1#1", "Paris"), ("1#2", "Madrid")]


@pytest.mark.parametrize("prompt", ["Be brief.", [{"type": "text", "text": "Be brief."}]])
def test_the_prompt_beside_anthropics_messages_names_no_system(prompt):
    rows, _ = rows_of({"id": "c1", "system": prompt, "messages": CAPITALS})
    assert {row["system"] for row in rows} == {"default"}
    first = json.loads(rows[0]["messages"])[0]
    assert (first["role"], first["content"]) == ("system", prompt)
    rows, _ = rows_of({"id": "c1", "system": "gpt-4.1", "messages": CAPITALS})
    assert {row["system"] for row in rows} == {"gpt-4.1"}


def test_the_contents_of_geminis_requests_are_a_conversation():
    contents = [
        {"role": "model" if each["role"] == "assistant" else "user", "parts": [{"text": each["content"]}]}
        for each in CAPITALS
    ]  # fmt: skip
    rows, _ = rows_of({"id": "c1", "contents": contents})
    assert [row["answer"] for row in rows] == ["Paris", "Madrid"]


@cases(
    ({"references": [["a"], ["b"], ["c"]]}, "'references' has 3 turns, the conversation 2"),
    ({"references": ["Paris", "Madrid"]}, r"must be a list over the 2 turns: \[\[\"Paris\"\], null\]"),
    ({"references": [["a"], ["b"]], "relevant": {"d1": 1}}, "'relevant' must be a list over the 2 turns"),
    ({"expected_calls": [[FIND]]}, "expected_calls has 1 turns, the conversation 2"),
    ({"messages": CAPITALS[:2], "references": [["a"], ["b"]]}, "'references' has 2 turns, the conversation 1"),
    ({"messages": [said("", "Hi!")[1], *CAPITALS], "references": [["a"], ["b"]]}, "has 2 turns, the conversation 3; the first is what the system says first"),
    ({"messages": [*CAPITALS, RESULT]}, "message 5 is a tool result for the call '1'"),
    ({"messages": [SYSTEM, SYSTEM, *CAPITALS[:2]]}, "message 2 is a second system prompt"),
    ({"messages": [*CAPITALS[:2], {"role": "narrator", "content": "x"}]}, "message 3 has the role 'narrator'"),
    ({"messages": [*CAPITALS[:2], {"role": "wizard", "content": "x"}, CAPITALS[3]]}, "message 3 has the role 'wizard'"),
    ({"messages": said("hm"), "tools": []}, "the system says nothing in this conversation"),
)  # fmt: skip
def test_what_does_not_fit_is_a_problem_with_its_place(fields, said_of_it):
    with pytest.raises(DataError, match=said_of_it):
        rg.load([{"id": "c1", "messages": CAPITALS} | fields])


SILENCE = {"role": "assistant", "content": ""}
THOUGHT = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}


@pytest.mark.parametrize("more", [{}, {"references": [["9"], ["yes"]]}])
@pytest.mark.parametrize("replies", [[[], []], [[SILENCE], [SILENCE]], [[], [THOUGHT]]])
def test_conversations_in_which_the_system_says_nothing_are_named(more, replies):
    texts = ("When do you open?", "Hello?")
    asked = [{"role": "user", "content": text} for text in texts]
    asked = [item for one, reply in zip(asked, replies, strict=True) for item in (one, *reply)]
    chats = [("heard", CAPITALS), ("ignored", asked)]
    samples = rg.load([{"id": id, "messages": chat} | more for id, chat in chats])
    note = "the system says nothing in 1 conversation, left without scores: 'ignored'"
    assert note in samples.notes
    acts = [*said("Book it", ""), *CAPITALS[:2]]
    acts[1] = {**SILENCE, "tool_calls": [{"function": {"name": "book", "arguments": "{}"}}]}
    heard = rg.load([{"id": id, "messages": chat} for id, chat in (("acts", acts), chats[0])])
    assert not any("says nothing" in note for note in heard.notes)
    only_questions = rg.load([{"id": id, "messages": asked} | more for id in ("a", "b")])
    assert not any("says nothing" in note for note in only_questions.notes)


@cases(
    (CAPITALS, {}),
    (CAPITALS[:2], {}),
    (CAPITALS[:2], {"reference": "Paris"}),
    (CAPITALS[:3], {"reference": "Paris"}),
    ([["user", "Hello"], ["assistant", "Hi"]], {}),
)
def test_a_chat_given_as_text_is_parsed_once(chat, more, monkeypatch):
    given, texts, loads = json.dumps(chat), [], json.loads
    as_text, as_list = (
        rg.load([{"id": id, "messages": value, **more} for id in "ab"]) for value in (given, chat)
    )
    assert as_text.frame.equals(as_list.frame)
    monkeypatch.setattr(json, "loads", lambda text: texts.append(text) or loads(text))
    rg.load([{"id": "a", "messages": given, **more}])
    assert texts.count(given) == 1


def test_a_text_that_is_no_chat_stays_as_it_is():
    row = {"id": "a", "question": "Who?", "answer": "Ann", "messages": '[{"note": 1.50}]'}
    assert rg.load([row]).frame["messages"].to_list() == ['[{"note": 1.50}]']


def test_turns_of_a_conversation_are_one_cluster():
    chats = [said("Capital?", "Paris") * 20, said("Capital?", "Oslo") * 20] * 5
    rows = [
        {"id": str(n), "messages": chat, "references": [["Paris"]] * 20}
        for n, chat in enumerate(chats)
    ]
    turns = rg.load(rows)
    flat = rg.load([row | {"conversation": None} for row in turns.frame.to_dicts()])
    of_clusters, of_rows = (
        rg.evaluate(each, "exact_match").summary().row(0, named=True) for each in (turns, flat)
    )
    assert of_clusters["mean"] == of_rows["mean"] == 0.5
    assert of_clusters["high"] - of_clusters["low"] > 3 * (of_rows["high"] - of_rows["low"])


def test_many_turns_take_memory_by_their_number():
    rows = rg.load([{"messages": said("What?", "This.") * 1000, "answerable": [True] * 1000}]).frame
    assert rows.height == 1000
    assert rows["messages"].str.len_chars().max() < 200
    assert rows["conversation_before"].str.len_chars().max() == 6_002


def test_what_is_said_of_a_whole_conversation_is_undefined_at_its_other_turns():
    greeting = said("Hi", "Hello")
    talk = {"messages": greeting * 3, "state": {}, "expected_state": {}, "cost_usd": 0.5}
    asked = {"id": "q", "question": "Hi", "answer": "Hello", "messages": greeting}
    whole = ["state_match", "unanswered_questions", "repetition", "cost_usd"]
    run = rg.evaluate([talk | {"id": "talk"}, asked], whole)
    columns = run.scores.select("id", "metric", "status", "reason")
    found = {(id, name): (status, reason) for id, name, status, reason in columns.iter_rows()}
    for name in whole:
        assert found["talk#1", name] == found["talk#2", name] == ("undefined", NOT_LAST)
    for name in ("state_match", "cost_usd"):
        assert found["talk#3", name][0] == "ok"
    assert found["q", "unanswered_questions"][0] == "ok"  # and for a single row
    assert found["q", "state_match"] == ("missing", "the sample has no expected_state")
    lines = str(rg.evaluate([talk], ["repetition"]))
    assert "no sentence of 5 words or more" in lines and NOT_LAST not in lines
    # Where nothing tells what it took, the last turn is missing.
    untold = rg.evaluate([{"id": "c1", "messages": CAPITALS}], "cost_usd").scores.sort("id")
    assert untold["status"].to_list() == ["undefined", "missing"]
    assert rg.score("cost_usd", answer="x").status == "missing"


def test_two_systems_may_lead_to_other_messages_of_the_user():
    rows = [
        {"id": "c", "system": system, "messages": said("A tent?", answer, second, "Fine.")}
        for system, answer, second in (("a", "Two.", "Two."), ("b", "No?", "No, thanks."))
    ]
    samples = rg.load(rows)
    assert samples.frame["question"].to_list() == ["A tent?", "Two.", "A tent?", "No, thanks."]
    assert "question differs between rows for id 'c#2'; kept each row's own" in samples.notes


@pytest.mark.usefixtures("small_pieces")
def test_conversations_with_ids_are_read_in_pieces(
    written, check_same_samples, check_same_problems
):
    references = [["Paris"], None]
    rows = [{"id": f"c{at}", "messages": CAPITALS, "references": references} for at in range(9)]
    samples = check_same_samples(written(rows))
    assert samples.notes[0] == "read 'messages' as conversations, a row for each of 18 turns"
    rows[7]["references"] = [["Paris"]]
    assert "has 1 turns, the conversation 2" in check_same_problems(written(rows))
    # Without ids conversations are numbered, which needs the rows before them.
    check_same_samples(written([{"messages": CAPITALS}] * 9), at_once=True)
