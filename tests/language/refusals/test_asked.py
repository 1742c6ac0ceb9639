"""Refusals of what a question asks for, answers in the words of refusals, and other languages."""

from cases import cases

from ragauge.language.refusals.asked import asked_by
from ragauge.language.refusals.refusals import find_refusals

MISSING = (
    ("How much vitamin C is in it?", "Fat: 1 g. Sugar: 9 g. The vitamins are cut off."),
    ("How old is the applicant?", "Date of birth: [redacted]. How old: left blank."),
    ("Which actor voiced the dragon?", "The director is credited, the voice cast is not."),
    ("When does the museum open on Sundays?", "Sunday hours are not listed."),
    ("How tall is the tower?", "Height isn't given, only the number of floors."),
    (
        "How many were recalled?",
        "It was in May. However, none of them states how many were recalled.",
    ),
    ("How much is the deposit at most?", "The lease is long. No upper amount is stated."),
    ("What was the Q4 profit?", "- Q1: $1m\n- Q2: $2m\n- Q4: not disclosed"),
    ("Why did they part?", "The text says that they parted. It doesn't give reasons."),
    ("What is the power of the XR-20?", "The sheet covers the XR-10. The XR-20 isn't in it."),
    ("Who painted it?", "The text is on the frame. It's silent on who painted it."),
    ("What was the DIO?", "It is inventory by costs. Costs are $5 million. DIO can't be computed."),
    ("What is the p-value?", "The treatment group improved by 12%. The p-value is not reported."),
    ("What is the limit?", "This isn't something that can be determined from the text."),
    ("What is the area?", "Area: n/a"),
    ("What was the fee in 2021?", "Fees are listed in note 4. Please refer to the report for it."),
    ("When does the ferry leave?", "Times vary. You should check the operator's website."),
    ("How much did the roof cost?", "Such costs are usually reported in the annual report."),
    ("Who chairs the board?", "For the members, you'd need to consult the company's website."),
    (
        "How many rooms has it?",
        "The leaflet praises its garden. How many rooms it has is nothing the leaflet bothers with.",
    ),
    (
        "What was the dividend yield of Orla?",
        "Orla's dividend isn't in the excerpt. As a purely hypothetical case, $2 on $50 would be 4%.",
    ),
    ("What did the jury find?", "There is not enough information on the jury."),
    ("Can I give it to my horse?", "There are no data on horses, so it is not possible to say."),
    (
        "What is our customer acquisition cost?",
        "CAC = marketing spend / new customers. If you had spent 10,000 and won 200 customers, it would be 50.",
    ),
    ("When does the warranty expire?", "The certificate would be needed to give you a date."),
    ("Will the merger be approved?", "It is too early to say; the review has only just begun."),
    ("Who broke the vase?", "That can't be settled: two blame the cat, one blames the draught."),
    ("Which supplier delivered the batch?", "The log leaves the supplier's field empty."),
    ("What is the late fee?", "I looked through the contract, but a late fee never comes up."),
    ("Wer hat das Gutachten erstellt?", "Wer das Gutachten erstellt hat, bleibt im Text offen."),
    ("¿A qué hora cierra la farmacia?", "Falta el horario de cierre en los documentos."),
)
"""Questions with answers that do not give what is asked for."""

GIVEN = (
    ("What was the net debt?", "Net debt isn't shown as a line. Adding 420 and 80 gives 500."),
    ("Which year is missing in the chart?", "2009 is missing."),
    ("Where is it found?", "It is found in the mucosa and is not present in lymph nodes."),
    ("Who wrote it?", "It was published without a name, but historians name Jonas Harte."),
    ("Is a pool listed?", "The row for pools is blank, so no."),
    ("Why did he resign?", "Because the minutes did not mention his vote."),
    ("Does the text say who painted it?", "The text does not say who painted it."),
    ("What are the gaps?", "No data on children are available, and costs are missing."),
    ("Where can I find the list?", "The list is not in the handbook; it's on the intranet."),
    ("What is the fine?", "$210. The text does not say whether it may be waived."),
    ("Which error is shown?", "`no file was found in the text provided` and then a line."),
    ("What was found?", "Two groups differ; smoking was not reported for 12% of patients."),
    ("Is it in default?", "Not yet. No notice has been served."),
    ("Who owns it?", "A foundation whose owners are not disclosed."),
    ("Why is the field empty?", "It is empty because the source does not give a value."),
    ("Who pays?", "The buyer. Nothing is said about repairs."),
    ("What would a ratio be, for example?", "With 4 and 2 it is 2. These figures are made up."),
    ("When does it open?", "It opens at 10 am. I couldn't find the closing time."),
    ("What are the symptoms?", "Fever and a rash. The text does not describe late symptoms."),
    ("What are the height and weight of it?", "Height: 2 m. Weight: not specified."),
    ("Is it transferable?", "Yes, once, and I have no details on the fee."),
    ("Is there a pool?", "The listing doesn't mention one, so there probably isn't."),
    ("How many live there?", "Not sure — around 13,000."),
    ("Was kostet das Ticket?", "Das Ticket ist frei; weitere Angaben enthält das Blatt nicht."),
    ("What was the fee in 2021?", "It was $12; please refer to the report for details."),
    ("When does the ferry leave?", "In June. You should check the operator's website."),
    ("Who chairs the board?", "The chair is Anna Lind. Consult the website for the others."),
    ("What is the formula for turnover?", "Divide the cost of sales by the average inventory."),
    ("Where can I find the fees?", "Refer to note 4 of the report."),
    ("Is it allowed?", "Please refer to section 4 of the contract, which allows it."),
    ("What was the inventory turnover?", "Divide 9,019 by 2,459.5 to get 3.67."),
    ("Who hosts the show?", "I have no eyes on live television. However, Nora Lind has hosted it."),
    ("How many rooms has the inn?", "The leaflet has no word on the garden. The inn has 14 rooms."),
    (
        "What is its melting point?",
        "The question calls for the melting point. The sheet has 840 °C.",
    ),
    ("Who leads the firm?", "Ida Holm. I found nothing on how long she has done so."),
    (
        "What was the margin?",
        "The margin was 31%. Overheads aren't shown, so I can't say what was left.",
    ),
    ("Can I give it to my horse?", "There are no data on horses, so only a vet should give it."),
    ("What is the price?", "A day ticket costs 9 euros. Prices for groups are not listed."),
    ("What are the limits of it?", "There is no information on dates after 2020 in its tables."),
    (
        "What does the bot reply?",
        "It replies: 'I'm sorry, I don't have that information', and offers a call.",
    ),
    ("What did she say?", "She said: ‘I can't tell you, it was too dark.’"),
    (
        "What of remote work and travel?",
        "Remote work is allowed. Travel isn't covered by this policy.",
    ),
    (
        "What is its boiling point?",
        "78 to 100 °C, depending on the proportions, which are not stated.",
    ),
    ("What is our CAC?", "CAC = marketing spend / new customers = 84,000 / 1,050 = 80 euros."),
    ("Who is the head?", "Dr. Lin; her deputy is not named."),
    ("When does it close on Sundays?", "It does not open on Sundays."),
    ("Are there drugs that interact?", "No interactions are known."),
    ("Does the report name the victims?", "The report does not name the victims."),
    ("How many years are required?", "None are required."),
    ("What caused the delay?", "A missing document caused it."),
    ("When does the lease end?", "The lease has no end date."),
    ("Was kostet der Eintritt für Gruppen?", "Gruppen zahlen keinen Eintritt."),
    ("Peut-on le donner aux chats ?", "On ne donne pas ce médicament aux chats."),
    ("How old is the oak?", "It is hard to say. It is probably around 350 years old."),
    (
        "Where are they found?",
        "They are required for adhesion and lie in the epithelia of the body.",
    ),
)
"""Questions with answers that give it, or whose words of refusal are the answer."""

IN_OTHER_LANGUAGES = (
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
)
ANSWERS_IN_OTHER_LANGUAGES = (
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
)


def kinds(answer: str, question: str | None = None) -> list[str]:
    return [found.rule for found in find_refusals(answer, question) if found.decides]


def test_an_answer_refuses_where_what_the_question_asks_for_is_missing():
    assert [row for row in MISSING if not kinds(row[1], row[0])] == []
    assert [row for row in GIVEN if kinds(row[1], row[0])] == []


def test_plain_refusals_in_other_languages_are_found_and_answers_are_none():
    assert [answer for answer in IN_OTHER_LANGUAGES if not kinds(answer)] == []
    assert [answer for answer in ANSWERS_IN_OTHER_LANGUAGES if kinds(answer)] == []


@cases(
    ("refers elsewhere", "Fees are listed in note 4. Please refer to the report for it."),
    ("only a method", "Divide the cost of sales by the average inventory."),
    ("more is needed", "The cost of sales would be needed."),
)
def test_advice_or_a_method_in_place_of_a_number_refuses(kind: str, answer: str):
    assert kinds(answer, "What was the inventory turnover in FY2021?") == [kind]
    assert kinds(answer) == []


def test_an_answer_is_read_again_for_another_question():
    answer = "Fat: 1 g. The vitamins are cut off."
    questions = ("How much vitamin C is in it?", "How much fat is in it?") * 2

    assert [bool(kinds(answer, question)) for question in questions] == [True, False, True, False]


def test_a_question_asks_for_its_words_and_for_a_kind():
    asked = asked_by("When did Ada Lind open the second mill in 1912?")

    assert asked.content == {"ada", "lind", "open", "second", "mill", "1912"}
    assert asked.specific == {"ada", "lind", "1912"}
    assert "date" in asked.kind
    assert asked.wants_value


def test_yes_no_questions_and_questions_about_what_is_missing_want_no_value():
    for question in ("Did she win?", "In 1912, was it open?", "What is missing?"):
        assert not asked_by(question).wants_value


@cases(
    ("Enthält der Vertrag eine Kündigungsfrist?", "Der Vertrag enthält keine Kündigungsfrist.", False),
    ("Enthält der Vertrag eine Kündigungsfrist?", "Dazu enthält der Vertrag keine Angaben.", True),
    ("Wie lang ist die Kündigungsfrist?", "Der Vertrag enthält keine Kündigungsfrist.", True),
    ("Le contrat contient-il une clause pénale ?", "Le contrat ne contient aucune clause pénale.", False),
    ("¿Incluye el contrato una cláusula penal?", "El contrato no incluye ninguna cláusula penal.", False),
    ("Quand ?", "Il n'est pas possible de répondre.", True),
)  # fmt: skip
def test_in_other_languages_too_an_answer_says_whether_something_is_there(
    question, answer, refuses
):
    assert bool(kinds(answer, question)) == refuses
