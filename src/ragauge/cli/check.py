"""What `ragauge doctor --check` prints about a stored run."""

import json
import sys
from pathlib import Path
from typing import cast

from ragauge.cli.streams import say
from ragauge.errors import StoreError
from ragauge.report.plain import counted
from ragauge.runs.check import CheckResult, check_run
from ragauge.runs.store import SAMPLES, SUMMARIES, RunFolder
from ragauge.storage.regular_file import exists, read_regular

MAX_SUMMARY_BYTES = 500_000_000
MAX_PROBLEMS = 20


def check_folder(path: Path) -> int:
    """Print what is wrong with a run's folder; 0 if nothing is, else 5; 5 also without digests."""
    from ragauge.report.terminal import console, print_table

    folder = RunFolder.at(path)
    if not (folder.has_manifest() or exists(folder.path / SAMPLES)):
        folder.manifest()  # raises StoreError: no run is here, so none is damaged
    findings = list(check_run(folder))
    if not any(finding.problem for finding in findings):
        findings.append(CheckResult(SUMMARIES[0], _problem_of_summary(folder)))
    wrong = [finding for finding in findings if finding.problem]
    parts = sum(finding.what.startswith("part ") for finding in findings)
    rows = [(finding.what, folder.named(finding.problem)) for finding in wrong[:MAX_PROBLEMS]]
    if not wrong:
        rows = [("manifest, samples, summary", "ok"), (counted(parts, "part"), "ok")]
    print_table(console(sys.stdout), ("checked", "status"), rows)
    if len(wrong) > MAX_PROBLEMS:
        say(f"… and {len(wrong) - MAX_PROBLEMS:,} more problems")
    if not wrong and not folder.manifest().digests:
        say(
            f"{folder.place}: has no digests, so changes to it cannot be noticed: an earlier version wrote it, or they "
            "were removed; run the same command in a new folder (replies of judges are in the cache and cost "
            "nothing)"
        )
        return StoreError.exit_code
    if not wrong:
        return 0
    say(
        f"{folder.place}: is damaged; restore it from a copy, or remove it and run it again (replies of judges are "
        "in the cache and cost nothing)"
    )
    return StoreError.exit_code


def _problem_of_summary(folder: RunFolder) -> str:
    """Why the stored summary is not that of the scores; empty if it is, or if it cannot be computed here."""
    from ragauge.report.table_formats import to_json
    from ragauge.views.run_data import summary_json

    run = folder.read()
    try:
        stored = cast(
            object, json.loads(read_regular(folder.path / SUMMARIES[0], MAX_SUMMARY_BYTES))
        )
    except FileNotFoundError:
        return "is missing; run the same command again to write it"
    except (OSError, ValueError, RecursionError) as error:
        return f"cannot be read: {error!s:.80}"
    if not isinstance(stored, dict):
        return "is not an object"
    table = cast("dict[str, object]", stored)
    by = table.get("by")
    if not isinstance(by, dict) or not set(cast("dict[str, object]", by)) <= {*run.samples.columns}:
        return "has breakdowns by fields that the samples do not have"
    if run.problems:  # the code of a custom aggregate is not loaded
        say(f"{SUMMARIES[0]} was not compared: {run.problems[0]}")
        return ""
    computed = cast(
        "dict[str, object]",
        json.loads(to_json(summary_json(run, tuple(cast("dict[str, object]", by))))),
    )
    different = [name for name in computed if table.get(name) != computed[name]]
    if "summary" in different or "by" in different:
        return "has other numbers than the scores give"
    return f"differs from the run in {different[0]}" if different else ""
