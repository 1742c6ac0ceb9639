"""A comparison as a report: systems side by side and pairs in rows, whole for files, short for a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product
from string import ascii_lowercase

from ragauge.comparing.comparison import LEVEL, Comparison, MetricComparison, frame_row
from ragauge.comparing.words import ComparisonView, comparison_notes, over_questions
from ragauge.report.plain import counted, for_terminal, no_interval, show_command, some
from ragauge.report.report import MARK, Cell, Items, Report, Table
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import DASH, number

SYSTEMS_SHOWN = 5
"""Most systems that a terminal shows side by side."""
WHOLE = 200
"""Most columns of a name in a file."""
IDS_SHOWN, IDS_IN_FILES = 4, 20
ROWS_SHOWN = 12
"""Most rows of the table of all questions in a terminal, unless everything is printed."""
NOTES_SHOWN = 3
SETTINGS = ("cluster", "test", "correction", "n_tests", "n_permutations", "seed")
LISTS = ("fixed", "broken", "unpaired")


@dataclass(frozen=True)
class SystemsTable:
    """A row for each metric, a cell for each system, on the questions that all systems have scored.

    Compared with one base, `*` marks a system that differs from it. If every pair was compared, each
    system has a letter, and a cell has the letters of the systems that it is significantly better than.
    """

    view: ComparisonView
    field: str | None = None
    value: str | None = None

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """The letter of each system; numbers behind the first 26. None if all are compared with one base."""
        comparison = self.view.comparison
        if len({base for base, _ in comparison.pairs}) <= 1:
            return {}
        numbers = (f"{at + 1}," for at in range(len(ascii_lowercase), len(comparison.systems)))
        return dict(zip(comparison.systems, (*ascii_lowercase, *numbers), strict=False))

    @cached_property
    def table(self) -> Table:
        """All systems, for a file."""
        names = self.view.comparison.systems
        named = [f"{name} ({self.letters[name]})" if self.letters else name for name in names]
        where = "" if self.field is None else f"{self.field} = {self.value}"
        best = "; the best in bold" if names[1:] else ""
        means = f"Means on {self.view.n_questions}{where and f' with {where}'}{best}"
        caption = f"{means}. {self.legend}: {self.view.method}."
        rows = [self._row(metric) for metric in self.view.metrics.values()]
        header = ("metric", *named, "n")
        return Table(header, rows, title=where, caption=caption, legend=(self.legend,))

    @property
    def brief(self) -> Table:
        """The base and the systems that are best on the first metric, as many as a terminal has room for.

        How many others there are is in a column without cells.
        """
        table, layouts = self.table, list[Table]()
        for n, gap in product(range(SYSTEMS_SHOWN, 0, -1), (3, 1)):
            places = self.leading(n)
            n_more = len(self.view.comparison.systems) - len(places)
            more = [f"… {n_more} more"] if n_more else []
            names = [self.view.short(table.header[at + 1]) for at in places]
            rows = [
                (row[0], *(row[at + 1] for at in places), *("" for _ in more), row[-1])
                for row in table.rows
            ]
            header = ("metric", *names, *more, "n")
            layouts.append(replace(table, header=header, rows=rows, gap=gap))
        return replace(layouts[0], narrower=layouts[1:])

    def leading(self, n: int) -> Sequence[int]:
        """The places of the base and of the systems that are best on the first metric, n in all."""
        names = self.view.comparison.systems
        places = list(range(len(names)))
        first = next(iter(self.view.metrics.values()), None)
        if len(places) <= n or first is None:
            return places[:n]
        sign = 1 if first.lower_is_better else -1
        means = {name: sign * mean for name, mean in self.view.means_of(first).items()}
        best = sorted(places[1:], key=lambda at: means.get(names[at], float("inf")))
        return [0, *best[: n - 1]]

    def _row(self, metric: MetricDisplay) -> Sequence[str | Cell]:
        """Name, cells and number of questions of a metric; texts equal to the best are equally good."""
        own, comparison = (metric.metric, self.field, self.value), self.view.comparison
        means = {
            mean.system: mean
            for mean in comparison.means
            if (mean.metric, mean.field, mean.value) == own
        }
        marks: dict[str, str] = dict.fromkeys(comparison.systems, "")
        for row in comparison.rows:
            if (row.metric, row.field, row.value) != own or not row.is_significant:
                continue
            if not self.letters:
                marks[row.candidate] += MARK
            elif row.verdict == "better":
                marks[row.candidate] += self.letters[row.base]
            elif row.verdict == "worse":
                marks[row.base] += self.letters[row.candidate]
        n = means[comparison.systems[0]].n
        display = over_questions(metric, n)
        known = [mean.mean for mean in means.values() if mean.mean is not None]
        best = DASH
        if known and metric.is_ranked:
            best = number(display, min(known) if metric.lower_is_better else max(known))
        cells = [
            Cell(text, marks[system], is_best=text == best != DASH)
            for system in comparison.systems
            for text in [number(display, means[system].mean)]
        ]
        return (self.view.name_of(metric), *cells, f"{n:,}")

    @property
    def legend(self) -> str:
        """What the marks mean."""
        what = f"{MARK} differs from {self.view.comparison.systems[0]}"
        if self.letters:
            what = "Letters: significantly better than the systems with these letters"
        return f"{what}, p < {LEVEL}"


def comparison_report(comparison: Comparison) -> Report:
    """Headline, tables, what changed, and notes; CSV has `Comparison.frame`, JSON also the lists of questions.

    LaTeX has a column for each system, and a table for each slice. Other formats have a row for each pair,
    under these tables if there are several pairs.
    """
    view = ComparisonView(comparison, WHOLE)
    systems = [table.table for table in _systems_tables(view)]
    if view.is_single_pair:
        systems = [replace(table, only_in=("latex",)) for table in systems]
    pairs = [replace(table, only_in=("md", "html")) for table in _pair_tables(view)]
    frame, notes = comparison.frame, comparison_notes(view)
    return Report(
        view.headline,
        view.title,
        [*systems, *pairs, *([view.effects] if comparison.effects else [])],
        notes=notes,
        items=_changes(view, IDS_IN_FILES),
        records=lambda: (frame.columns, frame.iter_rows()),
        data=lambda: {
            "headline": view.headline,
            "systems": list(comparison.systems),
            "folders": list(comparison.folders),
            "n_questions": comparison.n_questions,
            "by": list(comparison.fields),
            **{name: getattr(comparison, name) for name in SETTINGS},
            "rows": [
                {
                    **frame_row(row),
                    "lower_is_better": row.lower_is_better,
                    "is_ranked": row.is_ranked,
                    **{name: [each._asdict() for each in getattr(row, name)] for name in LISTS},
                }
                for row in comparison.rows
            ],
            "means": [
                {**asdict(mean), "note": "" if mean.n else "no question is scored by all systems"}
                for mean in comparison.means
            ],
            "effects": [
                {**asdict(effect), "note": no_interval(effect.low, effect.n, "question")}
                for effect in comparison.effects
            ],
            "notes": [*notes, view.legend],
        },
        legend=view.legend,
        brief=lambda full: _brief(comparison, full=full),
    )


def _brief(comparison: Comparison, *, full: bool) -> Report:
    """What a terminal shows: at most 25 lines for one pair and ten metrics; `full` has every row and note."""
    view, rows = ComparisonView(comparison), comparison.overall
    notes, effects, legend = comparison_notes(view), view.effects, view.legend
    most = None if full else ROWS_SHOWN
    if view.is_single_pair or full:
        first, *slices = _pair_tables(view)
        titled = zip(slices, comparison.fields, strict=True)
        tables = [replace(first, rows=first.rows[:most])]
        tables += [replace(table, title=f"by {field}") for table, field in titled]
    else:
        tables = [table.brief for table in _systems_tables(view)]
        notes.insert(0, "--full prints every pair with its difference, interval and p")
    if not view.is_single_pair:
        legend = f"{SystemsTable(view).legend}: {view.method}"
    if comparison.effects:
        tables.append(replace(effects, rows=effects.rows[:most]))
    if most is not None and len(effects.rows) > most:
        n_more = counted(len(effects.rows) - most, "more effect")
        notes.insert(0, f"{n_more} of settings; --full prints all")
    if most is not None and view.is_single_pair and len(rows) > most:
        notes.insert(0, f"{counted(len(rows) - most, 'more metric')}; --full prints all")
    if len(notes) > NOTES_SHOWN and not full:
        n_hidden = len(notes) - NOTES_SHOWN + 1
        notes = [*notes[: NOTES_SHOWN - 1], f"{n_hidden} more notes; --full prints them"]
    ids = [each.id for row in _changed(view) for each in (*row.fixed, *row.broken)]
    place = comparison.folders[-1] if comparison.folders else None
    return Report(
        view.headline,
        view.title,
        tables if rows else (),
        notes=notes,
        items=_changes(view, None if full else IDS_SHOWN),
        commands=[show_command(place, ids[0])] if place and ids else (),
        cuts_notes=not full,
        legend=legend,
    )


def _systems_tables(view: ComparisonView) -> Sequence[SystemsTable]:
    """The table of all questions, then that of each slice."""
    keys = dict.fromkeys((row.field, row.value) for row in view.comparison.rows)
    return [SystemsTable(view, field, value) for field, value in keys]


def _pair_tables(view: ComparisonView) -> Sequence[Table]:
    """The pairs of all questions, then those of each field's slices behind the slice's value, which is given once.

    Where room is short, the change and its p stay longest.
    """
    means, change = view.n_names, view.n_names + 2
    gives_way = [(change + 4,), (means, means + 1), (change + 1,), (change + 3,), (change + 2,)]
    rows = [view.cells(row) for row in view.comparison.overall]
    tables = [Table(view.header, rows, view.n_names, gives_way)]
    shifted = [[place + 1 for place in places] for places in gives_way]
    for field in view.comparison.fields:
        sliced: list[Sequence[str | Cell]] = []
        last: str | None = None
        for row in (row for row in view.comparison.rows if row.field == field):
            value = "" if row.value == last else view.short(row.value or "")
            sliced.append((value, *view.cells(row)))
            last = row.value
        tables.append(Table((view.short(field), *view.header), sliced, view.n_names + 1, shifted))
    return tables


def _changed(view: ComparisonView) -> Sequence[MetricComparison]:
    """The first metric of a single pair with questions that were fixed or broken."""
    rows = view.comparison.overall if view.is_single_pair else ()
    return [row for row in rows if row.fixed or row.broken][:1]


def _changes(view: ComparisonView, n_ids: int | None) -> Sequence[Items]:
    """How many questions were fixed and broken, and the first ids."""
    lines: list[tuple[str, str]] = []
    for row in _changed(view):
        kinds = (("fixed", row.counts.fixed, row.fixed), ("broken", row.counts.broken, row.broken))
        for word, n, found in kinds:
            ids = [for_terminal(each.id) for each in found]
            lines.append((f"{word} on {view.short(row.name)}: {n:,}", some(ids, n_ids or len(ids))))
    return [Items("", lines)] if lines else []
