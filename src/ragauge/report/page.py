"""The report page: one HTML file that opens offline, makes no request and shows untrusted texts as text.

The file has the page's code first, then the view of the runs, then the chunks of columns, then those of
texts and evidence: the page shows the overview before the browser has read the rest.
"""

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import cache
from importlib import metadata, resources
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.errors import PlanError
from ragauge.report.overview import Overview
from ragauge.report.view import ReportView, RunView
from ragauge.runs.files import write_atomically
from ragauge.runs.run import Run

if TYPE_CHECKING:
    from ragauge.report.chunks import RunChunks

LEVEL = 6
"""How hard zlib compresses the chunks."""
END = b"</body></html>\n"
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; "
    "base-uri 'none'; form-action 'none'"
)


def write_page(runs: Sequence[Run], path: Path, *, evidence: bool = True) -> None:
    """Write the page of one or several runs as one HTML file; without `evidence` it is smaller.

    Raises PlanError without a run, or for a name that does not end in .html or .htm; StoreError if the
    file cannot be written, which then is not changed. A file that already is this page is left alone.
    """
    if not runs:
        raise PlanError(["a report needs at least one run"])
    if path.suffix.lower() not in (".html", ".htm"):
        raise PlanError([f"{path}: a report is an HTML file; choose a name that ends in .html"])
    parts = page_parts(runs, evidence=evidence)
    head = next(parts)
    if not _is_written(path, head):
        write_atomically(path, lambda file: file.writelines(chain([head], parts)))


def _is_written(path: Path, head: bytes) -> bool:
    """Whether the file is a page that begins like this: code and view determine the rest."""
    try:
        with path.open("rb") as file:
            if file.read(len(head)) != head:
                return False
            file.seek(-len(END), os.SEEK_END)
            return file.read() == END
    except OSError:
        return False


def page_parts(runs: Sequence[Run], *, evidence: bool = True) -> Iterator[bytes]:
    """The file piece by piece, so that large runs are never one string."""
    from ragauge.report.chunks import RunChunks

    chunks = [RunChunks(Overview(run), place, evidence=evidence) for place, run in enumerate(runs)]
    view = ReportView(
        metadata.version("ragauge"),
        max(run.manifest.finished or "" for run in runs),
        "file",
        tuple(map(_run_view, chunks)),
    )
    yield _head(view)
    yield from _elements(chunk for each in chunks for chunk in each.columns())
    yield from _elements(chunk for each in chunks for chunk in each.blocks())
    yield END


def _run_view(chunks: "RunChunks") -> RunView:
    return replace(
        chunks.overview.view(),
        fields=chunks.fields,
        blocks=chunks.starts,
        has_evidence=chunks.evidence,
    )


def _head(view: ReportView) -> bytes:
    """The document up to the chunks: policy, style, view and code."""
    style, script = asset("page.css"), asset("page.js")
    policy = POLICY.format(script=_digest(script), style=_digest(style))
    title = " · ".join(dict.fromkeys(run.title for run in view.runs))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{_html_text(title)} – ragauge</title>"
        f"<style>{style}</style></head><body>"
        '<div id="page"><noscript>This report needs JavaScript. The same numbers are in summary.md.</noscript></div>'
        f'<script type="application/json" id="view">{script_json(asdict(view))}</script>'
        f"<script>{script}</script>\n"
    ).encode("utf-8", "backslashreplace")


def script_json(value: object) -> str:
    """Strict JSON that cannot end the script element that it is in.

    >>> script_json({"a": "</script>\\u2028"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u2028"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _elements(chunks: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Each chunk as a data element: compressed, in Base64. Several are compressed at a time, in order."""
    n_threads = min(os.cpu_count() or 1, 8)
    with ThreadPoolExecutor(n_threads) as pool:
        # A few at a time: submitting all would keep all chunks in memory.
        pending = iter(chunks)
        while some := list(islice(pending, 4 * n_threads)):
            yield from pool.map(_element, some)


def _element(chunk: tuple[str, bytes]) -> bytes:
    name, content = chunk
    packed = base64.b64encode(zlib.compress(content, LEVEL))
    return b'<script type="text/plain" id="%s">%s</script>\n' % (name.encode("ascii"), packed)


@cache
def asset(name: str) -> str:
    """A file of the built page."""
    return (resources.files("ragauge.report") / "page" / name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _html_text(text: str) -> str:
    from ragauge.html_table import html_text

    return html_text(text, None)
