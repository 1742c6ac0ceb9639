"""Items of lists: their codes and names, and which of them two lists share."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.list_items import list_items, shared_items
from ragauge.language.patterns import BoundedPattern

RULE = BoundedPattern(r"Rule C-\d+")


def items(text: str, pattern: BoundedPattern | None = None) -> list[tuple[str, str]]:
    return [(item.code, item.name) for item in list_items(text, pattern)]


@pytest.mark.parametrize("pattern", [RULE, None])
@pytest.mark.parametrize(
    "text",
    [
        *("* **Rule C-1:** Water Damage", "- Rule C-1: Water Damage"),
        *("1. **Rule C-1: Water Damage** (page 4)", "• `Rule C-1` – Water  damage."),
        *("* Rule C-1 — water damage", "+ Water Damage (Rule C-1)"),
        *("2) **Water Damage** (Rule C-1)", "* [Rule C-1](rules.md#c1): <b>Water Damage</b>"),
    ],
)
def test_an_item_has_a_code_and_a_name(text: str, pattern: BoundedPattern | None):
    assert items(text, pattern) == [("rule c-1", "water damage")]


@cases(
    ("Section 4.2: Heating", ("section 4.2", "heating")),
    ("C-1", ("c-1", "")),
    *((text, ("", text)) for text in ("covid-19: first wave", "q3: first wave")),
    *((text, ("", text)) for text in ("2020: first wave", "part 2 of the policy")),
)
def test_without_a_pattern_only_what_looks_like_a_rules_number_is_a_code(text: str, found):
    assert items(f"* {text}") == items(f"* {text.title()}") == [found]


def test_codes_of_the_pattern_count_anywhere_and_once():
    text = "* Rule C-1: Water\nAs Rule C-1 and Rule C-2 say.\n* Rule C-3, Rule C-4"
    codes = [code for code, _ in items(text, RULE)]
    assert codes == ["rule c-1", "rule c-2", "rule c-3", "rule c-4"]


def test_the_same_name_under_two_codes_is_two_items():
    assert len(items("* Rule C-1: General\n* Rule C-2: General\n* General", RULE)) == 2


CODED = "**Rule D-4:** Access to Records\n* **Rule E/2:** Late Fees\n* **Rule F-7:** Notice"
NAMED = "Access to Records\n* Late Fees\n* Notice"


@cases(
    ("Fire / Theft", "fire/theft", {0}),
    ("Fire–Theft", "Fire - theft", {0}),
    ("*Fire* `and` Theft", "fire and  theft.", {0}),
    *(
        ("Fire", f"{fire} what burns", {0})
        for fire in ("Fire:", "Fire –", "**Fire** is", "Rule C-7: Fire -")
    ),
    *(("Fire", "Fire (what burns)", {0}), ("Fire", "Fire—what burns", {0})),
    ("Rule C-7", "Rule C-7: Fire", {0}),
    *(("Rule C-7: Fire", "Fire", {0}), ("Rule C-7: Fire", "Rule C-7: Flames", {0})),
    ("Fire - at home", "Fire - at home: what burns", {0}),
    ("Fire", "Fire-proofing", set()),  # a hyphen inside a word begins no explanation
    *(("Fire", "Firewall", set()), ("Fire", "Fire and theft", set())),
    ("Fire: at home", "Fire", set()),  # only an item of the answer may say more
    *(("Rule C-7: Fire", "Rule C-77: Flames", set()), ("Rule C-7", "C-8", set())),
    ("", "Fire", set()),
    # One item of the answer is one expected item.
    ("Fire\n* Fire - at home", "Fire - at home", {1}),
    ("Rule C-1: General\n* Rule C-2: General", "General", {0}),
    ("Rule C-1: General\n* Rule C-2: General", "Rule C-2: General", {1}),
    # By its code or by its name.
    *((CODED, NAMED, {0, 1, 2}), (NAMED, CODED, {0, 1, 2})),
    (CODED, "Rule D - 4\n2. Rule E / 2\n3. F-7", {0, 1, 2}),
    (CODED, "D-4: Access\n* E/2: charges\n* F – 7: Something", {0, 1, 2}),
    (NAMED, "Rule D-4 (Access to Records)\n* E/2 – Late Fees", {0, 1}),
    ("D-4\n* E/2", CODED, {0, 1}),
    (CODED, "Form D-4: Access\n* Section 4: Fees", set()),
    ("Rule C-1: Sums\n* Form C-1: Terms", "Form C-1", {1}),
)
def test_items_are_the_same_by_their_code_or_their_name(expected: str, answer: str, shared):
    assert shared_items(list_items(f"* {expected}"), list_items(f"- {answer}")) == shared


LINE = st.text(st.sampled_from("*-•_`:()[]—– /.1Ca\u0301§"), max_size=12)


@given(lines=st.lists(LINE, max_size=6), more=st.lists(LINE, max_size=3))
def test_a_list_shares_all_with_itself_and_more_items_never_share_less(
    lines: list[str], more: list[str]
):
    text = "\n".join(f"* {line}" for line in lines)
    for pattern in (None, RULE):
        expected = list_items(text, pattern)
        assert all(item.code or item.name for item in expected)
        found = shared_items(expected, expected)
        assert found == set(range(len(expected)))
        longer = [*expected, *list_items("\n".join(f"* {line}" for line in more), pattern)]
        assert found <= shared_items(expected, longer)


def test_a_long_line_of_separators_is_read_in_good_time():
    assert len(list_items("* " + "a - (" * 4_000)) == 1
    many = "\n".join(f"* Item {n}" for n in range(4_000))
    assert len(shared_items(list_items(many), list_items(many))) == 4_000
