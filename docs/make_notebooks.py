"""Runs the notebooks of examples/notebooks and writes their outputs: python docs/make_notebooks.py

A notebook is written as a list of cells below; what a cell prints and what its last line gives is kept as a notebook keeps it.
"""

import ast
import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
NOTEBOOKS = {
    "answers": """\
# Score answers

Three systems answered thirty questions about a handbook. Which is best, how sure is that, and what went wrong?

import ragauge as rg
samples = rg.load("../handbook/answers.jsonl")
print(len(samples), "answers with", ", ".join(samples.columns))

A metric is a name with settings. `correct` needs no judge; `recall@5` asks whether the relevant documents are among the first five.

run = rg.evaluate(samples, ["correct", "number_match", "recall@5"])
run

Is `careful` better than `hasty`, and by how much? The test is paired by question.

run.compare("hasty", "careful")

The worst answers of one metric, and one question with the evidence behind each score:

run.worst("number_match", n=3)

run.show("q26")

A metric of your own is a function of columns:

@rg.metric(version=1)
def brevity(answer: str, *, enough: int = 20) -> float:
    \"\"\"1 for up to `enough` words; longer answers score less.\"\"\"
    return min(1.0, enough / max(len(answer.split()), 1))


rg.evaluate(samples, "brevity").summary().select("system", "mean", "low", "high")
""",
    "rankings": """\
# Score rankings

Two retrievers and their judgements, in TREC's files. The values are those of trec_eval.

import ragauge as rg
folder = "../rankings"
ranked = rg.rank(f"{folder}/qrels.txt", [f"{folder}/bm25.run", f"{folder}/ngrams.run"], ["ndcg@10", "recall@5"])
ranked

Which is better, beyond chance? Both ranked the same queries, so the test is paired.

for pair in ranked.compare():
    test = pair.comparison
    print(f"{pair.measure}: {pair.run} - {pair.baseline} = {test.difference:.3f}, p = {test.p_value:.4f}")

Fusing both by reciprocal ranks:

fused = rg.fuse([f"{folder}/bm25.run", f"{folder}/ngrams.run"], "rrf")
rg.rank(f"{folder}/qrels.txt", {"fused": fused}, ["ndcg@10", "recall@5"])

A script in ranx's style needs one import changed:

from ragauge.compat.ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(f"{folder}/qrels.txt")
bm25 = Run.from_file(f"{folder}/bm25.run")
evaluate(qrels, bm25, ["ndcg@10", "mrr"], make_comparable=True)
""",
}
"""By name the cells, divided by empty lines; those that are no Python are text."""


def cells(source: str) -> Iterator[tuple[str, str]]:
    """The kind and text of each cell."""
    for block in source.replace("\n\n\n", "\n\0").strip().split("\n\n"):
        text = block.replace("\0", "\n\n")
        try:
            ast.parse(text)
        except SyntaxError:
            yield "markdown", text
        else:
            yield ("markdown" if text.startswith("# ") else "code"), text


def outputs(code: str, names: dict[str, object]) -> list[dict[str, object]]:
    """What running the code prints, and what its last line gives, as a notebook keeps them."""
    *body, last = ast.parse(code).body
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        else:
            exec(compile(code, "cell", "exec"), names)
    found: list[dict[str, object]] = []
    if text := printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        data = {"text/plain": repr(value)}
        if html := getattr(value, "_repr_html_", None):
            data["text/html"] = html()
        found.append({"output_type": "execute_result", "metadata": {}, "data": data})
    return found


def notebook(source: str) -> str:
    """The notebook with the outputs that it has now, as the text of its file."""
    names: dict[str, object] = {}
    made: list[dict[str, object]] = []
    for number, (kind, text) in enumerate(cells(source)):
        cell: dict[str, object] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        if kind == "code":
            found = [
                {**each, "execution_count": number} if "data" in each else each
                for each in outputs(text, names)
            ]
            cell |= {"execution_count": number, "outputs": found}
        made.append({**cell, "source": text})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    os.chdir(FOLDER)
    for name, source in NOTEBOOKS.items():
        (FOLDER / f"{name}.ipynb").write_text(notebook(source), encoding="utf-8")
