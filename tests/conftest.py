import ctypes
import gc
import itertools
import json
import linecache
import os
import runpy
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

# The suite runs in as many processes as there are cores, so each numerical library gets one thread.
# They read this when they are imported; processes that a test starts inherit it.
os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "RAYON")})
os.environ["POLARS_MAX_THREADS"] = "1"

import pytest
from hypothesis import settings

from ragauge import catalog, plugins
from ragauge.metric import FEATURES, METRICS
from ragauge.runs import identity

# A deadline says how loaded the machine is, not whether the code is right.
settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("thorough", deadline=None, max_examples=100)
settings.load_profile(os.environ.get("RAGAUGE_HYPOTHESIS", "quick"))

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it; the terminal's width is the test's own


class Absent(ModuleType):
    """A module that this system does not have: a test that uses it is skipped, the others of its file run."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        pytest.skip(f"this system has no module {self.__name__}")


for name in ("resource", "tty"):
    if sys.modules.get(name, 0) is None or find_spec(name) is None:
        sys.modules[name] = Absent(name)

SLOW_FILES = ("test_huggingface.py", "test_anchors_spacy.py")
"""All of their tests are slow, and torch and spaCy alone take seconds to import."""


def pytest_configure() -> None:
    """Collecting makes a million objects that stay: looking for garbage among them takes a third of its time.

    No test cuts the power, so that none waits until what it wrote has reached the disk; and none commits, so that git is
    asked once for the commit that every run notes.
    """
    gc.disable()
    os.fsync = lambda _: None
    identity._git_commit = cache(identity._git_commit)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the slow files unread where slow tests are left out."""
    is_left_out = config.option.markexpr == "not slow" and collection_path.name in SLOW_FILES
    return True if is_left_out else None


@pytest.hookimpl(tryfirst=True)  # before `-m` is applied
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test of a kind of fault its number: `pytest -k fault_22` runs those of kind 22.

    Tests that measure how time grows are slow, and depend on how loaded the machine is.
    """
    kinds = runpy.run_path(str(Path(__file__).parent / "faults" / "kinds.py"))["KINDS"]
    numbers: dict[tuple[str, str], list[int]] = {}
    for number, kind in kinds.items():
        for file, names in kind.tests.items():
            for name in names:
                numbers.setdefault((file, name), []).append(number)
    here = Path(__file__).parent
    for item in items:
        if os.name != "posix" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="needs what Windows lacks"))
        if "assert_linear_time" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
        if item.path.is_relative_to(here):
            file = item.path.relative_to(here).as_posix()
            name = getattr(item, "originalname", item.name)
            item.extra_keyword_matches |= {
                f"fault_{one:02}" for one in numbers.get((file, name), ())
            }


HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook" / "answers.jsonl"


@pytest.fixture
def own_metrics():
    """Metrics and features that a test declares are forgotten after it."""
    with metrics_as_before():
        yield


@contextmanager
def metrics_as_before() -> Iterator[None]:
    """Metrics, features and plug-ins that come in between are forgotten."""
    catalog.metrics()
    before = [(known, dict(known)) for known in (METRICS, FEATURES)]
    try:
        yield
    finally:
        for known, kept in before:
            known.clear()
            known.update(kept)
        for name in [name for name in sys.modules if name.startswith("ragauge_plugin_")]:
            del sys.modules[name]


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


@pytest.fixture
def ragauge(capsys: pytest.CaptureFixture[str], monkeypatch, tmp_path: Path) -> Callable[..., Done]:
    """The command in this process, in the test's folder; it forgets its plug-ins as a process does.

    `code`, `out` and `err` are what the test expects of it.
    """
    from ragauge.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments: object, **expected: object) -> Done:
        capsys.readouterr()
        linecache.checkcache()  # a plug-in may have been edited since the last call
        with metrics_as_before(), pytest.raises(SystemExit) as left:
            main([str(one) for one in arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        done = Done(int(left.value.code or 0), said.out, said.err)
        assert {name: getattr(done, name) for name in expected} == expected, done
        return done

    return call


@pytest.fixture
def install(tmp_path: Path, monkeypatch, own_metrics) -> Iterator[Callable[..., None]]:
    """Makes a package `their-1.0` findable in this process, with one entry point of a kind.

    `install("judges", "big = their:Judge", their="class Judge: …")`; further arguments are its modules.
    """

    def forget() -> None:
        plugins.offered.cache_clear()
        catalog._import_all.cache_clear()
        catalog.BROKEN.clear()

    def add(kind: str, entry: str, **modules: str) -> None:
        place = tmp_path / "their-1.0.dist-info"
        place.mkdir()
        (place / "METADATA").write_text("Metadata-Version: 2.1\nName: their\nVersion: 1.0\n")
        (place / "entry_points.txt").write_text(f"[ragauge.{kind}]\n{entry}\n")
        for name, source in modules.items():
            (tmp_path / f"{name}.py").write_text(source)
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(tmp_path)
        forget()

    yield add
    forget()


@pytest.fixture
def handbook():
    """The bundled example's answers."""
    return HANDBOOK


@pytest.fixture
def without_superuser_rights() -> Callable[[], None]:
    """For `preexec_fn`: root may read and write anything, the process that it starts may not."""

    def give_up() -> None:
        if os.geteuid() == 0:
            for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
                ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP

    return give_up


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT and SIGHUP end this process and its children, also where the suite runs in the background.

    A shell starts a background job with SIGINT ignored, `nohup` with SIGHUP, and Python and its children inherit that.
    """
    handlers = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    numbers = {getattr(signal, name): handlers[name] for name in handlers if hasattr(signal, name)}
    before = {number: signal.signal(number, handler) for number, handler in numbers.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


MEASURABLE_S = 0.02
MAX_GROWTH = 16.0
"""Eight times the input takes a linear way 8 times the time, and a quadratic way 64 times."""


CHECKS = itertools.count()


@pytest.fixture
def assert_linear_time() -> Iterator[Callable[..., None]]:
    """Fails when `work(text_of(2 * n))` takes far more than 8 times the time of `work(text_of(n / 4))`.

    Processor time, the best of several rounds. Times below 20 ms are not compared.
    """

    def measure(work: Callable[..., object], text: object) -> float:
        start = time.process_time()
        work(text)
        return time.process_time() - start

    def check(work: Callable[..., object], text_of: Callable[[int], object], n: int) -> None:
        work(text_of(n // 10))  # imports and compiles what the first call needs
        short, long = float("inf"), float("inf")
        own = next(CHECKS) % max(1, n // 40)
        for at in range(8):
            # Each round of each test has its own lengths, so that no cache answers.
            more = at * max(1, n // 100) + own
            short = min(short, measure(work, text_of(n // 4 + more)))
            long = min(long, measure(work, text_of(2 * n + 8 * more)))
            if at and long < max(MEASURABLE_S, MAX_GROWTH * short):
                return
        raise AssertionError(f"{n // 4} take {short:.4f} s, {2 * n} take {long:.3f} s")

    gc.disable()  # the time of a collection depends on what other tests left behind
    yield check
    gc.enable()


@pytest.fixture
def assert_quick() -> Callable[[Callable[[], object], float], None]:
    """Fails when `work()` takes `seconds` of processor time in each of three tries: one alone says how loaded the machine is."""

    def check(work: Callable[[], object], seconds: float) -> None:
        took = []
        for _ in range(3):
            start = time.process_time()
            work()
            took.append(time.process_time() - start)
            if took[-1] < seconds:
                return
        raise AssertionError(f"{min(took):.2f} s, allowed {seconds}")

    return check


@pytest.fixture(scope="session")
def minilm_folder(tmp_path_factory) -> Path:
    """The embedded model with its weights as stored, in the form that the reference packages read."""
    for package in ("torch", "transformers", "onnx"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("all-MiniLM-L6-v2")
    write_minilm(folder)
    return folder


def write_minilm(folder: Path) -> None:
    """Write the embedded model as transformers and sentence-transformers read it."""
    import onnx
    import torch
    import transformers

    ours = Path(str(resources.files("ragauge"))) / "encoders" / "minilm"
    graph = onnx.load(str(ours / "fp32.onnx")).graph
    stored = {one.name: torch.tensor(onnx.numpy_helper.to_array(one)) for one in graph.initializer}
    stored = {name: array.float() for name, array in stored.items()}
    sizes = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12}
    config = transformers.BertConfig(**sizes, intermediate_size=1536, layer_norm_eps=1e-12)
    model = transformers.BertModel(config)
    model.load_state_dict(_as_bert(stored, model.state_dict()))
    model.save_pretrained(folder)
    words = str(ours / "vocab.txt")
    transformers.BertTokenizerFast(vocab=words, model_max_length=512).save_pretrained(folder)
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 256}))
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [
        {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for at, (path, kind) in enumerate(kinds.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))


def _as_bert(stored, wanted):
    """The weights under the names that transformers gives them."""
    state = {name: tensor * 0 for name, tensor in wanted.items()}
    state["embeddings.word_embeddings.weight"] = stored["words"]
    state["embeddings.position_embeddings.weight"] = stored["places.half"]
    norms = {"embeddings.": "embedded"}
    for number in range(6):
        theirs, ours = f"encoder.layer.{number}.", f"layer{number + 1}."
        for at, part in enumerate(("query", "key", "value")):
            columns = slice(384 * at, 384 * (at + 1))
            state[f"{theirs}attention.self.{part}.weight"] = stored[f"{ours}qkv.half"][:, columns].T
            state[f"{theirs}attention.self.{part}.bias"] = stored[f"{ours}qkv.bias"][columns]
        after = f"hidden_{number + 1}"
        for their, name, bias in (
            ("attention.output.", "out", f"{ours}attended.bias"),
            ("intermediate.", "wide", f"{ours}wide.bias"),
            ("output.", "narrow", f"{after}.bias"),
        ):
            state[f"{theirs}{their}dense.weight"] = stored[f"{ours}{name}.half"].T
            state[f"{theirs}{their}dense.bias"] = stored[bias]
        norms |= {f"{theirs}attention.output.": f"{ours}attended", f"{theirs}output.": after}
    for their, name in norms.items():
        state[f"{their}LayerNorm.weight"] = stored[f"{name}.gamma"]
        state[f"{their}LayerNorm.bias"] = stored[f"{name}.beta"]
    return {name: tensor.contiguous() for name, tensor in state.items()}


@pytest.fixture
def gs_in_memory() -> Iterator[Any]:
    """fsspec's file system in memory under gs://, new for each test; `reads` and `writes` are the files
    that were fetched and put, in their order.
    """
    fsspec = pytest.importorskip("fsspec", reason="pip install 'ragauge[s3]'")
    from fsspec.implementations.memory import MemoryFileSystem

    class Bucket(MemoryFileSystem):
        protocol = ("gs",)
        store: dict[str, object] = {}
        pseudo_dirs = [""]
        reads: list[str] = []
        writes: list[str] = []
        broken: str = ""
        """The end of the names of files that cannot be written."""

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return super()._strip_protocol(path.replace("gs://", "memory://"))

        def get_file(self, rpath: str, lpath: str, **options: Any) -> Any:
            self.reads.append(rpath)
            return super().get_file(rpath, lpath, **options)

        def put_file(self, lpath: str, rpath: str, **options: Any) -> Any:
            if self.broken and rpath.endswith(self.broken):
                raise OSError("the store is full")
            self.writes.append(rpath)
            return super().put_file(lpath, rpath, **options)

    fsspec.register_implementation("gs", Bucket, clobber=True)
    try:
        yield Bucket()
    finally:
        fsspec.register_implementation("gs", "gcsfs.GCSFileSystem", clobber=True)


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A bucket of a real S3 server on the loopback interface."""
    pytest.importorskip("moto.server", reason="pip install 'moto[server]'")
    s3fs = pytest.importorskip("s3fs", reason="pip install 'ragauge[s3]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    given = {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        s3fs.S3FileSystem.clear_instance_cache()  # they know the server of another module
        s3fs.S3FileSystem().mkdir("runs")
        yield "s3://runs/here"
    finally:
        server.terminate()
        server.wait()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
