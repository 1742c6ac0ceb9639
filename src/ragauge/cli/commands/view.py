"""Show runs in the browser, from a server on this machine."""

import webbrowser
from pathlib import Path
from threading import Event

from ragauge.cli.declare import argument, declare, option
from ragauge.cli.options import PLUGINS, import_plugins
from ragauge.cli.output import RUNS, stored_runs
from ragauge.cli.streams import say
from ragauge.errors import StoreError
from ragauge.runs.store import RunFolder

WAIT_S = 0.2


@declare("view")
def command(
    runs: tuple[Path, ...] = argument(),
    *,
    host: str = option("A loopback address.", default="127.0.0.1"),
    port: int = option("Port.  [default: a free one]", default=0, min=0, max=65535),
    no_browser: bool = option("Print the address only."),
    plugins: tuple[Path, ...] = PLUGINS,
) -> None:
    """Show runs in the browser: the page of `ragauge report`, served on this machine.

    RUNS are folders or URLs that `ragauge run` printed; without RUNS, the latest one in ragauge-runs. Texts and
    evidence are read from the folder when you open a question, so runs of any size open at once. Only
    this machine can reach the server. Stop it with Ctrl-C.
    """
    from ragauge.web.server import serving
    from ragauge.web.sites import Viewer

    import_plugins(plugins)
    viewer = Viewer([RunFolder.at(folder).read() for folder in runs or (latest_run(),)])
    with serving(viewer, host, port) as server:
        serve_until_stopped(server.url, opens=not no_browser)


def serve_until_stopped(url: str, *, opens: bool) -> None:
    """Say the address, open it in the browser if wanted, and wait for Ctrl-C."""
    say(f"serving at {url}; stop with Ctrl-C")
    if opens:
        webbrowser.open(url)
    try:
        # polars has system calls restarted after a signal, so a wait without end would hide Ctrl-C.
        while not Event().wait(WAIT_S):
            pass
    except KeyboardInterrupt:
        say("stopped")


def latest_run() -> Path:
    """The run in ragauge-runs that was finished last; StoreError if there is none."""
    finished = [(manifest.finished, path) for path, manifest in stored_runs() if manifest.finished]
    if not finished:
        raise StoreError(
            f"no finished runs in {RUNS}; give the folder of a run, or create one with: ragauge run"
        )
    return max(finished)[1]
