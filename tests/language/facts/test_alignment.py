"""What an answer contradicts of a reference: one detail, of each kind and in five languages."""

from cases import cases

from ragauge.language.facts.alignment import align
from ragauge.language.facts.passages import align_to_passages

PRICE = "The Team plan costs $18 per user per month."
CLOSES = "The museum closed on 5 March 2021."


def kinds(answer: str, reference: str, question: str = "") -> set[str]:
    return {difference.kind for difference in align(answer, reference, question).differences}


@cases(
    ("Team costs $19 per user per month.", PRICE, "number"),
    ("Team costs €18 per user per month.", PRICE, "currency"),
    ("Team costs $18 per year.", "Team costs $18 per month.", "period"),
    ("It is cleaned three times a week.", "Twice a week.", "period"),
    ("Take one every day.", "Take one every other day.", "period"),
    ("Jede Woche.", "Alle 14 Tage.", "period"),
    ("It takes 2 h 45 min.", "It takes 2 h 15 min.", "number"),
    ("Une heure.", "Une demi-heure.", "number"),
    ("King Henry VII.", "Henry VIII", "version"),
    ("World War II.", "World War I", "version"),
    ("It is in Article 6(1)(f).", "Article 6(1)(b)", "version"),
    ("It needs Python 3.1.", "Python 3.10", "version"),
    ("Call 04321 5576.", "04321 5567", "version"),
    ("Call 000-0000-001.", "555-123-4561", "version"),
    ("It is 20 cents a page.", "€0.10", "number"),
    ("It comes in S, M and X.", "It comes in S, M and L.", "item"),
    ("It comes in S and M.", "S, M and L", "left out"),
    ("It has 5576 rows.", "It has 5567 rows.", "number"),
    ("Let it rest for 30 minutes.", "Let it rest for 30 hours.", "unit"),
    ("Revenue was $5 million.", "Revenue was $5 billion.", "number"),
    ("It opened on 6 March 2021.", "It opened on 5 March 2021.", "date"),
    ("It ends on the first of March.", "It ends on 31 March.", "date"),
    ("From 1800 to 1850.", "1780–1830", "date"),
    ("14,000 to 18,000 pounds.", "40,000–60,000 pounds.", "number"),
    ("Sie schließt um 9 Uhr morgens.", "Sie schließt um 21 Uhr.", "date"),
    ("It costs €12.50.", "It costs CHF 12.50.", "currency"),
    ("It costs 10 cents.", "It costs €0.20.", "number"),
    ("It costs 10 cents.", "It costs 10 euros.", "unit"),
    ("It costs USD 300 per month.", "It costs USD 300 per year.", "period"),
    ("$35", "35 Swiss francs", "currency"),
    ("Das Pfand beträgt 50 Euro.", "Es sind 50 Franken Pfand.", "currency"),
    ("Trente dollars américains.", "30 dollars canadiens", "currency"),
    ("Cuesta 900 pesos argentinos.", "900 pesos mexicanos", "currency"),
    ("Eight pounds at most, 55 x 40 cm.", "Up to 8 kilograms.", "unit"),
    ("It's 1.8 metres to the stop of bus 14.", "1.8 km", "unit"),
    ("Six millilitres.", "6 grams", "unit"),
    ("1.7毫升", "1.7升", "unit"),
    ("每亩40斤", "每亩40公斤", "unit"),
    ("They get thirty days.", "They get 24 paid days.", "number"),
    ("A full ten days; it feels dry after two hours.", "7 days", "number"),
    ("From 10:40 to 14:00.", "From 9.15 am to 2 pm.", "date"),
    ("Se cena a las 18:30.", "Se cena a las 19.30.", "date"),
    ("Am einundzwanzigsten Oktober.", "14. Oktober", "date"),
    ("Am 14.11.", "14. Oktober", "date"),
    ("三号楼是九月二十八日停水。", "9月18日", "date"),
    ("On the first of March, until mid-October.", "16 March", "date"),
    ("Hoy el veintiséis de mayo.", "El 25 de mayo.", "date"),
    ("Every third month.", "Every two months.", "period"),
    ("Twice an hour.", "Every ten minutes.", "period"),
    ("隔两个月洗一次。", "每两周洗一次。", "period"),
    ("Jeden zweiten Tag.", "Zweimal am Tag.", "period"),
    ("Six times a year.", "Four times in twelve months.", "period"),
    ("D出口", "C口", "version"),
    ("In section five.", "Section 8", "version"),
    ("Pistachio, vanilla, mango", "Vanilla, strawberry and pistachio", "item"),
    ("A photo ID and a birth certificate", "Photo ID and proof of address", "item"),
    ("A passport photo, proof of address and a student card",
     "A passport photo, proof of address and an identity card", "item"),
    ("Elle ouvre le lundi, le jeudi et le samedi.", "Le mardi, le jeudi et le samedi.", "member"),
    ("Savings to current", "From the current account to the savings account", "order"),
    ("Erfurt → Nürnberg", "Von Nürnberg nach Erfurt", "order"),
    ("The profit of the firm shrank by seven percent.", "Profit rose by 7 percent.", "opposite"),
    ("They rose by 3%.", "They fell by 3%.", "opposite"),
    ("A2 is on paper.", "A1 is on paper.", "version"),
    ("Es wurde am 17. Mai 1984 eröffnet.", "Es wurde am 17. März 1984 eröffnet.", "date"),
    ("Backups use AES-128.", "Backups use AES-256.", "version"),
    ("It is a lack of vitamin D.", "It is a lack of vitamin C.", "version"),
    ("Backups are encrypted with TLS 1.2.", "Backups are encrypted with AES-256.", "value"),
    ("The museum opened on 5 March 2021.", CLOSES, "opposite"),
    ("The museum did not close on 5 March 2021.", CLOSES, "negation"),
    ("Dogs must be at most 7 years old.", "Dogs must be at least 7 years old.", "quantifier"),
    ("Tours need six people at most.", "Tours need at least 6 people.", "quantifier"),
    ("No más de 5 días.", "Al menos 5 días.", "quantifier"),
    ("Der Ausweis gilt einen Monat.", "Der Ausweis gilt ein Jahr.", "unit"),
    ("Son treinta y tres euros.", "Son 32 euros.", "number"),
    ("末班车晚上10点10分发车。", "末班车晚上10点40分发车。", "date"),
    ("Das sind 87 Tausend Euro.", "Das sind 87 Millionen Euro.", "number"),
    ("All students may use the gym.", "Only students may use the gym.", "quantifier"),
    ("Mei Tanaka leads the firm Castell.", "Amina Yusuf leads the firm Castell.", "entity"),
    ("Norvik bought Castell for $3 million.", "Castell bought Norvik for $3 million.", "roles"),
    ("Castell was bought by Norvik.", "Castell bought Norvik.", "roles"),
    ("Es kostet 180 Euro, ermäßigt 365 Euro.", "Es kostet 365 Euro, ermäßigt 180 Euro.", "roles"),
    ("It has eggs, milk and fish.", "It has eggs, milk and soy.", "item"),
    ("It has eggs, milk, soy and fish.", "It has eggs, milk and soy.", "item"),
    ("It has eggs and milk.", "It has eggs, milk and soy.", "left out"),
    ("It is $9; $18 is the old price.", "It costs $18.", "side remark"),
    ("Dogs are welcome.", "Dogs are not welcome.", "negation"),
    ("There is a diesel version.", "There's no diesel version.", "negation"),
    ("It needs 2.2 megawatts.", "It needs 2.2 kilowatts.", "unit"),
    ("Not Karin Holm but Rafael Ortega.", "Karin Holm followed Tomas Novak.", "negation"),
    ("不是SHA-1，而是AES-128。", "备份用SHA-1加密。", "negation"),
    ("备份用AES-128加密。", "备份用AES-256加密。", "version"),
    ("没有上升。", "利润上升了。", "negation"),
    ("The desk is on the third floor.", "The desk is on the second floor.", "member"),
    ("Glas kommt in die grüne Tonne.", "Glas kommt in die blaue Tonne.", "member"),
    ("图书馆周三关门。", "图书馆周一关门。", "member"),
    ("The fee is paid by the employee.", "The fee is paid by the employer.", "opposite"),
    ("It fell.", "It rose.", "opposite"),
    ("El tren sale temprano.", "El tren sale tarde.", "opposite"),
    ("Employers pay 5% and employees 7%.", "Employers pay 7% and employees 5%.", "roles"),
    ("Unpaid leave is granted in May.", "Paid leave is granted in May.", "opposite"),
    ("Jones is the chair of the board, Smith is the treasurer.",
     "Smith is the chair of the board, Jones is the treasurer.", "roles"),
)  # fmt: skip
def test_one_detail_that_differs_is_found(answer, reference, kind):
    assert kinds(answer, reference) == {kind}


@cases(
    ("Eighteen dollars per user each month.", PRICE),
    ("**$18** per user per month", PRICE),
    ("Let it rest for 90 minutes.", "Let it rest for 1.5 hours."),
    ("Free for two days.", "Free for 48 hours."),
    ("It takes 1h30m, an hour and a half.", "Es dauert 1 Stunde und 30 Minuten."),
    ("Six weeks.", "A month and a half."),
    ("It is sent every three months.", "It is sent quarterly."),
    ("Take it 3 times daily.", "Take 5 ml every 8 hours."),
    ("Jede zweite Woche.", "Alle 14 Tage."),
    ("Deux fois par mois.", "Every two weeks."),
    ("每天三次。", "Three times a day."),
    ("两个小时三十分钟。", "It takes 150 minutes."),
    ("Super Bowl XLV was played in Arlington.", "The first Super Bowl was played in Los Angeles."),
    ("The trial is in phase 3.", "It is a Phase III trial."),
    ("King James I of England.", "James I"),
    ("It is 10 cents a page.", "€0.10"),
    ("Call 030 1234567.", "+49 (30) 1234567"),
    ("It needs Python 3.", "Python 3.9"),
    ("Yesterday I went to the second museum.", "I went to the museum."),
    ("It ends on March first.", "It ends on 1 March."),
    ("Two of the 12 houses date from 1800 to 1850.", "1780"),
    ("The first March meeting is on the 3rd.", "It is on 3 March."),
    ("It ends on the twenty-seventh of October.", "It ends on 27 October."),
    ("It costs 12.50 euros.", "It costs EUR 12.50."),
    ("It costs €0.10.", "It costs 10 cents."),
    ("About 5,570 came.", "5,567 came."),
    ("It takes 9 to 10 days.", "It takes 9 days or 10."),
    ("La masa reposa 60 minutos.", "La masa reposa una hora."),
    ("Am 1984-03-17.", "Es wurde am 17. März 1984 eröffnet."),
    ("The museum closed in 2021.", CLOSES),
    ("Team costs $18.", PRICE),
    ("Norvik was bought by Castell.", "Castell bought Norvik."),
    ("The Atlas 3 is lighter than the Atlas 4.", "The Atlas 4 is heavier than the Atlas 3."),
    ("Auf Tomas Novak folgte Amina Yusuf.", "Amina Yusuf folgte Tomas Novak."),
    ("It has soy, eggs and milk.", "It has eggs, milk and soy."),
    ("Profit did not rise, it fell by 3 %.", "Profit fell by 3 %."),
    ("It is 0.6%.", "It was 0.62%."),
    ("It is 1.9%.", "0.019"),
    ("Norvik is a firm of the town of Castell.", "Norvik is a firm founded by the town of Castell."),
    ("The desk is not unpaid.", "The desk is paid."),
    ("The jewel is invaluable to the town.", "The jewel is valuable to the town."),
    ("The tank is flammable.", "The tank is inflammable."),
    ("Interest is paid inland.", "Interest is paid on land."),
    ("It sold two shops in the last 12 months.", "It sold its first two shops in the past 12 months."),
    ("The last stop is Oak Street.", "The final stop is Oak Street, the first is Elm Street."),
    ("Die erste Mahnung ist kostenlos.", "Die 1. Mahnung ist kostenlos, die zweite kostet 5 Euro."),
    ("Rosa vive en el norte.", "En el norte vive Rosa."),
    ("Das Rote Kreuz hilft im Norden.", "Im Norden hilft das Rote Kreuz."),
    ("La voiture est à droite, pas à gauche.", "La voiture est à droite."),
    ("Le sud est chaud et le nord froid.", "Le nord est froid et le sud chaud."),
    ("Employees pay 5% and employers 7%.", "Employers pay 7% and employees 5%."),
    ("The new model is faster than the old one.", "The old model is slower than the new one."),
    ("The old bridge was replaced by the new one.", "The new bridge replaced the old one."),
    ("The bar opens at 9 at night.", "The bar opens at 9 in the evening."),
    ("周一关闭，周二开放。", "周二开放，周一关闭。"),
    ("Not until the middle of May.", "From the middle of May on."),
    ("It needs 2,200 W.", "It needs 2.2 kW."),
    ("A year and a half.", "18 months"),
    ("A full day", "24 hours"),
    ("90分钟", "面团要发酵一个半小时。"),
    ("45 minutos", "Tres cuartos de hora"),
    ("0,4 Kubikmeter", "400 Liter"),
    ("260 kPa", "2.6 bar"),
    ("25%", "One in four"),
    ("50 µg", "50 micrograms a day"),
    ("It opens its doors at nine and shuts at one in the afternoon.", "At 9 o'clock in the morning."),
    ("À dix heures quarante-sept du soir.", "22 h 47"),
    ("早上八点二十分", "上午8:20开始签到。"),
    ("CAD 1,200,000", "1.2 million Canadian dollars"),
    ("¥30一天", "每天30元人民币"),
    ("Formulaire C1", "le C1"),
    ("It came in version 4.5.", "4.5"),
    ("The third hall", "Hall 3"),
    ("Bonnie and Clyde", "Bonnie Parker and Clyde Barrow"),
    ("A store or supply of something", "A large or extra supply of something"),
    ("King Street to Mill Lane", "It is moving from King Street to Mill Lane."),
    ("One of 5 was sold in 1999. It costs $18 in all shops, of 40 that there are, or $20 in 7.", "$19"),
)  # fmt: skip
def test_the_same_in_other_words_and_what_is_left_unsaid_contradict_nothing(answer, reference):
    assert not align(answer, reference, "").differences


def test_a_short_answer_to_a_question_with_a_negation_denies_what_the_question_does():
    denied = "What should not be sent?"
    passage = ["Send us no covering letter."]
    found = [
        align_to_passages("A covering letter.", passage, asked)
        for asked in (denied, "What is sent?")
    ]
    assert [bool(each.differences) for each in found] == [False, True]


REFUND = "Cancel 14 days or more before arrival and we return all. Cancel 3 to 13 days before arrival and we return 50%."


@cases(
    ("Five days falls into the 3 to 13 days before arrival, so 50%.", REFUND, set()),
    ("The first week was dry.", "The 1st week was dry, the second one wet.", set()),
    ("The Second World War ended in 1945.", "World War II ended in 1945; the First World War ended in 1918.", set()),
    ("The Second World War ended in 1945.", "The First World War ended in 1945.", {"member"}),
    ("Two tickets at $38 come to $76.", "Tickets cost $38, and $19 for children.", set()),
    ("Tickets cost $38, and $18 for children.", "Tickets cost $38, and $19 for children.", {"number"}),
    ("The book is translated into over 250 languages.", "The book is translated into 300 languages.", set()),
    ("The book is translated into over 350 languages.", "The book is translated into 300 languages.", {"number"}),
    ("The chain has staff in 10 towns.", "The chain with its staff sells 700 brands.", set()),
    ("The chain has staff in 10 towns.", "The chain has staff in 12 towns.", {"number"}),
    ("Ada Park did not sign a first contract in 2014.", "In 2018, she signed her first contract with Elm Records and published her debut album.", set()),
    ("Before the talks with Malta, U.K. aides spilled red and blue paint.",
     "Before the talks with Malta, aides from London spilled red and blue paint.", set()),
    ("Guests must not bring oil, pets and wine to any hut.", "Guests may cook oil in Old Hut, Lantern Hut and Curlew Hut.", set()),
    ("It works exclusively with young children of the town.", "It works with young children and their parents from all parts of the town.", set()),
    ("The Nova 5 is faster than the Nova 6.",
     "The Nova 6 is faster than the Nova 5: it reads 7,000 MB per second, the Nova 5 reads 3,500.", {"roles"}),
    ("The Pike S is heavier than the Atlas 3.", "The Atlas 3 is heavier than the Pike S. Both are sold.", {"roles"}),
    ("The pass costs $465 a year.", "The pass costs $365 a year, $180 for students, who bring a letter of their school.", {"number"}),
    ("The hall is open from 10 h to 20 h.", "The hall is open from 10 h to 18 h.", {"number"}),
    ("The warranty runs for 3 years from the purchase.", "The warranty runs for 2 years from the purchase and covers no falls.", {"number"}),
    (f"It is {'9' * 300} kg of 7 kg with 3 kg.", "It is 1e-999999 kg of 3 kg.", set()),
)  # fmt: skip
def test_a_passage_contradicts_only_what_counts_the_same_thing(answer, passage, kinds):
    assert {each.kind for each in align_to_passages(answer, (passage,)).differences} == kinds


HOURS = "The swimming pool opens at 9 am. The gym opens at 7 am and closes at 10 pm."
DOSES = "Children take 5 ml twice a day. Adults take 10 ml three times a day."


@cases(
    ("When does the pool open?", "At 7 am.", {("7 am", "9 am")}),  # that of the gym
    ("When does the pool open?", "At 8 am.", {("8 am", "9 am")}),  # in no passage
    ("When does the pool open?", "At 9 am.", set()),
    ("When does the pool open?", "The gym opens at 7 am, the pool at 9 am.", set()),
    ("", "At 7 am.", set()),
    ("Why is it so?", "At 7 am.", set()),  # no passage has what is asked for
    ("When does the gym close?", "Three times a day.", set()),  # of another kind
    ("How often do children take it?", "Three times a day.", {("Three times a day", "twice a day")}),
    ("How many ml do adults take?", "5 ml", {("5 ml", "10 ml")}),
    ("How many ml do adults take?", "10 ml, children half of it, 5 ml.", set()),
)  # fmt: skip
def test_a_fact_from_another_place_than_the_one_asked_for_contradicts(question, answer, pairs):
    found = align_to_passages(answer, (HOURS, DOSES), question).differences
    assert {(each.found.text, each.expected.text) for each in found} == pairs
    assert {each.context for each in found} <= {int("ml" in question or "often" in question)}


LIFT = "A day on the lift costs 26 euros and in the evening 9 euros. Skis cost 14 euros. Lessons cost 30 euros a day, boots 5 euros."


@cases(
    ("40 euros", set()),  # 26 + 14
    ("52 euros for two", set()),  # 2 x 26
    ("13 euros for children, who pay half", set()),
    ("27 euros", {("27 euros", "26 euros")}),
    ("30 euros", {("30 euros", "26 euros")}),  # the price of lessons
    ("under 30 euros", set()),  # within
)  # fmt: skip
def test_what_follows_from_what_is_given_contradicts_nothing(answer, pairs):
    question = "What does a day on the lift cost?"
    found = align_to_passages(answer, (LIFT,), question).differences
    assert {(each.found.text, each.expected.text) for each in found} == pairs


def test_the_total_of_a_list_contradicts_none_of_its_numbers():
    huts = "The beds of the huts: Old Dairy has 40 beds, Lantern has 28, Harebell has 18. That makes 86 in all."
    question = "How many beds do the huts have?"
    for answer, is_wrong in (("They have 86 beds.", False), ("They have 96 beds.", True)):
        found = align_to_passages(answer, (huts,), question).differences
        assert bool(found) is is_wrong


@cases("At 9 a.m.", "At 9 am.")
def test_a_fact_with_full_stops_has_a_place(answer):
    hours = (
        "The swimming pool opens at 9 a.m. daily.",
        "The swimming pool of the spa opens at 7 a.m.",
    )
    question = "When does the swimming pool open?"
    assert not align_to_passages(answer, hours, question).differences
    assert align_to_passages("At 6 a.m.", hours, question).differences


def test_passages_that_are_not_read_whole_have_no_places():
    hours = (
        "The pool opens at 8 am on holidays.",
        "The pool opens at 9 am on weekdays. " + "It is nice. " * 1_800,
    )
    question = "When does the pool open on weekdays?"
    assert not align_to_passages("At 9 am.", hours, question).differences
    facts = (hours[0], "It is 7 km. " * 1_100, hours[1][:40])
    assert not align_to_passages("At 9 am.", facts, question).differences


def test_a_percentage_of_endless_decimals_is_worked_out():
    passage = "It takes 30 minutes, 10 of these minutes are a pause."
    assert (
        align_to_passages("A pause of 33⅓ %: 10 minutes of 30 minutes.", (passage,)).differences
        == ()
    )


def test_a_percentage_beside_amounts_of_forty_digits_is_no_error():
    many = f"1{'0' * 40} km"
    assert align_to_passages(f"It is 5 % of {many} and 3 km.", (f"{many}, 3 km of them free.",))


def test_a_verb_behind_a_french_auxiliary_is_no_noun():
    answer, reference = "Amina Yusuf a succédé à Omar Ruiz.", "Omar Ruiz a succédé à Amina Yusuf."
    assert kinds(answer, reference) == {"roles"}


def test_what_the_question_says_is_known_to_both():
    question = "How many of the 12 rooms are free?"
    assert not kinds("Of the 12 rooms, 3 are free.", "3 rooms", question)


def test_a_difference_names_what_both_texts_say_and_where():
    (found,) = align("It costs $18 per year.", PRICE).differences
    assert found.found is not None
    assert found.expected is not None
    assert found.found.text == "$18 per year"
    assert found.expected == ("$18 per month", PRICE.index("$18"), PRICE.index(" per user"))


def test_a_list_may_begin_a_sentence():
    found = align("They are Bramble, Thimble, Biscuit and Captain.", "Bramble, Thimble and Moth.")
    first = found.differences[0]
    assert (first.kind, first.found.text, first.expected.text) == ("item", "Biscuit", "Moth")


@cases(
    (
        "Sixty-three",
        "63 residents had to leave their homes.",
        "How many residents had to leave?",
        "63",
    ),
    ("No, it's extra.", "No, water is charged.", "Is water included?", ""),
    ("Less", "They need less water.", "Do they need more or less water?", "less"),
    ("Python 3", "Python 3.9", "Which version?", ""),
    ("Sixty-three people, 20 of them children", "63 people", "How many people?", ""),
)
def test_an_answer_that_is_what_the_reference_adds_agrees(answer, reference, question, agreed):
    assert align(answer, reference, question).agreed == agreed


def test_of_two_opposites_that_a_question_names_the_answer_says_the_other():
    question = "Is the form sent before or after the purchase?"
    assert kinds("After it", "The form must be sent before the purchase.", question) == {"opposite"}
    assert not kinds("Before it", "The form must be sent before the purchase.", question)
    assert not align("30 men", "20 men came.", "How many men and women came?").agreed
