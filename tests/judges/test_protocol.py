import json
import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragauge.judges.protocol import Message, kept_json, sorted_json, text_json

TEXTS = st.text(st.characters(codec=None) | st.sampled_from('\\"\n\r\t\x00\x1f\x7f\u2028\ud800'))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


@given(TEXTS)
@example("C:\\new")
@example('a\\"b\\n\n')
def test_a_text_is_written_as_json_has_it(text):
    assert text_json(text) == json.dumps(text, ensure_ascii=False)


@given(VALUES)
def test_what_is_kept_is_what_would_be_written_anew(value):
    told = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert kept_json(value, is_sorted=False) == told
    assert kept_json(value) == sorted_json(value)


def test_the_order_of_fields_is_kept_or_not():
    schema = {"reason": "string", "answer": "yes or no"}
    assert kept_json(schema) == '{"answer":"yes or no","reason":"string"}'
    assert kept_json(schema, is_sorted=False) == '{"reason":"string","answer":"yes or no"}'


@pytest.mark.parametrize("is_sorted", [True, False])
def test_a_truth_value_and_one_are_not_taken_for_each_other(is_sorted):
    values = ([1], [True], [1.0])
    assert [kept_json(one, is_sorted=is_sorted) for one in values] == ["[1]", "[true]", "[1.0]"]


def test_a_message_is_sent_to_another_process_without_its_json():
    message = Message("user", "é" * 1000)
    plain = len(pickle.dumps(message))
    assert len(message.as_json) == 1002
    assert len(pickle.dumps(message)) == plain
    assert pickle.loads(pickle.dumps(message)) == message


def test_numbers_of_numpy_are_written_like_pythons_own():
    identity = {"temperature": np.linspace(0, 1, 3)[1]}
    assert kept_json(identity) == sorted_json({"temperature": 0.5})
