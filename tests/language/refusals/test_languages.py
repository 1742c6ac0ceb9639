import pytest

from ragauge.language.refusals.languages import READ, refusal_in_another_language


@pytest.mark.parametrize(
    "answer",
    [
        "Das kann ich anhand der Unterlagen nicht beantworten.",
        "Der Umsatz in Polen lässt sich daraus nicht ermitteln.",
        "Leider liegen mir dazu keine Angaben vor.",
        "Der Bericht nennt nur 2019 (5 Mio.). Daher kann ich den Wert für 2020 nicht berechnen.",
        "Aus dem Text geht das Datum nicht hervor.",
        "Je ne peux pas répondre à cette question.",
        "Le rapport ne précise pas le montant.",
        "Je n’ai trouvé aucune information à ce sujet.",
        "No puedo determinar el importe con estos datos.",
        "El informe no menciona la fecha.",
        "Non posso rispondere in base al testo.",
        "Não encontrei essa informação.",
        "Dat kan ik niet vinden. Ik kan de vraag niet beantwoorden.",
        "根据资料,无法确定具体金额。",
        "报告没有提到这个数字。",
        "申し訳ありませんが、お答えできません。",
        "契約書には期間の記載がありません。",
    ],
)
def test_a_plain_refusal_in_another_language_is_found(answer: str):
    assert refusal_in_another_language(answer) is not None


@pytest.mark.parametrize(
    "answer",
    [
        "Nein, der Vertrag enthält keine Kündigungsfrist.",
        "Die Frist beträgt 30 Tage. Angaben zu Feiertagen enthält der Vertrag nicht.",
        "Das genaue Datum wird nicht genannt, aber es war im Mai.",
        "Non, le texte ne mentionne pas de garantie.",
        "Le prix est de 12 euros. Le texte ne précise pas la TVA.",
        "Je n'ai pas le nom exact, mais c'était un peintre de Lyon.",
        "No, el contrato no incluye seguro.",
        "Son 45 euros; el texto no indica si incluye impuestos.",
        "不可以,合同没有提供这种选择。",
        "营业额为5亿元。报告没有说明原因。",
        "いいえ、返金はできません。",
        "原因はわかりませんが、古い配線とみられます。",
        "El gato duerme.",
        "The report is not on the table, no.",
        "",
    ],
)
def test_an_answer_in_another_language_is_none(answer: str):
    assert refusal_in_another_language(answer) is None


@pytest.mark.parametrize(
    "unit", ["nicht ", "kann ich ", "ne précise ", "no se ", "没有", "ません ", "ja. ", "aber "]
)
def test_a_long_answer_is_read_only_at_its_beginning(unit: str, assert_linear_time):
    assert_linear_time(refusal_in_another_language, lambda n: unit * (n // len(unit)), 4 * READ)
