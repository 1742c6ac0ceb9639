"""An encoder shared by a run: each text once, each failure alone."""

import sqlite3
from collections.abc import Sequence

import numpy as np
import pytest
from cases import cases

from ragauge.encoders.cached import CachedEncoder, NoVector, TextVector, pieces
from ragauge.encoders.embedded import MiniLM
from ragauge.encoders.protocol import Floats, LongText
from ragauge.errors import EncoderError
from ragauge.storage.cache import Cache

MODEL = MiniLM(threads=1)


class Counting(MiniLM):
    """The embedded model, which counts texts, and refuses or is down as told."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.texts: list[str] = []
        self.n_calls = 0
        self.refused: set[str] = set()
        self.is_down = False

    def encode(self, texts: Sequence[str], *, long_text: LongText = "cut") -> Floats:
        self.n_calls += 1
        if self.is_down:
            raise EncoderError("http://localhost:1 does not answer", is_down=True)
        if bad := self.refused & set(texts):
            raise EncoderError(f"{len(bad)} refused")
        self.texts += texts
        return super().encode(texts, long_text=long_text)


@pytest.fixture
def model() -> Counting:
    return Counting()


def test_each_distinct_text_is_encoded_once(model):
    shared = CachedEncoder(model)
    shared.vectors(["one", "two", "one"])
    found = shared.vectors(["two", "three"])
    assert model.texts == ["one", "two", "three"]
    assert list(found) == ["two", "three"]
    assert np.array_equal(found["two"].vector, MODEL.encode(["two"])[0])


def test_vectors_and_tokens_are_the_same_from_the_cache_to_the_last_bit(tmp_path):
    texts = ["A fee of $5.", "", "雪 ❄️", "long " * 520]
    first = CachedEncoder(MODEL, Cache(tmp_path / "cache"))
    again = CachedEncoder(Counting(), Cache(tmp_path / "cache"))
    vectors, tokens = first.vectors(texts), first.tokens(texts, long_text="windows")
    for text, one in again.vectors(texts).items():
        assert isinstance(one, TextVector)
        assert np.array_equal(one.vector, vectors[text].vector)
        assert (one.n_tokens, one.n_read) == (vectors[text].n_tokens, vectors[text].n_read)
    for text, one in again.tokens(texts, long_text="windows").items():
        for name in ("vectors", "ids", "special", "spans"):
            assert np.array_equal(getattr(one, name), getattr(tokens[text], name))
        assert one.n_tokens == tokens[text].n_tokens
    assert again.encoder.texts == []
    assert again.n_encoded == 0


def test_the_cache_keeps_models_layers_precisions_and_ways_apart(tmp_path):
    cache = Cache(tmp_path / "cache")
    text = "word " * 520
    single, whole = CachedEncoder(MODEL, cache), CachedEncoder(MiniLM("int8", threads=1), cache)
    found = [
        single.tokens([text])[text].vectors,
        single.tokens([text], layer=3)[text].vectors,
        single.tokens([text], long_text="windows")[text].vectors,
        whole.tokens([text])[text].vectors,
        single.vectors([text])[text].vector,
    ]
    assert whole.n_encoded == 1
    assert single.n_encoded == 4
    assert len({one.tobytes() for one in found}) == 5


def test_a_damaged_cache_entry_is_computed_again(tmp_path):
    cache = Cache(tmp_path / "cache")
    CachedEncoder(MODEL, cache).vectors(["one"])
    with sqlite3.connect(tmp_path / "cache") as database:
        (key,) = database.execute("select key from entries").fetchone()
    cache.keep("vector", {key: b"short"})  # whole by its checksum, and still no vector
    found = CachedEncoder(MODEL, cache).vectors(["one"])
    assert np.array_equal(found["one"].vector, MODEL.encode(["one"])[0])


def test_a_text_that_is_refused_fails_alone(model):
    model.refused = {"t3", "t7"}
    found = CachedEncoder(model).vectors([f"t{number}" for number in range(10)])
    failed = {text for text, one in found.items() if isinstance(one, NoVector)}
    assert failed == {"t3", "t7"}
    assert found["t3"].reason == "1 refused"


def test_an_encoder_that_is_down_is_not_asked_for_ever_and_no_failure_is_kept(tmp_path, model):
    cache = Cache(tmp_path / "cache")
    shared = CachedEncoder(model, cache)
    for is_down in (True, False, True, False):
        model.is_down = is_down
        (found,) = shared.vectors([f"t {is_down} {model.n_calls}"]).values()
        assert isinstance(found, NoVector) == is_down
    kept, n_before = cache.counts(), model.n_calls
    model.is_down = True
    for number in range(5):
        found = shared.vectors([f"t{number}"])
        assert "does not answer" in found[f"t{number}"].reason
    assert (model.n_calls, cache.counts()) == (n_before + 2, kept)
    assert found["t4"].reason.endswith("not asked again in this run")


def test_memory_is_bounded_and_what_was_used_last_stays(model):
    shared = CachedEncoder(model, in_memory=4 * 1_600)
    shared.vectors(["a", "b", "c"])
    shared.vectors(["a"])
    shared.vectors(["d", "e"])
    model.texts.clear()
    shared.vectors(["a", "b"])
    assert model.texts == ["b"]
    assert shared._recent.n_bytes <= 4 * 1_600


def test_pieces_hold_all_rows_in_order():
    rows = ["aaaa", "", "bb", "c" * 20, "d"]
    found = list(pieces(rows, len, 5))
    assert [row for piece in found for row in piece] == rows
    assert found == [["aaaa", ""], ["bb"], ["c" * 20], ["d"]]
    assert list(pieces([], len)) == []


def test_a_text_whose_tokens_are_wanted_too_is_computed_once(tmp_path):
    texts = ["A fee of $5.", "Dogs are free.", "long " * 300]
    shared = CachedEncoder(MODEL, Cache(tmp_path / "cache"))
    shared.wanted_tokens = frozenset({(6, "cut")})
    vectors = shared.vectors(texts)
    n = shared.n_encoded
    tokens = shared.tokens(texts, layer=6)
    assert (n, shared.n_encoded) == (3, 4)  # of the long one, both read another part
    plain = CachedEncoder(MODEL)
    for text in texts:
        (vector,), (of_text,) = plain.vectors([text]).values(), plain.tokens([text]).values()
        assert np.array_equal(vectors[text].vector, vector.vector)
        assert (vectors[text].n_tokens, vectors[text].n_read) == (vector.n_tokens, vector.n_read)
        assert np.array_equal(tokens[text].vectors, of_text.vectors)
        assert tokens[text].n_tokens == of_text.n_tokens


def test_tokens_of_a_text_that_fits_serve_both_ways_of_reading_long_ones():
    texts = ["A fee of $5.", "Dogs are free.", "long " * 520]
    for first, second in (("cut", "windows"), ("windows", "cut")):
        shared = CachedEncoder(MODEL)
        shared.tokens(texts, long_text=first)
        found = shared.tokens(texts, long_text=second)
        assert shared.n_encoded == 4
        plain = CachedEncoder(MODEL).tokens(texts, long_text=second)
        assert list(found) == texts
        for text in texts:
            assert np.array_equal(found[text].vectors, plain[text].vectors)
            assert found[text].n_tokens == plain[text].n_tokens


@cases(
    (lambda vectors: vectors * np.nan, "not finite numbers"),
    (lambda vectors: vectors * 3, "not of length 1"),
    (lambda vectors: vectors * 0, "not of length 1"),
    (lambda vectors: vectors[:0], "gives 0 vectors for 1 texts"),
)
def test_vectors_that_are_none_are_refused(spoil, said, model, monkeypatch):
    monkeypatch.setattr(model, "encode", lambda texts, **_: spoil(MODEL.encode(texts)))
    (found,) = CachedEncoder(model).vectors(["fee"]).values()
    assert isinstance(found, NoVector)
    assert said in found.reason


def test_a_text_of_too_many_tokens_for_windows_is_refused_and_the_others_are_read():
    encoder, long = CachedEncoder(MODEL), "fee " * 16_400
    for found in (
        encoder.tokens([long, "a fee"], long_text="windows"),
        encoder.vectors([long, "a fee"], long_text="windows"),
    ):
        said = "a text has 16,402 tokens; at most 16,384 are read in windows"
        assert found[long] == NoVector(said)
        assert not isinstance(found["a fee"], NoVector)
    assert encoder.vectors([long])[long].n_tokens == 16_402  # the first 256 are read


def test_token_vectors_reach_the_file_only_for_a_caller_who_wants_them_there(tmp_path):
    cache, texts = Cache(tmp_path / "cache"), ["A fee of $5.", "Dogs are free."]
    shared = CachedEncoder(MODEL, cache)
    found = shared.tokens(texts, in_file=False)
    assert cache.counts() == {}
    again = shared.tokens(texts)
    assert shared.n_encoded == 2
    assert [n for n, _ in cache.counts().values()] == [2]
    other = CachedEncoder(MODEL, cache).tokens(texts)
    for text in texts:
        for each in (again, other):
            assert np.array_equal(each[text].vectors, found[text].vectors)
