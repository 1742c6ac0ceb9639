"""What is and what is not a contradiction between two turns; rows in pairs that differ in one thing."""

from cases import cases

from ragauge.conversations.transcript import read_transcript
from ragauge.features.contradictions import Said, contradictions

HUT = ("What does the hut cost?", "The hut costs $60 a night.")
WIFI = ("Is there wifi in the hut?", "The hut has wifi in all rooms.")


def kinds(*turns):
    messages = [
        {"role": role, "content": text}
        for turn in turns
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]
    said, found = [], []
    for turn in read_transcript(messages).turns():
        said.append(Said.of(turn, said[:]))
        found += contradictions(said[-1], said[:-1])
    return {each.kind for each in found}


@cases(
    (HUT, ("We are two.", "Please bring $70 for the hut."), "number"),
    (HUT, ("We are two.", "I was wrong: please bring $70 for the hut."), None),
    (HUT, ("We come on Sunday.", "Then please bring $70 for the hut."), None),
    (HUT, ("We stay three nights.", "Three nights in the hut cost $180."), None),
    (("What does Pro cost a month?", "Pro costs $20 a month."), ("And a year?", "Pro costs $200 a year."), None),
    (HUT, ("Can we share it?", "The hut costs 3 people $20 each."), None),
    (HUT, ("Our budget is $70.", "The hut costs less than $70."), None),
    (HUT, ("Is 70 enough for the hut?", "$70 is enough for the hut."), None),
    (HUT, ("How long may we use it?", "You may use the hut for 60 hours."), None),
    (("When is the feeding?", "The feeding is at 11:00 and 15:30."), ("When exactly is the feeding?", "The feeding is at 14:30."), "date"),
    (("Do I have to change trains?", "No, it is a direct train."), ("Where do I change trains?", "You change in Bruck."), "negation"),
    (HUT, ("And the cabin?", "It costs $70 a night."), None),
    (HUT, ("We are two.", "The lake hut costs $70."), "number"),
    (("What does the small hut cost?", "The small hut costs $60."), ("We are ten.", "The large hut costs $70."), None),
    (HUT, ("We are two.", "The hut is free."), "opposite"),
    (WIFI, ("What is the password?", "There is no wifi in the hut."), "negation"),
    (WIFI, ("And at the lake?", "There is no wifi at the lake."), None),
    (WIFI, ("It doesn't work.", "In the annex there is no wifi."), None),
    (WIFI, ("It doesn't work.", "If it snows there is no wifi in the hut."), None),
    (("Is the hut open?", "It is closed until May."), ("We come in April.", "The hut is open."), "negation"),
    (("Who built the hut?", "Ann Lee built the hut."), ("Is it old?", "Tom Ray built the hut."), "entity"),
    (("Who built the hut?", "Ann Lee built the hut."), ("Is it old?", "Tom Ray painted the hut."), None),
    (("Who is the author of the report?", "It was written by Ann Lee."), ("Who wrote it, please?", "It was written by Tom Ray."), "entity"),
)  # fmt: skip
def test_two_turns(first, later, kind):
    assert kinds(first, later) == ({kind} if kind else set())
