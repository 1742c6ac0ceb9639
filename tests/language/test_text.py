import re
import string
import unicodedata

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.text import SpanSet, composed, normalize, sentence_spans, sentences

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
TRICKY_PIECES = (
    *("A", "b.", "Dr.", "U.S.", "3.5", "1.", "...", "!", '?"', ")", "。", "」", "-", "[1]", "e.g."),
    *("No.", "…", "v.", "in.", "5 p.m.", "z. B.", " .", "[a]", "«", " »", "字!", "」と", "．", "#"),
    *("|", "the"),
)
WRAPPED = "This line of running text is long enough to have been wrapped by"
TRICKY_TEXT = st.lists(st.sampled_from([*TRICKY_PIECES, " ", "\n", "\n\n", "\r\n"])).map("".join)


def squad_script(text: str) -> str:
    """What the official SQuAD 1.1 evaluation does, after NFC."""
    text = "".join(
        mark
        for mark in unicodedata.normalize("NFC", text).lower()
        if mark not in string.punctuation
    )
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


@cases(
    ("lower_ws", "  The\tFee\n\n is\u00a0Due ", "the fee is due"),
    ("lower_ws", "５", "５"),
    ("strip_lower", "  The\tFee\n ", "the\tfee"),
    # Punctuation, then articles, then spaces go.
    ("squad", "The state-of-the-art,  a U.S. fee!", "stateoftheart us fee"),
    ("none", " E\u0301 ", " E\u0301 "),
)
def test_each_way_changes_what_it_says(how, text, normal):
    assert normalize(text, how) == normal


@pytest.mark.parametrize("how", ["lower_ws", "strip_lower", "squad"])
def test_both_spellings_of_an_accented_letter_are_equal(how):
    assert normalize("Cafe\u0301", how) == normalize("Caf\u00e9", how) == "caf\u00e9"


@pytest.mark.parametrize("how", ["lower_ws", "strip_lower", "squad", "none"])
def test_a_lone_surrogate_and_emoji_pass_through(how):
    assert normalize("\ud800😀", how) == "\ud800😀"
    assert normalize("", how) == ""


@given(ANY_TEXT)
def test_squad_agrees_with_the_official_script(text):
    assert normalize(text, "squad") == squad_script(text)


@given(ANY_TEXT)
def test_composed_is_nfc(text):
    assert composed(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    "expected",
    [
        ("Dr. Lee paid $3.50.", "Why?", "Nobody knows!"),
        ("The fee is due on Jan. 5.", "It is $10 per year."),
        ("He met J. R. Smith in the U.S. Senate.", "They talked."),
        ("It opened in the U.S.", "The law differs there."),
        ("See Fig. 3 and No. 5.", "He said no.", "She agreed."),
        ("It takes 5 min. per row.", "Wait 10 min.", "Then stop."),
        ("Use keys, e.g. ids, i.e. names, etc. as usual.", "Bring pens, etc.", "Do not be late."),
        ("Acme Inc. announced it.", "It was bought by Acme Inc.", "The price rose."),
        ('He said "Stop."', "(They stopped.)", "**Done.**", "End"),
        ('"Really?" he asked.', "Yes!"),
        ("Wait... what?", "And then…", "Nothing."),
        ("Drivers pay more.[1]", "Riders pay less.[2][13]", "So be it."),
        ("1. Open the file.", "2. Read page 4.", "a. First part."),
        ("Visit example.com/a.b for v2.0.1.", "It works."),
        ("i went home.", "then i slept."),
        # titles and names
        ("The plaintiff, Atty. Moss, met Brig. Gen. Stone and Cpl. Hicks.", "He lost."),
        ("Martin King Jr. was born in 1929.", "He was a Dr. of theology."),
        ("Prof. J. A. Smith and J. I. Lee met P. Pratap.", "They talked."),
        ("George W. Bush met J.-P. Sartre, J.R.R. Tolkien and C. S. Lewis.", "No, he did not."),
        ("Dr. No and Dr. Who are films.", "Mr. Bean is one."),
        ("In the sequel P.S. I wrote it.", "Read it."),
        # places, firms, days
        ("The EU-U.S. and Swiss-U.S. rules and non-U.S. firms differ.", "Ask them."),
        ("He lives in Washington, D.C. with his dog.", "It barks."),
        ("He lives in Washington, D.C.", "Later he left."),
        ("She lives at 12 Elm St. in Dover, near St. Ives.", "He does not."),
        ("She lives on Elm St.", "The house is red."),
        ("He left the Justice Dept. for Acme Corp. in Sept. of that year.", "The end."),
        ("It is 5 ft. tall.", "The wall is 10 ft.", "That is enough."),
        ("Prices incl. tax are in Vol. II and Div. 2.", "See them."),
        ("We go on Sun. and Mon. each week.", "Spring begins on Mar. 5."),
        ("I like sun.", "Rain is bad.", "He sat.", "Then they wed."),
        # Latin, references, law
        ("Bring fruit, eg. apples, esp. red ones.", "Thanks."),
        ("It came c. 1850 or c. £66 ago.", "See s. 5, n. 12 and p. 7."),
        ("See Eqs. (5) and Eq. (6), no. A12, Op. 125 and Ibid. p. 45.", "All agree."),
        ("Smith v. Jones, 12 F.3d 345 (2d Cir. 1999), controls.", "We affirm."),
        ("See Roe v. Wade, 410 U.S. 113 (1973).", "Brown v. Board of Education came first."),
        ("Under 42 U.S.C. § 1983 and 17 C.F.R. § 240.10b-5 he sued.", "He lost."),
        ("In re Gault, 387 U.S. 1, 5 S. Ct. 10, held this.", "It stands."),
        ("He said no.", "She made art.", "They ate a fig.", "It was app.", "Then they left."),
        # measures and numbers
        ("The avg. score and the max. value are 5 sec. per row.", "Wait 5 sec.", "Go."),
        ("It is 3 in. wide and holds 5 ml. of water.", "Come in.", "Sit."),
        ("Bring pens, etc.", "5 of them will do."),
        ("It opens at 5:30p.m. on Monday.", "We open mid-Jan. 5 and Dr./Mr. Lee comes."),
        ("Meet at 5 p. m. on Monday.", "It ends at 6 p. m.", "Then go, i. e. leave."),
        ("It scored 9.", "10 was the best.", "In 1999.", "That was long ago."),
        ("Use v1.2.3, at 10.0.0.1, for .5 hours.", "It works."),
        ("The IP is 10.0.0.1.", "Mail j.doe@mail.example.org.", "Read README.md first."),
        # single letters
        ("It was plan B.", "Cases rose.", "Eat vitamin C.", "Oranges have it."),
        ("So did I.", "Ann left.", "After World War I.", "Germany was poor."),
        ("Let x be y.", "Then stop."),
        # quotes and brackets
        ('"I am here." she said.', '"Go!" he cried.', '"Why?" asked Ann.'),
        ("“Why?” asked Ann.", "“Because,” said Bob.", "“So.”", "She left."),
        ("Some (see Smith.) are good.", "It broke (why?) at once.", "(It did.)", "Yes."),
        ("The list (pens, etc.) is long.", "He retired (Retd.) in May."),
        ("Run `pip install x.`", "It is true.¹", "So they say.²³", "Fine.†", "Yes."),
        ("It is known.[1, 2]", "So be it.[3–5]", "Fine.[citation needed]", "Yes.[[1]]", "No."),
        ("It is so.【12†source】", "It is true [1].", "So they say (Smith, 2019).", "Fine."),
        # ellipses and tokenised text
        ("He said . . . nothing.", "I was ... well ... late.", "Hmm...", "Let me think."),
        ("the fee is due .", "it is paid .", "Why ?", "Because ."),
        # numbers of lists, headings and items
        ("The rules are: 1. Be kind; 2. Be brief.", "That is all."),
        ("Step 1. Open the box.", "Section 3.2. Terms used.", "Figure 1a. The trend."),
        ("Q1. What is it?", "A1. It is blue.", "§ 5. The fee is due."),
        ("Really?!", "You did it?", "Wow!!", "Ok...", "😀 Yes.", "#1 is best.", "$5 is cheap."),
        ("It was good.", "— Yes, he said.", "¿Verdad?", "@ann agrees.", "é bom."),
    ],
)
def test_english_splits_where_a_reader_would(expected):
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ("Das ist z. B. gut, d. h. besser.", "Er kam am 5. Mai bzw. am 12. Oktober."),
        ("Siehe Abb. 3, Nr. 5 und § 5 Abs. 2.", "Äpfel, Birnen usw. sind Obst.", "Öl nicht."),
        ("Er sagte: „Ich komme.“", "Dann ging er.", "»Gut.«", "Der 2. Weltkrieg war lang."),
        ("M. Dupont vient.", "Il dit : « Viens ! »", "« Où ? » dit-elle.", "« Là ? », dit-il."),
        ("Voir p. ex. la loi.", "Elle est née av. J.-C. ou après.", "À demain."),
        ("¿Qué hora es?", "¡Vamos!", "La Sra. Díaz llegó a EE. UU. ayer.", "Uds. no."),
        ("La Dra. Ruiz leyó la pág. 5 y el núm. 3.", "Il sig. Rossi è qui.", "È tardi."),
        ("Он родился в 1990 г. в Москве, т. е. давно.", "Стоит 5 тыс. руб. за день.", "Да."),
        ("А. С. Пушкин писал стихи.", "Их читают."),
        ("यह किताब है।", "डॉ. शर्मा आए।", "क्या आप ठीक हैं?", "हरिः ॥", "हाँ!"),
        ("قال د. أحمد ذلك.", "أين القلم؟", "نعم!", "یہ کتاب ہے۔", "وہ نہیں۔"),
        ("안녕하세요.", "네.", "가격은 3.5달러입니다.", "비싸요!", "당신은요?"),
        ("እንዴት ነህ።", "ምን፧", "Բարեւ։", "Ինչպե՞ս ես։", "ខ្ញុំមក។", "គាត់ទៅ។"),
        ("สวัสดีครับผมชื่อจอห์นผมมาจากอังกฤษ",),
    ],
)
def test_the_commonest_abbreviations_and_stops_of_other_languages_are_known(expected):
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ("他来了。", "她走了！", "为什么？", "不知道……吧。", "真的吗？！", "是的。"),
        ("他说：“你好。”", "然后走了。", "“好！”", "他有3.5元。"),
        ("我爱你!", "你呢?", "「はい!」", "ﾊｲ｡", "来た．", "3．5だ．"),
        ("彼は「はい。」と言った。", "「そう。」って何？", "「元気。」", "とても元気。"),
        ("လာသည်။", "သွားသည်။"),
        ("Yahoo!ニュースを見る。", "見た。"),
    ],
)
def test_where_words_have_no_spaces_stops_need_none(expected):
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ("Steps:", "* **Wash**: use soap", "✓ Dry", "➤ Go", "1. Wash", "2) Dry", "(a) both;"),
        ("Title", "iv. Go", "3) Rule C-3", "- Rule C-1", "\nThat is all"),
        ("- [ ] buy milk", "- [x] buy eggs", "1、先洗手", "①一", "❌ It fails"),
        ("# Title that is long enough to look like a line that somebody wrapped", "then text"),
        ("| a | b |", "|---|---|", "| 1 | 2 |", "Title", "=====", "One", "---", "Two."),
        ("Dear Ms. Lee,", "Thank you for the letter.", "Best,", "Ann", "Q: What?", "A: Blue."),
        ("1.\nOpen the box", "•\nTake it out", "(152)", "(-)", "Total"),
        ("He met Mr.\nSmith at the\nHague.", "He left."),
        # A line that is long enough to have been wrapped goes on in the next, but not in an item.
        (f"{WRAPPED}\nMr. Smith, who likes short lines",),
        ("short but\ngoing on",),
        (WRAPPED, "✓ It fails", WRAPPED, "---"),
    ],
)
def test_line_breaks_end_list_items_headings_and_rows(expected):
    assert sentences("\n".join(expected)) == tuple(line.strip() for line in expected)


def test_a_blank_line_ends_a_sentence_with_either_line_ending():
    assert sentences("one\r\n\r\ntwo") == ("one", "two")
    assert sentences("one\r\ntwo") == ("one\r\ntwo",)
    assert [sentences(blank) for blank in ("", " ", "\n\n \t", "\u2028")] == [()] * 4


@given(ANY_TEXT | TRICKY_TEXT)
def test_sentences_are_stripped_ordered_and_hold_all_but_whitespace(text):
    spans = sentence_spans(text)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""
    outside = "".join(
        text[a:b] for a, b in zip([0, *edges[1::2]], [*edges[::2], len(text)], strict=True)
    )
    assert outside.strip() == ""


PLACES = st.integers(0, 20)


@given(st.lists(st.tuples(PLACES, PLACES).map(sorted).map(tuple), max_size=6))
def test_a_place_is_covered_if_one_of_the_spans_has_it(spans):
    covered = SpanSet(spans)
    for place in range(22):
        assert (place in covered) == any(start <= place < end for start, end in spans)
