"""Findings on a series: the future in a column, disorder, cells far outside, codes, gaps."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.data.facts.settings import read_settings
from core.data.sources.paths import locate
from core.data.sources.series_settings import time_words
from core.data.table.series import SeriesTable, read_series
from core.wings.findings.cell_values import find_nothing, odd_numbers
from core.wings.findings.file_rows import rows_of
from core.wings.findings.finding import DataFinding
from core.wings.findings.series_order import find_disorder, find_future
from core.wings.findings.table_view import LEAST_ROWS, TableColumn, TableView

RHYTHM = 0.05
"""The share of steps from which on a length belongs to the rhythm: of a file of working days every
fifth step is a weekend."""
LONGER = 2.0
"""How many times as long as the longest step of the rhythm a gap is; months differ by 1.1, and two
holidays make a weekend 1.7 times as long."""


def series_findings(data: Mapping[str, Any], seed: int) -> tuple[DataFinding, ...]:
    """The findings on a series, by its data settings. Raises DataError."""
    custom = read_settings(data, seed).custom
    assert custom is not None
    table = read_series(locate(custom.path, custom.key), custom)
    view = _view(data, table)
    cells = [found for column in view.columns for found in odd_numbers(column, view)]
    inputs = replace(view, columns=tuple(column for column in view.columns if column.used))
    order = [*find_future(data, table, custom), *find_disorder(data, table)]
    return tuple([*order, *_gaps(table), *cells, *find_nothing(inputs)])


def _view(data: Mapping[str, Any], table: SeriesTable) -> TableView:
    """The columns of a series, the target behind them where no window holds it."""
    answers, each = table.answers(), table.values()
    columns = [
        TableColumn(column.name, "number", each[:, place], read=column)
        for place, column in enumerate(table.columns)
    ]
    if table.target.name not in [column.name for column in columns]:
        target = TableColumn(table.target.name, "number", answers, used=False, read=table.target)
        columns.append(target)
    everything = np.arange(len(answers))
    return TableView(
        data, tuple(columns), table.target.name, (), answers, everything, everything[:0],
        np.array(rows_of(table.read, table.rows), int), table.read, table.rows, "time",
    )  # fmt: skip


def _gaps(table: SeriesTable) -> list[DataFinding]:
    """Steps in time that are much longer than those the series has otherwise."""
    if table.date is None or len(table.times) < LEAST_ROWS:
        return []
    order = np.argsort(table.times, kind="stable")
    steps = np.round(np.diff(table.times[order]) * 86400)
    lengths, counts = np.unique(steps[steps > 0], return_counts=True)
    usual = lengths[counts >= RHYTHM * counts.sum()]
    if not len(usual):
        return []  # dates without a rhythm have no gaps
    places = np.flatnonzero(steps > LONGER * usual.max())
    if not len(places):
        return []
    rows = sorted(rows_of(table.read, table.rows[order[places]]))
    days = (float(steps[places].max()) / 86400, float(usual.max()) / 86400)
    named = [time_words(each) if table.date.date else f"{each:g}" for each in days]
    one = len(places) == 1
    sentence = (
        f"{'A gap' if one else f'{len(places):,} gaps'} in {table.date.name}, after row "
        f"{rows[0]}{'' if one else ' and others'}: {'' if one else 'up to '}{named[0]} to the next "
        f"row, elsewhere at most {named[1]}. A window counts rows, so one over a gap joins times "
        "far apart: fill the gap in the file, or keep the rows of one side."
    )
    return [
        DataFinding(
            "gap", sentence, (table.date.name,), tuple(rows[:20]), len(places),
            score=len(places) / len(steps),
        )
    ]  # fmt: skip
