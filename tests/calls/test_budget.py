"""What judging costs: counted, bounded, told beforehand."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from ragauge.calls.budget import KNOWN_CALLS, Budget, Price, Usage, estimated_tokens, list_price
from ragauge.judges.protocol import Message, Reply, Request, entry_of, key_of, reply_ledger, size_of

PRICE = Price(2.0, 8.0)


def request(text="x" * 400, *, prompt="verdict", stand_in="y" * 40):
    """The size of a request, by default of 400 characters, so 100 tokens, and a reply of 10."""
    return size_of(Request(prompt, (Message("user", text),), None, stand_in=stand_in))


def spending(price=PRICE, ledger=None, **bounds):
    return Usage("m", Budget(price=price, **bounds), ledger)


def paid(ours, asked, reply):
    with ours.reserved(asked) as pay:
        pay(reply)


@cases(("", 0), ("abcd" * 10, 10), ("四個字母", 4), ("é" * 3 + "abcd", 4), ("😀", 1))
def test_a_fourth_of_the_ascii_characters_and_all_others_are_tokens(text, n):
    assert estimated_tokens(text) == n


def test_a_model_is_known_by_its_name_with_a_date_or_a_provider():
    price, as_of = list_price("gpt-4o-mini")
    assert (price.prompt, price.reply) == (0.15, 0.6)
    assert as_of[:2] == "20"
    assert list_price("gpt-4o-mini-2024-07-18")[0] == list_price("openai/gpt-4o-mini")[0] == price
    assert list_price("gpt-4o-mini-2024-07-18") != list_price("gpt-4o-2024-08-06")
    for other in ("", "gpt-4o-minimal", "my-gpt-4o-mini", "llama3", "gpt-4o-mini-x"):
        assert list_price(other) is None


def test_what_is_paid_is_counted():
    ours = spending()
    paid(ours, request(), Reply("a", prompt_tokens=100, completion_tokens=20))
    paid(ours, request(), Reply("b", prompt_tokens=50, completion_tokens=10))
    ours.cached += 1
    told = ours.as_data()
    assert told.pop("cost_usd") == approx(PRICE.of(150, 30))
    nothing = ("failed", "calls_without_count", "refused_by_budget", "in_flight_at_budget")
    counts = {"calls": 2, "cached": 1, "prompt_tokens": 150, "completion_tokens": 30}
    assert told == {**counts, **dict.fromkeys(nothing, 0), "over_budget_usd": 0.0}


def test_the_cost_that_a_provider_tells_counts_before_the_price():
    ours = spending()
    paid(ours, request(), Reply("a", 100, 20, cost_usd=0.5))
    paid(ours, request(), Reply("a", 100, 20, cost_usd=0.0))
    assert ours.cost_usd == 0.5
    without = spending(price=None)
    without.expect(b"1", request())
    paid(without, request(), Reply("a", 100, 20))
    assert (without.as_data()["cost_usd"], without.estimate().cost_usd) == (None, None)
    paid(without, request(), Reply("a", 100, 20, cost_usd=0.25))
    assert without.as_data()["cost_usd"] == 0.25


def test_a_call_without_counts_is_taken_to_cost_what_is_likely():
    ours = spending()
    paid(ours, request(), Reply("a"))
    assert ours.cost_usd == approx(PRICE.of(100, 10))
    assert (ours.without_count, ours.prompt_tokens) == (1, 0)
    paid(ours, request(), Reply("a", 300, 60))
    paid(ours, request(), Reply("a", prompt_tokens=5))  # half told: as likely as the one before
    assert ours.cost_usd == approx(PRICE.of(100 + 300 + 300, 10 + 60 + 60))
    assert ours.without_count == 2


def test_a_call_that_brings_no_reply_is_counted_and_costs_nothing_known():
    ours = spending()
    with ours.reserved(request()):
        pass
    with pytest.raises(KeyboardInterrupt), ours.reserved(request()):
        raise KeyboardInterrupt
    assert (ours.calls, ours.failed, ours.cost_usd) == (2, 2, 0.0)
    assert not ours.must_wait(request())


def test_calls_are_refused_from_the_bound_on_cheaper_ones_too():
    """A call of 100 tokens may be one of 125 and its reply of 10 one of 20: $0.00041, one of 10 tokens a fifth."""
    ours = spending(max_calls=2)
    for _ in range(2):
        assert ours.refuses(request()) == ""
        paid(ours, request(), Reply("a"))
    assert ours.refuses(request()) == "the budget of 2 calls is used up"
    assert ours.refused == 1
    most, cheap = PRICE.of(125, 20), request("x" * 40, stand_in="y" * 4)
    assert spending(max_cost_usd=most).refuses(request()) == ""
    ours = spending(max_cost_usd=most * 0.99)
    why = f"the budget of ${most * 0.99:g} does not allow another call"
    assert [ours.refuses(asked) for asked in (cheap, request(), cheap)] == ["", why, why]
    assert ours.refused == 2


def test_a_budget_is_exceeded_by_calls_in_flight_alone_and_they_are_counted():
    """Three calls at once may cost 3 · $0.00041; each costs $0.001 instead."""
    ours = spending(max_cost_usd=3 * PRICE.of(125, 20), ledger=told(KNOWN_CALLS))
    dear = Reply("a", 100, 20, cost_usd=0.001)
    with ours.reserved(request()) as one:
        with ours.reserved(request()) as two, ours.reserved(request()) as three:
            two(dear)
            three(dear)
        one(dear)
    assert ours.refuses(request()).startswith("the budget of $")
    usage = ours.as_data()
    # The second reply makes it $0.002; that call and the first one were in flight.
    assert usage["in_flight_at_budget"] == 2
    assert usage["over_budget_usd"] == approx(3 * 0.001 - 3 * PRICE.of(125, 20))


def test_an_estimate_within_a_run_counts_each_call_once_and_changes_no_usage():
    ours = spending(max_calls=10, max_cost_usd=1.0)
    paid(ours, request(), Reply("a", 100, 20))
    expected = ours.for_estimate()
    for key in (b"1", b"2", b"2"):
        expected.expect(key, request())
    assert expected.estimate().calls == 2
    assert (ours.calls, ours.estimate().calls) == (1, 0)
    assert ours.covers(expected, 2 / 9)
    assert not ours.covers(expected, 0.2)
    assert not spending(max_cost_usd=1e-9).covers(expected, 1.0)


def test_what_is_under_way_is_waited_for_where_it_may_use_up_the_rest():
    ours = spending(max_cost_usd=1.5 * PRICE.of(125, 20), ledger=told(KNOWN_CALLS))
    with ours.reserved(request()) as pay:
        assert ours.must_wait(request())
        assert ours.refuses(request()) == ""  # it may still turn out cheap
        pay(Reply("a", 10, 1))
    assert not ours.must_wait(request())
    assert ours.refuses(request()) == ""


def test_the_first_call_of_a_prompt_is_waited_for_only_where_costs_are_bounded():
    for bounds, waits in (({}, False), ({"max_calls": 9}, False), ({"max_cost_usd": 9.0}, True)):
        ours = spending(**bounds)
        assert not ours.must_wait(request())
        with ours.reserved(request()):
            assert ours.must_wait(request()) is waits
            assert not ours.must_wait(request(prompt="claims"))
    for reply in (Reply("a"), None):  # even where it tells nothing
        ours = spending(max_cost_usd=9.0)
        with ours.reserved(request()) as pay:
            if reply:
                pay(reply)
        with ours.reserved(request()):
            assert not ours.must_wait(request())


@given(
    st.lists(st.tuples(st.integers(4, 4_000), st.integers(1, 400)), min_size=1, max_size=40),
    st.floats(1e-5, 0.05),
)
def test_what_costs_no_more_than_it_may_never_exceeds_the_bound(calls, dollars):
    ours = spending(max_cost_usd=dollars)
    for n_characters, n_reply in calls:
        asked = request("x" * n_characters, stand_in="y" * 4 * n_reply)
        if not ours.refuses(asked):
            likely = ours._max_cost(asked)
            paid(ours, asked, Reply("a", 0, 0, cost_usd=likely))
    assert ours.cost_usd <= dollars


def told(n, *, text="x" * 400, prompt_tokens=100, completion_tokens=10):
    """A ledger with n replies to prompts of 400 characters."""
    ledger = reply_ledger(":memory:")
    for at in range(n):
        asked = Request("verdict", (Message("user", text),), None, sample=at)
        reply = Reply("a", prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        ledger.keep([entry_of(key_of({}, asked), "m", asked, reply)])
    return ledger


def test_an_estimate_counts_each_call_once_with_its_tokens_and_cost():
    ours = spending()
    found = ours.estimate()
    assert (found.calls, found.prompt_tokens, found.cost_usd) == (0, (0, 0, 0), (0, 0, 0))
    for key, asked in (
        (b"1", request()),
        (b"1", request()),
        (b"2", request("x" * 800, stand_in="y" * 80)),
    ):
        ours.expect(key, asked)
    found = ours.estimate()
    assert found.calls == 2
    assert found.prompt_tokens == approx((0.75 * 300, 300, 1.25 * 300))
    assert found.completion_tokens == approx((0.5 * 30, 30, 2 * 30))
    assert found.cost_usd == approx((PRICE.of(225, 15), PRICE.of(300, 30), PRICE.of(375, 60)))


def test_replies_that_are_known_narrow_an_estimate():
    """They took 120 tokens for 400 characters, and 30 for the reply; those of Chinese 320."""

    def estimated(usage, text="x" * 800, **changed):
        usage.expect(b"1", request(text, **changed))
        return usage.estimate()

    ledger = told(KNOWN_CALLS, prompt_tokens=120, completion_tokens=30)
    found = estimated(spending(ledger=ledger))
    assert found.prompt_tokens == approx((0.9 * 240, 240, 1.1 * 240))
    assert found.completion_tokens == approx((0.8 * 30, 30, 1.2 * 30))
    few = estimated(spending(ledger=told(1, prompt_tokens=120)), "x" * 400)
    assert few.prompt_tokens == approx((0.75 * 120, 120, 1.25 * 120))
    others = (
        (spending(ledger=ledger), "x" * 400, {"prompt": "claims"}),
        (Usage("n", Budget(), ledger), "x" * 400, {}),
    )
    for usage, text, changed in others:
        assert estimated(usage, text, **changed).prompt_tokens[1] == approx(100)
    chinese = told(KNOWN_CALLS, text="字" * 400, prompt_tokens=320)
    assert estimated(spending(ledger=chinese), "字" * 800).prompt_tokens[1] == approx(640)


def test_the_schema_of_a_reply_counts_until_replies_say_how_many_tokens_there_are():
    schema = {"type": "object", "properties": {"verdict": {"type": "string"}}}
    one, other = (
        size_of(Request("p", (Message("user", "x" * 400),), each)) for each in (None, schema)
    )
    text = '{"properties":{"verdict":{"type":"string"}},"type":"object"}'
    assert other.tokens - one.tokens == estimated_tokens(text) == 15
    assert other.characters == one.characters
