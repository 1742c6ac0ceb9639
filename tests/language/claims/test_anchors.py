"""The embedded extractor's claims, and what bears an anchor out."""

from itertools import product

from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.features.texts import context_dates, context_index, context_quantities, passage_words
from ragauge.language.claims.claims import Claim, claims
from ragauge.language.claims.context_index import (
    SPREAD,
    ContextIndex,
    Passage,
    embedded_anchors,
    support,
)
from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.language.words import words_of


def triples(text: str) -> list[tuple[str, str, str]]:
    return [(one.subject, one.verb, one.object) for one in claims(text)]


def ground(*contexts: str) -> ContextIndex:
    dated = context_dates(contexts)
    return context_index(
        contexts, passage_words(contexts), context_quantities(contexts, dated), dated
    )


def borne_out(text: str, *contexts: str) -> dict[str, bool]:
    """Each anchor of the text, and whether the contexts bear it out."""
    there = ground(*contexts)
    found = embedded_anchors(text, quantities(text), dates(text))
    return {anchor.text: support(anchor, there) is not None for anchor in found}


PEAR = ("Acme", "released", "Pear")


@cases(
    ("Microsoft released the Pixel phone", [("Microsoft", "released", "Pixel phone")]),
    ("In 2016 Acme acquired Initech for $26 billion.", [("Acme", "acquired", "Initech")]),
    ("Marie Curie discovered radium.", [("Marie Curie", "discovered", "radium")]),
    ("marie curie discovered radium", [("marie curie", "discovered", "radium")]),
    ("J. K. Rowling wrote Harry Potter.", [("J. K. Rowling", "wrote", "Harry Potter")]),
    ("Dr. Lee invented a new pump.", [("Lee", "invented", "new pump")]),
    ("Paris is the capital of France.", [("Paris", "is", "capital of France")]),
    ("Ann Lee was the 44th mayor of Ulm", [("Ann Lee", "was", "mayor of Ulm")]),
    ("Mars has two moons.", [("Mars", "has", "moons")]),
    ("Bees produce honey.", [("Bees", "produce", "honey")]),
    ("Acme will release a car", [("Acme", "release", "car")]),
    ("Acme has also released a car", [("Acme", "released", "car")]),
    ("Ann Lee was born in Ulm.", [("Ann Lee", "born", "Ulm")]),
    ("The plant is located in northern Spain.", [("plant", "located", "northern Spain")]),
    ("The bridge was built by Ann Lee in 1998.", [("Ann Lee", "built", "bridge")]),
    ("The phone sold by Acme", [("Acme", "sold", "phone")]),
    ("In May Acme opened a shop.", [("Acme", "opened", "shop")]),
    ("Zoë’s firm bought Łódź Steel", [("Zoë’s firm", "bought", "Łódź Steel")]),
    # A verb joined by "and" has the subject before it.
    (
        "Acme, which makes phones, released the Pear and sold 5 million units.",
        [("Acme", "makes", "phones"), PEAR, ("Acme", "sold", "units")],
    ),
    # A hedge reaches to the end of its clause only.
    ("It may rain. Acme released the Pear.", [PEAR]),
    ("Acme released the Pear, which may close", [PEAR]),
    # A pronoun in capitals is a name, but where all is in capitals.
    ("The US defeated Japan", [("US", "defeated", "Japan")]),
    ("Japan defeated the US.", [("Japan", "defeated", "US")]),
    ("WHO announced a vaccine", [("WHO", "announced", "vaccine")]),
    ("Today the WHO announced a vaccine", [("WHO", "announced", "vaccine")]),
    ("IT approved the budget.", [("IT", "approved", "budget")]),
)
def test_a_verb_between_two_phrases_makes_a_claim(text: str, found: list[tuple[str, str, str]]):
    assert triples(text) == found


NO_CLAIMS = (
    *("", "It may rain", "Acme may release a car", "Acme might have bought Initech."),
    *("Acme could build a plant", "Perhaps Acme bought Initech.", "released"),
    *("Acme possibly bought Initech", "The study suggests that coffee causes cancer."),
    *("It is believed that Acme bought Initech.", "If Acme bought Initech, it lost money."),
    *("Acme did not release a car.", "Acme never released a car", "Acme didn't buy Initech"),
    *("Acme has no plan", "Paris is not the capital of Spain", "Acme isn't a firm"),
    *("Did Acme release a car?", "Who wrote the book?", "Acme released the car?"),
    *("He founded Acme", "Acme founded it", "There are two moons", "This is a car"),
    *("That has a roof", "The report was published.", "The bridge was completed in 1998"),
    *("Acme took part in the fair", "The new releases of Acme", "Acme plans to build a plant"),
    *("Acme sold 5 million", "Yes, it is a car", "well he was a singer"),
    *("These cars have a radio", "Acme appears to own Initech"),
    *("WHO SOLD IT", "IT SOLD THE CAR", "ACME DEFEATED US"),
    *("The Acme hall was built by.", "The Acme hall was built by", "Ada Grant is known as"),
)


def test_hedged_negated_asked_and_pronoun_sentences_make_no_claim():
    assert {text: triples(text) for text in NO_CLAIMS} == {text: [] for text in NO_CLAIMS}


@cases(
    ("Revenue grew 5% to $3.2bn.", ["5%", "$3.2bn"]),
    ("The deadline is 5 March 2021.", ["5 March 2021"]),
    ("The meeting is Monday.", ["Monday"]),
    ("Acme paid 5 million dollars.", ["5 million dollars"]),
    ("The tank holds 20 litres.", ["20 litres"]),
    ("The tank holds twenty litres.", ["twenty litres"]),
    ("The tower is 330 metres tall.", ["330 metres"]),
    ("The bridge was completed by March 2021.", ["March 2021"]),
    ("The tank holds 20 fish.", ["The tank holds 20 fish", "20"]),
    ("Acme bought 5 km of road.", ["Acme bought 5 km of road", "5 km"]),
    ("Acme sold the 2021 Monday paper", ["Acme sold the 2021 Monday paper", "2021", "Monday"]),
)
def test_an_object_that_is_only_an_amount_or_date_makes_no_claim(text: str, found: list[str]):
    anchors = embedded_anchors(text, quantities(text), dates(text))
    assert sorted(one.text.removeprefix("The ") for one in anchors) == sorted(
        one.removeprefix("The ") for one in found
    )


def test_the_anchors_stand_in_order_and_years_are_dates_not_numbers():
    text = "Acme released the Pear in 2016 for $649, five times."
    found = embedded_anchors(text, quantities(text), dates(text))
    assert [one.text for one in found] == ["Acme released the Pear", "2016", "$649", "five times"]
    assert isinstance(found[0], Claim)


@cases(
    ("5", ["5", "5 km", "five"], ["150", "15", "5.5", "5%", "in B5", "-5", ""]),
    ("five", ["5"], []),
    ("5,000,000", ["5 million"], []),
    ("5 million", [], ["5 billion"]),
    ("$5 million", ["a cost of 5,000,000 dollars"], []),
    *(("$5", [], ["5"]), ("5 km", [], ["5 kg"]), ("5%", ["5 percent"], ["5"])),
    ("−5", ["it fell to -5"], []),
    ("in 2021", ["the 2021 report"], ["in 2020", "$2021"]),
    ("the 2021 report", ["in March 2021"], []),
    ("2021-03-05", ["5 March 2021"], []),
    *(("March 2021", [], ["March 2020"]), ("5 March 2021", [], ["March 2021"])),
    # One and a dozen are no anchors and bear numbers out.
    *(("1 dog", ["one dog"], ["no one"]), ("12 cats", ["a dozen cats"], [])),
    *(("7/10", ["7 out of 10"], []), ("two-thirds", ["2/3"], ["2 of 5"])),
)
def test_a_number_or_date_is_borne_out_by_its_equal(text, equal, others):
    for context in (*equal, *others):
        assert list(borne_out(text, "nothing", context).values()) == [context in equal], context


CLAIM = "Acme released the Pear phone"


TOGETHER = [
    *("Acme released the Pear phone.", "The Pear phone was released by ACME."),
    *("The phone, called Pear, is Acme's.", f"acme {'x' * 298} pear phone"),
    *(f"pear phone {'x' * 298} acme", f"Pear phone. {'y ' * 400}Acme and its\n\nPear\tphone"),
]


def test_subject_and_object_near_each_other_in_one_context_bear_a_claim_out():
    apart = [
        *("", "Globex released the Pear phone.", "Acme released a phone."),
        *("Acme released Pears and phones.", "Acmes released the Pear phone"),
        *(f"acme {'x' * 299} pear phone", f"pear phone {'x' * 299} acme"),
        "Acme makes a pear. " + "y " * 100 + "It has a phone.",
    ]
    for context in (*TOGETHER, *apart):
        assert borne_out(CLAIM, context) == {CLAIM: context in TOGETHER}, context
    assert borne_out(CLAIM, "Acme", "The Pear phone") == {CLAIM: False}


def test_support_names_the_first_context_and_quotes_it_verbatim():
    contexts = ["nothing", "İn 2020, ACME  made the\nPear Phone", "Acme Pear phone"]
    (claim,) = claims(CLAIM)
    found = support(claim, ground(*contexts))
    assert found is not None
    assert (found.context, found.text) == (1, "ACME  made the\nPear Phone")
    assert contexts[1][found.start : found.end] == found.text


PEARS = [*(f"Context {at} is about pears." for at in range(2_000)), "Acme Pear phone in 2021"]
PADDING = "Nothing else is said here. " * 400


@cases(
    ("one dog and a dozen cats", [""], []),
    ("7 out of 10", ["7/10"], [True, True]),  # a fraction offers its two numbers
    ("Acme bought Café Noir", ["ACME owns Cafe\u0301 Noir"], [True]),
    # The rules read `A` as an article, so that only the full stop is left as the object.
    ("Acme sold A.", ["Acme sold it."], [False]),
    ("Acme Tools bought Initech.", ["Acme Tools owns Initech."], [True]),
    ("Acme Tools bought Initech.", [PADDING + "Acme Tools owns Initech."], [True]),
    ("Acme Tools bought Initech.", [PADDING + "Acme and Tool own Initech."], [False]),
    ("Acme bought Initech for $5 in 2021", [], [False, False, False]),
    (f"{CLAIM} in 2021", PEARS, [True, True]),
    ids=range(9),
)
def test_what_bears_the_anchors_of_a_text_out(text, contexts, found):
    assert list(borne_out(text, *contexts).values()) == found


TRICKY = [
    *("Acme", " sold ", "the ", "Pear", ". ", "in 2021", " $5 ", " is a ", " and ", "\u0301", "İ"),
    *("5%", "may "),
]


@given(st.lists(st.sampled_from(TRICKY), max_size=14).map("".join) | st.text(max_size=80))
def test_a_text_of_tricky_pieces_bears_out_its_own_anchors(text: str):
    found = embedded_anchors(text, quantities(text), dates(text))
    there = ground(text)
    for anchor in found:
        given_by = support(anchor, there)
        assert text[anchor.start : anchor.end] == anchor.text
        assert given_by is not None
        assert given_by.text == text[given_by.start : given_by.end]


SHORT = "Dr Mr Mrs Ms St Prof Jr Sr Inc Co Corp Ltd No vs Gen Sen Rep Lt Mt J A"


def test_no_sentence_ends_after_an_abbreviation():
    """So `Perhaps` still hedges what follows it."""
    for short in SHORT.split():
        assert claims(f"Perhaps the {short}. Lee bought Acme.") == ()
        assert claims(f"{short}. Lee may find that Acme bought Initech.") == ()


def test_a_sentence_ends_after_other_words():
    for word in ("dog", "often", "2003", "DR2", "5%", "prof", "é"):
        (claim,) = claims(f"Perhaps the {word}. Lee bought Acme.")
        assert claim.text == "Lee bought Acme"


VOCABULARY = st.sampled_from(["fee", "may", "due", "x" * 60, "é"])
TEXTS = st.lists(VOCABULARY, min_size=1, max_size=30).map(" ".join)


def plain_spans(text: str, phrase: list[str]) -> list[tuple[int, int]]:
    """For each place of the rarest word the nearest one of each word, if they are close together."""
    places = [list(Passage(text, words_of(text)).places(word)) for word in phrase]
    if len(places) == 1 or not all(places):
        return places[0] if all(places) else []
    found = []
    for at, _ in min(places, key=len):
        near = [min(each, key=lambda place: (abs(place[0] - at), place[0])) for each in places]
        starts = [start for start, _ in near]
        if max(starts) - at <= SPREAD and at - min(starts) <= SPREAD:
            found.append((min(starts), max(end for _, end in near)))
    return sorted(found)


@given(TEXTS, st.lists(VOCABULARY, min_size=1, max_size=3))
def test_spans_are_found_in_order_and_none_is_lost(text, phrase):
    assert list(Passage(text, words_of(text)).spans(phrase)) == plain_spans(text, phrase)


def test_many_claims_of_the_words_of_a_long_context_take_linear_time(assert_linear_time):
    pairs = list(product(["John", "Mary", "fee", "bank", "May"], ["high", "due", "small", "late"]))

    def text_of(n: int) -> str:
        claims = (pairs[at * 7 % 20] + pairs[at * 3 % 20] for at in range(n))
        return " ".join(f"The {a} {c} is {b} {d}." for a, b, c, d in claims)

    assert_linear_time(
        lambda text: rg.score("hallucination", answer=text, contexts=[text]), text_of, 1_000
    )
