"""Where an answer names its sources or turns to its reader, which is no claim about the world."""

import re

_NOUN = r"""(?:documents?|contexts?|texts?|passages?|excerpts?|information|sources?|articles?|reports?|handbook|manual|guide(?:lines)?|polic(?:y|ies)|records?
|materials?|snippets?|search\ results?|knowledge\ base|page|section|chapter|tables?|data)"""
_ATTRIBUTION = re.compile(
    rf"""
    \[\s*(?:\d{{1,3}}(?:\s*[,;–-]\s*\d{{1,3}})*|(?:source|doc|document|ref)\b[^\]\n]{{0,60}})\s*\]
    | \(\s*(?:sources?|see|from|based\ on|according\ to|cf\.|pages?|pp?\.|quelle|siehe|laut|seite|source|voir|selon|fuentes?|véase|según|página|来源|参见)
      (?![^\W\d_])[^()\n]{{0,120}}(?:\([^()\n]{{0,60}}\)[^()\n]{{0,60}}){{0,3}}\)
    | (?:^|(?<=[.!?。\n]))[\ \t]*(?:\*\*)?(?:sources?|citations?|quellen?|fuentes?|来源)(?:\*\*)?[ ]?[:：][^\n]{{0,300}}$
    | ,?[ ]?\b(?:according\ to|based\ (?:up)?on|as\ (?:stated|described|mentioned|noted|given)\ (?:in|on|by)|laut|gemäß|selon|d['’]après|según|de\ acuerdo\ con)[ ]
      (?:(?:page|section|chapter)[ ][\w.-]{{1,12}}[ ]of[ ])?
      (?:the|this|these|your|our|my|dem|der|den|le|la|les|el|los|las)[ ](?:(?:provided|given|above|retrieved|available|following)[ ])?
      (?:{_NOUN}|handbuch|dokument(?:en)?|text|document|texte|manuel|documento|texto|manual)\b(?:[ ]provided)?
    | (?:^|(?<=[.!?。！？\n]))[\ \t]*(?:all[ ])?(?:this|that)[ ]is[ ](?:(?:stated|described|mentioned|noted|given|found|taken)[ ])?(?:in|on|from|according\ to)[ ]
      (?:(?:page|section|chapter)[ ][\w.-]{{1,12}}[ ]of[ ])?the[ ](?:\w+[ ]version[ ]of[ ]the[ ])?(?:documents?|documentation|contexts?|texts?|passages?|handbook|manual|sources?)[ ]?\.
    | (?:^|(?<=[.!?。！？\n]))[\ \t]*(?:let\ me\ know\ if|(?:please[ ])?feel\ free\ to|(?:please[ ])?do(?:\ not|n['’]t)\ hesitate\ to|i\ hope\ (?:this|that)\ helps
      |if\ you\ have\ (?:any[ ])?(?:other|more|further)\ questions|is\ there\ anything\ else|lassen\ sie\ (?:es[ ])?mich\ wissen|ich\ hoffe,\ (?:das|dies)\ hilft
      |n['’]hésitez\ pas|j['’]espère\ que\ cel|no\ dude\ en|espero\ que\ est|希望这|如(?:果您?)?(?:还)?有其他)[^.!?。！？\n]{{0,200}}[.!?。！？]?
    | (?:根据|依据|按照)(?:所提供的|提供的|上述|以上)?(?:文档|文件|手册|资料|上下文|文本)[，,]?
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def without_attributions(text: str) -> str:
    """The text with spaces in place of what only names a source or turns to the reader; positions stay the same.

    A text that is nothing else stays as it is. A named source ("according to Einstein") may be wrong, so it stays too.

    >>> without_attributions("According to the handbook, it costs $9 [2]. Source: fees-1.").split()
    [',', 'it', 'costs', '$9', '.']
    >>> without_attributions("It costs $9. Let me know if you need anything else!").split()
    ['It', 'costs', '$9.']
    >>> without_attributions("It was built in 1931, according to Ada Grant.")
    'It was built in 1931, according to Ada Grant.'
    """
    rest = _ATTRIBUTION.sub(lambda found: " " * len(found[0]), text)
    return rest if any(map(str.isalnum, rest)) else text
