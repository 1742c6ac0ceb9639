"""What is seen only in a whole conversation: contradictions, repetitions, questions without an answer, the end state."""

from cases import cases

import ragauge as rg
from ragauge.conversations.transcript import Transcript
from ragauge.metrics.conversation import faultless
from ragauge.score import Score, Status


def chat(*texts):
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


def added(*results):
    """A question whose tool gives these results, one after the other, and its answer."""
    called = [
        {"role": "assistant", "tool_calls": [{"name": "add", "arguments": {"try": at}}]}
        for at in range(len(results))
    ]
    said = [{"role": "tool", "name": "add", "content": result} for result in results]
    ask, answer = chat("2 + 2?", "It is 4.")
    return [ask, *(each for pair in zip(called, said, strict=True) for each in pair), answer]


FEE = "The fee of the lantern hut is $60 a year."


@cases(
    (FEE, 1),
    ("Yes, the fee of the lantern hut is $60 a year.", 1),
    ("The fee of the lantern hut is $70 a year.", 0),
    ("The fee of the lantern hut is not $60 a year.", 0),
    ("It opens in May.", 1),
)
def test_a_turn_that_contradicts_an_earlier_one(later, consistent):
    score = rg.score("consistency", messages=chat("What is the fee?", FEE, "Are you sure?", later))
    assert score.value == consistent
    assert bool(score.evidence["contradictions"]) is not bool(consistent)


@cases(
    (chat("Ticket?", "A ticket costs £12.", "And for students?", "A ticket costs £8."), None),
    (chat("To Norway?", "Yes.", "To Chile?", "No."), None),
    # What was said is said otherwise where another thing is asked about it; what is said of that thing is not.
    (chat("Are dogs allowed?", "Dogs are allowed on the ferry.", "Where do I book for him?", "Dogs are not allowed on the ferry."), "negation"),
    (chat("Has it a pool?", "Yes, the hotel has an indoor pool.", "And an outdoor pool?", "No, the hotel does not have an outdoor pool."), None),
    (chat("Is it open on Monday?", "Yes.", "Is it open on Sunday?", "No."), None),
    (chat("What's my balance?", "Your balance is 120 euros.", "Pay the bill of 30 euros.", "Your balance is 90 euros."), None),
    ([*chat("What's my balance?", "Your balance is 120 euros.", "And now?"), *added("90 euros")[1:-1], chat("", "Your balance is 90 euros.")[1]], None),
    (chat("How many moons has Mars?", "Mars has two moons.", "And how long is a day on Venus?", "243 days.", "Has it moons too?", "Venus has no moons."), None),
    (chat("Lift in building C?", "Building C has no lift.", "In D?", "Building D has two lifts."), None),
    (chat("Goals in 2018?", "She scored 21 goals in 2018.", "The year after?", "She scored 17 goals in 2019."), None),
    (chat("Who is the CEO of Acme?", "Jane Roe is the CEO of Acme.", "Who is the CFO?", "Tom Poe is the CFO of Acme."), None),
    (chat("Is lunch at 9?", "You can book it 5 days before.", "What about dinner?", "You can book it 7 days before."), None),
    (chat("What is item 3900?", "Item 3900 costs 20 dollars.", "What is item 3901?", "Item 3901 costs 21 dollars."), None),
    (chat("How much for 2 people?", "For 2 people 80 euros.", "How much is it for 3 people?", "For 3 people 110 euros."), None),
    (chat("Is it open on Monday?", "Yes.", "Really, is it open on Monday?", "No."), "answer"),
    (chat("How long is the flight?", "About 1 hour.", "So what was the flight time?", "It takes two hours."), "number"),
    (chat("Age to rent a car?", "At least 21 to rent a car.", "So what is the age to rent a car?", "The age to rent a car is 18."), "number"),
)  # fmt: skip
def test_an_answer_to_the_same_question_is_compared_and_one_to_another_is_not(messages, kind):
    found = rg.score("consistency", messages=messages).evidence["contradictions"]
    assert [each["kind"] for each in found] == ([kind] if kind else [])


@cases(
    ("And in Rome?", "It costs £12.", 0),
    ("And in Rome?", "It costs £12 in Rome too.", 1),
    ("And there?", "Also £12.", 1),
    ("And in Rome?", "It costs £9.", 1),
    ("And when?", "Ada Lee opened it in 1931.", 1),
)
def test_a_follow_up_about_another_thing_is_not_answered_by_what_was_said(question, answer, value):
    messages = chat("What does it cost in Oslo?", "It costs £12.", question, answer)
    assert rg.score("carried_context", messages=messages).value == value


def test_the_share_of_turns_that_are_consistent():
    other = "The fee of the lantern hut is $70 a year."
    messages = chat("Fee?", FEE, "Open?", "It opens in May.", "Fee?", other)
    score = rg.score("consistency", messages=messages)
    assert score.value == 0.5
    (found,) = score.evidence["contradictions"]
    place, said = (found["turn"], found["in_turn"]), (found["says"], found["said"])
    assert (place, said) == ((3, 1), ("$70 per year", "$60 per year"))
    assert rg.score("consistency", messages=chat("Fee?", FEE)).status is Status.UNDEFINED


def test_sentences_that_were_said_before():
    short, long = "You are welcome.", "Please write to the office about your key."
    messages = chat(
        "a", f"{long} {short}", "b", f"{short} {long.upper()} It opens at ten in the morning."
    )
    score = rg.score("repetition", messages=messages)
    assert score.value == 0.5
    assert score.evidence["repeated"] == [{"turn": 2, "sentence": long.upper()}]
    assert rg.score("repetition", messages=chat("a", long)).status is Status.UNDEFINED


@cases(
    (chat("Fee?", FEE), 0, None),
    (chat("Fee?", FEE, "And the key?"), 1, "nothing follows"),
    (chat("Fee?", FEE, "Vielen Dank!"), 0, None),
    (chat("Fee?", FEE, "Ok, thanks for your help.", ""), 0, None),
    (chat("Fee?", FEE, "Thanks, now cancel my key"), 1, "nothing follows"),
    (chat("Fee?", FEE, "Alright, thanks. That's all I needed."), 0, None),
    (chat("Fee?", FEE, "I will think about it. ###STOP###"), 0, None),
    (chat("Fee?", FEE, "Help!"), 1, "nothing follows"),
    (chat("Fee?", "Could you please provide your hut's name?", "Lantern", FEE), 0, None),
    (chat("Fee?", "Could you please provide your hut's name?"), 1, "refused: "),
    (chat("Fee?", "", "Why?", FEE), 1, "the answer is empty"),
    (chat("Fee?", "I don't know.", "Why?", FEE), 1, "refused: "),
    ([{"role": "assistant", "content": "Hello!"}, *chat("Fee?", FEE)], 0, None),
)
def test_messages_of_the_user_without_an_answer(messages, n, why):
    score = rg.score("unanswered_questions", messages=messages)
    assert score.value == n
    if why:
        assert score.evidence["unanswered"][0]["why"].startswith(why)


@cases(
    ({"a": 1.0, "b": [1, 2]}, "", 1),
    ({"b": [2, 1], "a": 1}, "", 0),
    ({"a": 1, "b": [1, 2], "c": 0}, "", 0),
    ({"a": 1, "b": [1, 2], "c": 0}, '(ignore=["c"])', 1),
    ({"a": 1.001, "b": [1, 2]}, "(atol=0.01)", 1),
    ({"a": True, "b": [1, 2]}, "", 0),
)
def test_the_state_at_the_end(found, options, value):
    score = rg.score(f"state_match{options}", state=found, expected_state={"a": 1, "b": [1, 2]})
    assert score.value == value
    assert bool(score.evidence["n_differences"]) is not bool(value)


def test_a_state_that_is_not_there_or_no_json_is_missing():
    assert rg.score("state_match", expected_state={}).reason == "the sample has no state"
    for text in ("{", '{"a": NaN}', '{"a": 1e999}'):
        broken = rg.score("state_match", final_state=text, expected_state="{}")
        assert (broken.status, broken.reason[:18]) == (Status.MISSING, "a state is no JSON")


def test_a_thousand_turns_are_compared_in_linear_time(assert_linear_time):
    def work(messages):
        rg.score("consistency", messages=messages)

    # Above 50 turns, of which each is compared with all.
    assert_linear_time(work, lambda n: chat(*("Fee?", FEE) * n), 320)


def test_a_judge_reads_what_was_said_before_the_turn():
    messages = chat("Who built the hut?", "Ann Lee.", "When?", "In 1931.")
    row = {"id": "a", "messages": messages, "references": [["Ann Lee"], ["1931"]]}
    judge = rg.ScriptedJudge({"verdict": "CORRECT"})
    samples = rg.load([row])
    before = "user: Who built the hut?\nassistant: Ann Lee."
    assert samples.frame["conversation_before"].to_list() == [None, before]
    run = rg.evaluate(samples, "answer_class", judge=judge)
    first, second = (" ".join(each.content for each in one.messages) for one in judge.requests)
    assert "said before" not in first
    assert second.index("assistant: Ann Lee.") < second.index("(the question)\nWhen?")
    assert run.scores["value"].to_list() == [1, 1]


@cases(
    ("Und am Sonntag?", "Am Sonntag 14 Euro."),
    ("Und für Kinder?", "Der Eintritt ist für Kinder frei."),
)
def test_a_german_follow_up_is_answered_about_its_own_noun(question, answer):
    messages = chat("Was kostet es?", "12 Euro.", question, answer)
    assert rg.score("carried_context", messages=messages).value == 1


@cases(
    (chat("Fee?", FEE, "Open?", "It opens in May."), 1, None),
    (chat("Fee?", FEE, "Open?", ""), 0, "leaves a question unanswered"),
    (chat("Fee?", FEE, "Fee again?", FEE), 0, "repeats itself"),
    (chat("Fee?", FEE, "Fee again?", f"{FEE} It is due in the first week of May."), 1, None),
    (chat("Fee?", FEE, "Great, thank you very much!"), 1, None),
    (added("Error: busy"), 0, "does not recover from a failed call"),
    (added("Error: busy", "4"), 1, None),
    ([*chat("Add 2"), {"role": "assistant", "content": "4", "tool_calls": [{"name": "add", "arguments": "{"}]}], 0, "does not recover from a failed call"),
)  # fmt: skip
def test_faults_that_show_without_references(messages, value, why):
    score = rg.score("faultless", messages=messages)
    assert (score.value, score.evidence.get("why")) == (value, why)


NOTHING = Transcript((), ())


def test_a_part_without_a_verdict_is_no_proof_of_faultlessness():
    none, one = Score(0.0), Score(1.0)
    lacks, unsaid = Score.missing("no messages"), Score.undefined("no follow-up")
    assert faultless(NOTHING, none, lacks, unsaid) == lacks
    assert faultless(NOTHING, none, one, unsaid).value == 1
    assert (
        faultless(NOTHING, none, Score(0.5), unsaid).evidence["why"]
        == "contradicts an earlier answer"
    )
    assert (
        faultless(NOTHING, none, one, Score(0.0)).evidence["why"] == "answers about another thing"
    )
    assert faultless(NOTHING, unsaid, one, unsaid) == unsaid
