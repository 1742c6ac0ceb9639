"""Check the installation, or a stored run."""

import importlib
import json
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge import catalog
from ragauge.cli.declare import declare, option
from ragauge.cli.output import OutputOptions, Target, write_report
from ragauge.cli.streams import say
from ragauge.errors import EncoderError, StoreError
from ragauge.report.plain import counted
from ragauge.report.report import Report, Table, figure
from ragauge.storage.regular_file import exists, read_regular

if TYPE_CHECKING:
    from ragauge.runs.store import RunFolder

NEEDED = (
    "click", "jsonschema", "lazy-loader", "numpy", "onnxruntime", "polars", "rapidfuzz", "regex",
    "rich", "snowballstemmer",
)  # fmt: skip
EXTRAS = {
    "hf": ("transformers", "Hugging Face encoders"),
    "openai": ("openai", "judges and encoders behind an endpoint"),
    "fast": ("aiohttp", "judge calls with a third less processor time"),
    "any-llm": ("any-llm-sdk", "judges of providers without OpenAI's protocol"),
    "spacy": ("spacy", "dependency-parsed anchors in `hallucination`"),
    "nltk": ("nltk", "NLTK's sentence splitter in `span_f1`"),
    "ngram": ("sacrebleu", "`bleu` and `chrf`"),
    "documents": ("pypdf", "questions from PDF files"),
    "pandas": ("pandas", "samples from pandas data frames"),
    "ragas": ("ragas", "the `ragas:…` metrics"),
    "ray": ("ray", "batches on a Ray cluster"),
    "s3": ("s3fs", "answers and runs at s3://"),
    "gs": ("gcsfs", "answers and runs at gs://"),
    "zstd": ("zstandard", "files packed with zstd"),
    "otel": ("opentelemetry-sdk", "spans of a function that `ask` asks"),
}
IMPORTED = {"any-llm-sdk": "any_llm", "opentelemetry-sdk": "opentelemetry.sdk"}
"""The modules of packages that have another name."""
MAX_SUMMARY_BYTES = 500_000_000
MAX_PROBLEMS = 20


@declare("doctor")
def command(
    *,
    check: Path | None = option(
        "Check this run's folder instead: every file, row and number against its manifest.",
        metavar="RUN",
    ),
    writing: OutputOptions,
) -> int:
    """Check the installation: which packages and extras are present, and how to add the others.

    With --check, check a stored run: the digest of each file, the samples' fingerprint, the rows of scores
    and evidence, and the summary against the scores. The exit code is 5 if the run is damaged.

    Opens no connection and changes nothing. The exit code is 2 if a required package is broken.
    """
    from ragauge.encoders.embedded import NAME, MiniLM

    targets = writing.targets([check] if check is not None else [])
    if check is not None:
        return _check_run(check, targets)
    is_old = sys.version_info < (3, 11)
    python = "too old: ragauge needs Python 3.11" if is_old else "ok"
    rows = [("python", platform.python_version(), python)]
    needed = {name: _version(name) for name in ("ragauge", *NEEDED)}
    for name, found in needed.items():
        rows.append((name, found or "–", "ok" if found else "not installed: pip install ragauge"))
    rows += [_extra(extra, package, what) for extra, (package, what) in EXTRAS.items()]
    try:
        n, status = f"{len(catalog.metrics())}", "; ".join(catalog.BROKEN) or "ok"
    except Exception as error:  # a plugin may raise anything
        n, status = "–", f"broken ({type(error).__name__}: {error!s:.200})"
    encoder = "ok, built in"
    try:
        MiniLM().encode(["A text."])
    except EncoderError as error:
        encoder = f"broken ({error!s:.200})"
    is_writable = os.access(Path.cwd(), os.W_OK)
    writable = "ok" if is_writable else "not writable; choose another folder with --folder"
    network = "used only by a judge or encoder endpoint that you configure; no telemetry"
    rows += [
        ("metrics", n, status),
        ("encoder", NAME, encoder),
        ("runs", str(Path.cwd()), writable),
        ("processors", str(os.cpu_count() or 1), "ok"),
        ("network", "–", network),
    ]
    _show(("component", "version", "status"), rows, targets)
    is_broken = status != "ok" or encoder.startswith("broken")
    return 2 if is_broken or not all(list(needed.values())[1:]) else 0


def _show(header: Sequence[str], rows: Sequence[Sequence[str]], targets: Sequence[Target]) -> None:
    cells = [[figure(None) if cell == "–" else cell for cell in row] for row in rows]
    table = Table(header, cells, n_names=len(header), wraps=True, caption="ragauge doctor")
    write_report(Report("", tables=[table]), targets)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _extra(extra: str, package: str, what: str) -> tuple[str, str, str]:
    installed, found = _version(package), ""
    if not installed:
        return package, "–", f"not installed; for {what}: pip install 'ragauge[{extra}]'"
    try:
        importlib.import_module(IMPORTED.get(package, package))
    except Exception as error:  # a broken package may raise anything
        return package, installed, f"broken ({type(error).__name__}: {error!s:.100}); reinstall it"
    if package == "spacy":
        from spacy.util import get_installed_models

        names = [name for name in get_installed_models() if name.startswith("en")]
        found = f" ({', '.join(names) or 'no English pipeline is installed'})"
    return package, installed, f"ok, for {what}{found}"


def _check_run(path: Path, targets: Sequence[Target]) -> int:
    """Print what is wrong with a run's folder; 0 if nothing is, else 5; 5 also without digests."""
    from ragauge.runs.integrity import check_run
    from ragauge.runs.store import SAMPLES, SUMMARIES, RunFolder

    folder = RunFolder.at(path)
    if not (folder.has_manifest() or exists(folder.path / SAMPLES)):
        folder.manifest()  # raises StoreError: no run is here, so none is damaged
    findings = list(check_run(folder))
    if not any(problem for _, problem in findings):
        findings.append((SUMMARIES[0], _problem_of_summary(folder)))
    wrong = [(what, folder.named(problem)) for what, problem in findings if problem]
    parts = sum(what.startswith("part ") for what, _ in findings)
    fine = [("manifest, samples, summary", "ok"), (counted(parts, "part"), "ok")]
    _show(("checked", "status"), wrong[:MAX_PROBLEMS] or fine, targets)
    if len(wrong) > MAX_PROBLEMS:
        say(f"… and {len(wrong) - MAX_PROBLEMS:,} more problems")
    why = "is damaged; restore it from a copy, or remove it and run it again"
    if not wrong:
        if folder.manifest().digests:
            return 0
        why = "has no digests, so changes to it cannot be noticed: an earlier version wrote it, or they "
        why += "were removed; run the same command in a new folder"
    say(f"{folder.place}: {why} (replies of judges are in the cache and cost nothing)")
    return StoreError.exit_code


def _problem_of_summary(folder: "RunFolder") -> str:
    """Why the stored summary is not that of the scores; empty if it is, or if it cannot be computed here."""
    from ragauge.report.writing import to_json
    from ragauge.runs.code import version_of
    from ragauge.runs.store import SUMMARIES
    from ragauge.views.run_files import summary_json

    run = folder.read()
    try:
        stored: object = json.loads(read_regular(folder.path / SUMMARIES[0], MAX_SUMMARY_BYTES))
    except FileNotFoundError:
        return "is missing; run the same command again to write it"
    except (OSError, ValueError, RecursionError) as error:
        return f"cannot be read: {error!s:.80}"
    if not isinstance(stored, dict):
        return "is not an object"
    table = cast("dict[str, object]", stored)
    by = cast("dict[str, object]", table.get("by"))
    if not isinstance(table.get("by"), dict) or not set(by) <= {*run.samples.columns}:
        return "has breakdowns by fields that the samples do not have"
    by_version, here = run.manifest.code.get("ragauge"), version_of("ragauge") or "unknown"
    # The code of a custom aggregate is not loaded; another version may compute other intervals.
    why = run.problems[0] if run.problems else f"ragauge {by_version} wrote it, this is {here}"
    if run.problems or by_version != here:
        say(f"{SUMMARIES[0]} was not compared: {why}")
        return ""
    computed = cast("dict[str, object]", json.loads(to_json(summary_json(run, tuple(by)))))
    different = [name for name in computed if table.get(name) != computed[name]]
    if "summary" in different or "by" in different:
        return "has other numbers than the scores give"
    return f"differs from the run in {different[0]}" if different else ""
