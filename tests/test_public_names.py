import ast
import subprocess
import sys
from pathlib import Path

import ragauge as rg

PUBLIC = {
    *("Answers", "ChatEndpoint", "CheckedQuestions", "Comparison", "DataError", "EncoderError"),
    *("Endpoint", "HuggingFace", "JudgeConfig", "JudgeError", "LabelError", "MadeQuestions"),
    *("MetricError", "MiniLM", "PlanError", "RagaugeError", "RankingResult", "Ray", "Run"),
    *("Samples", "Score", "ScriptedJudge", "Status", "StoreError", "Suite"),
    *("ask", "check_questions", "compare", "estimate", "evaluate", "feature", "fuse"),
    *("judge_bias", "load", "metric", "metrics", "open_run", "questions", "rank", "score"),
}


def printed(script: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_importing_ragauge_imports_nothing_heavy_and_score_and_metric_stay_functions():
    modules, names = printed(
        "import sys; before = set(sys.modules); import ragauge as rg\n"
        "print(sorted({name.split('.')[0] for name in set(sys.modules) - before}))\n"
        "import ragauge.score, ragauge.metric, ragauge.metrics.overlap, importlib\n"
        "importlib.import_module('ragauge.score'); print(rg.score.__name__, rg.metric.__name__)\n"
    )
    imported = set(ast.literal_eval(modules))
    assert "ragauge" in imported
    heavy = "polars numpy rich click spacy nltk sacrebleu sklearn pandas pyarrow rapidfuzz sqlite3"
    assert not imported & {*heavy.split(), "asyncio", "multiprocessing", "http", "ssl"}
    assert names == "score metric"
    (names,) = printed(
        "import ragauge.score, ragauge.metric, ragauge.run\nimport ragauge as rg\n"
        "print(rg.score.__name__, rg.metric.__name__)\n"
    )
    assert names == "score metric"


def test_the_public_names_are_these():
    assert set(rg.__all__) == PUBLIC
    assert len(rg.__all__) == len(PUBLIC)
    assert list(rg.__all__) == sorted(rg.__all__)
    for name in PUBLIC:
        assert getattr(rg, name).__doc__


def test_the_types_of_the_package_are_declared():
    assert (Path(rg.__file__).parent / "py.typed").is_file()


def test_the_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    assert rg.__version__ == version("ragauge")
