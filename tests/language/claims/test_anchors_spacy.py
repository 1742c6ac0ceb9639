"""The spaCy extractor, on a pipeline trained here on a dozen sentences annotated by hand."""

from pathlib import Path

import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import LabelError, MissingExtraError
from ragauge.language.claims import anchors_spacy
from ragauge.language.claims.anchors_spacy import installed_pipeline, spacy_anchors
from ragauge.language.claims.claims import Claim
from ragauge.language.claims.context_index import Anchors
from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import Quantity

spacy = pytest.importorskip("spacy")

pytestmark = pytest.mark.slow

# Word, head (counted from 0), dependency; the entities as word, label.
ACTIVE = [
    (sentence, list(map(int, heads.split())), dependencies.split())
    for sentence, heads, dependencies in (
        ("{a} sold {b} .", "1 1 1 1", "nsubj ROOT dobj punct"),
        ("{a} sold the {c} phone .", "1 1 4 4 1 1", "nsubj ROOT det compound dobj punct"),
        ("{a} may buy {b} .", "2 2 2 2 2", "nsubj aux ROOT dobj punct"),
        ("{a} did not buy {b} .", "3 3 3 3 3 3", "nsubj aux neg ROOT dobj punct"),
        ("{b} was sold by {a} .", "2 2 2 2 3 2", "nsubjpass auxpass ROOT agent pobj punct"),
        (
            "{a} bought {b} for 5 dollars in 2021 .",
            "1 1 1 1 5 3 1 6 1",
            "nsubj ROOT dobj prep nummod pobj prep pobj punct",
        ),
        ("It may rain .", "2 2 2 2", "nsubj aux ROOT punct"),
        ("They sold it .", "1 1 1 1", "nsubj ROOT dobj punct"),
    )
]
NAMES = [("Acme", "Initech", "Pear"), ("Globex", "Hooli", "Plum"), ("Umbrella", "Acme", "Fig")]


def train(folder: Path) -> Path:
    from spacy.training import Example

    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    nlp.add_pipe("ner")
    examples: list[Example] = []
    for a, b, c in NAMES:
        for pattern, heads, deps in ACTIVE:
            doc = nlp.make_doc(pattern.format(a=a, b=b, c=c))
            entities = ["O"] * len(doc)
            for at, word in enumerate(doc):
                if word.text == "5":
                    entities[at : at + 2] = ["B-MONEY", "L-MONEY"]
                elif word.text == "2021":
                    entities[at] = "U-DATE"
            gold = {"heads": heads, "deps": deps, "entities": entities}
            examples.append(Example.from_dict(doc, gold))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    nlp.meta |= {"name": "tiny", "version": "1.2.3"}
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(train(tmp_path_factory.mktemp("pipeline") / "tiny"))


def extract(text: str, pipeline: str) -> Anchors:
    found = spacy_anchors(text, quantities(text), dates(text), "spacy", pipeline)
    assert found is not None
    return found


def triples(found: Anchors) -> list[tuple[str, str, str]]:
    return [(one.subject, one.verb, one.object) for one in found.found if isinstance(one, Claim)]


@cases(
    ("Acme sold Initech .", [("Acme", "sold", "Initech")]),
    # Compounds, and no article; the agent of a passive is the subject; a pronoun in capitals is a name.
    ("Globex sold the Pear phone .", [("Globex", "sold", "Pear phone")]),
    ("Initech was sold by Acme .", [("Acme", "sold", "Initech")]),
    ("US sold Initech .", [("US", "sold", "Initech")]),
    *(("US SOLD IT .", []), ("They sold it .", []), ("", [])),
    # Hedged or negated.
    *(("It may rain .", []), ("Acme may buy Initech .", [])),
    ("Acme did not buy Initech .", []),
)
def test_subject_verb_and_object_make_a_claim(text, claims, pipeline: str):
    assert triples(extract(text, pipeline)) == claims


def test_numbers_and_dates_are_those_of_the_entities(pipeline: str):
    found = extract("Acme bought Initech for 5 dollars in 2021 .", pipeline).found
    assert [type(one) for one in found] == [Claim, Quantity, Date]
    assert [one.text for one in found] == ["Acme bought Initech", "5 dollars", "2021"]
    # An object that is only an amount makes no claim.
    assert [one.text for one in extract("Acme bought 5 dollars .", pipeline).found] == ["5 dollars"]
    # A lone surrogate keeps the offsets.
    text = "\ud800 Acme sold Initech ."
    assert all(text[one.start : one.end] == one.text for one in extract(text, pipeline).found)


def test_the_evidence_names_the_pipeline_and_its_version(pipeline: str):
    texts = {"answer": "Acme sold Initech .", "contexts": ["Globex sold Initech ."]}
    score = rg.score(f'hallucination(extractor="spacy",pipeline="{pipeline}")', **texts)
    auto = rg.score(f'hallucination(pipeline="{pipeline}")', answer="5", contexts=[])
    assert score.value == 1
    for one in (score, auto):
        assert one.evidence is not None
        assert one.evidence["extractor"] == "spacy en_tiny 1.2.3"


def test_a_text_too_long_for_the_pipeline_is_left_to_the_embedded_extractor(pipeline: str):
    text = "a" * 1_000_001
    assert spacy_anchors(text, (), (), "spacy", pipeline) is None


def test_without_an_installed_pipeline_auto_is_embedded_and_spacy_an_error(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(anchors_spacy, "installed_pipeline", lambda: None)
    assert spacy_anchors("5", (), (), "auto") is None
    with pytest.raises(LabelError, match="needs an English spaCy pipeline with a parser"):
        spacy_anchors("5", (), (), "spacy")


def test_the_first_installed_english_pipeline_with_a_parser_is_taken(
    pipeline: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    from importlib.metadata import EntryPoint

    def entries(group: str) -> list[EntryPoint]:
        assert group == "spacy_models"
        names = ("en_z_last", "en_a_broken", "de_first")
        return [EntryPoint(name, "module:load", group) for name in names]

    def load(name: str) -> object:
        if name == "en_a_broken":
            raise LabelError("no parser")
        return name

    monkeypatch.setattr(anchors_spacy, "entry_points", entries)
    monkeypatch.setattr(anchors_spacy, "_named_pipeline", load)
    assert installed_pipeline.__wrapped__() == "en_z_last"


def test_a_pipeline_that_is_not_there_or_has_no_parser_is_refused(tmp_path: Path, monkeypatch):
    with pytest.raises(LabelError, match=r"cannot load the spaCy pipeline '.*nowhere'"):
        extract("5", str(tmp_path / "nowhere"))
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(LabelError, match="with no components; an English one with a parser"):
        extract("5", str(tmp_path / "blank"))
    monkeypatch.setattr(anchors_spacy, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"ragauge\[spacy\]"):
        spacy_anchors("5", (), (), "spacy", "en_some_pipeline")


def test_auto_does_not_import_spacy_when_no_pipeline_is_installed():
    import subprocess
    import sys

    code = (
        "import sys, ragauge as rg; rg.score('hallucination', answer='5', contexts=['5']); "
        "from importlib.metadata import entry_points; "
        "assert 'spacy' not in sys.modules or entry_points(group='spacy_models')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
