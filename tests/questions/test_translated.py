"""Questions in German, French, Spanish and Chinese, from sentences of safe forms."""

import pytest

from ragauge.questions.translated import questions_in


@pytest.mark.parametrize(
    ("language", "sentence", "question", "reference"),
    [
        ("de", "Die Alm ist eine Hütte am See.", "Was ist die Alm?", "eine Hütte am See"),
        ("de", "Die Alm am See hat 12 Zimmer.", "Wie viele Zimmer hat die Alm am See?", "12 Zimmer"),
        ("de", "Die Alm wurde 1968 von Ida gegründet.", "Wann wurde die Alm von Ida gegründet?", "1968"),
        ("de", "Eine Nacht kostet 28 Euro pro Person.", "Wie viel kostet eine Nacht pro Person?", "28 Euro"),
        ("fr", "Le musée Lenoir est un musée à Lyon.", "Qu’est-ce que le musée Lenoir ?", "un musée à Lyon"),
        ("fr", "Le musée Lenoir compte 14 salles.", "Combien de salles compte le musée Lenoir ?", "14 salles"),
        ("fr", "Le musée a été fondé en 1872.", "Quand est-ce que le musée a été fondé ?", "en 1872"),
        ("es", "El parque Arenas tiene 15 rutas.", "¿Cuántas rutas tiene el parque Arenas?", "15 rutas"),
        ("es", "El parque fue fundado en 1954.", "¿Cuándo fue fundado el parque?", "en 1954"),
        ("zh", "青山小屋有28张床。", "青山小屋有多少张床？", "28张床"),
        ("zh", "青山小屋于1994年重新开放。", "青山小屋于什么时候重新开放？", "1994年"),
        ("zh", "李明是一位建筑师。", "李明是谁？", "一位建筑师"),
        # What points to other sentences is left out.
        ("de", "Sie hat 12 Zimmer.", None, None),
        ("de", "Im Sommer hat die Alm 12 Zimmer.", None, None),
        ("de", "Diese Hütte ist eine Alm am See.", None, None),
        ("fr", "Elle compte 14 salles.", None, None),
        ("es", "Su parque tiene 15 rutas.", None, None),
        ("zh", "它有28张床。", None, None),
    ],
)  # fmt: skip
def test_a_safe_form_becomes_a_question(language, sentence, question, reference):
    found = {asked: answer for asked, answer, *_ in questions_in(language, sentence)}
    assert found.get(question) == reference, found
    assert question or not found
