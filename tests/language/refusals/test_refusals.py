import json
from pathlib import Path

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.features.texts import refusals
from ragauge.language.refusals.polarity import Rule, rules
from ragauge.language.refusals.refusals import READ_AT_EACH_END, find_refusals, uncertainty_phrases

REFUSALS = {
    "cannot answer": (
        "The exact day eludes me.",
        "Sorry, but as an artificial intelligence I cannot browse the internet.",
        "Sales were $5. The rest is missing, and I do not want to guess.",
    ),
    "source is silent": (
        "I apologize, but the search results do not contain information about the recall.",
        "While the filing discusses revenue in detail, it does not provide a breakdown.",
        "I'm sorry, but the text has been cut off. Please provide the rest.",
        "**Answer:** The context does not contain this information.",
    ),
    "not in the source": (
        "Neither the report nor its notes state the figure.",
        "It does not say.",
        "The data is not available.",
        "That information is outside the scope of the provided documents.",
    ),
    "not given": (
        "The second schedule didn't make it into the file.",
        "The page is about fees. Fines aren't among them.",
        "The entry gives the height; the width is missing.",
    ),
    "no information": (
        "Unfortunately, there's no mention of the author in these pages.",
        "No relevant information found.",
    ),
    "another source": ("The minutes leave the price to the imagination.",),
    "cannot be determined": ("It's impossible to tell from the passage which engine was used.",),
    "not enough": ("The context is insufficient to answer the question.",),
    "no access": (
        "As an AI, I don't have access to live figures. Please check the annual report.",
        "As of my last update, I do not have data on this company.",
    ),
    "not found": (
        "I'm sorry, but I couldn't find the air date of that episode.",
        *(
            "🤷 I couldn't find it. 🤷",
            "\u202eI couldn't find it.\u202c",
            "\ud800 I couldn't find it.",
        ),
    ),
    "does not know": (
        *("I don't know.", "I don’t know.", "i dont know"),
        "It is unclear from the passage when the ship sailed.",
    ),
    "would be a guess": (
        "The brakes are made by Denholm. On the wheels, your guess is as good as mine.",
    ),
    "made-up figures": (
        "With revenue of $5 million and costs of $4 million, the margin is 20%. These figures are made up.",
    ),
    "asks what is meant": (
        "There are two people of that name. Which one do you mean?",
        "It depends on who you are asking about.",
    ),
    "asks for more": ("Could you please provide the financial statements for 2021?",),
    "no answer": (
        *("N/A", "n/a.", "null", "(unknown)", "-", "...", "Not mentioned.", "No answer."),
        *("Not enough information.", "Final answer: not sure", "Information not found."),
    ),
    "does not know, in another language": (
        *("Das weiß ich leider nicht.", "Je ne sais pas.", "No lo sé.", "Non lo so.", "Não sei."),
        *("Не знаю.", "我不知道。", "わかりません。", "모르겠습니다."),
        "Dazu finde ich in den Unterlagen keine Angaben.",
    ),
    "empty answer": ("", " \n\t\u3000"),
}

ANSWERS = (
    # Names and titles, made of the words of refusing.
    *("The Tomb of the Unknown Soldier", "Unknown Mortal Orchestra", "None", "Nobody knows"),
    *("No Doubt", "No Country for Old Men", "Null Island", "Not Fade Away", "The Information"),
    *("I Don't Know How to Love Him", "Nothing Compares 2 U", "Incomplete dominance", "NA"),
    # Short answers.
    *("No", "No one", "Not until 1945.", "0", "Neither", "Ｎｏ．　１２３", "لا", "\ud800", "🤷"),
    "I think it is Paris, but I'm not sure.",
    "It might be 12, though I can't confirm it.",
    "Paris (the text doesn't mention the quarter).",
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
    # A fact in the words of a gap.
    "The policy covers fire and theft. Flood is not covered.",
    "The contract lists three grounds: breach, death and sale. Strikes are not among them.",
    "The guide is only for members.",
    "The report blames the pump, not the crew.",
    "The report is about costs only.",
    "All I have to say is that the deadline is in May.",
    "The page lists opening times. The shop is not open on holidays.",
    "The poem is about loss. The speaker never names the dead. The garden stands for memory.",
)


def refuses(answer: str, question: str | None = None) -> bool:
    return any(found.decides for found in find_refusals(answer, question))


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: f"{rule.kind}, {rule.counts}")
def test_the_example_of_a_row_refuses_by_its_kind(rule: Rule):
    question = "What are the vitamins?" if rule.counts == "if asked for" else None
    found = find_refusals(rule.example, question)

    assert rule.kind in [match.rule for match in found if match.decides]


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_is_found_with_its_kind(kind: str):
    for answer in REFUSALS[kind]:
        assert kind in {found.rule for found in find_refusals(answer) if found.decides}, answer


def labelled(name: str) -> list[tuple[bool, str, str | None]]:
    """Whether each text of a file refuses, the text, and its question if it has one."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8").rstrip("\n")
    if name.endswith(".jsonl"):
        rows = [json.loads(line) for line in text.split("\n")]
        return [(row["refuses"], row["answer"], row["question"]) for row in rows]
    parts = [part.split("\n", 1) for part in text.split("\n---\n")[1:]]
    return [(heading.startswith("refuses: "), answer, None) for heading, answer in parts]


@cases(
    ("plain_refusals.jsonl", 180, 90, 88, 1),
    ("held_out_refusals.txt", 184, 88, 81, 3),
    ("held_out_refusals_2.txt", 99, 51, 42, 2),
    ("held_out_refusals_3.txt", 60, 30, 29, 0),
    # Rare wordings, idioms and answers that tempt, written to be hard.
    ("held_out_refusals_4.txt", 139, 68, 55, 1),
    ("assistant_refusals.jsonl", 412, 207, 170, 8),
    ("answers_with_caveats.jsonl", 281, 134, 109, 8),
    ("refusals_of_many_models.jsonl", 165, 94, 69, 5),
    ("asked_refusals.jsonl", 200, 100, 39, 4),
    # The first run on the last 100, before their misses led to changes: recall .94, precision .98.
    ("refusals_in_five_languages.jsonl", 296, 153, 153, 1),
    # 79 and 4 before the rule "says nothing else"; 92 of these rows were seen while it was written.
    ("everyday_refusals.jsonl", 156, 100, 88, 2),
)
def test_most_labelled_refusals_are_found_and_few_else(name, n, n_refusing, hits, mistaken):
    found = [(label, refuses(answer, question)) for label, answer, question in labelled(name)]

    assert (len(found), sum(label for label, _ in found)) == (n, n_refusing)
    assert found.count((True, True)) >= hits
    assert found.count((False, True)) <= mistaken


@pytest.mark.parametrize(("name", "n", "right"), [("refusing", 273, 265), ("answering", 282, 278)])
def test_most_short_texts_are_read_as_their_writer_meant_them(name: str, n: int, right: int):
    text = Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")
    found = [refuses(answer) for answer in text.split("\n---\n")]

    assert len(found) == n
    assert found.count(name == "refusing") >= right


def test_an_answer_in_the_words_of_refusing_is_an_answer():
    assert [answer for answer in ANSWERS if refuses(answer)] == []


@cases(
    ("I do not know. It is long ago.", [("I do not know", "opening", True)]),
    (
        "Sales were $5. Costs are not given. Therefore, the margin cannot be determined.",
        [
            ("Costs are not given.", None, False),
            ("cannot be determined", "close", True),
        ],
    ),
    ("Sales = $5\nCosts = ?\nMargin = N/A", [("Margin = N/A", "last line", True)]),
    ("N/A", [("N/A", "whole answer", True)]),
    # An afterthought is reported but does not decide.
    ("Jackie Robbins. I couldn't find the name.", [("I couldn't find the", None, False)]),
    # Words that two gaps share are reported once.
    ("Annex B is not attached.", [("is not attached", "whole answer", True)]),
    (
        "  Sorry, but the “Annual” report doesn’t give the fee.\nI don’t know it.",
        [("report doesn’t give", "opening", True), ("I don’t know it", None, False)],
    ),
    (f"I do not{' ' * 10}know.", [(f"I do not{' ' * 10}know", "opening", True)]),
)
def test_a_refusal_is_quoted_from_the_answer_with_its_place(answer: str, found):
    matches = refusals(answer)

    assert [(each.words, each.place, each.decides) for each in matches] == found
    assert [answer[each.start : each.end] for each in matches] == [each.words for each in matches]
    assert all(each.words in each.sentence and each.sentence in answer for each in matches)
    assert [each.overruled_by for each in matches] == [None] * len(matches)


def test_the_figures_of_a_made_up_example_answer_only_after_a_return_to_facts():
    for example in (
        "As an example, suppose sales were $50. A margin of 10% would be $5.",
        "Let's assume a cost of $40. The margin is $10.",
        "Take the cost, say $40. Subtract it from $50: $10.",
        "Here is how you would do it: $50 - $40 = $10.",
    ):
        refusal = f"I do not have access to the report. {example}"
        assert refuses(refusal)
        assert not refuses(f"{refusal} However, according to the press, it was $12.")


@cases("handbook", "manual", "article", "database", "transcript", "FAQ", "policy", "contract")
def test_any_source_that_does_not_say_refuses(source: str):
    saying = ("say", "state", "mention", "specify", "indicate", "address", "disclose", "explain")
    for verb in saying:
        assert refuses(f"The {source} does not {verb} when the hall opens.")
        assert refuses(f"Neither {source} {verb}s the opening hours.")
        assert not refuses(f"The {source} does not {verb} the hours, but it is open until 6.")
        assert not refuses(f"No, the {source} does not {verb} a fee.")
    assert refuses(f"The opening hours are not stated in the {source}.")
    assert refuses(f"That isn't addressed anywhere in the {source}.")
    assert refuses(f"Nothing in the {source} mentions it.")
    assert refuses(f"The {source} has no mention of it.")


@cases(
    ("The document does not state the total. ", "However, the parts add up to 40."),
    ("", "The document does not state the total, but it is $5."),
    ("", "Although the document does not give the total, the parts add up to 40."),
    (
        "As an AI, I do not have access to live data. ",
        "I can tell you that Oslo is the capital.",
    ),
    (
        "The filing does not give the margin directly. ",
        "Income was $4 and sales were $10. The margin = 0.4",
    ),
    ("I cannot provide live data. ", "To my knowledge, the mayor is Ada Lind."),
)
def test_an_answer_all_the_same_overrules_the_refusal_and_is_quoted(before, overruled_by):
    (found,) = {(each.decides, each.overruled_by) for each in refusals(before + overruled_by)}
    sentence, _, _ = overruled_by.partition(" The margin")
    assert found == (False, sentence)


ON_THE_ASKING = (
    *("The document discusses revenue of $5 million", "The report was published in 2021"),
    *("Based on the letter, revenue is mentioned", "I'd love to help", "Sorry", "Unfortunately"),
    *("You asked for the fee", "That is a good question", "The ratio requires both"),
    *("There is a fee", "It might be so"),
)


@pytest.mark.parametrize("turn", [", but", " but", ", although", " – however", ", while"])
def test_a_clause_before_the_refusal_answers_if_it_is_on_the_world(turn: str):
    on_the_world = (
        *("The premium is $604", "Paris is the capital", "Tove Brandt", "I believe it was Kepler"),
        *("According to the letter, notice is 30 days", "There are 4 plants"),
        "The claim should be filed within 60 days",
    )
    for clause in (*on_the_world, *ON_THE_ASKING):
        answer = f"{clause}{turn} the context does not provide the date."
        assert refuses(answer) == (clause in ON_THE_ASKING), answer


NO_FILING = "I do not have access to the filing. "
BOTH, HOME = "Both teams scored", "The home team had 61.5 % of the ball"
CLOSE = "t cannot be determined who won. Please provide the final score."
NEEDED = "To calculate the ratio, we need assets and debts. "


@cases(
    # Terms and works refuse by what they do not say and not by what they are.
    ("The policy does not say whether minors are covered.", True),
    ("The policy does not cover minors.", False),
    ("The guide does not cover Norway.", True),
    ("Frost damage is not covered by the policy.", False),
    # A general remark after a turn does not answer and a figure in it does.
    (NO_FILING + "However, in general, margins depend on the trade.", True),
    (NO_FILING + "However, in general, margins in this trade are 12%.", False),
    (NO_FILING + "However, one measure would be the return on assets.", True),
    (NO_FILING + "However, Ada Lind founded the company.", False),
    # Advice, a formula, and a made-up case do not answer; nor does a second refusal.
    (NO_FILING + "However, you can find it on the company's website.", True),
    (
        f"{NO_FILING}The margin is income divided by sales, times 100%. If you can provide both, I can help.",
        True,
    ),
    ("The filing does not give the margin. For example, income of $1 on $10 is 10%.", True),
    (
        "It is not possible to determine the margin, as sales are not given. It is important to "
        "note that margins in this trade are thin.",
        True,
    ),
    (
        "I cannot give live data. However, the question cannot be answered from memory either.",
        True,
    ),
    (
        "The text does not give the margin. However, income is $4. Without sales, the margin "
        "cannot be calculated.",
        True,
    ),
    # Only a figure before "but" answers what cannot be determined.
    (f"{BOTH}, but i{CLOSE}", True),
    (f"{HOME}, but i{CLOSE}", False),
    # A turn inside the refusal comes after no answer; what is inserted is skipped.
    ("The exact fee, however, is not specified in the text.", True),
    ("Sales, while strong, are not specified in the text.", True),
    ("The document discusses sales, but does not provide the date.", True),
    ("The filing, dated 3 May 2021, does not provide the fee.", True),
    ("The filing, including its annexes, does not provide the fee.", True),
    # A number answers under the name of a source too.
    ("The figure is about 12, but the context does not provide the date.", False),
    ("The figure is an old one, but the context does not provide the date.", True),
    # What would be needed comes before the opening.
    (NEEDED + "The excerpt does not include debts.", True),
    (f"Sorry. Good question! {NEEDED}The excerpt does not include debts.", True),
    ("Assets are 3 and debts 2. The excerpt does not include leases.", False),
    # Figures answer before a closing refusal unless it concludes.
    (f"{BOTH} in the first half. I{CLOSE}", True),
    (f"{HOME}. Therefore, i{CLOSE}", True),
    (f"{HOME}. As the score is missing, i{CLOSE}", True),
    (f"{HOME}. Answer: I{CLOSE}", True),
    (f"{BOTH}. It cannot be determined who was the better. The home team won.", False),
    # A request decides only where nothing else is said.
    ("Please provide the second report for a comparison.", True),
    ("Sales rose by a third. Please provide the second report for a comparison.", False),
    # A yes or no first is an answer unless it says that none can be given.
    ("No, the filing does not mention any spin-off.", False),
    ("No, it cannot be determined from the filing.", True),
    # A long explanation; blanks of other kinds.
    (f"{NO_FILING}{'The ratio shows how often stock was sold. ' * 30}", True),
    ("The context does\u00a0not provide\u2003the fee.", True),
)
def test_what_stands_beside_a_refusal_may_answer(answer: str, is_refusal: bool):
    assert refuses(answer) == is_refusal


@cases(
    *(("The fee isn't dealt with.", False), ("The price is not shown.", False)),
    *(("The width is missing.", True), ("Fines aren't among them.", True)),
    ("The weight was never recorded.", True),
)
def test_a_gap_refuses_where_nothing_answers_and_most_gaps_beside_a_source(
    gap: str, needs_source: bool
):
    assert refuses(gap) != needs_source
    assert refuses(f"The leaflet describes the coating. {gap}")
    assert not refuses(f"The leaflet gives a height of 4.5 m. {gap}")
    assert not refuses(f"Ada Lind built it in Oslo. {gap}")
    assert not refuses(f"No. {gap}")


def test_only_the_two_ends_of_a_very_long_answer_are_read(monkeypatch: pytest.MonkeyPatch):
    assert READ_AT_EACH_END == 100_000
    monkeypatch.setattr(find_refusals.__module__ + ".READ_AT_EACH_END", 1_000)
    refusal = "It cannot be determined. "
    filler = "A sentence that says nothing much. " * 40  # 1,400 characters

    assert refuses(refusal + filler)
    assert refuses(filler + refusal)
    assert refusals(filler + refusal + filler) == ()
    (found,) = refusals(filler + refusal)
    assert found.start == len(filler + "It ")


PIECES = st.sampled_from(
    [*"İ’“”(),.;:\n", "\ud800", "However,", "the text", "does not", "say why", "I cannot", "tell"]
)


@given(st.lists(PIECES).map(" ".join) | st.text())
def test_any_text_is_read_and_every_match_is_quoted_from_it(text: str):
    for found in refusals(text):
        assert text[found.start : found.end] == found.words


@given(st.sampled_from([*ANSWERS, *REFUSALS["not given"]]), st.text(" \t\n\u3000", max_size=8))
def test_blanks_around_an_answer_change_nothing(answer: str, blanks: str):
    assert refuses(blanks + answer + blanks) == refuses(answer)


@given(st.text(alphabet="ouUNnkK/aleowir'dtysc ", max_size=14) | st.text())
def test_the_phrases_of_graphrag_follow_its_pseudo_code(answer: str):
    assert bool(uncertainty_phrases(answer)) == pseudo_code(answer)


@cases(
    *(("The Unknown Soldier", ("unknown",)), ("Unknown", ("unknown",)), ("NONE", ("none",))),
    (" nonesuch ", ("none",)),  # 8 characters once trimmed
    ("None at all", ()),  # 11 characters
    ("Nullified", ("null",)),  # 9 characters
    ("Nullifying", ()),  # 10 characters
    ("I do not know; there is no data.", ("i do not know", "no data")),
    ("I don’t know.", ()),  # the phrases have only the straight apostrophe
    ("", ()),
)
def test_the_phrases_of_graphrag_are_substrings_and_four_more_count_in_short_answers(
    answer: str, found: tuple[str, ...]
):
    assert uncertainty_phrases(answer) == found


def pseudo_code(answer: str) -> bool:
    """The rule of the suite graphrag, written out again."""
    answer_lower = answer.lower().strip()
    phrases = (
        *("i don't know", "i do not know", "unknown", "not sure", "cannot determine"),
        *("no information", "insufficient data", "unable to answer", "cannot answer"),
        *("don't have enough information", "not available", "no data"),
    )
    if any(phrase in answer_lower for phrase in phrases):
        return True
    short = any(word in answer_lower for word in ["unknown", "n/a", "none", "null"])
    return len(answer_lower) < 10 and short
