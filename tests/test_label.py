import pytest
from cases import cases
from hypothesis import example, given
from hypothesis import strategies as st

from ragauge.errors import LabelError
from ragauge.label import Label, outside_brackets

WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
NAMES = WORDS | st.builds("{}:{}".format, WORDS, WORDS)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=4,
)


@given(NAMES, st.dictionaries(WORDS | st.just("k"), VALUES, max_size=4))
@example("ndcg", {"k": -1})
@example("ndcg", {"k": True})
@example("ndcg", {"k": None})
@example("ndcg", {"k": "abc"})
@example("ndcg", {"k": 10**9})
@example("ndcg", {"k": 0.0})
def test_whatever_prints_is_read_back(name, settings):
    label = Label(name, settings)
    again = Label.parse(str(label))
    assert again == label
    assert str(again) == str(label)
    assert hash(again) == hash(label)


@cases(
    ("ndcg@10", "ndcg@10"),
    ("ndcg(k=10)", "ndcg@10"),
    (" ndcg ( k = 10 ) ", None),
    ('ndcg(discount="reciprocal",ideal="all")@10',) * 2,
    ("ndcg(discount='reciprocal')", 'ndcg(discount="reciprocal")'),
    ("token_f1()", "token_f1"),
    ("m(a=True,b=None,c=False)", "m(a=true,b=null,c=false)"),
    ('m(a=[1,2],b={"x":0.5})', 'm(a=[1,2],b={"x":0.5})'),
    ("m(a=1.0)", "m(a=1)"),
    ("ragas:faithfulness", "ragas:faithfulness"),
    ('m(a="é ) , @")', 'm(a="é ) , @")'),
)
def test_labels_print_in_one_way(text, printed):
    if printed is None:
        with pytest.raises(LabelError):
            Label.parse(text)
    else:
        assert str(Label.parse(text)) == printed


def test_the_order_of_settings_makes_no_other_label():
    left, right = Label.parse("m(a=1,b=2)"), Label.parse("m(b=2,a=1)")
    assert left == right
    assert hash(left) == hash(right)
    assert len({left, right}) == 1


@cases(
    ("", "expected a metric name at character 1"),
    ("@10", "expected a metric name"),
    ("ndcg@", "unexpected text at character 5"),
    ("ndcg@-1", "unexpected text"),
    ("ndcg@1.5", "unexpected text"),
    ("ndcg@10x", "unexpected text"),
    ("ndcg(k=1)@10", "k is given twice"),
    ("ndcg(k=1", "expected ',' or ')'"),
    ("ndcg(k 1)", "expected '=' after 'k'"),
    ("ndcg(k=)", "expected a value"),
    ("ndcg(k=1,)", "expected the name of a setting"),
    ("ndcg(k=1,k=2)", "'k' is given twice"),
    ("ndcg(k=NaN)", "expected a value"),
    ("ndcg(k=Infinity)", "expected a value"),
    ("ndcg(k=1e999)", "expected a value"),
    ("ndcg(k=__import__('os'))", "expected a value"),
    ('m(a={"x":1,"x":2})', "expected a value"),
    ("ndcg)", "unexpected text"),
    ("a:b:c", "unexpected text"),
    ("ndcg@１０", "unexpected text"),
    ("m(a=" + "[" * 30 + "]" * 30 + ")", "nested deeper than 20"),
    ("m(a=" + "[" * 1500 + "]" * 1500 + ")", ""),
    ("m(a=" + "9" * 3900 + "9" * 50 + ")", None),
    ("x" * 5000, "at most 4000 characters"),
)
def test_what_is_no_label_is_refused_with_its_place(text, problem):
    if problem is None:
        Label.parse(text)
        return
    with pytest.raises(LabelError) as caught:
        Label.parse(text)
    assert problem in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_a_label_or_a_clean_error(text):
    try:
        label = Label.parse(text)
    except LabelError:
        return
    assert Label.parse(str(label)) == label


@cases(
    ("map, P_10", ["map", "P_10"]),
    ("rbp(p=0.8, k=5),map", ["rbp(p=0.8, k=5)", "map"]),
    ("a(b,c),(d,e", ["a(b,c)", "(d", "e"]),
    ("a,b),c", ["a,b)", "c"]),
    (",,", ["", "", ""]),
    ("", [""]),
)
def test_separators_within_brackets_separate_nothing(text, parts):
    assert [part.strip() for part in outside_brackets(",", text)] == parts


@pytest.mark.parametrize("unit", [",", "a ,", "(,", "),", "a(b,c),"])
def test_a_long_list_of_names_is_parted_in_linear_time(assert_linear_time, unit):
    assert_linear_time(lambda text: outside_brackets(r"[,\s]+", text), lambda n: unit * n, 20_000)
