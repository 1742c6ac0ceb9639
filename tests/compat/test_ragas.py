"""Scripts in ragas's style run with their imports changed; values are worked out by hand over a scripted judge's replies."""

import asyncio
import importlib
import json
import math
from types import SimpleNamespace

import pandas as pd
import pytest
from cases import cases
from pytest import approx

from ragauge.compat.ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragauge.compat.ragas.embeddings import LangchainEmbeddingsWrapper, embedding_factory
from ragauge.compat.ragas.llms import LangchainLLMWrapper, llm_factory
from ragauge.compat.ragas.metrics import (
    AnswerCorrectness,
    AspectCritic,
    ExactMatch,
    FactualCorrectness,
    Faithfulness,
    IDBasedContextPrecision,
    IDBasedContextRecall,
    LLMContextRecall,
    ResponseRelevancy,
    RougeScore,
    SemanticSimilarity,
    answer_correctness,
    answer_relevancy,
    context_precision,
    context_recall,
    faithfulness,
)
from ragauge.errors import JudgeError, PlanError

ROWS = [
    {
        "user_input": "Who made relativity?",
        "retrieved_contexts": ["Einstein made relativity.", "Curie won two prizes."],
        "response": "Einstein made it. He was French.",
        "reference": "Einstein made it.",
    },
    {
        "user_input": "Who won two prizes?",
        "retrieved_contexts": ["Einstein made relativity.", "Curie won two prizes."],
        "response": "Curie won two. She was French.",
        "reference": "Curie won two.",
    },
]


CHAT = {"user_input": [{"role": "user", "content": "Hi"}]}


class ChatModel:
    """A LangChain chat model, as far as the door uses it."""

    model_name = "tiny-chat"

    def __init__(self, reply):
        self.reply, self.seen = reply, []

    async def ainvoke(self, messages):
        self.seen.append(messages)
        (request,) = [SimpleNamespace(prompt=_prompt_of(messages), messages=_contents(messages))]
        return SimpleNamespace(content=json.dumps(self.reply(request)))


def _contents(messages):
    return [SimpleNamespace(content=text) for _, text in messages]


def _prompt_of(messages):
    asked = " ".join(text for _, text in messages)
    return "support" if "verdict" in asked and "claim 1" in asked else "claims"


class Embeddings:
    """LangChain's embeddings, as far as the door uses them: the number of letters a and of others."""

    model = "letters"

    def embed_documents(self, texts):
        return [[text.count("a"), len(text) - text.count("a")] for text in texts]


def test_the_quick_start_of_rag_evaluation(judge):
    # Faithfulness: 1 of 2 claims. Factual correctness: tp 1, fp 1, fn 0, so precision .5, recall 1, F1 .67.
    dataset = EvaluationDataset.from_list(ROWS)
    result = evaluate(
        dataset=dataset,
        metrics=[LLMContextRecall(), Faithfulness(), FactualCorrectness()],
        llm=LangchainLLMWrapper(judge),
    )
    assert repr(result) == (
        "{'context_recall': 1.0000, 'faithfulness': 0.5000, 'factual_correctness(mode=f1)': 0.6700}"
    )
    assert result["faithfulness"] == [0.5, 0.5]
    frame = result.to_pandas()
    assert list(frame["faithfulness"]) == [0.5, 0.5]
    assert list(frame["user_input"]) == [row["user_input"] for row in ROWS]


def test_a_script_of_ragas_0_1_with_rows_by_question_and_ground_truth(judge):
    old = {
        "user_input": "question",
        "retrieved_contexts": "contexts",
        "response": "answer",
        "reference": "ground_truth",
    }
    rows = [{old[name]: value for name, value in row.items()} for row in ROWS]
    chosen = [context_precision, faithfulness, answer_relevancy, context_recall, answer_correctness]
    result = evaluate(pd.DataFrame(rows), metrics=chosen, llm=judge)
    assert list(result.scores[0]) == [
        "context_precision", "faithfulness", "answer_relevancy", "context_recall", "answer_correctness",
    ]  # fmt: skip
    # Average precision with the second of two relevant: 1/2.
    assert result["context_precision"] == [approx(0.5), approx(0.5)]
    assert result["answer_relevancy"][1] > result["answer_relevancy"][0] > 0
    twice = evaluate(rows, [answer_relevancy, ResponseRelevancy("again", strictness=3)], judge)
    assert twice["again"] == twice["answer_relevancy"]
    mapped = [{"q": row["user_input"], "a": row["response"]} for row in ROWS]
    columns = {"user_input": "q", "response": "a"}
    found = evaluate(mapped, [AspectCritic("polite", "Is it polite?")], judge, column_map=columns)
    assert found["polite"] == [1.0, 1.0]


def test_one_sample_at_a_time(judge):
    sample = SingleTurnSample(**ROWS[0])
    assert asyncio.run(Faithfulness(llm=judge).single_turn_ascore(sample)) == 0.5
    # ragas writes the mode behind a name that is given too.
    assert FactualCorrectness(name="facts", mode="recall").name == "facts(mode=recall)"
    assert asyncio.run(Faithfulness(llm=judge).ascore(**ROWS[0])).value == 0.5
    critic = AspectCritic(name="accurate", definition="Is it accurate?", llm=judge)
    assert critic.single_turn_score(sample) == 1.0
    assert ExactMatch().single_turn_score(sample) == 0.0
    assert IDBasedContextRecall().single_turn_score(
        SingleTurnSample(retrieved_context_ids=["a", "b"], reference_context_ids=["b", "c"])
    ) == 0.5  # fmt: skip


def test_an_aspect_is_judged_by_what_all_samples_have(judge):
    critic = AspectCritic("accurate", "Is it accurate?", llm=judge)
    evaluate([ROWS[0], {**ROWS[1], "retrieved_contexts": None}], [critic])
    text = judge.requests[-1].messages[-1].content
    assert ROWS[1]["reference"] in text
    assert "Einstein made relativity." not in text


def test_ids_that_are_given_twice_count_once():
    ids = {"retrieved_context_ids": ["a", "a", 3], "reference_context_ids": ["a", "a", "b"]}
    found = evaluate([ids], [IDBasedContextRecall(), IDBasedContextPrecision()])
    assert found.scores == [{"id_based_context_recall": 0.5, "id_based_context_precision": 0.5}]


def test_answer_correctness_is_the_weighted_mean_of_its_parts(judge):
    # Claims: precision 1/2, recall 1, F1 2/3.
    sample = SingleTurnSample(**ROWS[0])
    similarity = SemanticSimilarity().single_turn_score(sample)
    found = AnswerCorrectness(weights=[0.6, 0.2], llm=judge).single_turn_score(sample)
    assert found == approx(0.75 * 2 / 3 + 0.25 * similarity)
    only_facts = AnswerCorrectness(weights=(1, 0), llm=judge)
    assert only_facts.single_turn_score(sample) == approx(2 / 3)


def test_models_of_langchain_judge_and_encode(reply):
    model, sample = ChatModel(reply), SingleTurnSample(**ROWS[0])
    assert Faithfulness(llm=LangchainLLMWrapper(model)).single_turn_score(sample) == 0.5
    assert {role for role, _ in model.seen[0]} <= {"system", "user"}
    encoder = LangchainEmbeddingsWrapper(Embeddings())
    texts = SingleTurnSample(response="aabb", reference="ab")
    assert SemanticSimilarity(embeddings=encoder).single_turn_score(texts) == approx(1.0)
    client = SimpleNamespace(base_url="http://127.0.0.1:2/v1")
    for given, address in ({"base_url": "http://127.0.0.1:1/v1"}, 1), ({"client": client}, 2):
        opened = llm_factory("tiny", **given)
        assert (opened.name, opened.base_url) == ("tiny", f"http://127.0.0.1:{address}/v1")


def test_a_value_that_does_not_exist_is_nan_with_a_reason(judge):
    rows = [ROWS[0], {**ROWS[1], "reference": None}]
    result = evaluate(rows, [LLMContextRecall(), RougeScore()], judge)
    assert math.isnan(result["context_recall"][1])
    assert result.reasons["context_recall"] == [None, "the sample has no references"]
    # ROUGE-L: 3 of the answer's 6 words and all 3 of the reference's, so 2/3.
    assert repr(result).splitlines() == [
        "{'context_recall': 1.0000, 'rouge_score(mode=fmeasure)': 0.6667}",
        "context_recall: 1 of 2 not scored; the first: the sample has no references",
        "rouge_score(mode=fmeasure): 1 of 2 not scored; the first: the sample has no references",
    ]
    assert evaluate(pd.DataFrame(rows), [RougeScore()]).reasons == {
        "rouge_score(mode=fmeasure)": result.reasons["rouge_score(mode=fmeasure)"]
    }
    assert LLMContextRecall(llm=judge).score(user_input="q").value is None
    with pytest.raises(JudgeError, match=r"no references"):
        evaluate(rows, [LLMContextRecall()], judge, raise_exceptions=True)


@cases(
    (lambda _: ResponseRelevancy(style=3), r"ResponseRelevancy\(style=…\) is not covered.*strictness"),
    (lambda _: EvaluationDataset.from_list([CHAT]), "give them to ragauge.evaluate as `messages`"),
    (lambda judge: evaluate(ROWS, ["faithfulness"], judge), "is not a metric of ragauge.compat.ragas"),
    (lambda _: evaluate(ROWS, [ExactMatch(), ExactMatch()]), "two metrics have the name 'exact_match'"),
    (lambda _: evaluate("rows.csv", [ExactMatch()]), "sample 1 must be a dictionary, got 'r'"),
    (lambda _: evaluate(ROWS, [Faithfulness()], 3), "llm=3 is not covered"),
    (lambda _: evaluate(ROWS, [Faithfulness()]), "a judge is needed: give llm= .* RAGAUGE_JUDGE"),
    (lambda _: embedding_factory("cohere", "x"), r"embedding_factory\('cohere', 'x'\) is not covered"),
    (lambda _: llm_factory("m", api_key="sk", base_url="http://localhost:1"), r"llm_factory\(api_key=…\) is not covered; keys are read"),
)  # fmt: skip
def test_what_is_not_covered_says_what_to_do(act, message, judge, monkeypatch):
    monkeypatch.delenv("RAGAUGE_JUDGE", raising=False)
    with pytest.raises(PlanError, match=message):
        act(judge)


@cases(
    ("metrics", "NoiseSensitivity", "NoiseSensitivity is not covered.*nearest is faithful"),
    ("metrics", "NonLLMStringSimilarity", "NonLLMStringSimilarity.*nearest is fuzzy_match"),
    ("metrics", "ToolCallF1", "ToolCallF1 is not covered here: ragauge's metric is tool"),
    ("", "MultiTurnSample", "MultiTurnSample is not covered here: ragauge.evaluate takes conv"),
    ("metrics", "DiscreteMetric", "DiscreteMetric is not covered here: write a function"),
    ("llms", "LlamaIndexLLMWrapper", "LlamaIndexLLMWrapper is not covered here: give a mod"),
)
def test_names_of_ragas_that_are_not_covered_say_so(place, name, message):
    module = importlib.import_module(f"ragauge.compat.ragas.{place}".rstrip("."))
    with pytest.raises(ImportError, match=message):
        getattr(module, name)


def test_a_function_of_ragas_that_is_not_covered_names_what_does_it():
    with pytest.raises(ImportError, match=r"ragas's experiment is not covered here: ragauge\.ask"):
        from ragauge.compat.ragas import experiment  # noqa: F401
    with pytest.raises(ImportError, match=r"ragas's llms\.oci_genai_factory is not covered here"):
        from ragauge.compat.ragas.llms import oci_genai_factory  # noqa: F401
    with pytest.raises(AttributeError, match=r"ExactMatch\.get_prompts is not.*`ragauge prompts`"):
        ExactMatch().get_prompts()


def test_scripts_of_ragas_0_4_import_metrics_models_and_limits_from_their_places(monkeypatch):
    from ragauge.compat.ragas.embeddings.base import embedding_factory
    from ragauge.compat.ragas.metrics.collections import AnswerRelevancy, RougeScore

    from ragauge.compat.ragas import RunConfig, aevaluate

    # 2 of the answer's 3 words are in order in the reference's 5.
    texts = {"reference": "The quick cats sat there", "response": "quick cat sat"}
    for mode, value in {"fmeasure": 0.5, "precision": 2 / 3, "recall": 0.4}.items():
        scorer = RougeScore(rouge_type="rougeL", mode=mode)
        assert asyncio.run(scorer.ascore(**texts)).value == approx(value)
        assert asyncio.run(scorer.abatch_score([texts]))[0].value == approx(value)
    result = asyncio.run(aevaluate(ROWS, [ExactMatch()], run_config=RunConfig(max_workers=4)))
    assert result["exact_match"] == [0.0, 0.0]
    local = embedding_factory("huggingface", "all-MiniLM-L6-v2")
    assert AnswerRelevancy(embeddings=local).embeddings == "all-MiniLM-L6-v2"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    client = SimpleNamespace(base_url="http://127.0.0.1:2/v1")
    opened = [embedding_factory("openai", "small", client=client), embedding_factory("small")]
    assert [(each.name, each.base_url) for each in opened] == [
        ("small", "http://127.0.0.1:2/v1"),
        ("small", "https://api.openai.com/v1"),
    ]
    ollama = llm_factory("mistral", provider="ollama", base_url="http://localhost:11434")
    assert ollama.base_url == "http://localhost:11434/v1"
