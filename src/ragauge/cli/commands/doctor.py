"""`ragauge doctor`."""

import importlib
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ragauge import catalog
from ragauge.cli.declare import declare, option
from ragauge.errors import EncoderError

NEEDED = ("click", "numpy", "onnxruntime", "polars", "rapidfuzz", "rich")
EXTRAS = {
    "hf": ("transformers", "Hugging Face encoders"),
    "openai": ("openai", "judges and encoders behind an endpoint"),
    "fast": ("aiohttp", "judge calls at a third of the processor time"),
    "spacy": ("spacy", "dependency-parsed anchors in `hallucination`"),
    "nltk": ("nltk", "NLTK's sentence splitter in `span_f1`"),
    "ngram": ("sacrebleu", "`bleu` and `chrf`"),
    "pandas": ("pandas", "samples from pandas data frames"),
    "ragas": ("ragas", "the `ragas:…` metrics"),
}


@declare("doctor")
def command(
    *,
    check: Path | None = option(
        "Check this run's folder instead: every file, row and number against its manifest.",
        metavar="RUN",
    ),
) -> int:
    """Check the installation: which packages and extras are present, and how to add the others.

    With --check, check a stored run: the digest of each file, the samples' fingerprint, the rows of scores
    and evidence, and the summary against the scores. The exit code is 5 if the run is damaged.

    Opens no connection and changes nothing. The exit code is 2 if a required package is broken.
    """
    if check is not None:
        from ragauge.cli.check import check_folder

        return check_folder(check)
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
    encoder_row, is_encoder_broken = _encoder()
    broken = broken or is_encoder_broken
    rows += [catalog_row, encoder_row, ("runs", str(Path.cwd()), _writable(Path.cwd()))]
    rows += [
        ("processors", str(os.cpu_count() or 1), "ok"),
        (
            "network",
            "–",
            "used only by a judge or encoder endpoint that you configure; no telemetry",
        ),
    ]
    print_table(console(sys.stdout), ("component", "version", "status"), rows)
    return 2 if broken or any(not _version(name) for name in NEEDED) else 0


def _python() -> str:
    return "ok" if sys.version_info >= (3, 11) else "too old: ragauge needs Python 3.11"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _extra(extra: str, package: str, what: str) -> tuple[str, str, str]:
    installed = _version(package)
    if installed:
        try:
            importlib.import_module(package)
        except Exception as error:  # a broken package may raise anything
            return (
                package,
                installed,
                f"broken ({type(error).__name__}: {error!s:.100}); reinstall it",
            )
        return package, installed, f"ok, for {what}{_pipelines() if package == 'spacy' else ''}"
    return package, "–", f"not installed; for {what}: pip install 'ragauge[{extra}]'"


def _pipelines() -> str:
    from spacy.util import get_installed_models

    names = [name for name in get_installed_models() if name.startswith("en")]
    return f" ({', '.join(names)})" if names else " (no English pipeline is installed)"


def _catalog() -> tuple[tuple[str, str, str], bool]:
    try:
        n = len(catalog.metrics())
    except Exception as error:  # a plugin may raise anything
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
    return ("encoder", NAME, "ok, built in"), False


def _writable(folder: Path) -> str:
    return (
        "ok" if os.access(folder, os.W_OK) else "not writable; choose another folder with --folder"
    )
