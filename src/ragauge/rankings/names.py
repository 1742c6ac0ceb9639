"""Read trec_eval's, ir_measures' and ranx's names of ranking measures as our labels.

trec_eval's: `map`, `P_10`, `ndcg_cut.5,10`, `iprec_at_recall_0.10`, `set_F.0.5`, the families `P`,
`ndcg_cut`, `map_cut` … with its own cut-offs, and the sets `official`, `set` and `all_trec`.
ir_measures': `nDCG@10`, `AP(rel=2)@100`, `IPrec@0.1`. ranx': `hit_rate@10`, `r-precision`, `rbp.95`.
"""

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ragauge.errors import LabelError, did_you_mean
from ragauge.label import Label, SettingValue

CANONICAL = (
    *("G", "Rndcg", "avg_11pt", "binG", "bpref", "err", "f_measure", "gm_bpref", "gmap", "infAP"),
    *("iprec", "judged", "map", "mrr", "ndcg", "ndcg_rel", "num_nonjudged_ret"),
    *("num_nonrel_judged_ret", "num_q", "num_rel", "num_rel_ret", "num_ret", "precision"),
    *("r_precision", "rbp", "rbp_residual", "recall", "relative_precision", "set_map", "success"),
    *("unjudged", "utility"),
)
"""Every ranking measure. A list, so that reading a name does not load NumPy; a test compares it."""

ALIASES: Mapping[str, str] = {
    # trec_eval
    "11pt_avg": "avg_11pt",
    "Rprec": "r_precision",
    "gm_map": "gmap",
    "rbp_resid": "rbp_residual",
    "recip_rank": "mrr",
    "set_F": "f_measure",
    "set_P": "precision",
    "set_recall": "recall",
    "set_relative_P": "relative_precision",
    # ir_measures
    "AP": "map",
    "BPref": "bpref",
    "Bpref": "bpref",
    "ERR": "err",
    "IPrec": "iprec",
    "Judged": "judged",
    "MAP": "map",
    "MRR": "mrr",
    "NDCG": "ndcg",
    "NumQ": "num_q",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "NumRet": "num_ret",
    "P": "precision",
    "Precision": "precision",
    "R": "recall",
    "RBP": "rbp",
    "RPrec": "r_precision",
    "RR": "mrr",
    "Recall": "recall",
    "SetAP": "set_map",
    "SetF": "f_measure",
    "SetP": "precision",
    "SetR": "recall",
    "SetRelP": "relative_precision",
    "Success": "success",
    "nDCG": "ndcg",
    # ranx and others
    "f1": "f_measure",
    "hit": "success",
    "hit_rate": "success",
    "hits": "num_rel_ret",
    "ndcg_burges": "ndcg",
}
IMPLIED: Mapping[str, Mapping[str, SettingValue]] = {
    "RBP": {"p": 0.8},
    "ndcg_burges": {"gains": "exponential"},
}
"""Settings that a name implies."""
SETTINGS = {"rel": "min_grade", "cutoff": "k"}
"""ir_measures' names of settings."""


class UnknownMeasureError(LabelError):
    """No ranking measure has that name."""


def _whole(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,8}", text, re.ASCII):
        raise LabelError(f"a cut-off must be a whole number of at least 1, got {text!r}")
    return int(text)


def _number(text: str) -> float:
    if not re.fullmatch(r"[-+]?(\d{1,9}(\.\d{0,15})?|\.\d{1,15})", text, re.ASCII):
        raise LabelError(f"expected a number, got {text!r}")
    return float(text)


@dataclass(frozen=True, slots=True)
class Family:
    """One of trec_eval's measures with cut-offs: `P_5`, `P_10` … in one name."""

    name: str
    setting: str
    read: Callable[[str], float]
    cuts: tuple[float, ...]
    format: str = "{}"

    def at(self, trec_name: str, cut: float) -> "AskedMeasure":
        shown = f"{trec_name}_{self.format.format(cut)}"
        return AskedMeasure(Label(self.name, {self.setting: cut}), shown)


CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
FAMILIES = {
    "P": Family("precision", "k", _whole, CUTS),
    "Rprec_mult": Family(
        "r_precision", "multiple", _number, tuple(at / 5 for at in range(1, 11)), "{:.2f}"
    ),
    "iprec_at_recall": Family(
        "iprec", "recall", _number, tuple(at / 10 for at in range(11)), "{:.2f}"
    ),
    "map_cut": Family("map", "k", _whole, CUTS),
    "ndcg_cut": Family("ndcg", "k", _whole, CUTS),
    "recall": Family("recall", "k", _whole, CUTS),
    "relative_P": Family("relative_precision", "k", _whole, CUTS),
    "success": Family("success", "k", _whole, (1, 5, 10)),
    "unj": Family("unjudged", "k", _whole, (5, 10, 20)),
}
"""trec_eval's measures with cut-offs, and their default cut-offs."""
UTILITY = ("found", "wrong", "missed", "left_out")

NUMBERS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
SETS = {
    "official": (
        *NUMBERS,
        *("map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    ),
    "set": (*NUMBERS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": (
        *NUMBERS,
        *("map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P", "recall"),
        *("infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg"),
        *("ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P"),
        *("set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
        *("rbp", "rbp_resid", "unj"),  # from trec_eval 10 on
    ),
}
"""trec_eval's sets of measures, in the order it prints them, without the two that are not numbers."""

MULTIPLE = re.compile(r"(?P<name>[A-Za-z_]+)(?P<sign>[._])(?P<cuts>[-+\d.,]+)", re.ASCII)
AT_RECALL = re.compile(r"(?P<before>IPrec(?:\(.*\))?)@(?P<recall>[\d.]+)", re.ASCII)
OWN_GAINS = re.compile(r"(?P<name>[A-Za-z_]+)\.-?\d+=.*", re.ASCII)
RANX_RBP = re.compile(r"rbp(?:\.p=0?)?(?P<p>\.\d{1,15})", re.ASCII)
FRONT = re.compile(r"[^(@]*")


@dataclass(frozen=True, slots=True)
class AskedMeasure:
    """A requested measure: our label, and the name used in the request.

    The label has a canonical name; `catalog.find` reads its settings.
    """

    label: Label
    shown: str


def read_measure(text: str) -> tuple[AskedMeasure, ...]:
    """The measures with this name: one, or all of one of trec_eval's families or sets.

    LabelError names what is unknown. `recall` and `success` without a cut-off are ours: they count
    all retrieved documents.

    >>> for asked in read_measure("ndcg_cut.5,10"):
    ...     print(asked.label, asked.shown)
    ndcg@5 ndcg_cut_5
    ndcg@10 ndcg_cut_10
    >>> str(read_measure("AP(rel=2)@100")[0].label)
    'map(min_grade=2)@100'
    """
    text = text.strip()
    if text in SETS:
        return tuple(measure for name in SETS[text] for measure in _trec(name))
    if text in FAMILIES and text not in CANONICAL:
        return tuple(_trec(text))
    if found := MULTIPLE.fullmatch(text):
        several = _with_cuts(found["name"], found["sign"], found["cuts"], text)
        if several:
            return several
    return (AskedMeasure(_label(text), text),)


def _trec(name: str) -> Iterator[AskedMeasure]:
    """The measures that trec_eval prints for one of its names."""
    if name in FAMILIES:
        yield from (FAMILIES[name].at(name, cut) for cut in FAMILIES[name].cuts)
    else:
        yield AskedMeasure(Label(ALIASES.get(name, name)), name)


def _with_cuts(name: str, sign: str, cuts: str, text: str) -> tuple[AskedMeasure, ...]:
    """trec_eval's `P_10` and `P.5,10`; empty if the measure has no cut-offs."""
    texts = cuts.split(",")
    try:
        if name in FAMILIES and (sign == "." or len(texts) == 1):
            return _cut(name, texts)
        if name == "set_F":
            beta = math.sqrt(_above_zero(cuts))
            return (AskedMeasure(Label("f_measure", {"beta": beta}), f"set_F_{cuts}"),)
        if name == "utility":
            return (AskedMeasure(Label("utility", _worths(texts)), f"utility_{cuts}"),)
    except LabelError as error:
        raise LabelError(f"measure {text!r}: {error}") from None
    return ()


def _cut(name: str, cuts: list[str]) -> tuple[AskedMeasure, ...]:
    """The family's measures at these cut-offs, lowest first."""
    family = FAMILIES[name]
    values = sorted(map(family.read, cuts))
    if len(set(values)) < len(values):
        raise LabelError("duplicate cut-off")
    return tuple(family.at(name, value) for value in values)


def _above_zero(text: str) -> float:
    if _number(text) <= 0:
        raise LabelError(f"expected a number above 0, got {text!r}")
    return _number(text)


def _worths(values: list[str]) -> dict[str, SettingValue]:
    if len(values) != len(UTILITY):
        raise LabelError(f"utility takes 4 numbers, got {len(values)}")
    return dict(zip(UTILITY, map(_number, values), strict=True))


def _label(text: str) -> Label:
    """The label of a single measure in the form name(settings)@k."""
    name = FRONT.match(text)
    front = name[0].strip().replace("-", "_") if name else ""
    rest = text[len(name[0]) :] if name else ""
    if found := AT_RECALL.fullmatch(text):
        label = _canonical(Label.parse(found["before"]))
        return replace(label, settings={**label.settings, "recall": _number(found["recall"])})
    if OWN_GAINS.fullmatch(text):
        raise LabelError(
            f"measure {text!r}: gains are the grades; change the grades in the judgements"
        )
    if found := RANX_RBP.fullmatch(text):
        return Label("rbp", {"p": float(found["p"])})
    # A label cannot begin with a digit, as 11pt_avg does.
    word = ALIASES[front] if front == "11pt_avg" else front
    return _canonical(Label.parse(f"{word}{rest}"))


def _is_registered(name: str) -> bool:
    """Whether a user's `@measure` has that name. It is registered only once it is imported."""
    module = sys.modules.get("ragauge.metrics.ranking")
    return module is not None and name in module.MEASURES


def _canonical(label: Label) -> Label:
    """The label with our names for the measure and its settings."""
    name = ALIASES.get(label.name, label.name)
    settings = {SETTINGS.get(key, key): value for key, value in label.settings.items()}
    if name not in CANONICAL and not _is_registered(name):
        known = sorted({*CANONICAL, *ALIASES, *FAMILIES, *SETS})
        hint = did_you_mean(label.name, known) or f"; the measures are {', '.join(CANONICAL)}"
        raise UnknownMeasureError(f"unknown ranking measure {label.name!r}{hint}")
    if settings.pop("judged_only", False):
        raise LabelError(
            f"measure {str(label)!r}: judged_only is not a setting of a single measure; use -J to "
            "remove unjudged documents from all rankings"
        )
    if settings.get("dcg") in ("log2", "exp-log2"):
        form = settings.pop("dcg")
        settings |= {"gains": "exponential"} if form == "exp-log2" else {}
    # ir_measures passes beta to trec_eval, which expects it squared, without squaring it.
    if label.name == "SetF" and "beta" in settings:
        settings["beta"] = math.sqrt(float(str(settings["beta"])))
    if name == "precision" and settings.pop("relative", False):
        name = "relative_precision"
    if name == "num_ret" and "min_grade" in settings:
        name = "num_rel_ret"
    return Label(name, {**IMPLIED.get(label.name, {}), **settings})
