import pytest

from ragauge.language.numbers.numbers import quantities


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("十四", ["14"]),
        ("一千二百", ["1200"]),
        ("三万", ["30000"]),
        ("2.5亿", ["250000000"]),
        ("1亿2000万", ["120000000"]),
        ("3万5千人", ["35000"]),
        ("一百二十亿", ["12000000000"]),
        ("三百零五", ["305"]),
        ("两千零三十家", ["2030"]),
        ("十万零一", ["100001"]),
        ("２５０人", ["250"]),
        ("三万元，共20天", ["30000", "20"]),
        # Words, ordinals, dates, approximations, and a single one without a measure word.
        ("万一，千万不要，一些人，统一", []),
        ("第十四章，十月十四日", []),
        ("三四百，四五十", []),
        ("三", []),
    ],
)
def test_numbers_in_chinese_characters(text, values):
    assert [each.plain_value for each in quantities(text)] == values


def test_a_single_character_counts_as_a_number_in_words():
    (found,) = quantities("三个人")
    assert (found.plain_value, found.counts) == ("3", False)
