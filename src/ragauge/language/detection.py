"""The language of a text, by its script and the function words in it."""

import re
import unicodedata
from collections import Counter

READ = 600
"""The most characters that are read."""
LEAST = 3
"""The fewest different function words of a language that say that a text is in it; 2 if none is English."""
LEAD = 1.5
"""How many times as many as those of English another language needs: names and titles are foreign too."""
_FUNCTION_WORDS = {
    "en": """the of and to in is was that for it as with his her he she by at from this are were which not
        be have has had an or their they who what when where how does did there you your its been will can""",
    "de": """der die das und ist nicht ein eine einen einem einer von zu den dem des mit auf für im sich es er sie
        wir wie wird wurde war sind auch aus bei nach wer wann wo welche welcher warum oder kann hat haben
        am vor über durch seit kein keine zum zur viele beim können""",
    "fr": """le la les de des du et est un une que qui dans pour pas sur par au aux ce cette il elle sont avec
        plus ne se été où quel quelle quand combien comment leur ses nous vous mais qu""",
    "es": """el la los las de del es un una que en por para con no se su al lo como más son está quién
        cuándo dónde cuál cuántos qué cómo pero sus desde hasta también ha
        fue hay puede cuántas cuánto cuántos sí dos""",
    "it": """il la lo gli le di del della dei delle un una che in per con non si da al alla nel nella sono
        chi quando dove quale come quanti cosa più ha stato anche ma dell
        dal dalla alle dalle dopo entro ci quante quanto quali ad lei tra""",
    "pt": """os as de do da dos das um uma que em por para com não se no na nos nas ao foi são quem
        quando onde qual como mais sua seu pelo pela também mas está
        quanto quais sim""",
    "nl": """de het een van en is niet dat die in op te zijn met voor aan er door wordt werd was ook bij naar
        wie wat wanneer waar hoe welke om uit maar deze hij zij heeft kan""",
    "sv": """och att det som en på är av för med den till inte har de ett om var från vid kan vem när vad
        hur vilken vilket blev men han hon sig""",
    "da": """og at det som en på er af for med den til ikke har de et om var fra ved kan hvem hvornår hvad
        hvor hvordan hvilken blev men han hun sig""",
    "pl": """na do jest nie się to że od po przez dla są był była jak kto kiedy gdzie co jaki która
        który oraz ale za ma""",
    "cs": """je se na ve že který která které jsou byl byla bylo jak kdo kdy kde kolik jaký jaká jako ale nebo také
        při jeho její""",
    "hu": """az és egy hogy nem van volt ez azt ki mikor hol mennyi melyik milyen vagy meg már csak""",
    "ro": """și este sunt nu care în din pe cu pentru ce cine când unde cât cum mai sau dar""",
    "fi": """on ja ei että oli se joka mutta kuka milloin missä kuinka mikä mitä myös kun ovat tai hän""",
    "tr": """ve bir bu için ile da de ne kim nerede nasıl hangi olarak olan en daha çok gibi kadar değil
        var mi tarafından ise""",
    "id": """yang dan di ke dari ini itu untuk dengan pada adalah tidak dalam oleh akan juga siapa apa kapan
        mana bagaimana berapa atau telah""",
    "vi": "của và là không các một có được trong cho với những này đã người khi nào ai bao năm",
}
_LANGUAGES: dict[str, list[str]] = {}
for _name, _words in _FUNCTION_WORDS.items():
    for _each in _words.split():
        _LANGUAGES.setdefault(_each, []).append(_name)
_KNOWN = frozenset(_LANGUAGES)
_WORD = re.compile(r"[^\W\d_]{2,}")  # not single letters, which may be initials
_NOT_LATIN = re.compile("[\u0370-\u1cff\u3040-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+")
_DENSE = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}
"""Scripts of which a letter says as much as some letters of others."""
_BY_SCRIPT = {"CJK": "zh", "HANGUL": "ko", "GREEK": "el", "HEBREW": "he", "THAI": "th"}
_NAMED = 20
"""The most letters whose names are looked up."""


def function_words(*languages: str) -> frozenset[str]:
    """The function words by which these languages are known."""
    return frozenset(word for name in languages for word in _FUNCTION_WORDS[name].split())


def language_of(text: str) -> str | None:
    """The code of the language of a text, or the name of its script where languages share it; None if unclear.

    A text is in another script than Latin if half of its letters are, of which Chinese, Japanese and
    Korean ones count thrice. Otherwise it is in the language of whose function words most occur: at least
    three different ones (two if none is English), more than of any other, and more than 1.5 times as many as
    of English. Only the first 600 characters are read. Usually None for names and numbers.

    >>> [language_of(text) for text in ("Wer hat das Buch geschrieben?", "什么时候开放？", "Кто?", "Paris, 1931")]
    ['de', 'zh', 'Cyrillic', None]
    """
    text = text[:READ].lower()
    if not text.isascii() and (script := _script(text)):
        return script
    words = _KNOWN.intersection(_WORD.findall(text))
    named = [name for word in words for name in _LANGUAGES[word]]
    counts = sorted([(named.count(name), name) for name in {*named}])
    (n_second, _), (n, first) = [(0, ""), (0, ""), *counts][-2:]
    n_english = named.count("en")
    if n < (LEAST if n_english else LEAST - 1) or n <= n_second:
        return None
    return first if first == "en" or n > LEAD * n_english else None


def _script(text: str) -> str | None:
    """The language or script of a text that is mostly not in Latin letters."""
    letters = "".join(_NOT_LATIN.findall(text))
    if not letters:
        return None
    counts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters[:_NAMED])
    script, _ = counts.most_common(1)[0]
    weight = 3 if script in _DENSE else 1
    if weight * len(letters) < len(text) - len(letters):
        return None
    if script in _DENSE and counts["HIRAGANA"] + counts["KATAKANA"] > counts.total() / 10:
        return "ja"
    return _BY_SCRIPT.get(script, script.capitalize())
