"""The names of the files in a run's folder; `runs/store.py` says what they are."""

from ragauge.runs.scores import INDEX
from ragauge.runs.stored_results import RESULTS

LABELS = "labels.jsonl"
SESSIONS = "labels"
"""The folder of labels that were given at a run's URL; `people/run_labels.py` says what it contains."""
MANIFEST = "manifest.json"
SAMPLES = "samples.parquet"
SCORES_FOLDER = "scores"
EVIDENCE_FOLDER = "evidence"
SUMMARIES = ("summary.json", "summary.md")
REPORT = "report.html"
APART = ".on-ray"
"""The parts of what a cluster has measured, until the judges' scores join them."""
FILES = (MANIFEST, SAMPLES, INDEX, *SUMMARIES, RESULTS, REPORT, LABELS)
"""All files that are not parts, nor labels given at a URL."""
OF_PEOPLE = (LABELS, SESSIONS)
"""Labels outlive the run that they were given for."""
