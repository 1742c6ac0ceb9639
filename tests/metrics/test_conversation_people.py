"""166 transcripts of our own with the verdicts of a person by turn, written before any metric was run on them.

`right`: the answer agrees with its reference; `contradicts`: it contradicts an earlier answer; `about_the_right_thing`: a follow-up is
answered about what it refers to, null where the question says it itself; `calls_right`: the calls are the expected ones.
"""

import json
from pathlib import Path

from cases import cases

import ragauge as rg

ROWS = [
    json.loads(line) for line in Path(__file__).with_name("conversations_of_people.jsonl").open()
]
PEOPLE = {row["id"]: row.pop("person") for row in ROWS}
SPOKEN = [row for row in ROWS if "references" in row]


def by_turn(kind):
    """The verdicts of the person, by conversation and turn."""
    return {
        (id, turn): verdict
        for id, said in PEOPLE.items()
        for turn, verdict in enumerate(said.get(kind, ()), 1)
        if verdict is not None
    }


def scored(label, rows):
    samples = rg.load(rows)
    places = samples.frame.select("id", "conversation", "turn")
    scores = rg.evaluate(samples, [label]).scores.join(places, on="id")
    return {(row["conversation"], row["turn"]): row["value"] for row in scores.to_dicts()}


def test_correct_agrees_on_the_turns():
    people = by_turn("right")
    found = scored("correct", SPOKEN).items()
    agree = [(value >= 0.5) == people[place] for place, value in found if value is not None]
    assert (sum(agree), len(agree)) == (610, 643)


@cases(
    ("consistency", "contradictions", "contradicts", True, 29, 0),
    ("carried_context", "not_carried", "about_the_right_thing", False, 12, 2),
)
def test_what_goes_wrong_across_turns(label, listed, kind, is_found, hits, false_alarms):
    """Of 56 contradictions and of 17 answers about another thing, two of which are refusals; each of 671 turns."""
    found = set()
    for row in SPOKEN:
        evidence = rg.score(label, messages=row["messages"]).evidence or {}
        found |= {(row["id"], each["turn"]) for each in evidence.get(listed, ())}
    people = by_turn(kind)
    n_right = sum(people.get(place) is is_found for place in found)
    assert (n_right, len(found) - n_right) == (hits, false_alarms)


def test_calls_are_judged_as_the_person_does():
    found = scored("tool_call_match", [row for row in ROWS if "expected_calls" in row])
    given = {place: bool(value) for place, value in found.items() if value is not None}
    assert given == by_turn("calls_right")
