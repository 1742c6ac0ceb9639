"""BERTScore beside the bert-score package, one pair at a time, and by hand."""

import math
import sqlite3
import warnings

import numpy as np
import pytest
from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.encoders import model_info
from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.embedded import MiniLM
from ragauge.encoders.protocol import TokenVectors
from ragauge.errors import EncoderError, PlanError
from ragauge.features import matches
from ragauge.features.matches import ALIKE, MAX_SHARED, cosines, token_match, token_weights
from ragauge.features.sentences import MAX_SENTENCES, SentenceMatrix, sentence_matrix
from ragauge.metrics.token_similarity import (
    semantic_similarity,
    sentence_coverage,
    sentences_covered,
)
from ragauge.storage.cache import Cache

NAMES = ("bertscore_precision", "bertscore_recall", "bertscore")
PAIRS = [
    ("The yearly fee of Lantern Hut is $1,604.50.", "Lantern Hut costs $1,604.50 a year."),
    ("It is 7 km.", "seven kilometres"),
    ("Yes", "No"),
    ("No!", "No!"),
    ("Dogs bark at night. Cats do not.", "The premium for territory 118 is 293 dollars."),
    ("雪が降る", "Il neige à l'été ❄️"),
    ("👨‍👩‍👧", "a family"),
    ("fee", "The fee is five pounds for members, and ten for all other guests of the hut."),
    ("[SEP] a text with a mark of the model [CLS] in it", "a text with marks"),
    ("word " * 600, "The word is said again and again."),
]
FEW = [*PAIRS[:4], PAIRS[6]]
ENCODER = MiniLM()


def values(pairs, *labels, **options) -> np.ndarray:
    """(pairs, labels)"""
    rows = [
        {"id": str(at), "answer": answer, "references": [reference]}
        for at, (answer, reference) in enumerate(pairs)
    ]
    run = rg.evaluate(rows, list(labels), encoder=ENCODER, **options)
    return np.array(run.scores["value"].to_list(), float).reshape(-1, len(labels))


def scorer(folder, layer=6, **options):
    """The package's scorer; its tokenizer is told its length, or it would crash on long texts."""
    bert_score = pytest.importorskip("bert_score")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = bert_score.BERTScorer(
            model_type=str(folder), num_layers=layer, device="cpu", nthreads=0, **options
        )
    made._tokenizer.model_max_length = 512
    return made


def one_by_one(reference_scorer, pairs) -> np.ndarray:
    found = [reference_scorer.score([one], [other]) for one, other in pairs]
    return np.array([[float(part[0]) for part in parts] for parts in found])


@pytest.mark.slow
def test_values_are_those_of_the_package_unbatched(minilm_folder):
    idf = {"idf": True, "idf_sents": [reference for _, reference in PAIRS]}
    for label, layer, options in (("layer=6", 6, {}), ("layer=3", 3, {}), ("idf=true", 6, idf)):
        ours = values(PAIRS, *(f"{name}({label})" for name in NAMES))
        theirs = one_by_one(scorer(minilm_folder, layer, **options), PAIRS)
        assert ours == approx(theirs, abs=1e-5), label


@pytest.mark.slow
def test_values_rescaled_by_a_baseline_are_those_of_the_package(minilm_folder, tmp_path):
    table = tmp_path / "baseline.tsv"
    rows = [f"{layer},0.30,0.20,0.25" for layer in range(7)]
    table.write_text("\n".join(["LAYER,P,R,F", *rows]))
    options = {"rescale_with_baseline": True, "baseline_path": str(table), "lang": "en"}
    theirs = one_by_one(scorer(minilm_folder, **options), PAIRS)
    label = "(rescale=true,baseline=[0.3,0.2,0.25])"
    assert values(PAIRS, *(name + label for name in NAMES)) == approx(theirs, abs=2e-5)


def test_the_values_of_a_batch_are_those_of_its_pairs_alone():
    pairs = [*FEW, PAIRS[7], ("word " * 90, "The word is said again and again.")]
    together = values(pairs, *NAMES)
    assert np.array_equal(together, np.concatenate([values([pair], *NAMES) for pair in pairs]))
    assert np.array_equal(values(pairs[::-1], *NAMES, batch_size=3)[::-1], together)


def test_idf_is_of_the_whole_run_whatever_the_batches_and_systems():
    labels = ["bertscore(idf=true)", "bertscore_recall(idf=true)"]
    together = values(FEW, *labels)
    assert np.array_equal(values(FEW, *labels, batch_size=2), together)
    rows = [
        {"id": str(at), "system": system, "answer": answer, "references": [reference]}
        for system in "ab"
        for at, (answer, reference) in enumerate(FEW)
    ]
    lacking = {"id": "0", "system": "c", "answer": None, "references": None}
    scores = rg.evaluate([*rows, lacking], labels, encoder=ENCODER).scores
    both = scores.filter(scores["system"] != "c")["value"].to_numpy()
    assert np.array_equal(both.reshape(2, -1, 2), [together, together])


def weights_of(texts, idf):
    return token_weights([texts], encoder=CachedEncoder(ENCODER), idf=idf)


def test_idf_by_hand():
    found = weights_of(["fee fee hut", "fee"], idf=True)
    (ids,) = ENCODER.token_ids(["fee hut"])
    _, fee, hut, _ = ids.tolist()
    assert found.table[fee] == approx(math.log(3 / 3))
    assert found.table[hut] == approx(math.log(3 / 2))
    assert found.other == approx(math.log(3))
    assert weights_of(["fee"], idf=False) is ALIKE
    # One reference gives its tokens no weight and no value.
    alone = rg.score("bertscore(idf=true)", answer="fee", reference="fee", encoder=ENCODER)
    assert (alone.value, alone.status) == (None, "undefined")
    assert "weight 0" in alone.reason


def two_tokens(*vectors) -> TokenVectors:
    marked = np.array([[0, 0, 1], *vectors, [0, 0, 1]], np.float32)
    special = np.array([True, *[False] * len(vectors), True])
    ids = np.array([101, *range(len(vectors)), 102])
    return TokenVectors(marked, ids, special, None, len(ids))


class ByHand:
    """An encoder of vectors in three dimensions that a person can multiply."""

    name = "by hand"
    identity = {"name": "by hand"}
    VECTORS = {"a": [[1, 0, 0], [0, 1, 0]], "b": [[0.6, 0.8, 0]], "against": [[-1, 0, 0]]}

    def encode_tokens(self, texts, *, layer=None, long_text="cut"):
        return [two_tokens(*self.VECTORS[text]) for text in texts]


def matched(answer, reference):
    (found,) = token_match([answer], [reference], [ALIKE], encoder=CachedEncoder(ByHand()))
    return found


def test_precision_recall_and_f1_by_hand():
    found = matched("a", "b")
    assert found.precision == approx((0.6 + 0.8) / 2)
    assert found.recall == approx(0.8)
    assert found.f1 == approx(2 * 0.7 * 0.8 / 1.5)
    assert found.answer.weights.tolist() == [0, 1, 1, 0]
    # Special tokens can be matched but do not count: both are nearer to the marks (cosine 0) than to
    # each other's only token (-1 and -0.6).
    found = matched("against", "b")
    assert (found.precision, found.recall, found.f1) == (0, 0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_side_is_0(name):
    for answer, reference in (("", "fee"), ("fee", " \n"), ("", ""), ("\x00", "a")):
        found = rg.score(name, answer=answer, reference=reference, encoder=ENCODER)
        assert (found.value, bool(found.evidence["empty"])) == (0, True)


@pytest.mark.parametrize("way", ["cut", "windows"])
def test_the_same_text_is_1_whatever_its_length(way):
    label = f'bertscore(long_text="{way}")'
    for text in ("fee", "The fee is $5.", "word " * 520, "雪が降る"):
        score = rg.score(label, answer=text, references=["Dogs.", text], encoder=ENCODER)
        assert score.value == approx(1, abs=1e-6)
        assert score.evidence["best_reference"] == 1


def test_a_cut_text_is_marked_and_windows_read_it_whole():
    texts = {"answer": "The hut is open in summer. " * 100 + "Dogs are free."}
    texts["reference"] = "Dogs are free."
    cut = rg.score("bertscore", **texts, encoder=ENCODER)
    assert cut.evidence["cut"] == {"answer": {"tokens": 706, "read": 512}}
    whole = rg.score('bertscore_recall(long_text="windows")', **texts, encoder=ENCODER)
    assert "cut" not in whole.evidence
    assert whole.value > rg.score("bertscore_recall", **texts, encoder=ENCODER).value + 0.2
    near = {"answer": "Dogs are free.", "reference": "Cats are free."}
    weakest = rg.score("bertscore", **near, encoder=ENCODER).evidence["weakest"]
    assert (weakest["answer"][0][0], weakest["reference"][0][0]) == ("Dogs", "Cats")


def test_labels_carry_model_and_layer_but_no_precision():
    run = rg.evaluate(
        [{"id": "1", "answer": "a", "reference": "b"}],
        ['bertscore(precision="fp32")', "bertscore(layer=2)"],
    )
    assert run.scores["metric"].to_list() == [
        'bertscore(layer=6,model="all-MiniLM-L6-v2")',
        'bertscore(layer=2,model="all-MiniLM-L6-v2")',
    ]
    assert run.manifest.code["models"][0]["revision"].startswith("53aa51172d14")


def test_unrelated_sentences_are_near_0_when_rescaled():
    base = model_info(ENCODER.name).baseline
    pairs = [PAIRS[4], PAIRS[0]]
    raw, scaled = values(pairs, "bertscore", "bertscore(rescale=true)").T
    assert scaled == approx((raw - base[2]) / (1 - base[2]))
    assert scaled[0] < 0.25 < 0.6 < scaled[1]


@cases(
    *(
        (f"bertscore(rescale=true,baseline={given})", "three numbers from -1 to below 1")
        for given in ("[0.5]", "[1,1,1]", "[2,0,0]")
    ),
    ("bertscore(baseline=[0.1,0.1,0.1])", "given but not used; add rescale=true"),
    ("bertscore(rescale=true,layer=3)", "no baseline is known for all-MiniLM-L6-v2 at layer 3"),
)
def test_a_baseline_that_is_none_or_not_known_is_refused_before_any_work(label, said):
    with pytest.raises(PlanError, match=said):
        rg.score(label, answer="a", reference="b", encoder=ENCODER)


def test_a_layer_that_is_not_there_is_refused_before_any_work():
    for layer in (7, -1):
        with pytest.raises(EncoderError, match=f"layers 0 to 6, not {layer}"):
            rg.score(f"bertscore(layer={layer})", answer="a", reference="b")


class WithoutTokens(MiniLM):
    """An encoder of whole texts only, as an endpoint is."""

    def encode_tokens(self, texts, *, layer=None, long_text="cut"):
        raise EncoderError("it gives no tokens")

    def token_ids(self, texts, *, long_text="cut"):
        raise EncoderError("it gives no tokens")


def test_an_encoder_without_tokens_fails_the_scores_and_the_run_goes_on():
    rows = [{"id": "1", "answer": "fee", "reference": "fee"}]
    labels = ["bertscore", "bertscore(idf=true)", "semantic_similarity"]
    run = rg.evaluate(rows, labels, encoder=WithoutTokens())
    assert run.scores["status"].to_list() == ["failed", "failed", "ok"]
    assert all("it gives no tokens" in reason for reason in run.scores["reason"][:2])


class Refusing(MiniLM):
    """The embedded model, which gives no vectors of a text with this word in it."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    def encode_tokens(self, texts, *, layer=None, long_text="cut"):
        if any(self.word in text for text in texts):
            raise EncoderError("no vectors, please")
        return super().encode_tokens(texts, layer=layer, long_text=long_text)


def scores_of(cache, *labels, encoder=ENCODER, pairs=FEW):
    rows = [
        {"id": str(at), "answer": answer, "reference": reference}
        for at, (answer, reference) in enumerate(pairs)
    ]
    return rg.evaluate(rows, list(labels), encoder=encoder, cache=cache).scores


def test_only_vectors_of_pairs_that_are_new_are_asked_for(tmp_path):
    cache = Cache(tmp_path / "cache")
    old, new = ("The fee is $5.", "five pounds"), ("The fee is $6.", "five pounds")
    token_match(*zip(old, strict=True), [ALIKE], encoder=CachedEncoder(ENCODER, cache))
    with sqlite3.connect(tmp_path / "cache") as database:
        database.execute("delete from entries where kind like '% tokens %'")
    shared = CachedEncoder(ENCODER, cache)
    both = list(zip(old, new, strict=True))
    token_match(*both, [ALIKE] * 2, encoder=shared)
    assert shared.n_encoded == 2


def test_a_second_run_matches_without_vectors_whatever_the_weights_and_to_the_last_bit(tmp_path):
    labels = (*NAMES, 'bertscore(long_text="windows")')
    cache = tmp_path / "cache"
    pairs = [PAIRS[0], PAIRS[3], ("word " * 520, "word")]
    first = scores_of(cache, *labels, pairs=pairs)
    Cache(cache)._database.execute("delete from entries where kind like '% tokens %'")
    assert first.equals(scores_of(None, *labels, pairs=pairs))
    assert scores_of(cache, *labels, encoder=Refusing(""), pairs=pairs).equals(first)
    weighted = scores_of(cache, "bertscore(idf=true)", encoder=Refusing(""), pairs=pairs)
    assert weighted.equals(scores_of(None, "bertscore(idf=true)", pairs=pairs))


def test_what_another_model_layer_or_way_matched_is_not_used(tmp_path):
    short, long = [PAIRS[0]], [("word " * 520, "word and word")]
    scores_of(tmp_path / "cache", "bertscore", pairs=short + long)
    for label, encoder, pairs in (
        ("bertscore(layer=3)", ENCODER, short),
        ('bertscore(long_text="windows")', ENCODER, long),
        ("bertscore", MiniLM("int8"), short),
    ):
        found = scores_of(tmp_path / "cache", label, encoder=encoder, pairs=pairs)
        assert found.equals(scores_of(None, label, encoder=encoder, pairs=pairs)), label


def test_a_match_that_cannot_be_read_is_made_again(tmp_path):
    pairs = PAIRS[:2]
    first = scores_of(tmp_path / "cache", "bertscore", pairs=pairs)
    cache = Cache(tmp_path / "cache")
    for spoil in (lambda _: b"short", lambda kept: kept[:-4], lambda kept: kept * 2):
        with sqlite3.connect(tmp_path / "cache") as database:
            kept = database.execute("select key, value from entries where kind like '% match %'")
            cache.keep("match", {key: spoil(value) for key, value in kept.fetchall()})
        assert scores_of(tmp_path / "cache", "bertscore", pairs=pairs).equals(first)


def test_a_failed_match_is_not_kept_and_the_others_are_small(tmp_path):
    rows = [("fee", "snow"), ("The fee is $5.", "five pounds")]
    found = scores_of(tmp_path / "cache", "bertscore", encoder=Refusing("snow"), pairs=rows)
    assert found["status"].to_list() == ["failed", "ok"]
    counts = Cache(tmp_path / "cache").counts()
    # 8 and 4 tokens of 5 numbers each, and 4 numbers a side
    assert counts["all-MiniLM-L6-v2 match 1 6 cut"] == (1, 4 * ((8 + 4) * 5 + 2 * 4))
    assert scores_of(tmp_path / "cache", "bertscore", pairs=rows)["status"].to_list() == ["ok"] * 2


def test_a_product_in_pieces_is_the_product():
    for n, m in ((0, 3), (1, 1), (40, 40), (30, 130), (130, 30), (3, 700)):
        chance = np.random.default_rng(1)
        one, other = (chance.standard_normal((size, 384)).astype("f4") for size in (n, m))
        assert n * m * 384 < MAX_SHARED
        assert cosines(one, other) == approx(one @ other.T, abs=1e-4)


def test_a_product_that_does_not_fit_is_made_in_rows_that_give_the_same(monkeypatch):
    texts = {"answer": "The fee is $5 and is due in May.", "reference": "In May you pay $5."}
    whole = rg.score("bertscore", **texts).evidence
    monkeypatch.setattr(matches, "MAX_CELLS", 30)
    in_rows = rg.score("bertscore", **texts).evidence
    assert in_rows["f1"] == approx(whole["f1"], abs=1e-6)
    assert in_rows["weakest"] == whole["weakest"]


# Semantic similarity beside sentence-transformers, by hand, and at its edges.


class Plane:
    """An encoder whose vectors a person can multiply."""

    name = "by hand"
    identity = {"name": "by hand"}
    VECTORS = {"east": [1, 0], "north": [0, 1], "west": [-1, 0], "between": [0.6, 0.8]}

    def encode(self, texts, *, long_text="cut"):
        return np.array([self.VECTORS[text] for text in texts], np.float32)

    def count_tokens(self, texts):
        return None


def similarity(answer, reference, **options):
    (found,) = semantic_similarity([answer], [reference], encoder=CachedEncoder(Plane()), **options)
    return found


def test_semantic_similarity_by_hand():
    assert similarity("east", "between").value == approx(0.6)
    assert similarity("east", "north").value == 0
    assert similarity("east", "east").value == 1
    found = similarity("east", "west")
    assert (found.value, found.evidence["cosine"]) == (0, -1)


@pytest.mark.slow
def test_values_are_those_of_sentence_transformers(minilm_folder):
    package = pytest.importorskip("sentence_transformers")
    model = package.SentenceTransformer(str(minilm_folder), device="cpu")
    for answer, reference in [*PAIRS[:6], PAIRS[9]]:
        cosine = float(model.similarity(*model.encode([answer, reference])[:, None]))
        found = rg.score("semantic_similarity", answer=answer, reference=reference)
        assert found.value == approx(max(0, cosine), abs=1e-5)


def test_an_empty_text_has_no_value_or_the_one_that_is_set():
    for answer, reference in (("", "east"), ("east", " \t\n"), ("", "")):
        found = similarity(answer, reference)
        assert (found.value, found.status) == (None, "undefined")
        assert similarity(answer, reference, on_empty=0.0).value == 0
    for text in ("\u200f", "\x00\x01", "\u200b \ufeff"):
        found = rg.score("semantic_similarity", answer=text, reference="fee", encoder=ENCODER)
        assert (found.status, found.reason[:19]) == ("undefined", "the answer is empty")


def test_a_text_that_is_cut_is_marked():
    found = rg.score("semantic_similarity", answer="word " * 300, reference="word")
    assert found.evidence["cut"] == {"answer": {"tokens": 302, "read": 256}}


class Broken(Plane):
    """An encoder that is down, or gives vectors of another length for one text."""

    def encode(self, texts, *, long_text="cut"):
        if "north" in texts:
            raise EncoderError("http://localhost:1 did not answer", is_down=True)
        return np.eye(2, dtype=np.float32)[[0] * len(texts)]


def test_an_encoder_that_is_down_fails_the_scores_and_the_run_goes_on():
    rows = [
        {"id": "1", "answer": "north", "reference": "east"},
        {"id": "2", "answer": "", "reference": "east"},
    ]
    run = rg.evaluate(rows, ["semantic_similarity", "exact_match"], encoder=Broken())
    assert run.scores["status"].to_list() == ["failed", "ok", "undefined", "ok"]
    assert run.scores["reason"][0] == "answer: http://localhost:1 did not answer"


ANSWER = "The fee is $5. Dogs are free. Snow falls in winter, and the hut is shut then."
REFERENCE = "Members pay $5. No fee is taken for dogs. The hut is closed in winter. Bring boots."


def test_each_cell_is_the_bertscore_of_its_pair():
    answers, references = ANSWER.split(". "), REFERENCE.split(". ")
    (found,) = sentence_matrix(
        [tuple(answers)], [tuple(references)], encoder=CachedEncoder(ENCODER)
    )
    for row, answer in enumerate(answers):
        for column, reference in enumerate(references):
            one = rg.score("bertscore", answer=answer, reference=reference, encoder=ENCODER)
            assert found.f1[row, column] == approx(one.value, abs=1e-6)


def test_each_sentence_is_encoded_once():
    shared = CachedEncoder(ENCODER)
    sentence_matrix([("a", "b"), ("a",)], [("b", "c"), ("c", "a")], encoder=shared)
    assert shared.n_encoded == 3


def matrix(cells) -> SentenceMatrix:
    f1 = np.array(cells, np.float32)
    answer = tuple(f"answer {at}" for at in range(f1.shape[0]))
    return SentenceMatrix(answer, tuple(f"reference {at}" for at in range(f1.shape[1])), f1)


def coverage(cells, **options):
    return sentence_coverage(matrix(cells), encoder=CachedEncoder(ENCODER), **options)


def test_the_value_is_the_least_of_the_best_by_hand():
    found = coverage([[0.9, 0.1, 0.5], [0.2, 0.7, 0.6]])
    assert found.value == approx(0.6)
    assert found.evidence["weakest"]["reference_sentence"] == 2
    assert found.evidence["weakest"]["answer_sentence"] == 1
    assert [one["f1"] for one in found.evidence["sentences"]] == approx([0.9, 0.7, 0.6])


def test_a_sentence_is_covered_from_the_threshold_on_the_answer_only_above_it():
    cells = [[0.75, 0.5]]
    found = coverage(cells, threshold=0.5)
    assert [one["covered"] for one in found.evidence["sentences"]] == [True, True]
    encoder = CachedEncoder(ENCODER)
    assert sentences_covered(matrix(cells), encoder=encoder, threshold=0.5).value == 0
    assert sentences_covered(matrix(cells), encoder=encoder, threshold=0.49).value == 1


def score(label, answer, reference):
    return rg.score(label, answer=answer, reference=reference, encoder=ENCODER)


def test_no_reference_sentence_is_undefined_and_no_answer_sentence_is_0():
    for label in ("sentence_coverage", "sentences_covered"):
        assert score(label, ANSWER, " ").status == "undefined"
        assert score(label, "", REFERENCE).value == 0
        assert score(label, "", "").status == "undefined"


def test_more_answer_sentences_never_lower_the_value_and_more_reference_sentences_never_raise_it():
    def value(answer, reference):
        return score("sentence_coverage", answer, reference).value

    assert value("Dogs are free. " + ANSWER, REFERENCE) >= value("Dogs are free.", REFERENCE)
    assert value(ANSWER, "Dogs are free. Boots are red.") <= value(ANSWER, "Dogs are free.")


def test_a_matrix_too_large_to_show_is_left_out_and_a_sentence_too_long_named():
    found = coverage(np.full((21, 20), 0.5))
    assert "matrix" not in found.evidence
    assert len(found.evidence["sentences"]) == 20
    found = score("sentence_coverage", "word " * 520, "The word.")
    assert found.evidence["cut"][0].startswith("word word")


def test_the_models_own_threshold_is_taken_when_asked_for():
    found = score('sentence_coverage(threshold="model")', ANSWER, REFERENCE)
    assert 0 < found.evidence["threshold"] < 1
    for options, said in (
        ('threshold="model",model="some/model"', "no threshold is known for some/model"),
        ("threshold=2", "threshold must be a number from 0 to 1"),
    ):
        with pytest.raises(PlanError, match=said):
            rg.score(f"sentence_coverage({options})", answer="a", reference="b")


def test_a_long_matrix_is_made_in_blocks_that_give_the_same(monkeypatch):
    answers = tuple(f"The fee of hut {at} is ${at}." for at in range(10))
    references = tuple(f"Hut {at} costs ${at} a night." for at in range(8))
    (whole,) = sentence_matrix([answers], [references], encoder=CachedEncoder(ENCODER))
    monkeypatch.setattr("ragauge.features.sentences.TOKENS_PER_BLOCK", 50)
    (parts,) = sentence_matrix([answers], [references], encoder=CachedEncoder(ENCODER))
    assert parts.f1.shape == (10, 8)
    assert parts.f1 == approx(whole.f1, abs=1e-6)


def test_repeated_sentences_are_compared_once_and_keep_their_places():
    answer, reference = ("x", "a", "x", "b", "a"), ("b", "c", "b", "a")
    distinct = np.array([[0.1, 0.9, 0.2], [0.3, 0.9, 1.0], [1.0, 0.4, 0.3]], np.float32)
    found = SentenceMatrix(answer, reference, distinct)
    assert found.f1[:, 0].tolist() == approx([0.1, 0.3, 0.1, 1.0, 0.3])
    score = sentence_coverage(found, encoder=CachedEncoder(ENCODER))
    sentences = score.evidence["sentences"]
    # Of c, x and a are equally good, and x comes first.
    assert [each["answer_sentence"] for each in sentences] == [3, 0, 3, 1]
    assert [each["f1"] for each in sentences] == approx([1.0, 0.9, 1.0, 1.0])
    assert score.value == approx(0.9)


def test_two_texts_of_very_many_different_sentences_are_refused_with_their_counts(monkeypatch):
    assert MAX_SENTENCES == 500
    monkeypatch.setattr("ragauge.features.sentences.MAX_SENTENCES", 5)
    many = " ".join(f"Fee {at} is due." for at in range(6))
    score = rg.score("sentence_coverage", answer=many, reference=many)
    assert score.reason == (
        "the answer has 6 different sentences and the reference 6; they are compared if one of them has "
        "at most 5"
    )
    assert rg.score("sentences_covered", answer=many, reference="Fee 5 is due.").value == 1
