"""Scripts in deepeval's style run with their imports changed; values are worked out by hand over a scripted judge's replies."""

import asyncio
import importlib
import json
import math
from types import SimpleNamespace

import pytest
from cases import cases

import ragauge as rg
from ragauge.compat.deepeval import assert_test, evaluate
from ragauge.compat.deepeval.dataset import EvaluationDataset, Golden
from ragauge.compat.deepeval.metrics import (
    AnswerRelevancyMetric,
    BaseMetric,
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    ExactMatchMetric,
    FaithfulnessMetric,
    GEval,
    PatternMatchMetric,
    ToolCorrectnessMetric,
)
from ragauge.compat.deepeval.models import DeepEvalBaseLLM
from ragauge.compat.deepeval.test_case import LLMTestCase, LLMTestCaseParams, ToolCall
from ragauge.errors import PlanError
from ragauge.judges.protocol import Reply, TokenChoice

CASE = LLMTestCase(
    input="Who won two prizes?",
    actual_output="Curie won two. She was French.",
    expected_output="Curie won two.",
    retrieval_context=["Einstein made relativity.", "Curie won two prizes."],
)


def test_the_quick_start_with_pytest(judge):
    # Of two claims one is supported: 0.5.
    assert_test(CASE, [FaithfulnessMetric(threshold=0.5, model=judge)])
    with pytest.raises(AssertionError) as failure:
        assert_test(CASE, [FaithfulnessMetric(threshold=0.7, model=judge, include_reason=True)])
    assert str(failure.value) == (
        "Metrics: Faithfulness (score: 0.5000, threshold: 0.7, reason: claims 1 of 2 supported; "
        "✓ claim 1; r; ✗ claim 2; r) failed."
    )
    correctness = GEval(
        name="Correctness",
        criteria="Is the actual output correct according to the expected output?",
        evaluation_params=[LLMTestCaseParams.ACTUAL_OUTPUT, LLMTestCaseParams.EXPECTED_OUTPUT],
        threshold=0.5,
        model=judge,
    )
    assert correctness.__name__ == "Correctness [GEval]"
    # Grade 1 of 10.
    assert correctness.measure(CASE) == 0.1
    assert (correctness.reason, correctness.is_successful()) == ("It is so.", False)
    assert "Who won two prizes?" not in judge.requests[-1].messages[-1].content
    shown = [LLMTestCaseParams.ACTUAL_OUTPUT, LLMTestCaseParams.CONTEXT]
    GEval("x", shown, "c", model=judge).measure(LLMTestCase("q", "a", context=["gold"]))
    assert "gold" in judge.requests[-1].messages[-1].content


def test_a_retriever_and_a_generator_are_evaluated(judge, capsys):
    # Precision: the second of two is relevant, 1/2. Recall: the reference's only statement is supported.
    metrics = [
        ContextualPrecisionMetric(threshold=0.6, model=judge),
        ContextualRecallMetric(model=judge),
        AnswerRelevancyMetric(threshold=0.7, model=judge),
    ]
    result = evaluate(test_cases=[CASE, CASE], metrics=metrics, hyperparameters={"k": 2})
    first = result.test_results[0]
    assert [(each.name, each.success) for each in first.metrics_data] == [
        ("Contextual Precision", False),
        ("Contextual Recall", True),
        ("Answer Relevancy", True),
    ]
    assert [each.score for each in first.metrics_data][:2] == [0.5, 1.0]
    assert (first.success, first.input) == (False, CASE.input)
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["Contextual Precision: 0 of 2 pass", "Contextual Recall: 2 of 2 pass"]
    assert "test_case_1: Contextual Precision (score: 0.5000, threshold: 0.6" in printed[-1]


class Model(DeepEvalBaseLLM):
    """A model that a script defines."""

    def __init__(self, reply):
        self.reply = reply

    async def a_generate(self, prompt):
        request = SimpleNamespace(prompt="g_eval", messages=[SimpleNamespace(content=prompt)])
        return json.dumps(self.reply(request))

    def get_model_name(self):
        return "tiny"


class LengthMetric(BaseMetric):
    """A metric that a script defines."""

    def __init__(self, threshold):
        self.threshold = threshold

    def measure(self, test_case):
        self.score = len(test_case.actual_output)
        self.success = self.score >= self.threshold
        return self.score


def test_a_data_set_with_a_model_and_a_metric_of_ones_own(reply):
    dataset = EvaluationDataset(goldens=[Golden(input="Which city?", expected_output="Paris")])
    for golden in dataset.goldens:
        case = LLMTestCase(
            input=golden.input,
            actual_output=" Paris\n",
            expected_output=golden.expected_output,
            tools_called=[ToolCall(name="web", input_parameters={"q": "city"}), ToolCall("map")],
            expected_tools=[ToolCall(name="web"), ToolCall(name="db")],
        )
        dataset.add_test_case(case)
    strict = GEval("Polite", evaluation_steps=["Read."], model=Model(reply), strict_mode=True)
    metrics = [ExactMatchMetric(), ToolCorrectnessMetric(), LengthMetric(8), strict]
    result = dataset.evaluate(metrics)
    scores = [(each.score, each.success) for each in result.test_results[0].metrics_data]
    # Exact match trims the ends. One of two expected tools was called.
    assert scores == [(1.0, True), (0.5, True), (7, False), (1.0, True)]
    assert asyncio.run(strict.a_measure(case)) == 1.0


def test_exact_match_tells_case_and_inner_spaces_as_deepeval_does():
    metric = ExactMatchMetric()
    assert metric.threshold == 1
    pairs = [("Paris", "Paris"), ("paris", "Paris"), ("a  b", "a b")]
    assert [metric.measure(LLMTestCase("q", *pair)) for pair in pairs] == [1.0, 0.0, 0.0]


def test_a_strict_grade_is_the_more_probable_one(judge):
    # With token probabilities g_eval is 0.9 on the scale 0 to 1: the judge said 1.
    alternatives = (("1", math.log(0.9)), ("0", math.log(0.1)))
    logprobs = (
        TokenChoice('{"reason": "r", "score": ', ()),
        TokenChoice("1", alternatives),
    )
    replies = rg.ScriptedJudge([Reply('{"reason": "r", "score": 1}', logprobs=logprobs)])
    metric = GEval("x", criteria="c", evaluation_steps=["s"], model=replies, strict_mode=True)
    assert (metric.measure(CASE), metric.is_successful()) == (1.0, True)


class Forgetful(BaseMetric):
    """A metric that scores only the first test case."""

    def measure(self, test_case):
        if test_case.input == "first":
            self.score, self.success = 1.0, True
        return self.score


def test_a_test_case_does_not_pass_by_the_score_of_the_one_before(capsys):
    result = evaluate([LLMTestCase("first"), LLMTestCase("second")], [Forgetful()])
    found = [(each.success, each.metrics_data[0].score) for each in result.test_results]
    assert found == [(True, 1.0), (False, None)]
    assert "Forgetful: 1 of 2 pass" in capsys.readouterr().out


def test_a_value_that_does_not_exist_fails_and_says_why():
    broken = rg.ScriptedJudge(["no JSON"] * 9)
    metric = FaithfulnessMetric(model=broken)
    with pytest.raises(AssertionError, match=r"Faithfulness \(score: none, .*reason: .*JSON"):
        assert_test(CASE, [metric])
    assert metric.score is None
    assert metric.error


@cases(
    (lambda judge: FaithfulnessMetric(model=judge, truths_extraction_limit=3), r"FaithfulnessMetric\(truths_extraction_limit=…\) is not"),
    (lambda judge: GEval("x", [LLMTestCaseParams.TOOLS_CALLED], "y", model=judge), "GEval does not show tools_called here"),
    (lambda _: GEval("x", [LLMTestCaseParams.CONTEXT, LLMTestCaseParams.RETRIEVAL_CONTEXT], "y"), "context or retrieval_context here, not both"),
    (lambda judge: GEval("x", model=judge), "GEval 'x' needs criteria or evaluation_steps"),
    (lambda judge: FaithfulnessMetric(None, model=judge), "threshold of FaithfulnessMetric must be a number"),
    (lambda _: FaithfulnessMetric().measure(CASE), "give model= "),
    (lambda _: assert_test(golden=Golden("q"), metrics=[ExactMatchMetric()]), "give a test_case"),
    (lambda _: assert_test(CASE, []), "no metrics are given"),
    (lambda _: evaluate([CASE], []), "no metrics are given"),
    (lambda _: assert_test(CASE, [FaithfulnessMetric]), "FaithfulnessMetric'> is not a metric; give one such as"),
    (lambda _: evaluate([CASE], [FaithfulnessMetric]), "FaithfulnessMetric'> is not a metric; give one such as"),
)  # fmt: skip
def test_what_is_not_covered_says_what_to_do(act, message, judge):
    with pytest.raises(PlanError, match=message):
        act(judge)


def test_what_nobody_knows_is_no_score(judge):
    metric = FaithfulnessMetric(model=judge)
    assert metric.measure(LLMTestCase("a?", "b")) is None
    assert metric.error == "the sample has no contexts"
    # Nobody knows which tools were called: not none of them.
    tools = ToolCorrectnessMetric()
    assert tools.measure(LLMTestCase("a?", "b", expected_tools=[ToolCall("web")])) is None
    assert (tools.error, tools.is_successful()) == ("the sample has no messages", False)


@cases(
    ("metrics", "HallucinationMetric", ImportError, "HallucinationMetric is not covered.*faithfulness"),
    ("test_case", "ConversationalTestCase", ImportError, "ConversationalTestCase is not covered here: .*messages"),
    ("models", "GPTModel", ImportError, "deepeval's GPTModel is not covered here: give a model's name"),
    ("", "log_hyperparameters", AttributeError, "deepeval's log_hyperparameters is not covered here"),
)  # fmt: skip
def test_names_of_deepeval_that_are_not_covered_say_so(place, name, error, message):
    module = importlib.import_module(f"ragauge.compat.deepeval.{place}".rstrip("."))
    with pytest.raises(error, match=message):
        getattr(module, name)
    with pytest.raises(
        AttributeError, match=r"EvaluationDataset\.pull is not covered.*ragauge\.load"
    ):
        EvaluationDataset().pull(alias="mine")
    for inside in ("tracing", "metrics.dag", "test_case.mcp", "openai"):
        with pytest.raises(ModuleNotFoundError, match=f"deepeval's {inside} is not covered here"):
            importlib.import_module(f"ragauge.compat.deepeval.{inside}")


def test_a_pattern_matches_the_whole_output_as_deepeval_does():
    rows = [("abc", "abc", False, 1.0), ("ABC", "abc", False, 0.0), ("ABC", "abc|d", True, 1.0)]
    rows += [(" abc\n", "abc", False, 1.0), ("abcd", "abc", False, 0.0)]
    for output, pattern, ignore_case, score in rows:
        metric = PatternMatchMetric(pattern, ignore_case)
        assert metric.measure(LLMTestCase("q", output)) == score, output


class Needy(DeepEvalBaseLLM):
    """A model in the style of deepeval's guide."""

    def load_model(self):
        return "loaded"

    async def a_generate(self, prompt, schema):
        return schema()


def test_a_model_that_needs_a_schema_says_what_to_do():
    model = Needy("tiny")
    assert (model.model, model.get_model_name()) == ("loaded", "tiny")
    with pytest.raises(PlanError, match=r"Needy.a_generate needs a schema.*schema=None"):
        FaithfulnessMetric(model=model).measure(CASE)


def test_a_configuration_of_evaluate_is_accepted(capsys):
    from ragauge.compat.deepeval.evaluate import AsyncConfig, DisplayConfig

    second_place = importlib.import_module("ragauge.compat.deepeval.evaluate.configs")
    assert second_place.AsyncConfig is AsyncConfig
    configurations = {
        "async_config": AsyncConfig(run_async=False, max_concurrent=20),
        "display_config": DisplayConfig(results_folder="./evals"),
    }
    evaluate(test_cases=[CASE], metrics=[PatternMatchMetric("Curie.*")], **configurations)
    assert capsys.readouterr().out == "Pattern Match: 1 of 1 pass\n"
