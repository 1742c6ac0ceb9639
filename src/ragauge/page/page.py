"""The report page: one HTML file that opens offline, makes no request and shows untrusted texts as text."""

import base64
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import cache
from html import escape
from importlib import metadata, resources
from itertools import chain, islice
from pathlib import Path
from shlex import quote
from typing import Protocol

from ragauge.errors import PlanError
from ragauge.page.columns import json_bytes
from ragauge.page.overview import Overview
from ragauge.page.view import ReportView, RunView
from ragauge.report.writing import Rendered, html_text
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.store import EVIDENCE_FOLDER, REPORT, put_files
from ragauge.storage.atomic_files import write_atomically
from ragauge.storage.regular_file import check_regular

LEVEL = 4  # of zlib: 2.7 times as fast as its default of 6, for 12 % more bytes
MAX_SCORES = 3_000_000
MAX_TEXTS = 500_000_000  # most scores, and bytes of samples in memory, of the runs on one page
ROWS_SAMPLED = 1_000
MAX_PENDING = 16 * 2**20  # bytes of chunks that wait to be compressed
END = b"</body></html>\n"
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src {connect}; "
    "base-uri 'none'; form-action 'none'"
)
MAX_FRAME = 10_000_000  # most bytes of a page in a notebook, which keeps the page in its file
FRAME_STYLE = "width: 100%; height: 44rem; border: 1px solid #8886; border-radius: 6px"
MAX_WITH_EVIDENCE = 50_000
MAX_EVIDENCE = 50_000_000
"""Most answers, and bytes of evidence as it is stored, of a run whose page has it without being asked."""
MAX_ON_PAGE = 200_000
"""Most answers of a run that gets a page without being asked."""
NO_SCRIPT = "This report needs JavaScript. The same numbers are in summary.md."


def write_page(runs: Sequence[ScoredRun], path: Path, *, evidence: bool = True) -> None:
    """Write the page of one or several runs as one HTML file; without `evidence` it is smaller.

    Several runs come first as one, with the systems of all side by side, if they can be compared.

    Raises PlanError without a run, for runs that are too large for a page (see `why_no_page`), or for a name
    that does not end in .html or .htm; StoreError if the file cannot be written, which then is not changed.
    A file that already is this page is left alone.
    """
    from ragauge.page.chunks import RunChunks
    from ragauge.page.combined import with_combined

    if why := why_no_page(runs) if runs else "a report needs at least one run":
        raise PlanError([why])
    shown = enumerate(with_combined(runs))
    write_parts([RunChunks(Overview(run), at, evidence=evidence) for at, run in shown], path)


def write_page_of_run(run: ScoredRun) -> Sequence[str]:
    """Write the run's page into its folder: without evidence if the run is large, not at all if it is huge; returns what to say."""
    folder = run.folder
    assert folder is not None
    path, command = folder / REPORT, quote(run.place or "")
    if why := why_no_page([run]):
        return [f"{REPORT} is not written: {why}"]
    if len(run.samples) > MAX_ON_PAGE:
        why = f"for more than {MAX_ON_PAGE:,} answers, which takes minutes"
        how = f"look at one question with: ragauge show {command} ID; write it all the same with"
        return [f"{REPORT} is not written {why}; {how}: ragauge report {command}"]
    n_bytes = sum(part.stat().st_size for part in (folder / EVIDENCE_FOLDER).iterdir())
    has_evidence = len(run.samples) <= MAX_WITH_EVIDENCE and n_bytes <= MAX_EVIDENCE
    write_page([run], path, evidence=has_evidence)
    put_files(run, REPORT)
    left_out = f"{path} leaves out the evidence; add it with: ragauge report {command}"
    return [*([] if has_evidence else [left_out]), f"open {path} in a browser"]


def page_frame(run: ScoredRun) -> Rendered:
    """The run's page in a frame that can neither reach the notebook nor the network."""
    from ragauge.page.chunks import RunChunks

    page = bytearray()
    for part in _page_parts([RunChunks(Overview(run), 0)]):
        page += part
        if len(page) > MAX_FRAME:
            text = (
                f"The page has more than {MAX_FRAME // 10**6} MB, too much for a notebook. Write it with "
                f'run.report("report.html") and open that, or run: ragauge view {run.place or "RUN"}'
            )
            return Rendered(text, f"<div>{html_text(text, None)}</div>")
    return Rendered(
        'a page for notebooks; write it with run.report("report.html")',
        f'<iframe srcdoc="{escape(page.decode())}" sandbox="allow-scripts" title="ragauge report" '
        f'style="{FRAME_STYLE}"></iframe>',
    )


def why_no_page(runs: Sequence[ScoredRun]) -> str:
    """Why one file cannot hold these runs, for lack of memory here or in a browser, and what to do instead; else empty."""
    n_scores = sum(len(run.samples) * sum(not m.unavailable for m in run.metrics) for run in runs)
    firsts = [run.samples.part(0, ROWS_SAMPLED) for run in runs]
    sizes = [first.estimated_size() / max(first.height, 1) for first in firsts]
    n_bytes = sum(size * len(run.samples) for size, run in zip(sizes, runs, strict=True))
    if n_scores <= MAX_SCORES and n_bytes <= MAX_TEXTS:
        return ""
    what = f"texts of {n_bytes / 1e6:,.0f} MB are too large for one page"
    if n_scores > MAX_SCORES:
        what = f"{n_scores:,} scores are too many for one page, which holds {MAX_SCORES:,}"
    folders = " ".join(quote(run.place) for run in runs if run.place is not None) or "RUN"
    return (
        f"{what}; browse them with: ragauge view {folders}; or look at one question with: "
        f"ragauge show {folders.split()[0]} ID"
    )


class PageRun(Protocol):
    """What a page shows as one run: its view, and its chunks by name, made when they are needed.

    `finished` is when it was computed, as an ISO time, empty if that is unknown. `columns` are what lists and
    filters need, `blocks` texts and evidence.
    """

    @property
    def finished(self) -> str: ...

    def view(self) -> RunView: ...

    def columns(self) -> Mapping[str, Callable[[], bytes]]: ...

    def blocks(self) -> Mapping[str, Callable[[], bytes]]: ...


def write_parts(runs: Sequence[PageRun], path: Path) -> None:
    """Write the page of these runs; errors as in `write_page`."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise PlanError([f"{path}: a report is an HTML file; choose a name that ends in .html"])
    parts = _page_parts(runs)
    head = next(parts)
    try:  # a page that begins like this is left alone: code and view determine the rest
        check_regular(path)
        with path.open("rb") as file:
            is_written = file.read(len(head)) == head
            file.seek(-len(END), os.SEEK_END)
            is_written = is_written and file.read() == END
    except OSError:
        is_written = False
    if not is_written:
        write_atomically(path, lambda file: file.writelines(chain([head], parts)))


def _page_parts(runs: Sequence[PageRun]) -> Iterator[bytes]:
    """The file piece by piece, so that large runs are never one string."""

    def element(chunk: tuple[str, bytes]) -> bytes:
        name, content = chunk
        text = base64.b64encode(packed(content))
        return b'<script type="text/plain" id="%s">%s</script>\n' % (name.encode("ascii"), text)

    yield document(report_view(runs, "file"), policy())
    n_threads = min(os.cpu_count() or 1, 8)
    with ThreadPoolExecutor(n_threads) as pool:
        for chunks in ([run.columns() for run in runs], [run.blocks() for run in runs]):
            pending = ((name, make()) for each in chunks for name, make in each.items())
            while some := list(_next(pending, 4 * n_threads)):
                yield from pool.map(element, some)
                some.clear()  # before the next ones are made
    yield END


def _next(chunks: Iterator[tuple[str, bytes]], n: int) -> Iterator[tuple[str, bytes]]:
    """At most n chunks, and at most MAX_PENDING bytes before the last: all would take too much memory."""
    n_bytes = 0
    for chunk in islice(chunks, n):
        yield chunk
        n_bytes += len(chunk[1])
        if n_bytes > MAX_PENDING:
            return


def report_view(runs: Sequence[PageRun], source: str) -> ReportView:
    """The view of the runs; `source` says where the page gets chunks from."""
    made = max(run.finished for run in runs)
    return ReportView(metadata.version("ragauge"), made, source, tuple(run.view() for run in runs))


def review_page_view() -> ReportView:
    """The view of a page that shows a review queue and no run."""
    return ReportView(metadata.version("ragauge"), "", "review", ())


def policy(connect: str = "'none'") -> str:
    """The content security policy: the page's own code and style, and requests to `connect` only."""
    digests = (hashlib.sha256(asset(name).encode()).digest() for name in ("page.js", "page.css"))
    script, style = (f"sha256-{base64.b64encode(digest).decode()}" for digest in digests)
    return POLICY.format(script=script, style=style, connect=connect)


def document(view: ReportView, content_policy: str) -> bytes:
    """The document up to the chunks: policy, style, view and code."""
    title = " · ".join(dict.fromkeys(run.title for run in view.runs)) or "review"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{content_policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{html_text(title, None)} – ragauge</title>"
        f"<style>{asset('page.css')}</style></head><body>"
        f'<div id="page"><noscript>{NO_SCRIPT}</noscript></div>'
        f'<script type="application/json" id="view">{script_json(asdict(view))}</script>'
        f"<script>{asset('page.js')}</script>\n"
    ).encode("utf-8", "backslashreplace")


def script_json(value: object) -> str:
    """Strict JSON that cannot end the script element that it is in."""
    text = json_bytes(value).decode()
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def packed(chunk: bytes) -> bytes:
    """A chunk as the page reads it."""
    return zlib.compress(chunk, LEVEL)


@cache
def asset(name: str) -> str:
    """A file of the built page."""
    return (resources.files("ragauge.page") / "built" / name).read_text("utf-8")
