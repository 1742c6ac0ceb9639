"""The language of sentences written for this test; English is practically never taken for another."""

from pathlib import Path

import pytest
from cases import cases

from ragauge.language.detection import READ, language_of

LINES = Path(__file__).with_name("sentences_in_eight_languages.txt").read_text("utf-8").splitlines()
TEXTS: dict[str, list[str]] = {}
for line in LINES:
    name, _, text = line.partition("|")
    TEXTS.setdefault(name, []).append(text)


@pytest.mark.parametrize("name", TEXTS)
def test_two_thirds_of_sentences_are_recognized_and_none_is_taken_for_another(name):
    texts = TEXTS[name]
    found = [language_of(text) for text in texts]
    assert (len(TEXTS), len(found)) == (8, 15)
    assert set(found) <= {name, None}
    assert found.count(name) >= 10
    # Of two sentences, nearly all.
    pairs = zip(texts, [*texts[1:], texts[0]], strict=True)
    assert [language_of(f"{one} {other}") for one, other in pairs].count(name) >= 14


@cases(
    *((text, None) for text in ("", "Paris, 1931", "E. L. James, D. O. Y. É.")),
    ("Who played Juan de la Cruz in La casa de las flores?", None),
    ("What does 'der die das und nicht' mean in the song?", None),
    ("The capital of China is Beijing (北京).", "en"),
    ("The constants α, β and γ of the model are not equal.", "en"),
    ("東京タワーはいつ開業しましたか。", "ja"),
    ("도서관은 언제 문을 엽니까?", "ko"),
    ("Кто написал роман?", "Cyrillic"),
    ("Jak se jmenuje hlavní město?", "cs"),
    ("Ki írta ezt a könyvet és mikor?", "hu"),
    ("Cine a scris cartea și când?", "ro"),
    ("Kuka kirjoitti kirjan ja milloin se oli?", "fi"),
    ("متى تفتح المكتبة؟", "Arabic"),
    ("Πότε ανοίγει η βιβλιοθήκη;", "el"),
    ("GPT-4 由谁开发？由 OpenAI 开发。", "zh"),
    ("the of and to in. " + "x" * READ + " der die das und ist nicht ein", "en"),
)
def test_by_script_and_by_the_words_that_occur_most(text, language):
    assert language_of(text) == language
