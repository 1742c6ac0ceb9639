"""Read trec_eval's, ir_measures' and ranx's names of ranking measures as our labels."""

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

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

OTHER_NAMES: Mapping[str, str] = {
    "avg_11pt": "11pt_avg",
    "bpref": "BPref Bpref",
    "err": "ERR",
    "f_measure": "set_F SetF f1",
    "gmap": "gm_map",
    "iprec": "IPrec",
    "judged": "Judged",
    "map": "AP MAP",
    "mrr": "recip_rank MRR RR",
    "ndcg": "nDCG NDCG ndcg_burges",
    "num_q": "NumQ",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet hits",
    "num_ret": "NumRet",
    "precision": "set_P P Precision SetP",
    "r_precision": "Rprec RPrec",
    "rbp": "RBP",
    "rbp_residual": "rbp_resid",
    "recall": "set_recall R Recall SetR",
    "relative_precision": "set_relative_P SetRelP",
    "set_map": "SetAP",
    "success": "Success hit hit_rate",
}
"""What trec_eval, ir_measures, ranx and others call them."""
ALIASES = {other: name for name, others in OTHER_NAMES.items() for other in others.split()}
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


class Family(NamedTuple):
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
TENTHS, FIFTHS = (tuple(at / n for at in range(11)) for n in (10, 5))
FAMILIES = {
    "P": Family("precision", "k", _whole, CUTS),
    "Rprec_mult": Family("r_precision", "multiple", _number, FIFTHS[1:], "{:.2f}"),
    "iprec_at_recall": Family("iprec", "recall", _number, TENTHS, "{:.2f}"),
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

MULTIPLE = r"(?P<name>[A-Za-z_]+)(?P<sign>[._])(?P<cuts>[-+\d.,]+)"
AT_RECALL = r"(?P<before>IPrec(?:\(.*\))?)@(?P<recall>[\d.]+)"
OWN_GAINS = r"(?P<name>[A-Za-z_]+)\.-?\d+=.*"
RANX_RBP = r"rbp(?:\.p=0?)?(?P<p>\.\d{1,15})"


class AskedMeasure(NamedTuple):
    """A requested measure: our label with a canonical name, and the name used in the request."""

    label: Label
    shown: str


def read_measure(text: str) -> tuple[AskedMeasure, ...]:
    """The measures with this name: one, or all of one of trec_eval's families or sets.

    trec_eval's names: `map`, `P_10`, `ndcg_cut.5,10`, `iprec_at_recall_0.10`, the families `P`, `ndcg_cut` … with
    its own cut-offs, and the sets `official`, `set` and `all_trec`. ir_measures': `nDCG@10`, `AP(rel=2)@100`,
    `IPrec@0.1`. ranx': `hit_rate@10`, `r-precision`, `rbp.95`. LabelError names what is unknown. `recall` and `success` without a cut-off are ours: they count
    all retrieved documents.

    >>> for asked in read_measure("ndcg_cut.5,10"):
    ...     print(asked.label, asked.shown)
    ndcg@5 ndcg_cut_5
    ndcg@10 ndcg_cut_10
    >>> str(read_measure("AP(rel=2)@100")[0].label)
    'map(min_grade=2)@100'
    """
    text = text.strip()
    if text in SETS or (text in FAMILIES and text not in CANONICAL):
        found: list[AskedMeasure] = []
        for name in SETS.get(text, (text,)):
            if family := FAMILIES.get(name):
                found += (family.at(name, cut) for cut in family.cuts)
            else:
                found.append(AskedMeasure(Label(ALIASES.get(name, name)), name))
        return tuple(found)
    if multiple := re.fullmatch(MULTIPLE, text, re.ASCII):
        try:
            several = _with_cuts(**multiple.groupdict())
        except LabelError as error:
            raise LabelError(f"measure {text!r}: {error}") from None
        if several:
            return several
    if text.startswith("IPrec") and (at := re.fullmatch(AT_RECALL, text, re.ASCII)):
        label = _canonical(Label.parse(at["before"]))
        recall = _number(at["recall"])
        label = replace(label, settings={**label.settings, "recall": recall})
    elif "=" in text and re.fullmatch(OWN_GAINS, text, re.ASCII):
        why = "gains are the grades; change the grades in the judgements"
        raise LabelError(f"measure {text!r}: {why}")
    elif text.startswith("rbp") and (of_ranx := re.fullmatch(RANX_RBP, text, re.ASCII)):
        label = Label("rbp", {"p": float(of_ranx["p"])})
    else:
        front = text.partition("(")[0].partition("@")[0]
        name = front.strip().replace("-", "_")
        # A label cannot begin with a digit, as 11pt_avg does.
        name = ALIASES[name] if name == "11pt_avg" else name
        label = _canonical(Label.parse(f"{name}{text[len(front) :]}"))
    return (AskedMeasure(label, text),)


def _with_cuts(name: str, sign: str, cuts: str) -> tuple[AskedMeasure, ...]:
    """trec_eval's `P_10` and `P.5,10`; empty if the measure has no cut-offs."""
    texts = cuts.split(",")
    if name in FAMILIES and (sign == "." or len(texts) == 1):
        family = FAMILIES[name]
        values = sorted(map(family.read, texts))  # lowest first
        if len(set(values)) < len(values):
            raise LabelError("duplicate cut-off")
        return tuple(family.at(name, value) for value in values)
    if name == "set_F":
        if (beta_squared := _number(cuts)) <= 0:
            raise LabelError(f"expected a number above 0, got {cuts!r}")
        label = Label("f_measure", {"beta": math.sqrt(beta_squared)})
    elif name == "utility":
        if len(texts) != len(UTILITY):
            raise LabelError(f"utility takes 4 numbers, got {len(texts)}")
        label = Label("utility", dict(zip(UTILITY, map(_number, texts), strict=True)))
    else:
        return ()
    return (AskedMeasure(label, f"{name}_{cuts}"),)


def _canonical(label: Label) -> Label:
    """The label with our names for the measure and its settings."""
    name = ALIASES.get(label.name, label.name)
    settings = {SETTINGS.get(key, key): value for key, value in label.settings.items()}
    # A user's `@measure` is registered only once it is imported.
    registered = sys.modules.get("ragauge.metrics.ranking")
    if name not in CANONICAL and not (registered and name in registered.MEASURES):
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
