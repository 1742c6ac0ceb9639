"""What an answer states of a reference: words, numbers, dates, and what contradicts them."""

from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.references.match import alternatives, match_reference


def found(question: str | None, reference: str, answer: str) -> dict[str, str]:
    """How the answer states each wanted word of the reference."""
    match = match_reference(question, reference, answer)
    return {word.text: word.how for word in match.wanted}


NOVEMBER = ("9", "november", "1989")


@cases(
    ("Who wrote Emma?", "Jane Austen", "Miss Austen", {"jane": "", "austen": "exact"}),
    # The question has "river", so that the answer need not repeat it.
    ("Which river?", "the river Elbe", "the Elbe", {"elbe": "exact"}),
    # All words are in the question: all are wanted.
    ("Red or blue?", "red", "It is red", {"red": "exact"}),
    (None, "Red wine", "a red one", {"red": "exact", "wine": ""}),
    # One stem; accents; spelling of long words only, with the same first letter.
    ("What?", "two walks", "he walked twice", {"two": "", "walks": "exact"}),
    ("Who?", "Dvořák", "Dvorak", {"dvořák": "exact"}),
    ("Who?", "Tchaikovsky", "Tchaikowsky", {"tchaikovsky": "spelling"}),
    ("Where?", "Iran", "Iraq", {"iran": ""}),
    ("Who?", "Meyer", "Beyer", {"meyer": ""}),
    # Numbers in another form, and as ordinals.
    ("Capex (in USD millions)?", "1577", "$1.577 billion", {"1577": "number"}),
    ("How many?", "5", "It has 15", {"5": "other"}),
    # Names that are function words elsewhere.
    ("How much?", "5. Its cost was 5.", "5", {"cost": "", "5": "exact"}),
    # An A that is no article.
    ("Which grade?", "A", "B", {"a": ""}),
    ("Which book?", "A Tale of Cities", "Tale of Cities", {"tale": "exact", "cities": "exact"}),
    # Fiscal years in one word or two.
    # Dates in another form, and a year of the century.
    ("Why?", "sales of FY2021", "sales in FY 2021", {"sales": "exact", "fy2021": "exact"}),
    ("Why?", "FY 2021", "in FY2021", {"fy": "exact", "2021": "exact"}),
    ("Who?", "Earle Hyman", "It was Earle Hyman12.", {"earle": "exact", "hyman": "exact"}),
    (
        "Who?",
        "Luke Bryan",
        "It was starLuke Bryan in 2017.",
        {"luke": "exact", "bryan": "exact"},
    ),
    ("What?", "iPhone", "An iPhone1.", {"iphone": "exact"}),
    ("Which vitamin?", "Vitamin A", "It is vitamin A.", {"a": "exact"}),
    ("Which vitamin?", "Vitamin A", "A vitamin", {"a": ""}),
    ("When?", "9 November 1989", "9.11.1989", dict.fromkeys(NOVEMBER, "number")),
    ("When?", "9 November 1989", "8.11.1989", dict.fromkeys(NOVEMBER, "other")),
    ("Which century?", "12th century", "It was built in 1163.", {"12th": "number"}),
    # Footnotes and lost spaces.
    ("Who sang it?", "Beatles", "sung byThe Beatles", {"beatles": "exact"}),
)
def test_the_words_that_the_question_lacks_are_looked_for(question, reference, answer, words):
    assert found(question, reference, answer) == words


CAPEX = "Capex (in USD millions)?"


@cases(
    (CAPEX, "Jane Austen", ["It is by Jane Austen."], ["Austen, Jane"]),
    (CAPEX, "the Beatles", ["Beatles"], []),
    (CAPEX, "Once Upon a Time", ["Once Upon A Time"], []),
    (CAPEX, "prize", ["He won a prize."], []),
    *((CAPEX, "5", [], ["15"]), (CAPEX, "1577", [], ["$1.577 billion"])),
    (CAPEX, "the", ["the"], []),
    (CAPEX, "vitamin deficiency", [], ["vitamin A deficiency"]),
    ("What was the growth?", "3.4%", ["It grew by 3.4%."], ["Revenue fell by 3.4%."]),
)
def test_contained_word_for_word_apart_from_articles(question, reference, containing, others):
    for answer in (*containing, *others):
        match = match_reference(question, reference, answer)
        assert match.is_contained == (answer in containing), answer


@cases(
    *(("1577", "$1.577 billion", True), ("1577", "$1577", True), ("1577", "$604", False)),
    ("1577 cars", "1.577 thousand", False),
    ("", "", False),
)
def test_a_reference_of_numbers_only_may_be_stated_in_another_form(
    reference, answer, is_in_numbers
):
    assert match_reference(CAPEX, reference, answer).is_in_numbers == is_in_numbers


@cases(
    ("When?", "July 2, 1776", "On July 4, 1776.", ("July 4, 1776", "July 2, 1776")),
    ("When?", "July 2, 1776", "In July 1776.", None),
    ("When?", "March 2020", "It opened on 5 March 2020.", None),
    ("When in 2019?", "May 2019", "The plan is of 3 June 2019.", ("3 June 2019", "May 2019")),
    ("Did it?", "Yes, it did.", "No. It fell.", ("no", "yes")),
    ("Did it?", "No", "no, never", None),
    ("Did it?", "Yes", "It did", None),
    ("Which?", "No. 5", "Yes", None),
    ("How many?", "604", "It costs $293.", ("$293", "604")),
    ("How many of 293?", "604", "Of the 293, a few.", None),
    ("How many?", "604", "It is 604, not 293.", None),
    # A number contradicts only one of its kind; one without a unit may be of any kind.
    ("Which share?", "90% of sales", "Sales were $3.1 billion.", None),
    ("Which share?", "90% of sales", "See note 11.", None),
    ("Which share?", "90% of sales", "Of $3 billion 80%, see note 11.", ("80%", "90%")),
    ("The fee?", "$5", "It is €6.", ("€6", "$5")),
    ("How many?", "5", "It is 6%.", ("6%", "5")),
    # A date of the question contradicts nothing.
    ("The profit in 2022?", "More than in 2021", "In 2022 it rose.", None),
    ("The profit in 2022?", "More than in 2021", "More than in 2019.", ("2019", "2021")),
    ("The growth?", "3.4%", "It fell 3.4%.", ("3.4% with the other sign", "3.4%")),
)
def test_another_number_date_or_word_contradicts(question, reference, answer, contradiction):
    assert match_reference(question, reference, answer).contradiction == contradiction


@cases(
    ("George Orwell/Eric Blair", ["George Orwell", "Eric Blair"]),
    ("July 2, 1776/1776", ["July 2, 1776", "1776"]),
    ("George Orwell / George Orwell", ["George Orwell"]),
    *((whole, []) for whole in ("AC/DC", "and/or", "km/h", "1/2", "3/5/2021", "he/she", "Jim")),
    *((whole, []) for whole in ("", "https://example.org/Page", "A" * 300 + "/" + "B" * 300)),
)
def test_names_with_slashes_between_them_are_alternatives(reference, names):
    assert alternatives(reference) == (reference, *names)


TEXTS = st.text(alphabet=st.sampled_from("ab Z1,.5é/$%-'\n東\u0301") | st.characters(), max_size=60)


@given(TEXTS, TEXTS, TEXTS)
def test_any_texts_are_compared(question, reference, answer):
    match = match_reference(question, reference, answer)
    assert 0 <= match.n_new_shared <= match.n_new
    for word in match.words:
        assert reference[word.start : word.end].lower() == word.text or not word.text.isascii()
        assert 0 <= word.credit <= 1
    assert alternatives(reference)[0] == reference


@given(TEXTS)
def test_a_text_states_all_words_of_itself(text):
    match = match_reference("", text, text)
    words = [word for word in match.words if word.text.isalpha() and word.text != "a"]  # an article
    assert all(word.credit == 1 for word in words)
    assert match.contradiction is None


@cases(
    ("Who wrote Emma?", "It was not Jane Austen.", "not"),
    ("Who wrote Emma?", "It wasn't by Jane Austen.", "not by"),
    ("Who wrote Emma?", "Mary Shelley rather than Jane Austen.", "rather than"),
    ("Who wrote Emma?", "Not Mary Shelley, not Jane Austen.", "not"),
    ("Who wrote Emma?", "Jane Austen did not write it.", "not"),
    ("Who wrote Emma?", "Jane Austen was not alone when she wrote it.", None),
    ("Who wrote Emma?", "Jane Austen, not Mary Shelley.", None),
    ("Who wrote Emma?", "It was not only Jane Austen.", None),
    ("Who wrote Emma?", "Not Jane Austen? It was Jane Austen.", None),
    ("Who did not write Persuasion?", "It was not Jane Austen.", None),
)
def test_a_denied_reference_is_not_stated(question, answer, denied):
    match = match_reference(question, "Jane Austen", answer)
    assert match.is_contained is (denied is None)
    if denied:
        assert match.contradiction == (f"{denied} Jane Austen", "Jane Austen")
        assert {word.how for word in match.words} == {"denied"}
    else:
        assert match.contradiction is None


@cases(
    ("Why?", "revenue decreased", "Revenue fell", "meaning", set()),
    ("Why?", "revenue decreased", "Revenue rose", "", {"opposite"}),
    ("Did it increase or decrease?", "decrease", "It rose", "", {"opposite"}),
    # The question's own word is no contradiction.
    ("Why did it rise?", "costs were lower", "It rose by costs", "", set()),
    # A long text speaks of several things.
    (None, "rose", "it reduced", "", {"opposite"}),
    # An equal number that counts another thing.
    ("Cost?", "9 cents per call", "9 cents per minute", "", {"counted"}),
    ("Why?", "revenue decreased", f"Costs rose. {'It is so. ' * 9}", "", set()),
)
def test_a_word_of_the_same_direction_counts_and_an_opposite_contradicts(
    question, reference, answer, how, kinds
):
    match = match_reference(question, reference, answer)
    assert {difference.kind for difference in match.differences} == kinds
    assert match.words[-1].how == how


@cases(
    ("Is the sky green?", "No", "It is not green.", 1),
    ("Is the sky green?", "yes", "It is not green.", 0),
    ("Is it illegal?", "Yes", "It is illegal.", 1),
    ("Is it legal?", "No", "It is illegal.", 1),
    ("Did sales grow?", "No", "Sales declined.", 1),
    ("Did Rome win?", "No", "Rome was defeated.", 1),
    ("Is it green?", "Yes", "It is.", 1),
    ("Is it green?", "Yes", "It isn't; it is red.", 0),
    ("Is it green?", "Yes", "Absolutely.", 1),
    # Neither a plain yes nor a plain no; a refusal; no question for yes or no.
    ("Can I renew online?", "No", "You can only renew in person.", 0),
    ("Can I renew online?", "No", "I cannot tell whether you can renew online.", 0),
    ("What can I not renew?", "No", "You cannot renew.", 0),
)
def test_yes_and_no_in_other_words(question, reference, answer, credit):
    match = match_reference(question, reference, answer)
    assert [word.credit for word in match.words] == [credit]
    assert match.is_in_other_words is bool(credit)


def test_a_no_that_restates_the_question_may_be_said_in_other_words():
    match = match_reference("Can penguins fly?", "No, penguins cannot fly.", "They can't.")
    assert [(word.text, word.credit) for word in match.words] == [("penguins", 1), ("fly", 1)]
    match = match_reference("Can penguins fly?", "No, penguins cannot fly.", "They can.")
    assert match.contradiction == ("yes", "no")


PIECES = (
    "rose fell reDuced loWer upTo not never rather than isn't A a U.S. USA JFK John F. Kennedy Jane Austen yes No is "
    "the 5 $5 5% 10days July 4, 1776 FY2021 fy ? . 東京 é forbidden allowed"
)
TEXTS = st.lists(st.sampled_from(PIECES.split()), max_size=8).map(" ".join)


@given(st.none() | TEXTS.map("Is it {}?".format) | TEXTS, TEXTS, TEXTS)
def test_any_words_are_compared(question, reference, answer):
    match = match_reference(question, reference, answer)
    assert all(0 <= word.credit <= 1 for word in match.words)


@cases(
    *(
        (unit, 5_000, "Who wrote it?", "Jane Austen", "{text}")
        for unit in ("not Jane Austen", "a vitamin A", "Jane", "rose fell", "isn't a")
    ),
    *(
        (unit, 4_000, "Why?", *texts)
        for unit in ("word{at} Of{at}", "same", "{at}.5 km")
        for texts in [("{start} no", "{text}"), ("{text}", "{start}")]
    ),
    ("expected{at}", 600, "Why?", "{text}", "{other_words}"),
    *(
        (form, 400, "{other_dates}", "{other_days}", "{text}")
        for form in ("on 2 May 1{at:03},", "in 1{at:03},", "1{at:03}-03-04,", "3/4/1{at:03},")
    ),
)
def test_long_texts_take_linear_time(unit, n, question, reference, answer, assert_linear_time):
    def work(text: str) -> None:
        made = {
            "text": text,
            "start": text[:400],
            "other_words": text.replace("expected", "explained"),
            "other_days": text.replace("2 May", "9 May"),
            "other_dates": text.replace("1", "3").replace("2 May", "5 May"),
        }
        match_reference(*(each.format(**made) for each in (question, reference, answer)))

    assert_linear_time(work, lambda n: " ".join(unit.format(at=at) for at in range(n)), n)


def test_shared_words_are_distinct_and_not_of_the_question():
    match = match_reference("Who wrote Emma?", "Jane Austen", "Austen wrote Emma, Austen and Sand.")
    assert (match.n_new, match.n_new_shared) == (2, 1)
