import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.features.refusals import refusals
from ragauge.language.refusals.polarity import Rule, rules
from ragauge.language.refusals.refusals import READ_AT_EACH_END, find_refusals, uncertainty_phrases

REFUSALS = (
    "With revenue of $5 million and costs of $4 million, the margin is 20%. These figures are made up.",
    "The abbreviation is used twice but never spelled out.",
    "The minutes leave the price to the imagination.",
    "The brakes are made by Denholm. On the wheels, your guess is as good as mine.",
    "The exact day eludes me.",
    "The chart is out of my sight.",
    "Digital goods are dealt with in a policy that you haven't shared.",
    "The second schedule didn't make it into the file.",
    "The context does not provide the capital expenditure of Orbex for 2020.",
    "The provided context does not mention anything about acquisitions.",
    "The information provided in the filing does not contain a figure for debt.",
    "The 10-K excerpt doesn't break out revenue by region.",
    "The passage doesn’t say who built the bridge.",
    "I apologize, but the search results do not contain information about the recall.",
    "While the filing discusses revenue in detail, it does not provide a breakdown.",
    "The documents provided lack the information needed to answer.",
    "I'm sorry, but the text has been cut off. Please provide the rest.",
    "The context is insufficient to answer the question.",
    "The provided documents are not relevant to the question.",
    "The given data doesn't allow us to compute the ratio.",
    "**Answer:** The context does not contain this information.",
    "Nothing in the passage says who built the bridge.",
    "None of the documents mention the price.",
    "Neither the report nor its notes state the figure.",
    "Orbex does not explicitly state whether the plant is its own.",
    "Orbex did not disclose its headcount in this report.",
    "The fee is not mentioned.",
    "It is not mentioned who wrote the letter.",
    "It does not say.",
    "The exact fee is not specified in the provided text.",
    "Orbex's revenue for 2015 isn't disclosed in the filing.",
    "Not stated in the document.",
    "The data is not available.",
    "The answer is not in the context.",
    "That information is outside the scope of the provided documents.",
    "There is no information about Orbex's dividend in the context.",
    "Unfortunately, there's no mention of the author in these pages.",
    "After reviewing the excerpts, I found no mention of a merger.",
    "There isn't any information about the launch.",
    "No relevant information found.",
    "No information about the fee is given in the contract.",
    "Based on the provided context, it is not possible to determine the debt of Orbex.",
    "It's impossible to tell from the passage which engine was used.",
    "This question can't be answered with the available information.",
    "No conclusion can be drawn from the given text.",
    "This question is unanswerable from the given text.",
    "I cannot answer this.",
    "Based on the provided context, I am unable to determine the total.",
    "I'm sorry, but I can't assist with that.",
    "Sorry, but as an artificial intelligence I cannot browse the internet.",
    "We cannot tell from the table how many were sold.",
    "Unable to determine.",
    "There is not enough information in the text to answer the question.",
    "There is insufficient evidence in the passage to say who won.",
    "Unfortunately I do not have enough information to calculate the ratio.",
    "As an AI, I don't have access to live figures. Please check the annual report.",
    "I have no information about that event.",
    "I haven't been provided with the relevant filing.",
    "As of my last update, I do not have data on this company.",
    "I could not find any mention of a spin-off in the report.",
    "I'm sorry, but I couldn't find the air date of that episode.",
    "I do not see that in the text.",
    "I don't know.",
    "I don’t know.",
    "i dont know",
    "Honestly, I do not know the answer to that.",
    "I'm sorry, but I'm not sure who you mean.",
    "I am not aware of any person by that name.",
    "It is unclear from the passage when the ship sailed.",
    "It is not known who wrote it.",
    "The answer to this question is not known.",
    "I must decline to answer that.",
    "I'm not comfortable answering that.",
    "Sales were $5. The rest is missing, and I do not want to guess.",
    "Any number would be a guess.",
    "It would be pure speculation to name a winner.",
    "I have nothing to offer on that.",
    "I'm missing the second page.",
    "I must leave this question open.",
    "The margin stays uncomputable.",
    "I am stuck here.",
    "I can't be more specific.",
    "So: no answer.",
    "It's anybody's guess.",
    "I would be making up a date.",
    "Overtime isn't dealt with in the handbook.",
    "The leaflet describes the coating. The weight wasn't touched on.",
    "The memo is on travel. Not a word about per diems.",
    "The author's name isn't shown.",
    "The page is about fees. Fines aren't among them.",
    "No date is given for the launch.",
    "The entry gives the height; the width is missing.",
    "The excerpt is about a different company.",
    "There are two people of that name. Which one do you mean?",
    "It depends on who you are asking about.",
    "Could you please provide the financial statements for 2021?",
    "I would need more information to answer this question.",
    "Additional details are needed.",
    "N/A",
    "n/a.",
    "null",
    "Unknown",
    "(unknown)",
    "-",
    "...",
    "Not mentioned.",
    "No answer.",
    "Not enough information.",
    "Final answer: not sure",
    "Information not found.",
    "Ich weiß es nicht.",
    "Das weiß ich leider nicht.",
    "Je ne sais pas.",
    "No lo sé.",
    "Non lo so.",
    "Não sei.",
    "Не знаю.",
    "我不知道。",
    "Dazu finde ich in den Unterlagen keine Angaben.",
    "わかりません。",
    "모르겠습니다.",
    "",
    " \n\t\u3000",
)

ANSWERS = (
    # Names and titles, made of the words of refusing.
    "The Unknown Soldier",
    "The Tomb of the Unknown Soldier",
    "Unknown Mortal Orchestra",
    "None",
    "Nobody knows",
    "No Doubt",
    "No Country for Old Men",
    "Null Island",
    "Not Fade Away",
    "I Don't Know How to Love Him",
    "The Information",
    "Nothing Compares 2 U",
    "Incomplete dominance",
    "NA",
    # Short answers.
    "No",
    "No one",
    "Not until 1945.",
    "0",
    "Neither",
    "I think it is Paris, but I'm not sure.",
    "It might be 12, though I can't confirm it.",
    "Paris (the text doesn't mention the quarter).",
    "The answer is 42; the text does not say why.",
    "i'm not sure but i know that it was printed in 42 languages.",
    # Somebody else does not know, cannot, or is quoted.
    'She said "I don\'t know" and left the stage.',
    "She said “I cannot answer that” and left the stage.",
    "He said he did not know the answer to the question.",
    "He could not find a publisher and printed the book himself.",
    "The captain was unable to steer the ship, and it sank.",
    "Unable to find work, he emigrated to Chile.",
    "The company cannot provide refunds after 30 days.",
    "You cannot view the file without the password.",
    # A negative answer is an answer.
    "No, the filing does not mention any acquisition.",
    "Based on the information provided in the filing, Orbex does not have any long-term debt.",
    "The company does not provide dental insurance to part-time staff.",
    "The clause does not cover flood damage.",
    "The policy does not cover flood damage.",
    "The report found no evidence of fraud.",
    "The data do not support the claim.",
    "The report does not show that sales rose.",
    "The text was not written by Homer.",
    "The body was never identified.",
    "The ship could not be located for 73 years.",
    "Energy cannot be created or destroyed.",
    "There is no cure for it.",
    "Nothing in the Constitution forbids it, so states may do it.",
    "Lack of information led the pilots to turn back.",
    "No information was released by the government until May 1986.",
    "If the document does not provide a date, the date of signing counts.",
)


def refuses(answer: str, question: str | None = None) -> bool:
    return any(found.decides for found in find_refusals(answer, question))


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: f"{rule.kind}, {rule.counts}")
def test_the_example_of_a_row_refuses_by_its_kind(rule: Rule):
    question = "What are the vitamins?" if rule.counts == "if asked for" else None
    found = find_refusals(rule.example, question)

    assert rule.kind in [match.rule for match in found if match.decides]


@pytest.mark.parametrize("answer", REFUSALS)
def test_a_refusal_is_found(answer: str):
    assert refuses(answer)


def labelled(name: str) -> list[tuple[bool, str, str | None]]:
    """Whether each text of a file refuses, the text, and its question if it has one."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8").rstrip("\n")
    if name.endswith(".jsonl"):
        rows = [json.loads(line) for line in text.split("\n")]
        return [(row["refuses"], row["answer"], row["question"]) for row in rows]
    parts = [part.split("\n", 1) for part in text.split("\n---\n")[1:]]
    return [(heading.startswith("refuses: "), answer, None) for heading, answer in parts]


@pytest.mark.parametrize(
    ("name", "n", "recall", "precision"),
    [
        ("plain_refusals.jsonl", 180, 0.97, 0.98),
        ("held_out_refusals.txt", 184, 0.9, 0.96),
        ("held_out_refusals_2.txt", 99, 0.8, 0.95),
        ("held_out_refusals_3.txt", 60, 0.96, 0.99),
        # Rare wordings, idioms and answers that tempt, written to be hard.
        ("held_out_refusals_4.txt", 139, 0.8, 0.98),
        ("assistant_refusals.jsonl", 412, 0.77, 0.95),
        ("answers_with_caveats.jsonl", 281, 0.8, 0.93),
        ("refusals_of_many_models.jsonl", 165, 0.69, 0.92),
        ("asked_refusals.jsonl", 200, 0.34, 0.88),
        # The first run on the last 100, before their misses led to changes: recall .94, precision .98.
        ("refusals_in_five_languages.jsonl", 280, 0.99, 0.99),
    ],
)
def test_most_labelled_refusals_are_found_and_few_else(
    name: str, n: int, recall: float, precision: float
):
    found = [(label, refuses(answer, question)) for label, answer, question in labelled(name)]
    hits = found.count((True, True))

    assert len(found) == n
    assert hits / sum(label for label, _ in found) >= recall
    assert hits / sum(is_found for _, is_found in found) >= precision


@pytest.mark.parametrize(("name", "share"), [("refusing.txt", 0.96), ("answering.txt", 0.98)])
def test_most_short_texts_are_read_as_their_writer_meant_them(name: str, share: float):
    text = Path(__file__).with_name(name).read_text(encoding="utf-8").rstrip("\n")
    right = [refuses(answer) == (name == "refusing.txt") for answer in text.split("\n---\n")]

    assert sum(right) / len(right) >= share


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_in_the_words_of_refusing_is_an_answer(answer: str):
    assert not refuses(answer)


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("I do not know. It is long ago.", "opening"),
        (
            "Sales were $5. Costs are not given. Therefore, the margin cannot be determined.",
            "close",
        ),
        ("Sales = $5\nCosts = ?\nMargin = N/A", "last line"),
        ("N/A", "whole answer"),
    ],
)
def test_a_refusal_names_its_place_and_its_sentence(answer: str, place: str):
    deciding = [found for found in refusals(answer) if found.decides]

    assert {found.place for found in deciding} == {place}
    assert all(found.words in found.sentence and found.sentence in answer for found in deciding)


@pytest.mark.parametrize(
    "example",
    [
        "As an example, suppose sales were $50. A margin of 10% would be $5.",
        "Let's assume a cost of $40. The margin is $10.",
        "Take the cost, say $40. Subtract it from $50: $10.",
        "Here is how you would do it: $50 - $40 = $10.",
    ],
)
def test_the_figures_of_a_made_up_example_answer_only_after_a_return_to_facts(example: str):
    refusal = "I do not have access to the report. "

    assert refuses(refusal + example)
    assert not refuses(refusal + example + " However, according to the press, it was $12.")


SOURCES = ("handbook", "manual", "article", "database", "transcript", "FAQ", "policy", "contract")
SAYING = ("say", "state", "mention", "specify", "indicate", "address", "disclose", "explain")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("verb", SAYING)
def test_any_source_that_does_not_say_refuses(source: str, verb: str):
    assert refuses(f"The {source} does not {verb} when the hall opens.")
    assert refuses(f"Neither {source} {verb}s the opening hours.")
    assert not refuses(f"The {source} does not {verb} the hours, but it is open until 6.")
    assert not refuses(f"No, the {source} does not {verb} a fee.")


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_not_in_any_source_is_not_answered(source: str):
    assert refuses(f"The opening hours are not stated in the {source}.")
    assert refuses(f"That isn't addressed anywhere in the {source}.")
    assert refuses(f"Nothing in the {source} mentions it.")
    assert refuses(f"The {source} has no mention of it.")


def test_terms_and_works_refuse_by_what_they_do_not_say_and_not_by_what_they_are():
    assert refuses("The policy does not say whether minors are covered.")
    assert not refuses("The policy does not cover minors.")
    assert refuses("The guide does not cover Norway.")
    assert not refuses("Frost damage is not covered by the policy.")


def test_a_general_remark_after_a_turn_does_not_answer_and_a_figure_in_it_does():
    refusal = "I do not have access to the filing. "

    assert refuses(refusal + "However, in general, margins depend on the trade.")
    assert not refuses(refusal + "However, in general, margins in this trade are 12%.")
    assert refuses(refusal + "However, one measure would be the return on assets.")
    assert not refuses(refusal + "However, Ada Lind founded the company.")


@pytest.mark.parametrize(
    ("answer", "overruled_by"),
    [
        (
            "The document does not state the total. However, the parts add up to 40.",
            "However, the parts add up to 40.",
        ),
        (
            "The document does not state the total, but it is $5.",
            "The document does not state the total, but it is $5.",
        ),
        (
            "Although the document does not give the total, the parts add up to 40.",
            "Although the document does not give the total, the parts add up to 40.",
        ),
        (
            "As an AI, I do not have access to live data. I can tell you that Oslo is the capital.",
            "I can tell you that Oslo is the capital.",
        ),
        (
            "The filing does not give the margin directly. Income was $4 and sales were $10. "
            "The margin = 0.4",
            "Income was $4 and sales were $10.",
        ),
        (
            "I cannot provide live data. To my knowledge, the mayor is Ada Lind.",
            "To my knowledge, the mayor is Ada Lind.",
        ),
    ],
)
def test_an_answer_all_the_same_overrules_the_refusal_and_is_quoted(answer: str, overruled_by: str):
    found = refusals(answer)

    assert found
    assert [(each.decides, each.overruled_by) for each in found] == [
        (False, overruled_by) for _ in found
    ]


@pytest.mark.parametrize(
    "answer",
    [
        # Advice, a formula, and a made-up case do not answer.
        "I do not have access to filings. However, you can find them on the company's website.",
        "I do not have access to filings. The margin is income divided by sales, times 100%. "
        "If you can provide both, I can help.",
        "The filing does not give the margin. For example, income of $1 on sales of $10 is 10%.",
        "It is not possible to determine the margin, as sales are not given. It is important to "
        "note that margins in this trade are thin.",
        # It refuses again.
        "I cannot give live data. However, the question cannot be answered from memory either.",
        "The text does not give the margin. However, income is $4. Without sales, the margin "
        "cannot be calculated.",
    ],
)
def test_a_turn_that_does_not_answer_overrules_nothing(answer: str):
    assert refuses(answer)


@pytest.mark.parametrize(
    ("clause", "answers"),
    [
        ("The premium is $604", True),
        ("Paris is the capital", True),
        ("Tove Brandt", True),
        ("According to the letter, notice is 30 days", True),
        ("I believe it was Kepler", True),
        ("There are 4 plants", True),
        ("The claim should be filed within 60 days", True),
        # On the source, the asking, the asker, or a need.
        ("The document discusses revenue of $5 million", False),
        ("The report was published in 2021", False),
        ("Based on the letter, revenue is mentioned", False),
        ("I'd love to help", False),
        ("Sorry", False),
        ("Unfortunately", False),
        ("You asked for the fee", False),
        ("That is a good question", False),
        ("The ratio requires both", False),
        ("There is a fee", False),
        ("It might be so", False),
    ],
)
@pytest.mark.parametrize("turn", [", but", " but", ", although", " – however", ", while"])
def test_a_clause_before_the_refusal_answers_if_it_is_on_the_world(
    clause: str, turn: str, answers: bool
):
    assert refuses(f"{clause}{turn} the context does not provide the date.") != answers


def test_only_a_figure_before_but_answers_what_cannot_be_determined():
    assert refuses("Both teams scored, but it cannot be determined who won.")
    assert not refuses("They had 61 % of the ball, but it cannot be determined who won.")


def test_a_turn_inside_the_refusal_comes_after_no_answer():
    assert refuses("The exact fee, however, is not specified in the text.")
    assert refuses("Sales, while strong, are not specified in the text.")
    assert refuses("The document discusses sales, but does not provide the date.")


def test_what_is_inserted_between_the_source_and_its_silence_is_skipped():
    assert refuses("The filing, dated 3 May 2021, does not provide the fee.")
    assert refuses("The filing, including its annexes, does not provide the fee.")


def test_a_number_answers_under_the_name_of_a_source_too():
    assert not refuses("The figure is about 12, but the context does not provide the date.")
    assert refuses("The figure is an old one, but the context does not provide the date.")


def test_what_would_be_needed_comes_before_the_opening():
    preamble = "To calculate the ratio, we need assets and debts. "

    assert refuses(preamble + "The excerpt does not include debts.")
    assert refuses("Sorry. Good question! " + preamble + "The excerpt does not include debts.")
    assert not refuses("Assets are 3 and debts 2. " + "The excerpt does not include leases.")


def test_figures_answer_before_a_closing_refusal_unless_it_concludes():
    close = "It cannot be determined who won. Please provide the final score."

    assert refuses("Both teams scored in the first half. " + close)
    assert not refuses("The home team had 61.5 % of the ball. " + close)
    assert refuses("The home team had 61.5 % of the ball. Therefore, i" + close[1:])
    assert refuses("The home team had 61.5 % of the ball. As the score is missing, i" + close[1:])
    assert refuses("The home team had 61.5 % of the ball. Answer: " + close)
    assert not refuses(
        "Both teams scored. It cannot be determined who was the better. The home team won."
    )


def test_an_afterthought_is_reported_but_does_not_decide():
    (found,) = refusals("Jackie Robbins. I couldn't find the name of the actress.")

    assert (found.rule, found.words) == ("not found", "I couldn't find the")
    assert (found.decides, found.overruled_by) == (False, None)


def test_a_request_decides_only_where_nothing_else_is_said():
    request = "Please provide the second report for a comparison."

    assert refuses(request)
    assert not refuses("Sales rose by a third. " + request)


def test_a_yes_or_no_first_is_an_answer_unless_it_says_that_none_can_be_given():
    assert not refuses("No, the filing does not mention any spin-off.")
    assert refuses("No, it cannot be determined from the filing.")


@pytest.mark.parametrize(
    ("gap", "needs_source"),
    [
        ("The fee isn't dealt with.", False),
        ("The price is not shown.", False),
        ("The width is missing.", True),
        ("Fines aren't among them.", True),
        ("The weight was never recorded.", True),
    ],
)
def test_a_gap_refuses_where_nothing_answers_and_most_gaps_beside_a_source(
    gap: str, needs_source: bool
):
    assert refuses(gap) != needs_source
    assert refuses(f"The leaflet describes the coating. {gap}")
    assert not refuses(f"The leaflet gives a height of 4.5 m. {gap}")
    assert not refuses(f"Ada Lind built it in Oslo. {gap}")
    assert not refuses(f"No. {gap}")


@pytest.mark.parametrize(
    "answer",
    [
        "The policy covers fire and theft. Flood is not covered.",
        "The contract lists three grounds: breach, death and sale. Strikes are not among them.",
        "The guide is only for members.",
        "The report blames the pump, not the crew.",
        "The report is about costs only.",
        "All I have to say is that the deadline is in May.",
        "The page lists opening times. The shop is not open on holidays.",
        "The poem is about loss. The speaker never names the dead. The garden stands for memory.",
    ],
)
def test_a_fact_in_the_words_of_a_gap_is_an_answer(answer: str):
    assert not refuses(answer)


def test_words_that_two_gaps_share_are_reported_once():
    (found,) = refusals("Annex B is not attached.")

    assert (found.words, found.decides, found.place) == ("is not attached", True, "whole answer")


def test_a_refusal_with_a_long_explanation_is_a_refusal():
    explanation = "The turnover ratio shows how often stock was sold and replaced in a year. "

    assert refuses("The filing does not contain the data for that. " + 30 * explanation)


def test_the_words_and_their_offsets_are_the_answers_own():
    answer = "  Sorry, but the “Annual” report doesn’t give the fee.\nI don’t know it."

    found = refusals(answer)

    assert [each.words for each in found] == ["report doesn’t give", "I don’t know it"]
    assert [answer[each.start : each.end] for each in found] == [each.words for each in found]


def test_only_the_two_ends_of_a_very_long_answer_are_read():
    refusal = "It cannot be determined. "
    filler = "A sentence that says nothing much. " * 4000  # 140,000 characters

    assert len(filler) > READ_AT_EACH_END
    assert refuses(refusal + filler)
    assert refuses(filler + refusal)
    assert refusals(filler + refusal + filler) == ()
    (found,) = refusals(filler + refusal)
    assert found.start == len(filler + "It ")


UNITS = pytest.mark.parametrize(
    "unit",
    [
        "The document does not ",
        "I cannot answer. ",
        "there is no ",
        ". ",
        " ",
        "no (",
        '"no ',
        "cannot really ",
        "not\n",
        "😀 not ",
        "neither none nothing ",
        "as of my last ",
        "no record, which is not in ",
        "the report, which as of, ",
        "but ",
        "one, but the text does not say ",
        "!",
        ":a ",
        "= ",
        "so ",
        "hm ",
        "without the ",
        "Since it is not ",
        "I cannot answer. Suppose it is $5. ",
        "I cannot\n",
        "the ratio requires ",
        "there are several named ",
        "answering would be ",
        "A = B\n",
        "![](",
        "?!",
        ".[p.1]",
    ],
)


@UNITS
def test_a_long_answer_is_read_in_linear_time(unit: str, assert_linear_time):
    assert_linear_time(refusals, lambda n: unit * (n // len(unit)), 10_000)


def test_a_condition_of_many_words_takes_linear_time(assert_linear_time):
    # Of several pieces also where it is short: the first is skipped as a condition.
    unit = "unless it is not said "
    assert_linear_time(refusals, lambda n: unit * (n // len(unit)), 40_000)


@pytest.mark.parametrize("beginning", ["where are", "what did", "what is", "how"])
def test_many_spaces_between_two_words_take_linear_time(beginning: str, assert_linear_time):
    def read(text: str) -> None:
        find_refusals("The report does not say.", text)
        find_refusals(text, "What is it?")

    assert_linear_time(read, lambda n: f"I cannot say {beginning}{' ' * n}fee", 1_000)


def test_a_refusal_is_found_with_ten_spaces_between_its_words():
    answer = "I do not" + " " * 10 + "know."
    assert [match.words for match in find_refusals(answer)] == [answer[:-1]]


@pytest.mark.slow
@UNITS
def test_ten_megabytes_are_read_in_seconds(unit: str):
    answer = unit * (10_000_000 // len(unit))
    start = time.process_time()

    refusals(answer)

    assert time.process_time() - start < 20


def test_odd_characters_do_not_hide_a_refusal_or_make_one():
    assert refuses("🤷 I don't know. 🤷")
    assert refuses("\u202eI don't know.\u202c")
    assert refuses("\ud800 I don't know.")
    assert refuses("The context does\u00a0not provide\u2003the fee.")
    assert not refuses("Ｎｏ．　１２３")  # full-width "No. 123"
    assert not refuses("لا")
    assert not refuses("\ud800")
    assert not refuses("🤷")


PIECES = st.sampled_from(
    [*"İ’“”(),.;:\n", "\ud800", "However,", "the text", "does not", "say why", "I cannot", "tell"]
)


@given(st.lists(PIECES).map(" ".join) | st.text())
def test_any_text_is_read_and_every_match_is_quoted_from_it(text: str):
    for found in refusals(text):
        assert text[found.start : found.end] == found.words


@given(st.sampled_from(ANSWERS + REFUSALS[:10]), st.text(" \t\n\u3000", max_size=8))
def test_blanks_around_an_answer_change_nothing(answer: str, blanks: str):
    assert refuses(blanks + answer + blanks) == refuses(answer)


@given(st.text(alphabet="ouUNnkK/aleowir'dtysc ", max_size=14) | st.text())
def test_the_phrases_of_graphrag_follow_its_pseudo_code(answer: str):
    assert bool(uncertainty_phrases(answer)) == pseudo_code(answer)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("The Unknown Soldier", ("unknown",)),
        ("Unknown", ("unknown",)),
        ("NONE", ("none",)),
        (" nonesuch ", ("none",)),  # 8 characters once trimmed
        ("None at all", ()),  # 11 characters
        ("Nullified", ("null",)),  # 9 characters
        ("Nullifying", ()),  # 10 characters
        ("I do not know; there is no data.", ("i do not know", "no data")),
        ("I don’t know.", ()),  # the phrases have only the straight apostrophe
        ("", ()),
    ],
)
def test_the_phrases_of_graphrag_are_substrings_and_four_more_count_in_short_answers(
    answer: str, found: tuple[str, ...]
):
    assert uncertainty_phrases(answer) == found


def pseudo_code(answer: str) -> bool:
    """The rule of the suite graphrag, written out again."""
    answer_lower = answer.lower().strip()
    for phrase in [
        "i don't know",
        "i do not know",
        "unknown",
        "not sure",
        "cannot determine",
        "no information",
        "insufficient data",
        "unable to answer",
        "cannot answer",
        "don't have enough information",
        "not available",
        "no data",
    ]:
        if phrase in answer_lower:
            return True
    short = any(word in answer_lower for word in ["unknown", "n/a", "none", "null"])
    return len(answer_lower) < 10 and short
