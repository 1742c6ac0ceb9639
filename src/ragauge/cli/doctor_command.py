"""`ragauge doctor`."""

import importlib
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from ragauge import catalog
from ragauge.errors import EncoderError

NEEDED = ("click", "numpy", "onnxruntime", "polars", "rapidfuzz", "rich")
EXTRAS = {
    "hf": ("transformers", "encoders of Hugging Face"),
    "openai": ("openai", "judges and encoders behind an endpoint"),
    "fast": ("aiohttp", "a judge's endpoint at a third of the processor time"),
    "spacy": ("spacy", "anchors by dependency parse in `hallucination`"),
    "nltk": ("nltk", "NLTK's own sentence splitter in `span_f1`"),
    "ngram": ("sacrebleu", "`bleu` and `chrf`"),
    "pandas": ("pandas", "pandas frames as samples"),
    "ragas": ("ragas", "`ragas:faithfulness` and its sisters"),
}


@click.command("doctor", short_help="Say what is installed here and what is not.")
def command() -> int:
    """Say what is installed here and what is not, and how to get it.

    Opens no connection and changes nothing. Exit code 2 when something that is needed is broken.
    """
    from ragauge.report.terminal import console, print_table

    rows = [("python", platform.python_version(), _python())]
    rows += [
        (
            name,
            _version(name) or "–",
            "ok" if _version(name) else "not installed: pip install ragauge",
        )
        for name in ("ragauge", *NEEDED)
    ]
    rows += [_extra(extra, package, what) for extra, (package, what) in EXTRAS.items()]
    catalog_row, broken = _catalog()
    encoder_row, lacks_encoder = _encoder()
    broken = broken or lacks_encoder
    rows += [catalog_row, encoder_row, ("runs", str(Path.cwd()), _writable(Path.cwd()))]
    rows += [
        ("processors", str(os.cpu_count() or 1), "ok"),
        ("network", "–", "not used, but by a judge or encoder that you name; no telemetry"),
    ]
    print_table(console(sys.stdout), ("what", "found", "state"), rows)
    return 2 if broken or any(not _version(name) for name in NEEDED) else 0


def _python() -> str:
    return "ok" if sys.version_info >= (3, 11) else "too old: needs 3.11"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _extra(extra: str, package: str, what: str) -> tuple[str, str, str]:
    found = _version(package)
    if found:
        try:
            importlib.import_module(package)
        except Exception as error:  # whatever a broken package raises: that is what we are asked
            return package, found, f"broken ({type(error).__name__}: {error!s:.100}); reinstall it"
        return package, found, f"ok, for {what}{_pipelines() if package == 'spacy' else ''}"
    return package, "–", f"not installed; for {what}: pip install 'ragauge[{extra}]'"


def _pipelines() -> str:
    from spacy.util import get_installed_models

    names = [name for name in get_installed_models() if name.startswith("en")]
    return f" ({', '.join(names)})" if names else " (no English pipeline is installed)"


def _catalog() -> tuple[tuple[str, str, str], bool]:
    try:
        n = len(catalog.metrics())
    except Exception as error:  # whatever a metric of an installed package raises
        return ("metrics", "–", f"broken ({type(error).__name__}: {error!s:.200})"), True
    if catalog.BROKEN:
        return ("metrics", f"{n}", "; ".join(catalog.BROKEN)), True
    return ("metrics", f"{n}", "ok"), False


def _encoder() -> tuple[tuple[str, str, str], bool]:
    from ragauge.encoders.embedded import NAME, MiniLM

    try:
        MiniLM().encode(["A text."])
    except EncoderError as error:
        return ("encoder", NAME, f"broken ({error!s:.200})"), True
    return ("encoder", NAME, "ok, embedded"), False


def _writable(folder: Path) -> str:
    return "ok" if os.access(folder, os.W_OK) else "cannot be written; give --folder elsewhere"
