"""Rules: the grammar of filters over metrics, statistics and slices."""

import pytest
from cases import cases
from pytest import approx

from ragauge.errors import FilterError
from ragauge.gating.rules import CHANGES, STATISTICS, TOTALS, Operand, Rule


def read(text: str) -> list[tuple[str, str | None, str | None]]:
    operands = Rule.parse(text).operands
    return [(one.name, one.statistic, one.where and one.where.text) for one in operands]


@cases(
    ("recall@10 >= 0.35", [("recall@10", "mean", None)]),
    ('answer_match.mean[question_type = "Fact"] >= 0.8', [("answer_match", "mean", 'question_type = "Fact"')]),
    ("failed <= 0", [("failed", None, None)]),
    ("cost_usd < 2", [("cost_usd", None, None)]),
    ('recall( match = "text" )@10.low>.5', [('recall(match="text")@10', "low", None)]),
    ("`recall@10 by text`.n = 30", [("recall@10 by text", "n", None)]),
    ("ragas:faithfulness >= 1", [("ragas:faithfulness", "mean", None)]),
    ('failed[system = "b"] <= 0', [("failed", None, 'system = "b"')]),
    ('correct [ note = "a ] b" ] > 0', [("correct", "mean", ' note = "a ] b" ')]),
    ("correct.drop_high <= 0.02 and (correct >= 0.8 or not failed > 3)",
        [("correct", "drop_high", None), ("correct", "mean", None), ("failed", None, None)]),
)  # fmt: skip
def test_operands(text, operands):
    assert read(text) == operands


@pytest.mark.parametrize("statistic", [*STATISTICS, *CHANGES])
def test_every_statistic_can_be_named(statistic):
    (operand,) = Rule.parse(f"ndcg@10.{statistic} >= 0").operands
    assert (operand.statistic, operand.is_change) == (statistic, statistic in CHANGES)


@pytest.mark.parametrize("total", TOTALS)
def test_totals_are_about_the_run_unless_they_are_quoted(total):
    assert read(f"{total} <= 3") == [(total, None, None)]
    assert read(f"`{total}` <= 3") == [(total, "mean", None)]


@cases(
    ("", "expected a metric, such as recall@10, or a total, such as failed at its end"),
    ("correct", "compare correct with a number, as in correct >= 0.8"),
    ("not correct", "compare correct with a number"),
    ('correct >= "high"', "correct is a number; 'high' is not"),
    ("correct = true", "correct is a number; True is not"),
    ("correct in (1, 'a')", "correct is a number; 'a' is not"),
    ("correct ~ 'a'", "~ searches a text, and correct is a number"),
    ("correct is null", "correct without a value fails every rule"),
    ("failed <= 0 and correct is not null", "correct without a value fails every rule"),
    ("correct.medan >= 1", "no statistic 'medan' at character 1; did you mean 'mean'"),
    ("correct[a = 1 >= 2", "the bracket [ is not closed"),
    ("correct[a =] >= 2", "filter 'a =': expected a value"),
    ("correct >= ", "expected a value"),
    ("correct >= 1 2", "unexpected text"),
    ("recall(match=)@10 > 0", "expected a value such as 3"),
    ("correct >= 1e999", "is too large a number"),
    ("x" * 10_001, "a rule has at most 10000 characters"),
    ("(" * 60 + "correct >= 1", "nested deeper"),
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(FilterError) as raised:
        Rule.parse(text)
    assert message in str(raised.value)
    assert len(str(raised.value)) < 700


@pytest.mark.parametrize("junk", ["[" * 5_000, "`" * 5_000, "a(" * 3_000, 'a["' * 2_000, "a." * 4_000])  # fmt: skip
def test_long_junk_is_refused_quickly(junk):
    with pytest.raises(FilterError):
        Rule.parse(junk)


def test_a_rule_holds_or_not():
    rule = Rule.parse("correct >= 0.8 and not failed > 2")
    assert rule.holds({"correct": 0.8, "failed": 2})
    assert not rule.holds({"correct": 0.79, "failed": 2})
    assert not rule.holds({"correct": 0.8, "failed": 3})


@cases(
    ("correct >= 0.5", 0.0),
    ("correct >= 0.8", 0.2 / 0.8),
    ("failed <= 0", 1.0),  # 4 of 4 too many
    ("failed < 3", 1 / 4),
    ("not failed > 3", 1 / 4),
    ("correct >= 0.8 and failed <= 3", 0.25),  # both have to hold: the larger
    ("correct >= 0.8 and failed <= 0", 1.0),
    ("correct >= 0.8 or failed <= 0", 0.25),  # one is enough: the smaller
    ("not (correct < 0.8 or failed > 0)", 1.0),
    ("not (correct < 0.8 and failed > 0)", 0.25),
    ("failed in (1, 5)", 1 / 5),
    ("correct != 0.6", 0.0),
)
def test_how_far_a_rule_is_missed(rule, shortfall):
    assert Rule.parse(rule).shortfall({"correct": 0.6, "failed": 4}) == approx(shortfall)


def test_a_system_is_chosen_by_the_slice():
    (operand,) = Rule.parse('correct[system = "b" and year > 3] >= 1').operands
    assert isinstance(operand, Operand)
    assert operand.names_systems
