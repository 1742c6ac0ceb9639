"""Irregular forms of one word."""

from ragauge.language.stems import IRREGULAR, stem


def test_the_forms_of_a_word_know_each_other_and_not_themselves():
    for one, others in IRREGULAR.items():
        assert one not in others
        assert all(one in IRREGULAR[other] for other in others)
    assert stem("won") in IRREGULAR[stem("wins")]
    assert stem("found") not in IRREGULAR
