import pytest
from cases import cases

import ragauge as rg
from ragauge.engine.plan import NO_RESOURCES, make_plan
from ragauge.engine.selection import suites_of
from ragauge.errors import PlanError
from ragauge.label import Label
from ragauge.metric import feature, metric
from ragauge.score import Score
from ragauge.storage.tomlfile import parse_toml
from ragauge.suite import Entry, Suite

pytestmark = pytest.mark.usefixtures("own_metrics")

COLUMNS = ("id", "system", "question", "answer", "references", "question_type")


def plan_of(*labels: str, columns=COLUMNS, resources=NO_RESOURCES):
    return make_plan([Suite.of(labels)], columns, resources)


def problems(*labels: str, columns=COLUMNS) -> tuple[str, ...]:
    with pytest.raises(PlanError) as caught:
        plan_of(*labels, columns=columns)
    return caught.value.problems


def test_what_several_metrics_need_is_one_node():
    plan = plan_of("keyword_coverage", "answer_completeness")
    keys = [node.key for node in plan.nodes]
    assert len(keys) == len(set(keys)) == 4
    assert sum("answer_keywords" in key for key in keys) == 1
    assert sum("reference_keywords" in key for key in keys) == 1


def test_a_feature_takes_the_setting_of_its_metric():
    plan = plan_of("keyword_coverage", 'keyword_coverage(extractor="regex")')
    keys = {node.key for node in plan.nodes}
    assert len(keys) == 6
    assert keys >= {f'feature answer_keywords(extractor="{one}")' for one in ("default", "regex")}


def test_every_node_stands_behind_what_it_needs():
    plan = plan_of("ndcg@3", "number_precision", "answer_completeness")
    seen: set[str] = set()
    for node in plan.nodes:
        assert all(one.node is None or one.node in seen for one in node.inputs)
        seen.add(node.key)


def test_a_plan_says_which_columns_it_reads():
    @metric
    def is_fact(question_type: str) -> float:
        return question_type == "fact"

    assert plan_of("is_fact").columns == {"question_type"}, "a field of the samples is one"
    assert plan_of("exact_match").columns == {"answer", "references"}
    assert plan_of("ndcg").columns == {"context_ids", "relevant", "contexts", "gold_contexts"}


def test_asking_twice_for_the_same_gives_it_once_whatever_it_is_called():
    plan = plan_of("ndcg@10", "ndcg(k=10)", 'ndcg(discount="log2")@10')
    assert [one.metric for one in plan.metrics] == ["ndcg@10"]


@pytest.fixture
def wrong_metrics(own_metrics):
    """Metrics that a plan refuses, most of them because of what they need."""

    @metric
    def needs_price(prise: str, answer: str) -> float:
        return 0.0

    @metric
    def needs_zebra(zebra: str) -> float:
        return 0.0

    @feature
    def hen(egg: str) -> str:
        return egg

    @feature
    def egg(hen: str) -> str:
        return hen

    @metric
    def which_first(hen: str) -> float:
        return 0.0

    @metric
    def navel(navel: Score) -> Score:
        return navel

    @metric
    def halved(exact_match: float) -> float:
        return exact_match / 2

    @metric
    def as_elsewhere(answer: str, ground_truth: str) -> float:
        return 0.0

    @metric
    def judged_well(answer: str, *, judge) -> float:
        return 0.0

    @feature
    def vector(answer: str, *, encoder) -> tuple[float, ...]:
        return (1.0,)

    @metric
    def length_of_vector(vector: tuple[float, ...]) -> float:
        return 1.0


@pytest.mark.usefixtures("wrong_metrics")
def test_every_problem_is_said_at_once():
    found = problems("ndgc@10", "exact_match(zzz=1)", "needs_price", columns=(*COLUMNS, "price"))
    assert len(found) == 3
    assert "unknown metric 'ndgc'; did you mean 'ndcg'" in found[0]
    assert "exact_match has no setting 'zzz'" in found[1]
    assert found[2] == "needs_price needs the column 'prise'; did you mean 'price'?"


@pytest.mark.usefixtures("wrong_metrics")
@cases(
    (
        ["needs_zebra"],
        "needs_zebra needs the column 'zebra'; the samples have answer, id, question, question_type, "
        "references, system",
    ),
    (
        ["as_elsewhere"],
        "as_elsewhere needs the column 'ground_truth'; here its name is 'reference'",
    ),
    (["which_first"], "circular dependency: feature hen → feature egg → feature hen"),
    (["navel"], "circular dependency: navel → navel"),
    (["judged_well"], "judged_well needs a judge; give one with --judge (judge= from Python)"),
    (["length_of_vector"], "length_of_vector needs an encoder; give one with --encoder"),
    (
        ['exact_match(normalize="squad")', "halved"],
        "halved takes 'exact_match' as a number, but this run computes exact_match(normalize=\"squad\") "
        "version 1, which the label of halved would not show; annotate the parameter as exact_match: "
        "Score and use its value",
    ),
    (
        ["fuzzy_match(threshold=50)", "fuzzy_match(threshold=60)", "answer_match"],
        "a composite needs one variant of 'fuzzy_match', but there are several: "
        "fuzzy_match(threshold=50), fuzzy_match(threshold=60); keep one",
    ),
)
def test_what_a_plan_refuses_is_said_with_a_way_out(labels, problem):
    assert problems(*labels) == (problem,)


@pytest.mark.usefixtures("wrong_metrics")
def test_a_number_of_another_metric_and_a_missing_resource_of_a_suite_are_no_problem():
    assert plan_of("halved").nodes[-1].inputs[0].node == "exact_match"
    suite = Suite("s", (Entry(Label("judged_well"), "well"),))
    (unavailable,) = make_plan([suite], COLUMNS).unavailable
    assert (unavailable.name, unavailable.unavailable) == (
        "well",
        "needs a judge; none is configured",
    )
    assert make_plan([suite], COLUMNS, {"judge": {}}).unavailable == ()


def test_a_composite_takes_its_suites_own_variant_of_a_part():
    plan = plan_of("fuzzy_match(threshold=50)", "answer_match")
    (match,) = [node for node in plan.nodes if node.definition.name == "answer_match"]
    assert match.inputs[0].node == "fuzzy_match(threshold=50)"
    assert "gpt_score" in (match.inputs[1].unavailable or "")


def composite_of(*labels: str, columns=COLUMNS) -> str:
    """The label of answer_match in a run with these labels beside it."""
    plan = make_plan([Suite.of([*labels, "answer_match"])], columns)
    return next(one.metric for one in plan.metrics if one.name == "answer_match")


def test_a_composites_label_tells_other_parts_from_its_own():
    assert composite_of() == "answer_match"
    assert composite_of("fuzzy_match") == "answer_match"
    strict = composite_of("fuzzy_match(threshold=95)")
    assert strict == f'answer_match(parts="{Label.parse(strict).settings["parts"]}")'
    assert composite_of("fuzzy_match(threshold=95.0)") == strict
    assert composite_of("fuzzy_match(threshold=50)") not in (strict, "answer_match")


def test_a_composites_label_tells_a_part_that_is_computed_from_one_in_the_data():
    given = (*COLUMNS, "fuzzy_match")
    assert composite_of(columns=given) == "answer_match"
    assert "parts=" in composite_of("fuzzy_match", columns=given)


def test_a_label_of_other_parts_than_the_runs_is_refused():
    strict = composite_of("fuzzy_match(threshold=95)")
    plan = make_plan([Suite.of(["fuzzy_match(threshold=95)", strict])], COLUMNS)
    assert plan.metrics[-1].metric == strict
    (found,) = problems(strict)
    assert found == (
        f"{strict} names other parts than this run's, where it is answer_match; leave parts out of the "
        "label, or add the same variants of its parts to the run"
    )


def checks(text: str, name: str = "s") -> Suite:
    return Suite.read(parse_toml(f'name = "{name}"\n{text}', "s.toml"), "s.toml")


def test_a_check_that_asks_for_a_field_that_there_is_not_is_refused():
    suite = checks("[[check]]\nwhere = 'qestion_type = \"x\"'\n[check.rules]\na = {contains='x'}\n")
    with pytest.raises(PlanError, match=r"'qestion_type'; did you mean 'question_type'"):
        make_plan([suite], COLUMNS)


def test_the_mean_of_a_check_leaves_its_counts_out():
    suite = checks(
        "[[check]]\nmean = 'm'\n[check.rules]\n"
        "has_x = {contains='x'}\nlisted = {list_coverage={found='n_found', total='n_total'}}\n"
    )
    (mean,) = [node for node in make_plan([suite], COLUMNS).nodes if node.key.endswith(": m")]
    assert [column.name for column in mean.definition.columns] == ["has_x", "listed"]


def test_a_bad_setting_in_a_rule_is_said_with_its_place():
    suite = checks("[[check]]\n[check.rules]\na = {regex='('}\nb = {contains_any='x'}\n")
    with pytest.raises(PlanError) as caught:
        make_plan([suite], COLUMNS)
    first, second = caught.value.problems
    assert first.startswith("s check 1: a: regex: pattern must be a valid regular expression of at")
    assert first.endswith(", got '('")
    assert second.startswith("s check 1: b: contains_any: texts must be a list")


def test_one_name_for_two_metrics_of_the_same_rows_is_refused():
    rule = "[[check]]\n{}[check.rules]\na = {{contains='{}'}}\n"
    called_alike = (
        "[[metric]]\nlabel='exact_match'\n[[check]]\n[check.rules]\nexact_match={contains='x'}\n"
    )
    for name, text in (
        ("a", rule.format("", "x") + rule.format("", "y")),
        ("exact_match", called_alike),
    ):
        with pytest.raises(PlanError, match=f"metrics are named '{name}' and score the same rows"):
            make_plan([checks(text)], COLUMNS)
    where = "where = 'id = \"{}\"'\n"
    apart = checks(rule.format(where.format(1), "x") + rule.format(where.format(2), "y"))
    assert [metric.metric for metric in make_plan([apart], COLUMNS).metrics] == ["a", "a"]


def test_a_suite_given_twice_counts_once_and_two_suites_of_one_name_are_refused():
    one = checks("[[check]]\n[check.rules]\na = {contains='x'}\n")
    assert len(make_plan([one, one], COLUMNS).metrics) == 1
    other = checks("[[check]]\n[check.rules]\nb = {contains='y'}\n")
    with pytest.raises(PlanError, match="two different suites are named 's'"):
        make_plan([one, other], COLUMNS)


def test_a_name_that_the_default_suite_shows_is_a_metric_of_that_name():
    by_text = rg.metrics.recall(match="text", k=10)
    columns = ["contexts", "gold_contexts", "reference", "answer"]
    plan = make_plan(suites_of(["recall@10 by text", "number_match"]), columns, NO_RESOURCES)
    assert [metric.name for metric in plan.metrics] == ["recall@10 by text", "number_match"]
    sample = {"contexts": ["Emma is a novel."], "gold_contexts": ["Emma is a novel."]}
    assert rg.score("recall@10 by text", **sample) == rg.score(by_text, **sample)


def test_a_misspelt_name_of_the_default_suite_is_answered_with_the_name():
    with pytest.raises(PlanError, match=r"did you mean 'recall@10 by text'\?"):
        suites_of(["recall@10 by txt"])
