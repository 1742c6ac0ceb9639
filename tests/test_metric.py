from collections.abc import Mapping
from typing import Annotated, Literal

import pytest
from cases import cases

import ragauge as rg
from ragauge import catalog
from ragauge.errors import DefinitionError, LabelError
from ragauge.label import Label
from ragauge.metric import METRICS, Column, feature, metric
from ragauge.score import Score
from ragauge.setting import Constraint, Count, Share

pytestmark = pytest.mark.usefixtures("own_metrics")


def test_a_decorated_function_stays_the_function_it_was():
    def shout(answer: str) -> float:
        """Loudness."""
        return 0.5

    assert metric(shout) is shout
    assert metric(version=2)(shout) is shout
    assert METRICS["shout"].version == 2


def test_the_signature_says_columns_resources_and_settings():
    @metric
    def signed(
        answer: str, contexts: list[str] | None, other: Score, *, judge, k: int = 3
    ) -> float:
        return 0.0

    found = METRICS["signed"]
    assert found.columns == (
        Column("answer"),
        Column("contexts", nullable=True),
        Column("other", takes_score=True),
    )
    assert found.resources == ("judge",)
    assert found.defaults == {"k": 3, "judge": None, "prompts": None, "parts": None}
    assert (found.low, found.high, found.lower_is_better) == (0.0, 1.0, False)


def test_annotations_written_as_text_are_understood():
    @metric
    def textual(answer: "str | None", part: "Score") -> "float":
        return 0.0

    columns = (Column("answer", nullable=True), Column("part", takes_score=True))
    assert METRICS["textual"].columns == columns


@cases(
    (lambda *answers: answers, "neither a column nor a setting"),
    (lambda answer, **options: (answer, options), "neither a column nor a setting"),
    (lambda answer, *, database: (answer, database), "'database' has no default"),
    (lambda *, k=1: k, "names no column"),
)
def test_a_signature_that_cannot_work_is_refused_when_it_is_declared(function, problem):
    for decorator in (metric, feature):
        with pytest.raises(DefinitionError, match=problem) as caught:
            decorator(function)
        assert function.__name__ in str(caught.value)


def test_a_name_that_another_module_has_is_refused_and_the_same_one_is_replaced():
    def exact_match(answer: str) -> float:
        return 0.0

    with pytest.raises(DefinitionError, match=r"which ragauge\.metrics\.overlap already defines"):
        metric(exact_match)

    @metric
    def twice(answer: str) -> float:
        return 0.0

    @metric(version=2)
    def twice(answer: str) -> float:  # noqa: F811
        return 1.0

    assert METRICS["twice"].version == 2


def _is_even(value: int) -> bool:
    return value % 2 == 0


@metric
def _settings(
    answer: str,
    *,
    whole: int = 1,
    real: float = 0.5,
    flag: bool = False,
    text: str = "x",
    choice: Literal["a", "b", 1] = "a",
    maybe: float | None = None,
    texts: tuple[str, ...] = (),
    numbers: tuple[int, ...] = (),
    table: Mapping[str, float] = {},
    count: Count | None = None,
    share: Share = 0.5,
    even: Annotated[int, Constraint("an even number", _is_even)] = 2,
    untyped=3,
) -> float:
    return 0.0


SETTINGS = METRICS.pop("_settings")


@cases(
    ("whole", 3, 3),
    ("real", 3, 3.0),
    ("flag", True, True),
    ("choice", 1, 1),
    ("maybe", None, None),
    ("maybe", 1, 1.0),
    ("texts", ("a", "b"), ("a", "b")),
    ("table", {"a": 1}, {"a": 1.0}),
    ("count", 1, 1),
    ("count", None, None),
    ("share", 1, 1.0),
    ("even", 4, 4),
    ("untyped", 4, 4),
)
def test_a_setting_is_read_by_its_type(name, value, read):
    found = SETTINGS.read_settings({name: value})[name]
    assert found == read
    assert type(found) is type(read)


@cases(
    ("whole", 1.0, "a whole number"),
    ("whole", True, "a whole number"),
    ("whole", "1", "a whole number"),
    ("whole", None, "a whole number"),
    ("real", "0.5", "a number"),
    ("real", True, "a number"),
    ("real", 10**400, "a number"),
    ("flag", 1, "true or false"),
    ("flag", "true", "true or false"),
    ("text", 5, "text"),
    ("choice", "c", "one of 'a', 'b', 1"),
    ("choice", True, "one of 'a', 'b', 1"),
    ("maybe", "x", "a number or null"),
    ("texts", "a", "a list, each item text"),
    ("texts", ("a", 1), "a list, each item text"),
    ("numbers", (1, 0.5), "a list, each item a whole number"),
    ("table", {"a": "x"}, "a table"),
    ("table", (1,), "a table"),
    ("count", 0, "a whole number of at least 1 or null"),
    ("count", 1.5, "a whole number of at least 1 or null"),
    ("share", 1.5, "a number from 0 to 1"),
    ("share", -0.1, "a number from 0 to 1"),
    ("even", 3, "an even number"),
    ("untyped", "x", "a whole number"),
)
def test_a_setting_of_another_type_is_refused_and_said(name, value, must):
    with pytest.raises(LabelError) as caught:
        SETTINGS.read_settings({name: value})
    assert f"{name} must be {must}, got " in str(caught.value)


def test_every_bad_setting_is_said_at_once_with_what_was_meant():
    with pytest.raises(LabelError) as caught:
        SETTINGS.read_settings({"whol": 1, "real": "x", "zzz": 1})
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert "no setting 'whol'; did you mean 'whole'?" in lines[0]
    assert "real must be a number" in lines[1]
    assert "no setting 'zzz'; it has whole, real" in lines[2]


def test_the_canonical_label_holds_only_what_differs_from_the_default_in_signature_order():
    given = 'ndcg(ideal="all",gains="linear",discount="reciprocal",k=10)'
    found, settings = catalog.find(Label.parse(given))
    assert str(found.label(settings)) == 'ndcg(discount="reciprocal",ideal="all")@10'


def test_the_summary_is_the_first_sentence_on_one_line():
    @metric
    def lines(answer: str) -> float:
        """One
        sentence.

        More.
        """
        return 0.0

    assert METRICS["lines"].summary == "One sentence."


def test_the_former_spelling_of_a_value_is_read_and_printed_as_the_new_one():
    for old, new in (
        ('dont_know(phrases="seed-002")', 'dont_know(phrases="graphrag")'),
        ('recall(match="seed-003")@5', 'recall(match="legalbench")@5'),
    ):
        metric, settings = catalog.find(Label.parse(old))
        assert str(metric.label(settings)) == new
    assert rg.score('dont_know(phrases="seed-002")', answer="The Unknown Soldier").value == 1.0


def test_whether_a_metric_ranks_systems_may_depend_on_its_settings():
    answer_class = rg.metrics.answer_class
    known = catalog.metrics()
    assert known["exact_match"].is_ranked({})
    assert not known["dont_know"].is_ranked({})
    assert known["answer_class"].is_ranked({})
    assert not known["answer_class"].is_ranked(answer_class(verdict="wrong").settings)
    assert not known["num_rel"].is_ranked({})


@cases(
    ({"version": "1"}, "version must be a whole number"),
    ({"version": True}, "version must be a whole number"),
    ({"version": 2**63}, "version must be a whole number"),
    ({"high": float("nan")}, "high must be a finite number or None"),
    ({"low": "0"}, "low must be a finite number or None"),
)
def test_a_version_or_bound_that_no_run_can_store_is_refused(given, said, own_metrics):
    with pytest.raises(DefinitionError, match=f"mine: {said}"):

        @metric(**given)
        def mine(answer: str) -> float:
            return 1.0
