"""Refusals in German, French, Spanish, Italian, Portuguese, Dutch, Chinese and Japanese: the plain forms only.

A speaker who cannot answer ("Das kann ich nicht beantworten") refuses if it opens or ends the answer and
no clause after it turns ("aber", "mais"); at the end only if no figure precedes, unless it concludes
("daher", "因此"). A source that does not tell ("Le rapport ne précise pas le montant") refuses if it
opens the answer, or if no other sentence has a figure and the answer does not begin with yes or no.
"""

import re

from ragauge.language.text import Span
from ragauge.language.word_beginnings import first_letters, may_match

_SPEAKER = (
    # German
    r"(?:kann|können|konnte|konnten) (?:ich|wir|man)?[^.;!?\n]{0,80}?\b(?:nicht|keine[nrs]?)\b[^.;!?\n]{0,60}?"
    r"\b(?:beantworten|sagen|nennen|bestimmen|ermitteln|angeben|berechnen|beurteilen|finden|entnehmen|weiterhelfen)\b",
    r"\b(?:ich|wir)\b[^.;!?\n]{0,80}?\b(?:leider|nicht|keine[nrs]?)\b[^.;!?\n]{0,60}?"
    r"\b(?:beantworten|nennen|bestimmen|ermitteln|angeben|berechnen|beurteilen|entnehmen) (?:kann|können|konnte)\b",
    r"\bläss(?:t|en) sich\b[^.;!?\n]{0,60}?\bnicht\b[^.;!?\n]{0,30}?"
    r"\b(?:beantworten|bestimmen|ermitteln|berechnen|sagen|feststellen|ableiten|entnehmen|beurteilen)\b",
    r"\b(?:finde|fand|habe|haben|finden) (?:ich|wir)\b[^.;!?\n]{0,60}?\b(?:keine|nichts)\b",
    r"\b(?:ich|wir) (?:finde|fand|habe|haben|finden)\b[^.;!?\n]{0,60}?\b(?:keine (?:\w+ )?(?:Angaben?|Informationen"
    r"|Daten|Hinweise|Zugriff)|nichts (?:gefunden|dazu|darüber))\b",
    r"\bliegen? (?:mir|uns)\b[^.;!?\n]{0,60}?\b(?:keine|nicht)\b|\b(?:weiß|weiss) ich\b[^.;!?\n]{0,20}?\bnicht\b",
    # French
    r"\bje (?:ne (?:peux|puis|suis|dispose|trouve|connais|possède|parviens)|n'ai)\b[^.;!?\n]{0,30}?\b(?:pas|aucune?)\b",
    r"\bil (?:n'est pas|est im)possible (?:de|d')\s?(?:répondre|déterminer|calculer|dire|savoir|conclure)\b",
    r"\b(?:on )?ne (?:peut|permet|permettent)\b[^.;!?\n]{0,30}?\bpas (?:de |d')?\s?(?:répondre|déterminer|calculer|savoir|connaître)\b",
    # Spanish
    r"\bno (?:puedo|podemos|dispongo de|disponemos de|tengo (?:información|datos|acceso)|encuentro|encontré|sé\b)",
    r"\bno (?:es posible|se puede) (?:responder|determinar|calcular|saber|concluir)\b",
    # Italian, Portuguese
    r"\bnon (?:posso|sono in grado|dispongo di|ho (?:informazioni|dati|accesso|trovato)|trovo|è possibile (?:rispondere|determinare|calcolare))\b",
    r"\bnão (?:posso|consigo|tenho (?:informações|dados|acesso)|encontrei|é possível (?:responder|determinar|calcular|saber))\b",
    # Dutch
    r"\bik (?:kan|weet|heb|vind)\b[^.;!?\n]{0,60}?\b(?:niet|geen)\b[^.;!?\n]{0,30}?(?:beantwoorden|zeggen|bepalen|vinden|informatie|gegevens|\Z)",
    # Chinese, Japanese
    r"(?:无法|無法|不能|没法)[^。;!?,\n]{0,10}(?:回答|确定|確定|得知|判断|判斷|计算|計算|得出|提供)",
    r"(?:没有|未能?|沒有)(?:找到|查到|检索到)|[找查]不到",
    r"(?:お答え|回答|計算|判断|特定|確認|提供)(?:する(?:こと)?)?(?:が|は)?(?:でき(?:ません|ない|かね)|いたしかね)",
    r"(?:分|わ)かりません|見つかりません|見つけられません|存じません",
)
"""The speaker cannot tell, or found nothing."""

_ITEM_DE = r"(?:Angaben?|Aussagen?|Informationen?|Hinweise?|Daten|Auskunft|Aufschlüsselung|Zahlen?|Wert|Betrag|Datum)"
_TELLS_FR = (
    r"(?:précis|mentionn|indiqu|contien|fourni|donn|appara|spécifi|figur|comport|di[ts]|révèl)"
)
_TELLS_ES = r"(?:menciona|indica|especifica|contiene|proporciona|aparece|incluye|dice|detalla|consta|figura|ofrece)"
_TELLS_IT = r"(?:menziona|indica|specifica|contiene|fornisce|riporta|informa|include|especifica|contém|fornece)"
_SOURCE = (
    rf"\bkeine(?:rlei)? (?:\w+ )?{_ITEM_DE}\b|\b{_ITEM_DE}\b[^.;!?\n]{{0,80}}? nicht\b",
    r"\b(?:wird|werden|ist|sind|wurde|wurden)\b[^.;!?\n]{0,60}?\bnicht "
    r"(?:angegeben|vorhanden|erwähnt|genannt|aufgeführt|enthalten|ersichtlich|beziffert|ausgewiesen|beschrieben)\b",
    r"\bgeh(?:t|en)\b[^.;!?\n]{0,60}?\bnicht hervor\b",
    r"\b(?:nennt|erwähnt|enthält|macht|gibt|beziffert)\b[^.;!?\n]{0,60}?\b(?:nicht|keine[nrs]?)\b",
    rf"\b(?:ne|n'y|n')\s?(?:le |l')?{_TELLS_FR}\w*\b[^.;!?\n]{{0,20}}?\b(?:pas|aucune?|rien)\b"
    r"|\bil n'y a (?:pas|aucune?) (?:d'|de )?(?:information|donnée|mention|précision|indication)|\baucune (?:information|donnée|mention|précision)\b|\bn'est pas (?:précisée?|mentionnée?|indiquée?|fournie?|donnée?)\b",
    rf"\bno (?:se |lo )?{_TELLS_ES}n?\b|\bno hay (?:información|datos|mención)\b|\bno (?:está|viene) (?:especificad|indicad)[oa]\b",
    rf"\b(?:non|não) (?:si |se )?{_TELLS_IT}\b|\bnon (?:ci sono|è) (?:informazioni|indicat[oa]|specificat[oa])\b"
    r"|\bnão há (?:informações|dados)\b",
    r"\b(?:steht|stehen|findet sich|finden sich|sagt|sagen)\b[^.;!?\n]{0,60}?\b(?:nichts|keine[nrs]?|nicht (?:im|in))\b",
    r"\b(?:vermeldt|noemt|bevat|staat)\b[^.;!?\n]{0,60}?\b(?:niet|geen)\b",
    r"(?:没有|沒有|无|無)[^。;!?,\n]{0,10}(?:信息|資訊|资料|資料|数据|數據|记载|記載|答案|说明|說明)",
    r"(?:没有|未|並未|并未|沒有)(?:提及|提到|说明|說明|给出|給出|提供|包含|披露|列出|涉及|明确|指明)",
    r"(?:記載|言及|情報|記述|説明|データ)(?:が|は)?(?:されていません|ありません|見当たりません|含まれていません)",
)
"""A source that does not tell."""


def _either(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_SPEAKER_CANNOT = _either(_SPEAKER)
_SOURCE_IS_SILENT = _either(_SOURCE)
_TURNS = re.compile(
    r"\b(?:aber|jedoch|allerdings|dennoch|mais|cependant|toutefois|pero|sin embargo|ma|tuttavia|mas|porém|maar)\b"
    r"|但是?|不过|不過|然而|ですが|ませんが|だが|しかし",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:daher|deshalb|somit|folglich|sodass|also|donc|ainsi|par conséquent|por (?:lo )?tanto|así que|quindi"
    r"|pertanto|portanto|dus|daarom)\b|因此|所以|故|したがって|よって|そのため",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"\W*(?:(?:ja|nein|oui|non|sí|si|no|sì|sim|não|nee)\s*[,.;:!]|是的|不是|不可以|可以|はい|いいえ)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。!?\n]+(?:[.!?。!?](?=\s|\Z|[^\x00-\x7f])|\n|\Z)?|[.!?\n]+")
_CUES = re.compile(
    r"\b(?:nicht|keine\w*|nichts|pas|aucune?|rien|impossible|no|non|não|niet|geen)\b|[没沒未无無不並]|ません|ない|かね",
    re.IGNORECASE,
)
_ASCII_CUES = first_letters("nicht keine nichts pas aucun rien impossible no non niet geen")
"""An answer in ASCII has one of these if it has a cue."""
_ENGLISH = re.compile(
    r"\b(?:the|is|are|was|were|does|not|and|of|this|that|it|I|you)\b", re.IGNORECASE
)
_FIGURE_IN_CLAUSE = re.compile(r"\d[^.;:,,;。]*[.;:,,;。]")
_FURTHER = re.compile(
    r"\b(?:weitere[nrs]?|nähere[nrs]?|sonstige[nrs]?|genauere[nrs]?|autres?|d'autres|supplémentaires?|otr[oa]s|más (?:información|datos|detalles)"
    r"|altr[ei]|ulterior[ei]|outr[oa]s|mais (?:informações|dados|detalhes)|verdere|andere)\b|(?:其他|更多)",
    re.IGNORECASE,
)
"""What is missing comes on top of what is there."""
_ANSWER_WORDS = 4
"""Words before it that are taken for an answer."""
_WORD = re.compile(r"[^\W\d_]{5,}")
"""A word that is long enough to be one of content."""
_TURN_WITHIN = 3
"""Characters at the end of a refusal that may belong to a turn: "わかりませんが"."""

READ = 4000
"""Characters; a longer answer in another language is read no further."""


def refusal_in_another_language(answer: str, question: str | None = None) -> Span | None:
    """The words with which an answer in another language refuses, None if it does not.

    >>> text = "Dazu finde ich in den Unterlagen keine Angaben."
    >>> start, end = refusal_in_another_language(text)
    >>> text[start:end]
    'finde ich in den Unterlagen keine'
    >>> refusal_in_another_language("412 Mio. Euro. Angaben zu Ländern enthält der Bericht nicht.")
    """
    if not may_match(answer, _ASCII_CUES):
        return None
    text = answer[:READ].replace("’", "'")
    if _CUES.search(text) is None or len(_ENGLISH.findall(text)) > len(text) / 60:
        return None
    sentences = [each.span() for each in _SENTENCE.finditer(text) if each[0].strip(" .!?。\n")]
    for index, (start, end) in enumerate(sentences):
        found = _SPEAKER_CANNOT.search(text, start, end)
        if found is not None and not _turns_after(text, found):
            concludes = _CONCLUDES.search(text, start, found.start()) is not None
            if concludes or not _has_figure(text, start if index else found.start()):
                return found.span()
        found = _SOURCE_IS_SILENT.search(text, start, end)
        if found is None or _turns_after(text, found) or _YES_OR_NO.match(text):
            continue
        is_further = _FURTHER.search(text, start, found.end()) is not None
        if is_further and text[: found.start()].count(" ") >= _ANSWER_WORDS:
            continue
        if question and _is_on_something_else(question, text[:start], text[start:end]):
            continue
        if not _has_figure(text, start if index else found.start()):
            return found.span()
    return None


def _is_on_something_else(question: str, before: str, refusal: str) -> bool:
    """Whether the sentences before the refusal take up the question, and the refusal does not."""
    asked, given, missing = (_words(text) for text in (question, before, refusal))
    return bool(asked & given) and not asked & missing


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _turns_after(text: str, found: re.Match[str]) -> bool:
    return _TURNS.search(text, max(found.start(), found.end() - _TURN_WITHIN)) is not None


def _has_figure(text: str, end: int) -> bool:
    """Whether a clause that ends before `end` has a figure."""
    return _FIGURE_IN_CLAUSE.search(text, 0, end) is not None
