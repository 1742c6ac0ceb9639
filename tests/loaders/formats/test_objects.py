"""Samples given as objects: dataclasses, named tuples and the classes of other tools."""

from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from cases import cases

from ragauge.errors import DataError, PlanError
from ragauge.loaders.loading import load


@dataclass
class Answered:
    question: str
    answer: str
    contexts: list = field(default_factory=list)


class Model:
    """What pydantic's models have: the fields of the class, with defaults."""

    model_fields = {}

    def __init__(self, **values):
        for name, info in self.model_fields.items():
            setattr(self, name, values.get(name, info.default))


def fields(**defaults):
    return {name: SimpleNamespace(default=default) for name, default in defaults.items()}


class SingleTurnSample(Model):
    model_fields = fields(
        user_input=None, retrieved_contexts=None, reference_contexts=None, response=None,
        multi_responses=None, reference=None, rubrics=None,
    )  # fmt: skip


class MultiTurnSample(Model):
    model_fields = fields(user_input=None, reference=None)


class LLMTestCase(Model):
    model_fields = fields(
        input=None, actual_output=None, expected_output=None, context=None, retrieval_context=None,
        metadata=None, tools_called=None, multimodal=False, name=None,
    )  # fmt: skip


class Golden(Model):
    model_fields = fields(
        input=None, expected_output=None, context=None, additional_metadata=None, source_file=None
    )


class RagasDataset:
    def __init__(self, samples):
        self.samples = samples


class DeepEvalDataset:
    def __init__(self, test_cases, goldens):
        self._cases, self._goldens = test_cases, goldens

    @property
    def test_cases(self):
        return self._cases

    @property
    def goldens(self):
        return self._goldens


def row_of(source, **options):
    return load(source, **options).frame.row(0, named=True)


def test_dataclasses_named_tuples_and_plain_objects_are_samples():
    named = namedtuple("Named", "question answer contexts")
    for kind in (
        Answered,
        named,
        lambda q, a, c: SimpleNamespace(question=q, answer=a, contexts=c),
    ):
        samples = load([kind("q", "a", ["c"]), kind("r", "b", [])])
        assert samples.frame["question"].to_list() == ["q", "r"]
        assert samples.frame["contexts"].to_list() == [["c"], []]


def test_generators_single_objects_dicts_and_systems_of_objects_are_read():
    assert len(load(Answered(str(n), "a") for n in range(3))) == 3
    assert row_of(Answered("q", "a"))["answer"] == "a"
    samples = load([{"question": "q", "answer": "a"}, Answered("r", "b")])
    assert samples.frame["answer"].to_list() == ["a", "b"]
    systems = {"x": [Answered("q", "a")], "y": [Answered("q", "b")]}
    assert load(systems).systems == ("x", "y")


RAGAS = SingleTurnSample(
    user_input="q", response="a", retrieved_contexts=["c"], reference="r", reference_contexts=["g"]
)
DEEPEVAL = LLMTestCase(
    input="q", actual_output="a", expected_output="r", context=["g"], retrieval_context=["c"]
)


@pytest.mark.parametrize("source", [[RAGAS], RagasDataset([RAGAS]), [DEEPEVAL]])
def test_samples_of_other_tools_are_read_without_the_settings_of_their_class(source):
    samples = load(source)
    row = samples.frame.row(0, named=True)
    assert (row["question"], row["answer"], row["references"]) == ("q", "a", ["r"])
    assert (row["contexts"], row["gold_contexts"]) == (["c"], ["g"])
    assert samples.slice_fields == ()


def test_metadata_of_a_sample_becomes_extra_fields():
    golden = Golden(
        input="q",
        expected_output="r",
        additional_metadata={"topic": "x", "id": "g1", "l": {"a": [1]}},
    )
    samples = load([golden])
    row = samples.frame.row(0, named=True)
    assert (row["id"], row["topic"]) == ("g1", "x")
    assert samples.slice_fields == ("topic",)
    assert any("'additional_metadata' (nested objects)" in note for note in samples.notes)


def test_of_a_data_set_with_test_cases_and_goldens_the_test_cases_are_read():
    case, golden = LLMTestCase(input="q", actual_output="a"), Golden(input="q", expected_output="r")
    both = load(DeepEvalDataset([case], [golden]))
    assert both.frame["answer"].to_list() == ["a"]
    assert any("left out its 1 goldens" in note for note in both.notes)
    assert row_of(DeepEvalDataset([], [golden]))["references"] == ["r"]
    goldens = [Golden(input="q", expected_output="r", additional_metadata={"id": "1"})]
    assert row_of([{"id": "1", "answer": "a"}], gold=goldens)["references"] == ["r"]
    with pytest.raises(DataError, match="holds no samples"):
        load(DeepEvalDataset([], []))


def test_a_conversation_of_objects_is_read():
    turns = [
        SimpleNamespace(role="user", content="x"),
        SimpleNamespace(role="assistant", content="y"),
    ]
    for given in (MultiTurnSample(user_input=turns), SimpleNamespace(turns=turns, scenario="s")):
        row = row_of([given])
        assert (row["question"], row["answer"]) == ("x", "y")
    rows = load([SimpleNamespace(turns=turns * 2, scenario="s")]).frame
    assert rows["id"].to_list() == ["1#1", "1#2"]


@cases(
    (SimpleNamespace(page_content="a", metadata={}, id=None), "put the documents of a question into its contexts"),
    (SimpleNamespace(colour="red"), "without question, answer or reference; its attributes are 'colour'"),
    (("q", "a", ["c"]), "is tuple, not a dict"),
    (SimpleNamespace(turns=[object()]), "conversation whose messages cannot be read"),
ids=range(4),
)  # fmt: skip
def test_what_is_no_sample_is_refused(item, says):
    with pytest.raises(DataError, match=says):
        load([item])
    with pytest.raises(PlanError, match="cannot load a SimpleNamespace"):
        load(SimpleNamespace(colour="red"))


def test_extra_values_that_are_not_understood_are_left_out_by_name():
    row = {"answer": "a", "image": b"\0", "thing": object(), "vector": [0.5] * 300, "tags": ["x"],
           "steps": [{"a": 1}], "info": {"k": 1}}  # fmt: skip
    samples = load([row])
    assert samples.slice_fields == ("tags", "info")
    (note,) = [note for note in samples.notes if note.startswith("left out")]
    for named in ("'image' (bytes values)", "'thing' (object values)", "'vector' (lists of 300 numbers)",
                  "'steps' (lists of objects)"):  # fmt: skip
        assert named in note
    assert "kept as JSON text: 'info'" in samples.notes
