"""A fifth of all replies has one entry too few: what is lost is reported, and nothing changes in silence."""

import hashlib

import pytest
import rules

import ragauge as rg

N = 30
MEASURES = (
    "faithfulness",
    "faithfulness(merged=true)",
    'context_precision(average="ap")',
    "context_recall",
    "answer_relevance",
    "gpt_score",
)
ROWS = [
    {
        "id": f"q{at}",
        "question": f"What does plan {at} cost a year?",
        # The last claim is the one that no context supports: without it, faithfulness would be 1.
        "answer": f"Plan {at} costs ${at * 7} a year. It was agreed on Mars.",
        "reference": f"Plan {at} costs ${at * 7} a year. Venus voted against everything.",
        # Relevant is the first and the last: without the last, precision would be 1.
        "contexts": [
            f"Plan {at} costs ${at * 7} a year, says the board.",
            "It rains.",
            f"What does plan {at} cost a year? See above.",
        ],
    }
    for at in range(N)
]


def right(request):
    """Claims and verdicts in one reply are none of the rules'."""
    if request.prompt != "support_at_once":
        return rules.script(request)
    told = rules.blocks(request.messages[1].content)
    return {
        "sentences": [
            {
                "sentence": at,
                "claims": [{"claim": one, **rules.supported(one, told["contexts"])}],
                "claim_free": False,
            }
            for at, one in enumerate(told["sentences"], 1)
        ]
    }


def is_chosen(request):
    """One request in five, whenever it comes; a repair is a request of its own."""
    told = "\n".join(message.content for message in request.messages)
    return hashlib.sha256(told.encode()).digest()[0] % 5 == 0


def shortened(said):
    return {name: one[:-1] if isinstance(one, list) else one for name, one in said.items()}


class Short(rg.ScriptedJudge):
    """Answers by the rules; `n_short` replies were one entry short, `n_repairs` were asked for."""

    def __init__(self, is_short=is_chosen):
        super().__init__(self.answer, name="short")
        self.is_short, self.n_short, self.n_repairs = is_short, 0, 0

    def answer(self, request):
        self.n_repairs += len(request.messages) > 2
        short = self.is_short(request)
        self.n_short += short
        return shortened(right(request)) if short else right(request)


def scores(judge):
    """Value, status and reason of each score, by sample and measure."""
    run = rg.evaluate(ROWS, MEASURES, judge=judge).scores
    told = zip(run["value"], run["status"], run["reason"], strict=True)
    measures = [one.partition('judge="')[0].rstrip("(,") for one in run["metric"]]
    return dict(zip(zip(run["id"], measures, strict=True), told, strict=True))


@pytest.fixture(scope="module")
def clean():
    return scores(Short(lambda _: False))


def test_the_right_replies_give_what_is_worked_out_by_hand(clean):
    for at in range(N):
        # One claim of two is supported, of the answer and of the reference.
        assert clean[f"q{at}", "faithfulness"][0] == 1 / 2
        assert clean[f"q{at}", "faithfulness(merged=true"][0] == 1 / 2
        assert clean[f"q{at}", "context_recall"][0] == 1 / 2
        # Relevant at ranks 1 and 3: (1/1 + 2/3) / 2.
        assert clean[f"q{at}", 'context_precision(average="ap"'][0] == pytest.approx(5 / 6)


def test_short_replies_are_told_where_they_cost_a_score_and_change_none(clean):
    judge = Short()
    found = scores(judge)
    assert judge.n_short > N  # 8 or 9 lists a sample, and the repairs
    assert judge.n_repairs > N
    lost = {key for key, (value, _, _) in found.items() if value is None}
    # A repair is short as often: about one list in 25 is short twice.
    assert 0 < len(lost) < len(found) / 5
    for key in found.keys() - lost:
        assert found[key] == clean[key]
    for key in lost:
        _, status, reason = found[key]
        assert status == "failed"
        assert "no usable reply" in reason
        assert "twice" in reason


def test_where_only_first_replies_are_short_no_score_is_lost(clean):
    judge = Short(lambda request: len(request.messages) == 2 and is_chosen(request))
    assert scores(judge) == clean
    assert judge.n_repairs == judge.n_short > N
