"""`rg.questions` without a model, and the command, as a user runs them."""

import json
from pathlib import Path

import pytest
from cases import cases

import ragauge as rg
from ragauge.cli import main
from ragauge.documents.passage import Passage
from ragauge.errors import PlanError
from ragauge.questions.evidence import documents_of
from ragauge.questions.making import Spread, counts_of, read_types
from ragauge.questions.modelless import drafts
from ragauge.questions.translated import questions_in

HUTS = """# The huts

Curlew Hut is a stone house above the lake. It was built in 1994 by Ida Merrow.
Curlew Hut has 32 beds. Lunch at the hut costs £9 per person.

## Old Dairy Hut

Old Dairy Hut has 40 beds. Old Dairy Hut was opened in 1971. Dogs stay in the porch because the floor is new.
Nobody may smoke here. A hut is never locked. They close it at noon.

## Fees

| guest | price |
|---|---|
| adult member | £17 |
| school child | £12 |
| day visitor | £3 |
"""


def run(*arguments: str) -> object:
    """The exit code of `ragauge questions make`."""
    with pytest.raises(SystemExit) as left:
        main(["questions", "make", *arguments])
    return left.value.code


@pytest.fixture
def huts(tmp_path: Path) -> Path:
    path = tmp_path / "huts.md"
    path.write_text(HUTS)
    return path


@pytest.fixture
def asked_of(tmp_path: Path):
    """The questions that the rules find in a text, with their answers."""

    def find(text: str, pattern: str = "") -> dict[str, str]:
        (tmp_path / "a.md").write_text(text)
        found = drafts(documents_of(tmp_path))
        return {
            each.question: each.references[0] for each in found if pattern in ("", each.pattern)
        }

    return find


def test_each_question_names_its_subject(asked_of):
    assert not [asked for asked in asked_of(HUTS) if " it " in asked or " here" in asked]


@cases(
    ("None is an open end of the path near Penlow.", "What is none"),
    ("MOVE! is a shout of the wardens at noon.", "What is MOVE"),
    ("We run it. You run each one. RUN is a folder with the scores.", "What is RUN"),
    ("Every problem named is a fault with its line.", "What is every"),
    ("The mean over queries is the mean reciprocal rank.", "What is the mean"),
    ("A judge is a model behind an endpoint.", "Who is a judge"),
    ("Passages end at headings and sentences and have at most 200 words.", "sentences and have"),
    ("The hut and the barn tests find the leak quickly.", "Does the hut and"),
    ("Located on Lake Sebago the camp offers rustic wooden cabins.", "What does located"),
    ("Find bad answers by a metric with a high score.", "Does find"),
    ("Noticed is every change of the version.", "Is noticed"),
    ("Drones must not be flown near Curlew Hut in spring.", "Must drones"),
    ("Curlew Hut was reopened on December 14, 2017 , with a feast.", "reopened, 2017"),
    ("Curlew Hut earned $17.7 billion in 2014.", "earn billion"),
    ("The guests based in Penlow and Lowgill flew equipment to the coast.", "guests base in"),
    ("Final selection of the keeper takes place at a hearing.", "takes place"),
    ("The Curlew novel was published for the market by Viking in 1987.", "How was"),
    ("# Tags\n\nMapper removes stop words from the index.", "Do Mapper"),
    ("# Tags\n\nCounts update to reflect only the filtered and sorted results.", "filtered?"),
    ("# Tags\n\nTeams use the meeting to summarize and celebrate the work.", "summarize?"),
    ("# Tags\n\nPrivate pages can be read by anyone who knows the address.", "Can private pages"),
    ("# Pay\n\nThe firm pays 5 % of the wage and clerks pay at least 2 %.", "and clerks"),
    ("# Keys\n\nIf it’s time to close, the warden of Curlew Hut shuts the gate.", "it’s"),
    ("# Keys\n\nWhen you have signed that form, the warden of Curlew Hut gives you a key.", "that form"),
    ("# Keys\n\nWhen you've got a loud, restless dog in the barn.", "loud"),
    ("# Keys\n\nIf not set or given, all gates of Curlew Hut stay open.", "if not set"),
    ("# Codes\n\nIn OM 2.0, counters end in a letter of the alphabet.", "When"),
    ("# Codes\n\nThe card resets on the 10th of every month.", "How often"),
    ("# Codes\n\nClerks qualify for a pension after two years of good service.", "how many"),
    ("# Codes\n\nHelps direct the new warden to the right desk.", "Do helps"),
    ("# Codes\n\nSpreadsheet includes the names of wardens. A spreadsheet is blue.", "does spreadsheet"),
    ("MacPorts is a package manager for the Mac.", "Who is"),
    ("Certificates are required by Lantern Controller for each key.", "Who requires"),
    ("# Tour\n\nThe talk is 25 minutes and the tour is free.", "What is the talk"),
    ("In 1998, Ada Merrow sold the old barn and moved to the valley of Lowgill.", "and moved"),
    ("# Pay\n\nIf the till is open, you are the owner of the coins in the barn.", "What happens"),
    ("# Pay\n\nWhen the guests arrived at the hut, the warden locked the gate.", "What happens"),
    ("# Pay\n\nWhen using the till, the coins in the barn are counted.", "What happens"),
    ("# Pay\n\nIf the gate is shut, see the notice in the porch.", "gate is shut"),
    ("# Oil\n\nOil was the king of the southern valley.", "What was oil"),
    ("# Oil\n\nThe pump of the barn is a great machine for oil.", "What is the pump"),
    ("# Oil\n\nA pump is another way to use a pump in the barn.", "What is a pump"),
    ("Lantern Hut opened its kitchen to guests in May.", "When did"),
    ("Six years later, Ada Merrow opened a school in Lowgill in 1904.", "later"),
    ("# Oil\n\nA storm broke the roof of the barn in 1904.", "When did a storm"),
    ("# Oil\n\n## Examples\n\nIf the lamp is red, the pump of the barn is on.", "lamp"),
    ("# Oil\n\nThe boiler heats the barn. The old boiler is new. The boiler consists of two tanks.", "consist"),
    ("# Oil\n\nLantern Hut supports oil, gas and wood for heating.", "What does Lantern Hut support"),
    ("# Oil\n\nThe barn may not be open in spring.", "May the barn"),
    ("# Oil\n\nSlice cooked potatoes in thick wedges for supper.", "slice"),
    ("# Oil\n\n| JSON | Menu |\n|---|---|\n| Hard to read | Easy to read |\n", "Hard to read"),
    ("# Tour\n\n```\n# Note of a program\n```\n\nThe rent includes oars and one life jacket.", "Note of"),
)  # fmt: skip
def test_what_no_question_says_is_not_asked(text, silly, asked_of):
    assert not [question for question in asked_of(text) if silly in question]


@cases(
    ("In 1998, Lantern Hut opened its kitchen to walkers.", "date", "When did Lantern Hut open its kitchen to walkers?", "1998"),
    ("Lantern Hut is open until 30 June for members.", "date", "Until when is Lantern Hut open for members?", "30 June"),
    ("Guests may spend 40 dollars on supper.", "money", "How much may guests spend on supper?", "40 dollars"),
    ("A bed costs about £16 a person.", "money", "How much does a bed cost a person?", "about £16"),
    ("Lantern Hut has more than 32 beds in two rooms.", "count", "How many beds does Lantern Hut have in two rooms?", "more than 32 beds"),
    ("Lantern Hut has 20 years old beds.", "count", None, ""),
    ("# Till\n\nIf the owner of a card calls the desk, the warden gives them the key.", "condition", None, ""),
    ("# Till\n\nWhen you lose the card of the till in May, you will receive a new card in June.", "condition", "What happens when you lose the card of the till in May?", "you will receive a new card in June"),
    ("The tour of Lantern Hut began on July 21st, 2016.", "date", "When did the tour of Lantern Hut begin?", "July 21st, 2016"),
    ("Wardens clean the old stove by brushing the pipes.", "means", "How do wardens clean the old stove?", "by brushing the pipes"),
    ("Lantern Hut offers soup, tea and fresh bread.", "listed objects", "What does Lantern Hut offer?", "soup, tea and fresh bread"),
    ("Ada Merrow is a teacher from Penlow.", "definition", "Who is Ada Merrow?", "a teacher from Penlow"),
    ("The warden of Lantern Hut is a woman from Penlow.", "definition", "Who is the warden of Lantern Hut?", "a woman from Penlow"),
    ("Lantern Hut is the house of a miller, which burnt down twice.", "definition", "What is Lantern Hut?", "the house of a miller, which burnt down twice"),
    ("Lantern Hut is one of the houses of a miller.", "definition", None, ""),
    ("Curlew Hut is a house which takes people on military, foreign, or civil orders.", "definition", "What is Curlew Hut?", "a house which takes people on military, foreign, or civil orders"),
    ("# Staff\n\nA warden is a person with read and write access to the book.", "definition", "What is a warden (Staff)?", "a person with read and write access to the book"),
    ("Curlew Hut is a house with large, bright rooms.", "definition", "What is Curlew Hut?", "a house with large, bright rooms"),
    ("Wardens are people who look after a hut.", "definition", "What are wardens?", "people who look after a hut"),
    ("Wardens are able to look after the huts of a valley.", "definition", None, ""),
    ("The term hospitality refers to the reception of guests in a friendly way.", "definition", "What is hospitality?", "the reception of guests in a friendly way"),
    ("A sect, also called a cult, is an offshoot of a church, but it has few members.", "definition", "What is a sect?", "an offshoot of a church"),
    ("Lantern Hut is a house on a rock in which guests, wardens, and dogs are fed.", "definition", "What is Lantern Hut?", "a house on a rock in which guests, wardens, and dogs are fed"),
    ("Lantern Hut is a Lantern Hut of stone.", "definition", None, ""),
    ("- **Curlew Hut**: A house of stone that sleeps 30 guests.", "definition", "What is Curlew Hut?", "a house of stone that sleeps 30 guests"),
    ("If a guest has lost a key of the hut, the warden will replace it at the desk.", "condition", "What happens if a guest has lost a key of the hut?", "the warden will replace it at the desk"),
    ("If the guest has lost the key of the hut, it is kept at the desk.", "condition", "What happens if the guest has lost the key of the hut?", "it is kept at the desk"),
    ("If guests of Penlow have lost keys, it is kept at the desk.", "condition", None, ""),
    ("If a guest has lost a key of the hut, it may be necessary to call Penlow.", "condition", None, ""),
    ("If a guest has lost a key of the hut, trust in guests can suffer from it.", "condition", None, ""),
    ("To illustrate the work of a warden, ask the guests of Penlow.", "condition", None, ""),
    ("If a guest is late for supper on Sunday, the warden will keep the soup warm.", "condition", "What happens if a guest is late for supper on Sunday?", "the warden will keep the soup warm"),
    ("If a guest is late for supper on Sunday, the soup will also be warm.", "condition", None, ""),
    ("If a guest waits, the warden will keep the soup warm.", "condition", None, ""),
    ("To hire a boat for a day, ask the warden of Penlow.", "condition", "How do you hire a boat for a day?", "ask the warden of Penlow"),
    ("To hire a boat for a day, you need to ask the warden of Penlow.", "condition", "How do you hire a boat for a day?", "ask the warden of Penlow"),
    ("To hire a boat for a day, see the leaflet.", "condition", None, ""),
    ("If you stay at Lantern Hut, you must carry dry wood.", "condition", "What must you do if you stay at Lantern Hut?", "carry dry wood"),
    ("If you stay at Lantern Hut, you may hear an owl.", "condition", None, ""),
    ("If a guest is late, it is cold.", "condition", None, ""),
    ("If the guest was late, the warden kept the supper warm.", "condition", None, ""),
    ("Beds are aired every April.", "date", "When are beds aired?", "every April"),
    ("Lantern Hut had lost its roof in 1994.", "date", None, ""),
    ("Every hut has a radio on channel 7.", "cloze", "Which number is missing: “Every hut has a radio on channel ___”?", "7"),
    ("Every hut has a radio on channel 7.", "count", None, ""),
)  # fmt: skip
def test_each_pattern_asks_for_its_part(text, pattern, question, answer, asked_of):
    assert asked_of(text, pattern) == ({} if question is None else {question: answer})


def test_a_list_is_no_answer_to_the_heading_above_it(asked_of):
    heading = "## How do I load what my framework returns?\n\n"
    text = f"{heading}- Haystack: a framework returns documents.\n- Ragas: rows."
    assert asked_of(text, "heading") == {}


def test_gold_contexts_are_the_documents_own_characters(huts: Path):
    for row in rg.questions(huts, 30).rows:
        for gold in row["gold_contexts"]:  # pyright: ignore[reportGeneralTypeIssues]
            assert HUTS[gold["start"] : gold["end"]] == gold["text"]


def test_two_passages_are_compared_and_unknown_things_are_unanswerable(huts: Path):
    rows = rg.questions(huts, 40, types={"comparison": 1, "unanswerable": 1}).rows
    by_type = {str(row["question_type"]): row for row in rows}
    compared = by_type["comparison"]
    assert compared["question"] == "Which has more beds, Curlew Hut or Old Dairy Hut?"
    assert compared["references"] == ["Old Dairy Hut (40 beds; Curlew Hut: 32 beds)"]
    assert len(compared["relevant"]) == 2  # pyright: ignore[reportArgumentType]
    unknown = by_type["unanswerable"]
    assert unknown["answerable"] is False
    assert unknown["gold_contexts"] == []


@cases(
    ("Das Haus liegt am See. Das ist eine Hütte.\n\n| Karte | Preis |\n|---|---|\n| Tageskarte | 58 CHF |\n", "Was steht unter „Preis“ bei „Tageskarte“?", "58 CHF"),
    ("Het huis ligt aan het meer en heeft een tuin.\n\n| Kaart | Prijs |\n|---|---|\n| Dag | 58 |\n", None, ""),
)  # fmt: skip
def test_a_table_is_asked_about_in_its_language(text, question, answer, asked_of):
    assert asked_of(text) == ({} if question is None else {question: answer})


def test_of_few_questions_few_are_variants_or_yes_no(huts: Path):
    types = [row["question_type"] for row in rg.questions(huts, 200).rows]
    assert types.count("yes/no") <= len(types) / 4
    assert max(types.count("terse"), types.count("misspelt")) <= 2


def test_a_plan_for_more_than_the_documents_hold_gives_what_there_is_and_says_so(
    huts: Path, capsys: pytest.CaptureFixture[str]
):
    output = huts.with_name("q.jsonl")
    assert run(str(huts), "-n", "500", "-o", str(output)) == 0
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert 8 < len(rows) < 100
    assert len({row["id"] for row in rows}) == len(rows)
    out = " ".join(capsys.readouterr().out.split())
    assert "of 500 planned" in out
    n_words = len(HUTS.split())
    assert f"{n_words} words in 1 document give no more questions by rules" in out


def test_without_a_question_no_file_is_written_and_no_next_command_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "a.md").write_text("The hut is cold. Nobody goes there.")
    assert run(str(tmp_path), "-o", str(tmp_path / "q.jsonl")) == 1
    assert not (tmp_path / "q.jsonl").exists()
    assert "ragauge ask" not in capsys.readouterr().out


def test_the_same_documents_and_seed_give_the_same_bytes(huts: Path):
    one, other = huts.with_name("1.jsonl"), huts.with_name("2.jsonl")
    rg.questions(huts, 20, seed=3).write(one)
    rg.questions(huts, 20, seed=3).write(other)
    assert one.read_bytes() == other.read_bytes()


def test_what_was_made_is_what_evaluate_reads(huts: Path):
    rows = [{**row, "answer": row["references"][0]} for row in rg.questions(huts, 9).rows]  # pyright: ignore[reportIndexIssue]
    assert rg.evaluate(rows, "exact_match").scores["value"].drop_nulls().mean() == 1.0


@cases(
    (["-n", "3"], "add -o questions.jsonl"),
    (["-o", "q.jsonl", "--types", "nmber"], "did you mean 'number'"),
    (["-o", "q.jsonl", "--types", "multi-hop,ambiguous"], "name one, as in --judge gpt-4o-mini, or add types that rules write: single fact, number"),
    (["-o", "q.csv"], "q.csv: questions are written as JSON Lines; name the file q.jsonl"),
    (["-o", "huts.md"], "huts.md"),
    (["-o", "q.jsonl", "--rejected", "./q.jsonl"], "q.jsonl: is also the file of the kept"),
    (["-o", "q.jsonl", "--personas", "none.txt"], "none.txt"),
    (["-o", "q.jsonl", "--personas", "huts.md"], "give --judge"),
)  # fmt: skip
def test_wrong_options_are_refused_before_any_work(
    arguments: list[str],
    complaint: str,
    huts: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(huts.parent)
    assert run("huts.md", *arguments) == 2
    assert complaint in capsys.readouterr().err
    assert huts.read_text() == HUTS


def test_documents_without_text_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(str(tmp_path), "-o", str(tmp_path / "q.jsonl")) == 3
    assert "no text was found" in capsys.readouterr().err


@cases(
    (HUTS, "What is Curlew Hut?", "a stone house above the lake"),
    (HUTS, "When was Curlew Hut built by Ida Merrow?", "1994"),
    (HUTS, "How many beds does Curlew Hut have?", "32 beds"),
    (HUTS, "When was Old Dairy Hut opened?", "1971"),
    (HUTS, "What is the price of the guest adult member (The huts, Fees)?", "£17"),
    ("Drones must not be flown near Curlew Hut.", "May drones be flown near Curlew Hut?", "No"),
    ("Curlew Hut earned $17.7 billion in 2014.", "How much did Curlew Hut earn in 2014?", "$17.7 billion"),
    ("A judge is a model that grades answers.", "What is a judge?", "a model that grades answers"),
    ("Lantern Hut never sells beer to young guests.", "Does Lantern Hut sell beer to young guests?", "No"),
    ("# Pump P4\n\nThe noise level is 61 decibels.", "What is the noise level (Pump P4)?", "61 decibels"),
    ("# Hire\n\n## Is it free?\n\nThe rent is £40 a week.", "What is the rent (Hire)?", "£40 a week"),
    ("---\ntitle: Boats\n---\n\nThe rent includes oars, ropes and one life jacket.", "What does the rent include (Boats)?", "oars, ropes and one life jacket"),
    ("# Hire\n\nBoats booked before noon are brought to the pier.", "Are boats booked before noon brought to the pier (Hire)?", "Yes"),
    ("Version 3.2 of Mapper was released on 9 May 2024.", "When was version 3.2 of Mapper released?", "9 May 2024"),
    ("# Cash\n\n|  | 2022 | 2023 |\n|---|---|---|\n| Revenue | £4m | £5m |\n| Cost | £2m | £3m |\n", "What is the revenue for 2023 (Cash)?", "£5m"),
    ("| hut | beds | price |\n|---|---|---|\n| Curlew | 32 | £9 |\n| Swift | 20 | £7 |\n", "How many beds does the hut Curlew have?", "32"),
    ("A `_scan` tool removes old files.", "Does a `_scan` tool remove old files?", "Yes"),
        ("Door codes MUST be written in small letters.", "Must door codes be written in small letters?", "Yes"),
        ("Guests may ask for the menu by using the `Accept: json` header.", "How may guests ask for the menu?", "by using the `Accept: json` header"),
        ("# Tour\n\nIf you lose the map of the tour, [ask the\nwarden](a.md) for help.", "What should you do if you lose the map of the tour?", "ask the warden for help"),
        ("# Tour\n\n## How do guests reach the pier?\n\nGuests walk. Bring boots for the pier.", "How do guests reach the pier (Tour)?", "Guests walk. Bring boots for the pier."),
        ("# Tour\n\nhut | beds\n----|----\nCurlew | 30\nSwift | 20\n", "How many beds does the hut Curlew have (Tour)?", "30"),
)  # fmt: skip
def test_sentences_and_cells_become_questions_that_say_what_they_are_about(
    text, question, answer, asked_of
):
    assert asked_of(text).get(question) == answer


LOCKS = """# Locks

Tern Lock is a lock near Penlow. Tern Lock opened in 1812. Tern Lock costs £9 per boat.
The keeper of Penlow is Ida Marsh. Swift Lock is a lock near Ashby. Swift Lock costs £7 per boat.

## Tern Lock

The tank holds 40 litres.

## Swift Lock

The tank holds 55 litres.

| lock | depth | year |
|---|---|---|
| Tern | 3 m | 1812 |
| Swift | 5 m | 1820 |
"""


def test_things_are_followed_up_and_compared(tmp_path: Path):
    (tmp_path / "a.md").write_text(LOCKS)
    kinds = ("follow-up", "comparison")
    made = rg.questions(tmp_path, 30, types=dict.fromkeys(kinds, 1))
    found = {row["question"]: row for row in made.rows}
    assert found["How much does it cost per boat?"]["history"] in (
        ["What is Tern Lock?", "a lock near Penlow"],
        ["What is Swift Lock?", "a lock near Ashby"],
    )
    compared = found["Which has the higher depth, Tern or Swift (Locks, Swift Lock)?"]
    assert compared["references"] == ["Swift (5 m; Tern: 3 m)"]
    assert not [question for question in found if "year" in question]
    path = tmp_path / "q.jsonl"
    made.write(path)
    assert rg.check_questions(str(path), tmp_path / "a.md").share_sound == 1


def test_a_file_has_the_ranks_of_both_and_slices_by_them(huts: Path):
    rows = rg.questions(huts, 8, encoder="all-MiniLM-L6-v2").rows
    found = [row for row in rows if row["answerable"]]
    assert {row["difficulty"] for row in found} <= {"first", "first 10"}
    for row in found:
        assert row["checks"]["encoder_rank"] <= 3  # pyright: ignore[reportIndexIssue]
        expected = "first" if row["checks"]["encoder_rank"] == 1 else "first 10"  # pyright: ignore[reportIndexIssue]
        assert row["encoder_difficulty"] == expected


def test_the_table_of_what_was_made_is_printed_in_any_format(huts: Path, capsys):
    assert run(str(huts), "-n", "3", "-o", str(huts.with_name("q.jsonl")), "-f", "json") == 0
    assert json.loads(capsys.readouterr().out)["kept"] == 3


@cases(
    ("de", "Die Alm ist eine Hütte am See.", "Was ist die Alm?", "eine Hütte am See"),
    ("de", "Die Alm am See hat 12 Zimmer.", "Wie viele Zimmer hat die Alm am See?", "12 Zimmer"),
    ("de", "Der Preis beträgt 28 Euro pro Person.", "Wie hoch ist der Preis pro Person?", "28 Euro"),
    ("de", "Die Frist beträgt vier Wochen.", "Wie lang ist die Frist?", "vier Wochen"),
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
)  # fmt: skip
def test_a_safe_form_becomes_a_question(language, sentence, question, reference):
    found = {asked: answer for asked, answer, *_ in questions_in(language, sentence)}
    assert found.get(question) == reference, found
    assert question or not found


def test_the_largest_remainders_round_up_so_that_the_counts_sum_to_n():
    # 7 * 2/4 = 3.5, 7 * 1/4 = 1.75 twice: the two remainders of 0.75 round up before 0.5
    counts = counts_of(7, {"number": 2, "list": 1, "yes/no": 1})
    assert counts == {"number": 3, "list": 2, "yes/no": 2}


@cases(
    ("numbr", "did you mean 'number'"),
    ("number=2,list,number=3", "'number' is given twice"),
    ("number=0", "above 0"),
    ("number=many", "above 0"),
    ("number=inf", "above 0"),
    ("number=1,,list", "no type of question is named ''"),
)
def test_wrong_types_are_named_with_what_to_do(given: str, complaint: str):
    with pytest.raises(PlanError, match=complaint):
        read_types(given)


def spread(documents: dict[str, int], seed: int = 0) -> list[str]:
    """The order in which questions of documents with so many passages are taken."""
    items = [
        ("number", Passage(f"{document}{n}", document, 0, 0, "", "top"), 1.0, f"{document}{n}")
        for document, n_passages in documents.items()
        for n in range(n_passages)
    ]
    made = Spread(items, seed)
    return [taken for _ in items if (taken := made.take("number")) is not None]


def test_documents_are_taken_in_turn_until_they_have_no_more():
    order = spread({"a": 6, "b": 2})
    assert sorted(each[0] for each in order[:4]) == ["a", "a", "b", "b"]
    assert len(order) == len(set(order)) == 8


def test_the_seed_decides_the_order():
    assert spread({"a": 6, "b": 6}, 1) == spread({"a": 6, "b": 6}, 1)
    assert spread({"a": 6, "b": 6}, 1) != spread({"a": 6, "b": 6}, 2)
