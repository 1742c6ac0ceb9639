"""The words by which claims are found: verbs in their forms, hedges, and what begins and ends a phrase."""

from typing import Literal

from ragauge.language.text import rows, word_set

_REGULAR = """
abandon abolish accept accompany accuse achieve acknowledge acquire adapt add adopt advise affect
announce appoint approve arrest assassinate assemble attack attend attract award ban bomb broadcast
calculate capture carry cause celebrate chair claim coach coin collect colonize command commission
complete compose conclude conduct confirm connect conquer consume contain contribute convert convict
cover create cross cure damage declare defeat defend define deliver demonstrate deny deploy depict
describe design destroy detect determine develop devise devote direct discover distribute divide
donate earn edit elect eliminate employ enable encourage end enter equal establish exceed execute
exhibit expand explain explore export express feature file finance fire force form formulate found
fund gain generate govern grant guide handle head help host identify ignore illustrate implement
import improve include increase influence inherit inhabit inspire install introduce invade invent
invest investigate invite issue join kill knock land last launch license limit list locate lower
manage manufacture market marry measure merge migrate mine move name nominate observe occupy offer
open operate oppose order organise organize own paint pass patent perform photograph pioneer place
play predict prepare present preserve prevent print process produce prohibit promote propose protect
prove provide publish purchase pursue raise ratify reach receive recognise recognize record recruit
reduce refuse reject release remove rename renovate repair replace represent require rescue resemble
resign restore reveal review revive reward rule sail save score secure seize separate serve share
shape sign solve sponsor star start state store study succeed suffer supply support surpass surround
survive target test top trace train transfer transform translate transport treat trigger unify unite
use value visit voice vote welcome weigh witness
advertise assert borrow climb complement comprise damage decrease educate emit enact encode evade
evolve expose fail favor favour film finish follow gather house hunt infect injure inhibit isolate
lease license lift load lack link mark marry mention murder narrate orbit outlaw overlook power
preach premiere printed prize pronounce publicise publicize range rate reclaim redesign refine
regulate reinforce reject reopen report rescue reside retain retire reverse roast roll sack settle
slash smash span staff stage strengthen sue sustain symbolise symbolize tackle teach threaten
tour trade travel unveil upgrade uphold vaccinate view violate wound
"""
_DOUBLED = (
    "ban plan equip ship stop drop plot map tap bar commit permit submit transmit control star"
)
_IRREGULAR = """
become became become | begin began begun | break broke broken | bring brought brought | build built built
buy bought bought | choose chose chosen | cost cost cost | cut cut cut | draw drew drawn | drive drove driven
eat ate eaten | feed fed fed | fight fought fought | find found found | fly flew flown | give gave given
grow grew grown | hit hit hit | hold held held | keep kept kept | lead led led | leave left left
lose lost lost | make made made | meet met met | pay paid paid | put put put | read read read
ride rode ridden | run ran run | see saw seen | sell sold sold | send sent sent | set set set
show showed shown | sing sang sung | speak spoke spoken | spend spent spent | steal stole stolen
strike struck struck | swim swam swum | take took taken | teach taught taught | throw threw thrown
wear wore worn | win won won | write wrote written | overthrow overthrew overthrown | shoot shot shot
undergo underwent undergone | bear bore born | split split split | beat beat beaten
"""
COPULAS = word_set("is are was were became becomes become remains remained")
BE = word_set("is are was were been being be get got gets")
HAVE = word_set("has have had")
AUXILIARIES = BE | HAVE | word_set("did does do will to")
HEDGES = word_set("""
    may might could would should can must ought suggest suggests suggested suggesting seem seems
    seemed seemingly appear appears appeared possibly perhaps probably maybe potentially apparently
    likely unlikely presumably reportedly allegedly supposedly arguably believe believes believed
    think thinks thought assume assumes assumed suspect suspects suspected speculate speculates
    speculated rumored rumoured expected imply implies implied suppose supposes supposed guess hope
    hopes hoped tend tends tended if whether unless cannot
""")
NEGATIONS = word_set("not never no neither nor without hardly nobody nothing cannot")
ADVERBS = word_set("""
    also then later first soon once ever just still now already often always even only again
    eventually since thus therefore instead together today yesterday recently since further once
    too all both best most long
""")
DETERMINERS = word_set("""
    the a an this that these those its their his her our my your some any each every both all
    several many few various certain other another such whose about around over nearly
    approximately roughly more less than at least up to
""")
POINTING = word_set("this that these those")
IDIOMS = {"took": "place part", "takes": "place part", "take": "place part", "taken": "place part"}
PRONOUNS = word_set("""
    i you he she it we they me him them us this that these those who whom whose which what there
    here one ones someone something everyone everything anyone anything himself herself itself
    themselves each all both some many others another such
""")
ACRONYMS = frozenset(("US", "IT", "WHO", "ME", "HE"))
RELATIVES = word_set("who which that")
PREPOSITIONS = word_set("""
    in on at by for with from into onto to as than through throughout during after before since
    until between among within without against about over under above below across along around
    near behind beyond despite via per towards toward upon like unlike including
""")
CONJUNCTIONS = word_set(
    "and or but while because although though when where so yet nor plus whereas how why"
)
BEFORE_NOUNS = DETERMINERS | PREPOSITIONS | {"of"}
STOPPING_WORDS = PREPOSITIONS | CONJUNCTIONS | RELATIVES
_LINKS = """
in at on near: born located based situated lived lives live | in at of: died | for at: works worked
to: belongs belonged belong led leads refers married | of: consists consisted consist | as: known appointed
in: resulted results starred stars | from: derives derived developed | after: named
: called elected awarded
"""
PLACED = {
    verb: row.partition(":")[0].strip()
    for row in _LINKS.replace("\n", "|").split("|")
    for verb in row.partition(":")[2].split()
}
"""Verbs whose object follows one of these prepositions; without prepositions, verbs of naming."""


def _inflections() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The verbs' finite forms, their bare forms, and their participles."""
    bare, doubled = set(_REGULAR.split()), set(_DOUBLED.split())
    pasts = {_with(verb, "d") for verb in bare - doubled}
    pasts |= {f"{verb + verb[-1]}ed" for verb in doubled}
    irregular = rows(_IRREGULAR)
    bare |= {verb for verb, *_ in irregular}
    finite = pasts | {form for _, *forms in irregular for form in forms}
    finite |= {_with(verb, "s") for verb in bare | doubled}
    return frozenset(finite), frozenset(bare), frozenset(pasts | {each[2] for each in irregular})


def _with(verb: str, ending: Literal["d", "s"]) -> str:
    """The verb with its ending, and the `e` or `ie` before it."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ie{ending}"
    has_e = verb.endswith(("s", "x", "z", "ch", "sh", "o")) if ending == "s" else verb[-1] != "e"
    return f"{verb}{'e' * has_e}{ending}"


ASSERTIVE, BARE, PARTICIPLES = _inflections()
VERBS = ASSERTIVE | BARE | COPULAS | HAVE | PLACED.keys()
TURNS = VERBS | HEDGES | {":", "but"}
STOPPING_VERBS = ASSERTIVE | AUXILIARIES | COPULAS | HEDGES | PLACED.keys()
STOPPING = STOPPING_WORDS | STOPPING_VERBS | {"."}

LINKING = COPULAS | HAVE
NAMING = frozenset(word for word, prepositions in PLACED.items() if not prepositions)
NO_OBJECT = frozenset(PLACED) - ASSERTIVE - BARE - NAMING

COUNTS = word_set("""
    one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred
    hundreds thousand thousands million millions billion billions trillion dozen dozens
""")
MEASURED = word_set("""
    tall long wide high deep thick broad old away apart ago later earlier higher lower more less
    fewer each total
""")
LEADING = (
    DETERMINERS
    | COUNTS
    | ADVERBS
    | word_set("of yes yeah yea well oh ok okay no so much actually overall")
)
