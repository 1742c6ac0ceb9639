"""Which questions the rules are surest of."""

from pathlib import Path

from cases import cases

import ragauge as rg
from ragauge.questions.evidence import documents_of
from ragauge.questions.making import made_report
from ragauge.questions.modelless import drafts

SURE = "A guest is a person who pays for a bed of the hut."
LAMP = "# Lamps of the hut\n\n"


def asked_of(tmp_path: Path, text: str, n: int = 9) -> list[str]:
    (tmp_path / "a.md").write_text(text)
    return [str(row["question"]) for row in rg.questions(tmp_path, n).rows]


@cases(
    # Its heading has the word; or it says what holds of each.
    ("# Guests\n\nA guest is a sleeper in the hut.", "What is a guest", True),
    (SURE, "What is a guest", True),
    ("# Prices\n\nA guest is a sleeper in the hut.", "What is a guest", True),
    ("# Prices\n\nThe guest is a sleeper in the hut.", "What is the guest", False),
    ("# Guests\n\nThe guest is a sleeper in the hut.", "What is the guest", True),
    # Each thing of a kind, and not one.
    (f"{LAMP}Lamps need oil from the valley.", "Do lamps need", True),
    (f"{LAMP}The old lamp needs oil from the valley.", "Does the old lamp", False),
)  # fmt: skip
def test_a_thing_is_known_by_its_heading_or_is_any_of_its_kind(text, begin, is_asked, tmp_path):
    (tmp_path / "a.md").write_text(text)
    found = [each.question for each in drafts(documents_of(tmp_path))]
    assert any(question.startswith(begin) for question in found) is is_asked


def test_of_two_questions_the_surer_one_is_taken(tmp_path: Path):
    weak = "Consider the barn. He sleeps there. A walker is a person who sleeps, eats and, at times, pays."
    text = f"# Nights\n\n{weak}\n\n# Guests\n\n{SURE}"
    assert asked_of(tmp_path, text, 1) == ["What is a guest (Guests)?"]


def test_what_only_a_judge_writes_is_said(tmp_path: Path):
    (tmp_path / "a.md").write_text(f"# Guests\n\n{SURE}")
    made = rg.questions(tmp_path, 2, types={"ambiguous": 1, "single fact": 1})
    assert (
        "only a judge model writes these types: ambiguous; add --judge" in made_report(made).notes
    )
