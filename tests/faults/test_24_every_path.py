"""FAULTS.md 24, 25 and 29: devices, pipes, links that lead nowhere and impossible names, for every option with a path."""

import io
import os
import shutil
from collections.abc import Iterator

import click
import pytest

import ragauge as rg
from ragauge.cli import cli, main
from ragauge.cli.options import Text

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs named pipes and devices")

QUIET = ("--no-report", "--quiet", "--cache", "none", "--folder", "new")
JUDGED = ("run", "a.jsonl", "-m", "faithfulness", *QUIET)
BIAS = ("judge-bias", "a.jsonl", "--judge", "replay:rec.jsonl", "--cache", "none")
RANK = ("rank", "q.qrels", "a.run")
OUTPUT = {"output", "rejected", "junit", "report", "record", "folder", "cache", "file"}
"""Names of parameters at which something may be written, so that a path with nothing there is fine."""

COMMANDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("demo", "folder"): ("demo", "--no-report", "--folder", "{}"),
    ("run", "sources"): ("run", "{}.jsonl", "-m", "token_f1", *QUIET),
    ("run", "systems"): ("run", "--system", "a={}.jsonl", "-m", "token_f1", *QUIET),
    ("run", "suites"): ("run", "a.jsonl", "-s", "{}.toml", *QUIET),
    ("run", "gold"): ("run", "a.jsonl", "--gold", "{}.csv", "-m", "token_f1", *QUIET),
    ("run", "output"): ("run", "a.jsonl", "-m", "token_f1", *QUIET, "-o", "{}.csv"),
    ("run", "folder"): ("run", "a.jsonl", "-m", "token_f1", "--cache", "none", "--folder", "{}"),
    ("run", "plugins"): ("run", "a.jsonl", "-m", "token_f1", *QUIET, "--plugin", "{}.py"),
    ("run", "cache"): ("run", "a.jsonl", "-m", "semantic_similarity", "--no-report", "--folder", "new", "--cache", "{}"),
    ("run", "judges"): (*JUDGED, "--judge", "replay:{}"),
    ("run", "prompts"): (*JUDGED, "--judge", "m", "--judge-url", "http://127.0.0.1:9/v1", "--prompts", "{}"),
    ("run", "record"): (*JUDGED, "--judge", "replay:rec.jsonl", "--record", "{}"),
    ("ask", "questions"): ("ask", "{}.jsonl", "--target", "app.py:f"),
    ("ask", "targets"): ("ask", "a.jsonl", "--target", "{}.py:f"),
    ("ask", "gold"): ("ask", "a.jsonl", "--target", "app.py:f", "--gold", "{}.jsonl"),
    ("ask", "folder"): ("ask", "a.jsonl", "--target", "app.py:f", "--folder", "{}"),
    ("ask", "output"): ("ask", "a.jsonl", "--target", "app.py:f", "--folder", "new", "-o", "{}.md"),
    ("ask", "prompt"): ("ask", "a.jsonl", "--chat", "m", "--base-url", "http://127.0.0.1:9/v1", "--prompt", "{}"),
    ("ask", "body"): ("ask", "a.jsonl", "--url", "http://127.0.0.1:9/x", "--body", "{}.json"),
    ("run", "prompt"): ("run", "a.jsonl", "--chat", "m", "--base-url", "http://127.0.0.1:9/v1", "--prompt", "{}"),
    ("run", "body"): ("run", "a.jsonl", "--url", "http://127.0.0.1:9/x", "--body", "{}.json"),
    ("run", "targets"): ("run", "a.jsonl", "-m", "token_f1", *QUIET, "--target", "{}.py:f"),
    ("show", "output"): ("show", "run", "-o", "{}.md"),
    ("doctor", "output"): ("doctor", "-o", "{}.md"),
    ("metrics", "output"): ("metrics", "-o", "{}.md"),
    ("prompts", "output"): ("prompts", "-o", "{}.md"),
    ("validate", "output"): ("validate", "a.jsonl", "-o", "{}.md"),
    ("cache", "output"): ("cache", "c.sqlite", "-o", "{}.md"),
    ("gate", "output"): ("gate", "run", "--rule", "failed <= 0", "-o", "{}.md"),
    ("show", "run"): ("show", "{}"),
    ("show", "plugins"): ("show", "run", "--plugin", "{}.py"),
    ("compare", "given"): ("compare", "run", "{}", "-m", "token_f1"),
    ("compare", "suites"): ("compare", "a.jsonl", "a.jsonl", "-s", "{}.toml"),
    ("compare", "gold"): ("compare", "a.jsonl", "a.jsonl", "-m", "token_f1", "--gold", "{}.jsonl"),
    ("compare", "output"): ("compare", "run", "other", "-o", "{}.csv"),
    ("compare", "plugins"): ("compare", "run", "other", "--plugin", "{}.py"),
    ("gate", "runs"): ("gate", "{}", "--rule", "failed <= 0"),
    ("gate", "baseline"): ("gate", "run", "--rule", "failed <= 0", "--baseline", "{}"),
    ("gate", "config"): ("gate", "run", "--config", "{}.toml"),
    ("gate", "junit"): ("gate", "run", "--rule", "failed <= 0", "--junit", "{}.xml"),
    ("gate", "plugins"): ("gate", "run", "--rule", "failed <= 0", "--plugin", "{}.py"),
    ("report", "runs"): ("report", "{}", "-o", "o.html"),
    ("report", "output"): ("report", "run", "-o", "{}.html"),
    ("report", "plugins"): ("report", "run", "-o", "o.html", "--plugin", "{}.py"),
    ("view", "runs"): ("view", "{}", "--no-browser"),
    ("view", "plugins"): ("view", "run", "--no-browser", "--plugin", "{}.py"),
    ("review export", "run"): ("review", "export", "{}", "-o", "o.jsonl"),
    ("review export", "output"): ("review", "export", "run", "-o", "{}.jsonl"),
    ("review export", "plugins"): ("review", "export", "run", "-o", "o.jsonl", "--plugin", "{}.py"),
    ("review import", "run"): ("review", "import", "{}", "a.jsonl"),
    ("review import", "file"): ("review", "import", "run", "{}.jsonl", "--rater", "x"),
    ("review import", "plugins"): ("review", "import", "run", "a.jsonl", "--plugin", "{}.py"),
    ("review next", "run"): ("review", "next", "{}"),
    ("review next", "plugins"): ("review", "next", "run", "--plugin", "{}.py"),
    ("review serve", "run"): ("review", "serve", "{}", "--no-browser"),
    ("review serve", "plugins"): ("review", "serve", "run", "--no-browser", "--plugin", "{}.py"),
    ("review questions", "questions"): ("review", "questions", "{}.jsonl"),
    ("review questions", "documents"): ("review", "questions", "a.jsonl", "{}.md"),
    ("review questions", "labels"): ("review", "questions", "a.jsonl", "--labels", "{}.jsonl"),
    ("review questions", "output"): ("review", "questions", "a.jsonl", "-o", "{}.md"),
    ("review stats", "run"): ("review", "stats", "{}"),
    ("review stats", "plugins"): ("review", "stats", "run", "--plugin", "{}.py"),
    ("calibrate", "labels"): ("calibrate", "{}.csv", "run"),
    ("calibrate", "run"): ("calibrate", "labels.csv", "{}"),
    ("calibrate", "output"): ("calibrate", "labels.csv", "run", "-o", "{}.md"),
    ("calibrate", "plugins"): ("calibrate", "labels.csv", "run", "--plugin", "{}.py"),
    ("label-plan", "output"): ("label-plan", "-o", "{}.md"),
    ("review stats", "output"): ("review", "stats", "run", "-o", "{}.md"),
    ("judge-bias", "output"): (*BIAS, "-o", "{}.md"),
    ("label-plan", "labels"): ("label-plan", "{}.csv", "run"),
    ("label-plan", "run"): ("label-plan", "labels.csv", "{}"),
    ("label-plan", "plugins"): ("label-plan", "labels.csv", "run", "--plugin", "{}.py"),
    ("judge-bias", "data"): ("judge-bias", "{}.jsonl", "--judge", "replay:rec.jsonl", "--cache", "none"),
    ("judge-bias", "judges"): ("judge-bias", "a.jsonl", "--judge", "replay:{}", "--cache", "none"),
    ("judge-bias", "labels"): (*BIAS, "--labels", "{}.csv"),
    ("judge-bias", "cache"): ("judge-bias", "a.jsonl", "--judge", "replay:rec.jsonl", "--cache", "{}"),
    ("rank", "sources"): ("rank", "q.qrels", "{}.parquet"),
    ("rank", "output"): (*RANK, "-o", "{}.csv"),
    ("rank", "report"): (*RANK, "--report", "{}.html"),
    ("score", "predictions"): ("score", "{}.json", "gold.json"),
    ("score", "gold"): ("score", "gold.json", "{}.json"),
    ("score", "output"): ("score", "p.json", "gold.json", "--output", "{}"),
    ("metrics", "name"): ("metrics", "{}.toml"),
    ("metrics", "plugins"): ("metrics", "--plugin", "{}.py"),
    ("prompts", "folder"): ("prompts", "{}"),
    ("cache", "file"): ("cache", "{}"),
    ("validate", "sources"): ("validate", "{}.jsonl"),
    ("validate", "gold"): ("validate", "a.jsonl", "--gold", "{}.jsonl"),
    ("questions check", "questions"): ("questions", "check", "{}.jsonl", "d.md"),
    ("questions check", "documents"): ("questions", "check", "a.jsonl", "{}.md"),
    ("questions check", "output"): ("questions", "check", "a.jsonl", "d.md", "-o", "{}.jsonl"),
    ("questions check", "prompts"): ("questions", "check", "a.jsonl", "d.md", "--judge", "replay:rec.jsonl", "--cache", "none", "--prompts", "{}"),
    ("questions check", "judges"): ("questions", "check", "a.jsonl", "d.md", "--judge", "replay:{}", "--cache", "none"),
    ("questions check", "cache"): ("questions", "check", "a.jsonl", "d.md", "--judge", "replay:rec.jsonl", "--cache", "{}"),
    ("questions check", "labels"): ("questions", "check", "a.jsonl", "d.md", "--labels", "{}.jsonl"),
    ("questions make", "documents"): ("questions", "make", "{}.md", "-o", "o.jsonl"),
    ("questions make", "output"): ("questions", "make", "d.md", "-o", "{}.jsonl"),
    ("questions make", "rejected"): ("questions", "make", "d.md", "-o", "o.jsonl", "--rejected", "{}.jsonl"),
    ("questions make", "personas"): ("questions", "make", "d.md", "-o", "o.jsonl", "--judge", "replay:rec.jsonl", "--cache", "none", "--personas", "{}"),
    ("questions make", "prompts"): ("questions", "make", "d.md", "-o", "o.jsonl", "--judge", "replay:rec.jsonl", "--cache", "none", "--prompts", "{}"),
    ("questions make", "judges"): ("questions", "make", "d.md", "-o", "o.jsonl", "--judge", "replay:{}", "--cache", "none"),
    ("questions make", "cache"): ("questions", "make", "d.md", "-o", "o.jsonl", "--judge", "replay:rec.jsonl", "--cache", "{}"),
    ("doctor", "check"): ("doctor", "--check", "{}"),
}  # fmt: skip
OTHER_TEXTS = {
    *("metrics", "without", "mapping", "where", "by", "encoder_url", "encoder_key", "judge_url", "judge_key", "price"),
    *("language", "on", "storage", "id", "vary", "worst", "finding", "cluster", "rules", "max_drop", "systems", "host", "about"),
    *("thresholds", "rater", "token", "yes", "yes_from", "skip", "metric", "measures", "fuse", "weights", "norm"),
    *("show", "types", "reply", "encoder", "base_url", "chats", "headers", "key", "method", "read", "shells", "urls", "version", "steady"),
}  # fmt: skip
"""Parameters with a text that is no path. A folder with an encoder is tested with the encoders."""

READ_WHOLE = {"sources", "questions", "suites", "gold", "config", "judges", "cache", "data"}
"""Names of parameters whose files are refused in the same words."""

ROW = '{"id": "q1", "question": "?", "answer": "x", "reference": "x", "contexts": ["x"]}\n'
FILES = {
    "a.jsonl": ROW,
    "app.py": "def f(question):\n    return 'x'\n",
    "d.md": "# Fees\n\nThe fee of the library is $5 per month. Oslo is the capital of Norway.\n",
    "labels.csv": "id,label\nq1,yes\n",
    "q.qrels": "q1 0 d1 1\n",
    "a.run": "q1 Q0 d1 1 0.5 x\n",
    "rec.jsonl": '{"format": "ragauge recording 1", "judge": "m", "identity": {}}\n',
    "p.json": '[{"query": "x", "retrieved_passages": ["a"]}]',
    "gold.json": '{"tests": [{"query": "x", "snippets": [{"answer": "a"}]}]}',
}
KINDS = ("a device", "a name too long", "a named pipe", "a link nowhere", "links in a circle")
KINDS += ("under a file",)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for run in ("run", "other"):
        rg.evaluate(str(folder / "a.jsonl"), "token_f1", folder=folder / run, cache=None)
    return folder


def parameters(
    command: click.Command, name: str, context: click.Context
) -> Iterator[tuple[str, click.Parameter]]:
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from parameters(below, f"{name} {each}".strip(), context)
    for parameter in command.params:
        yield name, parameter


def test_every_option_that_may_be_a_path_is_in_the_table():
    is_text = {
        (command, str(parameter.name))
        for command, parameter in parameters(cli, "", click.Context(cli))
        if isinstance(parameter.type, click.Path | click.types.StringParamType | Text)
    }
    missing = {
        one
        for one in is_text - set(COMMANDS)
        if one[1] not in OTHER_TEXTS or (one[0], one[1]) == ("run", "systems")
    }
    assert not missing


def put(folder, name: str, kind: str) -> None:
    path = folder / name
    if kind == "a device":
        path.symlink_to("/dev/zero")
    elif kind == "a named pipe":
        os.mkfifo(path)
    elif kind == "a link nowhere":
        path.symlink_to(folder / "nowhere" / "x")
    elif kind == "links in a circle":
        path.symlink_to(path.name)


@pytest.mark.parametrize(
    "kind", [KINDS[0], *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS[1:])]
)
@pytest.mark.parametrize("at", COMMANDS, ids=" ".join)
def test_a_path_that_is_no_file_ends_the_command_with_a_reason(at, kind, made, tmp_path, monkeypatch, capsys):  # fmt: skip
    if at == ("rank", "sources") and kind == "a named pipe":
        pytest.skip("a ranking may be a stream")
    for name in FILES:
        (tmp_path / name).hardlink_to(made / name)
    for run in ("run", "other"):
        shutil.copytree(made / run, tmp_path / run)
    name = {"a name too long": "n" * 300, "under a file": "a.jsonl/x"}.get(kind, "given")
    arguments = [one.replace("{}", name) for one in COMMANDS[at]]
    (whole,) = [one.replace("{}", name) for one in COMMANDS[at] if "{}" in one]
    put(tmp_path, whole.removeprefix("replay:").removeprefix("a="), kind)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())  # `review questions` asks
    with pytest.raises(SystemExit) as left:
        main(arguments)
    said = capsys.readouterr().err
    allowed = {2, 3, 5}
    if at[1] in OUTPUT and kind not in ("a device", "a named pipe"):
        # The file takes the link's place; no cache is there to be shown; no reply came that is recorded.
        allowed |= {0, 6}
    assert left.value.code in allowed, said
    assert "Traceback" not in said
    assert "cannot write: [Errno" not in said, "the last resort, which names no place"
    if left.value.code not in (0, 6):
        assert name[:200] in said
    if kind in ("a device", "a named pipe"):
        assert at[1] not in READ_WHOLE or f"it is {kind}, not a file" in said
        assert not (tmp_path / whole).is_file(), "it is never replaced by a file"
    assert not list(tmp_path.rglob(".*.part"))
