"""Texts with a class each as findings look at them: the texts, their words, their part."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch

from core.data.batches.split import split_in_parts
from core.data.facts.info import describe
from core.data.facts.input_columns import TOKENS
from core.data.facts.settings import read_settings
from core.data.facts.text_facts import read_texts
from core.data.sources.io_spec import End
from core.data.sources.paths import locate
from core.data.table.text_table import TextTable
from core.samples.text_tokens import tokens_of
from core.wings.findings.file_rows import Place, rows_of
from core.wings.findings.table_view import UNSEEN, Ints, combined

MOST_TEXTS = 20_000
MOST_TOKENS = 1_000
"""Words of a text that are looked at; cutting 20,000 texts of 100 words takes a second."""


@dataclass(frozen=True)
class TextView:
    """S texts. places: row or file of each. labels: (S,) places of classes. part: (S,) 0 to learn
    from, 1 to validate, 2 others. lower: whether capitals count. note: which part was looked at."""

    texts: tuple[str, ...]
    places: tuple[Place, ...]
    classes: tuple[str, ...]
    labels: Ints
    part: Ints
    lower: bool = True
    note: str = ""

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """The different words and signs of each text."""
        return tuple(frozenset(tokens_of(t, "word", self.lower, MOST_TOKENS)) for t in self.texts)

    @cached_property
    def same(self) -> Ints:
        """(S,) a number for texts that are equal but for blanks and capitals that do not count."""
        plain = (" ".join(t.lower().split() if self.lower else t.split()) for t in self.texts)
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(text, len(numbers)) for text in plain], int)


def view_texts(data: Mapping[str, Any], seed: int) -> TextView:
    """Read texts by the data settings of a project. Raises DataError."""
    plain = {k: v for k, v in data.items() if k not in UNSEEN}
    settings = read_settings(plain, seed)
    custom, source = settings.custom, settings.source
    assert custom is not None
    read = read_texts(custom, locate(custom.path, custom.key))
    ends = (End("texts", source.shape, TOKENS),), (End("classes", (len(source.classes),)),)
    info = describe(plain, *ends, seed=seed)
    labels = read.answers()
    combos, classes = combined(labels.astype(float), read.classes)
    train, validation, _ = split_in_parts(
        info, len(labels), torch.from_numpy(labels), info.origin.test, seed, read.keys()
    )
    part = np.full(len(labels), 2)
    part[train.numpy()], part[validation.numpy()] = 0, 1
    places = rows_of(read.read, read.rows) if isinstance(read, TextTable) else read.names
    lower = custom.texts.lower if custom.texts else True
    whole = TextView(tuple(read.texts()), tuple(places), classes, combos.astype(int), part, lower)
    return _some(whole)


def _some(view: TextView) -> TextView:
    """At most so many texts as are looked at, drawn with a fixed seed."""
    total = len(view.texts)
    if total <= MOST_TEXTS:
        return view
    rows = np.sort(np.random.default_rng(0).choice(total, MOST_TEXTS, replace=False))
    return replace(
        view,
        texts=tuple(view.texts[i] for i in rows),
        places=tuple(view.places[i] for i in rows),
        labels=view.labels[rows],
        part=view.part[rows],
        note=f"{MOST_TEXTS:,} of {total:,} texts were looked at, drawn at random.",
    )
