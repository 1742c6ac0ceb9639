"""English stop words: the lists of NLTK and scikit-learn."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The list of NLTK's stopwords corpus (198 words since its release of 2024, 179 before, which lack
# 19 contractions such as "he'll"); after M. F. Porter's list for Snowball.
# https://www.nltk.org/nltk_data/
NLTK_ENGLISH = _set("""
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
SKLEARN_ENGLISH = _set("""
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


MEANINGFUL = _set("""
    amount bill bottom call cry describe detail eight eleven empty fifteen fifty fill find fire first
    five forty found four front full give hundred interest keep made mill mine move name nine part
    put see serious show side sincere six sixty system take ten thick thin third three top twelve
    twenty two
""")
"""Words of the two stop word lists that carry meaning of their own."""
FUNCTION_WORDS = (NLTK_ENGLISH | SKLEARN_ENGLISH | {"yes", "yeah", "ok", "okay"}) - MEANINGFUL


def is_content_word(lowered: str) -> bool:
    """Whether a lower-cased word is neither a function word nor a single ASCII letter.

    >>> [word for word in ("the", "first", "hut", "b", "5", "東") if is_content_word(word)]
    ['first', 'hut', '5', '東']
    """
    is_stray = len(lowered) == 1 and lowered.isascii() and not lowered.isdigit()
    return not is_stray and lowered not in FUNCTION_WORDS
