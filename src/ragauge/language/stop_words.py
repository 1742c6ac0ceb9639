"""English stop words: the lists of NLTK and scikit-learn."""

from ragauge.language.text import word_set

# The list of NLTK's stopwords corpus (198 words since its release of 2024, 179 before, which lack
# 19 contractions such as "he'll"); after M. F. Porter's list for Snowball.
# https://www.nltk.org/nltk_data/
NLTK_ENGLISH = word_set("""
    a about above after again against ain all am an and any are aren aren't as at be because
    been before being below between both but by can couldn couldn't d did didn didn't do does
    doesn doesn't doing don don't down during each few for from further had hadn hadn't has hasn
    hasn't have haven haven't having he he'd he'll he's her here hers herself him himself his
    how i i'd i'll i'm i've if in into is isn isn't it it'd it'll it's its itself just ll m ma
    me mightn mightn't more most mustn mustn't my myself needn needn't no nor not now o of off
    on once only or other our ours ourselves out over own re s same shan shan't she she'd she'll
    she's should should've shouldn shouldn't so some such t than that that'll the their theirs
    them themselves then there these they they'd they'll they're they've this those through to
    too under until up ve very was wasn wasn't we we'd we'll we're we've were weren weren't what
    when where which while who whom why will with won won't wouldn wouldn't y you you'd you'll
    you're you've your yours yourself yourselves
""")

# The list of scikit-learn's TfidfVectorizer(stop_words="english"), BSD-3-Clause; from the
# Information Retrieval Group of the University of Glasgow.
# http://ir.dcs.gla.ac.uk/resources/linguistic_utils/stop_words
SKLEARN_ENGLISH = word_set("""
    a about above across after afterwards again against all almost alone along already also
    although always am among amongst amoungst amount an and another any anyhow anyone anything
    anyway anywhere are around as at back be became because become becomes becoming been before
    beforehand behind being below beside besides between beyond bill both bottom but by call can
    cannot cant co con could couldnt cry de describe detail do done down due during each eg
    eight either eleven else elsewhere empty enough etc even ever every everyone everything
    everywhere except few fifteen fifty fill find fire first five for former formerly forty
    found four from front full further get give go had has hasnt have he hence her here
    hereafter hereby herein hereupon hers herself him himself his how however hundred i ie if in
    inc indeed interest into is it its itself keep last latter latterly least less ltd made many
    may me meanwhile might mill mine more moreover most mostly move much must my myself name
    namely neither never nevertheless next nine no nobody none noone nor not nothing now nowhere
    of off often on once one only onto or other others otherwise our ours ourselves out over own
    part per perhaps please put rather re same see seem seemed seeming seems serious several she
    should show side since sincere six sixty so some somehow someone something sometime
    sometimes somewhere still such system take ten than that the their them themselves then
    thence there thereafter thereby therefore therein thereupon these they thick thin third this
    those though three through throughout thru thus to together too top toward towards twelve
    twenty two un under until up upon us very via was we well were what whatever when whence
    whenever where whereafter whereas whereby wherein whereupon wherever whether which while
    whither who whoever whole whom whose why will with within without would yet you your yours
    yourself yourselves
""")


MEANINGFUL = word_set("""
    amount bill bottom call cry describe detail eight eleven empty fifteen fifty fill find fire first
    five forty found four front full give hundred interest keep made mill mine move name nine part
    put see serious show side sincere six sixty system take ten thick thin third three top twelve
    twenty two
""")
"""Words of the two stop word lists that carry meaning of their own."""
FUNCTION_WORDS = (NLTK_ENGLISH | SKLEARN_ENGLISH | {"yes", "yeah", "ok", "okay"}) - MEANINGFUL


OTHER_LANGUAGES = {
    "de": word_set("""
        aber alle allem allen aller alles als also am an ander andere anderen anderer anderes auch auf aus bei beim bin bis
        bist da dabei dadurch dafür dagegen daher dahin damit danach dann daran darauf daraus darf dürfen darin darüber
        das dass davon dazu dein deine dem den denn der deren des dessen dich die dies diese diesem diesen dieser dieses
        dir doch dort du durch ein eine einem einen einer eines einige einigen einmal er es etwas euch euer eure für
        gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres
        im in indem ins ist ja jede jedem jeden jeder jedes jedoch jene kann können könnte mal man manche mein meine mich mir
        mit muss müssen musste nach nachdem noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit selbst
        sich sie sind so sobald solche soll sollen sollte somit sondern sonst sowie über um und uns unser unsere unter
        viel viele vom von vor während war waren warum was weg weil weiter welche welchem welchen welcher welches wenn wer
        werde werden wie wieder will wir wird wirst wo wollen worden wurde wurden würde würden zu zum zur zwar zwischen
        nein bitte gerne
    """),
    "fr": word_set("""
        a ai aient ait alors après au aucun aussi autre autres aux avait avant avec avez avoir avons bien c ça car ce ceci
        cela celle celles celui ces cet cette ceux chaque chez ci comme comment d dans de depuis des dès désormais dois
        doit doivent donc dont du elle elles en encore entre es est et étaient était étant été êtes être eu eux faire fait
        faut font ici il ils j je jusqu l la là le les lequel laquelle leur leurs lors lorsque lui m ma mais me même mes moi
        mon n ne ni nos notre nous on ont ou où par parce pas pendant peu peut peuvent plus plutôt pour pourquoi pouvez
        près puis qu quand que quel quelle quelles quels qui quoi s sa sans sera seront ses si soi soient soit son
        sont sous suis sur t ta tandis te tes toi ton toujours tous tout toute toutes très tu un une va vers voici vos
        votre vous y oui non
    """),
    "es": word_set("""
        a al algo algún alguna algunas algunos ante antes así aun aunque bajo bien cada como cómo con contra cual cuál
        cuales cuando cuándo cuanto cuánto da de debe deben del desde donde dónde dos durante e él el ella ellas ello
        ellos en entonces entre era eran eres es esa esas ese eso esos esta está estaba estado están estar este esto
        estos estoy fue fueron ha haber había hace hacer han hasta hay haya he la las le les lo los más me mi mientras
        mis misma mismo muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque
        pues puede pueden que qué quien quién quienes se sea sean según ser será si sí sin sobre son su sus suya
        suyo tal también tampoco tan tanto te ti tiene tienen toda todas todo todos tras tu tú tus un una unas uno
        unos usted ustedes va y ya yo
    """)
    - {"dos", "sin", "hasta"},
}


def is_content_word(lowered: str, language: str | None = None) -> bool:
    """Whether a lower-cased word is neither a function word of its language nor a single ASCII letter; of English, if there is no list.

    >>> [word for word in ("the", "first", "hut", "b", "5", "東") if is_content_word(word)]
    ['first', 'hut', '5', '東']
    >>> is_content_word("die"), is_content_word("die", "de")
    (True, False)
    """
    is_stray = len(lowered) == 1 and lowered.isascii() and not lowered.isdigit()
    return not is_stray and lowered not in OTHER_LANGUAGES.get(language or "", FUNCTION_WORDS)


JOINED = frozenset(".'’-&(")
"""Signs beside a letter that is a part of something: `U.S.`, `X-ray`, `R&B`, `O(n)`; letters and digits are others, as in `D5`."""


def is_letter(text: str, start: int, end: int) -> bool:
    """Whether a capital letter stands there by itself: the B of `plan B`; not `I`, `A dog`, an initial with a point, nor `L'eau`.

    >>> [is_letter(text, 0, 1) for text in ("B or C", "B.", "I do", "J. Doe", "L'eau")]
    [True, True, False, False, False]
    """
    if end - start != 1 or not "B" <= text[start] <= "Z" or text[start] == "I":
        return False
    behind = "" if not text[end : end + 2].strip(".\n") else text[end : end + 1]  # not of `… or B.`
    beside = text[max(0, start - 1) : start] + behind
    return not any(sign in JOINED or sign.isalnum() for sign in beside)
