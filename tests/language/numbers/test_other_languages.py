"""Numbers in German, French, Spanish and Chinese; each pair is compared both ways round."""

import pytest

from ragauge.language.numbers.match import match_numbers
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.other_languages import in_other_languages, times_of_day

SAME = """
Um 17:00 Uhr.|5 pm
At 17:30 the shop closes.|5:30 pm
Opens 9:00 am|9 am
à 17 h 30|17:30
À 17h|17:00
下午5点|17:00
上午9点半|9:30 am
14 Tage|2 Wochen
14 jours|2 semaines
90 minutos|1.5 horas
5 euros par mois|5 € pro Monat
5 euros al mes|5 euros per month
每月5元|5元/月
5 Werktage|5 business days
5 jours ouvrables|5 días hábiles
5个工作日|5 working days
5 por ciento|5 %
1250,50 euros|1 250,50 €
2 times per week|2x a week
1,5 Stunden|90 Minuten
2,5 Tonnen|2500 kg
0,75|0.75
12,5|12.5
Elle pèse 2,5 kg.|2.5 kg
Vinieron 1.250 personas con sus hijos.|1250 people
8 bis 17 Uhr|8 am to 5 pm
8:00–17:00|8 am to 5 pm
7 Uhr 30|7:30
halb acht|7:30
um 5 Uhr nachmittags|17 Uhr
at five in the afternoon|5 pm
nine o'clock in the morning|9:00
a las 5 de la tarde|17:00
à 5 heures de l'après-midi|17:00
19h30|7:30 pm
十点半|10:30
一亿两千万|120000000
3 dozen eggs|36 eggs
5 billones de pesos|5 trillion pesos
"""
APART = """
Das kostet 12 Euro im Monat.|12 Euro im Jahr
5 euros par mois|5 euros par an
5 euros al mes|5 euros al año
每月5元|每年5元
5 Werktage|5 Tage
5 jours ouvrés|5 jours
5 días laborables|5 días
5个工作日|5天
3 Erwachsene und 2 Kinder|2 Erwachsene und 3 Kinder
à 17 h 30|17:20
下午5点|5 am
um 9 Uhr morgens|21 Uhr
at 9 in the morning|9 pm
2,5 Tonnen|25 t
"""
IN_WORDS = """
zwölf Monate|12 Monate|1
einundzwanzig Tage|21 Tage|1
douze mois|12 mois|1
quatre-vingt-dix jours|90 jours|1
trente et un jours|31 jours|1
deux mille cinq cents|2500|1
zweitausendfünfhundert Meter|2500 m|1
dos mil personas|2000 personas|1
zwei Dutzend|24|1
tienen veintiuno|21|1
三分之一|1/3|1
tres cuatro|7|0
doce meses|12 meses|1
ein Jahr|12 Monate|1
UN Day|1 day|0
eine halbe Stunde|30 Minuten|1
half an hour|30 minutes|1
zweieinhalb Stunden|150 Minuten|1
anderthalb Jahre|18 Monate|1
quatre heures et demie|270 minutes|1
dos horas y media|150 minutos|1
hora y media|90 minutos|1
una hora y media|90 minutos|1
une heure et demie|90 minutes|1
at half eight|8:30|1
48 300|48,300 people|1
48 300 people|48 and 301|0
半年|6个月|1
87 Tausend Euro|87.000 Euro|1
treinta y cinco días|35 días|1
fünf Prozent|5 %|1
cinq pour cent|5 %|1
el cinco por ciento|5 %|1
百分之五|5%|1
drei Erwachsene und zwei Kinder|2 Erwachsene und 3 Kinder|0
From Sept. 1 on|7|0
"""


def rows(table):
    return [line.split("|") for line in table.strip().splitlines()]


def share(answer, reference):
    return match_numbers("?", [reference], answer).share


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [(*pair, 1) for pair in rows(SAME)] + [(*pair, 0) for pair in rows(APART)],
)
def test_numbers_are_compared_with_their_units_rates_and_times(one, other, expected):
    assert (share(one, other), share(other, one)) == (expected, expected)


@pytest.mark.parametrize(("words", "digits", "expected"), rows(IN_WORDS))
def test_an_answer_may_state_a_number_in_words(words, digits, expected):
    assert share(words, digits) == int(expected)


@pytest.mark.parametrize("text", ["", "5 an hour", "an elf", "5 tables", "It was $5 in 2021."])
def test_english_text_stays_as_it_is(text):
    assert tuple(in_other_languages(text, quantities(text))) == quantities(text)
    assert not list(times_of_day(text))
