"""Score retrieved passages against gold snippets."""

from pathlib import Path

import click

from ragauge.cli.declare import declare, option
from ragauge.cli.streams import say
from ragauge.errors import PlanError
from ragauge.evaluation import evaluate
from ragauge.report.writing import to_json
from ragauge.storage.atomic_files import misplaced, write_text

RULE = "=" * 26


@declare("score")
def command(
    predictions: Path,
    gold: Path,
    *,
    k: int = option("Cut-off of recall and nDCG.", default=10, min=1),
    output: Path | None = option("Also write the results to this JSON file."),
) -> None:
    """Score retrieved passages against gold snippets.

    PREDICTIONS is a JSON list of {query, retrieved_passages}. GOLD is a JSON object with `tests`, a
    list of {query, snippets: [{answer}]} in the same order. Prints exact match and span F1 of the
    first passage, and recall and nDCG at K. Queries without gold snippets are left out.
    """
    from ragauge.loaders.loading import load_passages

    if output and (problems := misplaced([output], [predictions, gold])):
        raise PlanError(problems)
    samples = load_passages(predictions, gold)
    # The column names of this format are known, so their mapping needs no note.
    say(*(note for note in samples.notes if ": read " not in note))
    labels = {
        "exact_match": "passage_exact_match",
        "span_f1": "span_f1",
        f"recall@{k}": f'recall(match="text")@{k}',
        f"ndcg@{k}": f'ndcg(ideal="retrieved",match="text")@{k}',
    }
    run = evaluate(samples, list(labels.values()))
    rows = run.summary().iter_rows(named=True)
    means = dict(zip(labels, rows, strict=True))
    results = {name: row["mean"] for name, row in means.items()}
    results["num_examples"] = float(means["exact_match"]["ok"])
    if output:
        write_text(output, to_json(results))
    lines = [f"{k}: {'undefined' if v is None else f'{v:.4f}'}" for k, v in results.items()]
    click.echo("\n".join(("Evaluation Results:", RULE, *lines, RULE)))
