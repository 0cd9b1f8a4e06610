"""What a run reached, in the words that go with it wherever it is shown alone. No torch.

Numbers are those of its verdict: a picture that is shared says what the Train page says.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from core.data.sources.custom_source import OWN
from core.runs.duration import duration
from core.runs.files import read_json
from core.runs.listing import MALFORMED, RunView, view_run
from core.runs.verdict_facts import Facts, read_facts
from core.runs.verdict_words import reached
from core.tasks.metric_labels import metric_words, phrase, shown


@dataclass(frozen=True)
class RunResult:
    """A result in words.

    value: "98.6%"; within: its uncertainty, "1.3". metric: "validation accuracy". sentence: these
    in a line. rule: what it is held against, "always predicting “3” gets 10.0%". All of them are ""
    where nothing was measured.
    data: "digits", "customers.csv". epochs, seconds: trained. params: learnable numbers, None where
    they are not known.
    """

    value: str = ""
    within: str = ""
    metric: str = ""
    rule: str = ""
    sentence: str = ""
    data: str = ""
    epochs: int = 0
    seconds: float = 0.0
    params: int | None = None

    def facts(self) -> tuple[str, ...]:
        """What it took: "12 epochs", "18 s", "61,706 parameters"."""
        epochs = f"{self.epochs:,} epoch{'s' if self.epochs != 1 else ''}" if self.epochs else ""
        took = duration(self.seconds) if self.seconds else ""
        params = "" if self.params is None else f"{self.params:,} parameters"
        return tuple(part for part in (epochs, took, params) if part)


def result_of(run_dir: Path, view: RunView | None = None) -> RunResult:
    """The result of the run of a folder, at the epoch whose weights are kept."""
    run_dir = Path(run_dir)
    view = view or view_run(run_dir)
    spec = read_json(run_dir / "spec.json")
    params = spec.get("params")
    known = RunResult(
        data=data_name(spec.get("data")),
        epochs=view.epoch,
        seconds=view.elapsed_s,
        params=params if type(params) is int else None,
    )
    try:
        return _measured(known, read_facts(run_dir, view), view)
    except (*MALFORMED, LookupError, OSError):
        return known


def _measured(known: RunResult, facts: Facts, view: RunView) -> RunResult:
    """With the value that was reached, what it is of, and what it is held against."""
    if facts.metric and facts.count:
        by, rule = facts.baseline.get("rule", "a simple rule"), shown(facts.metric, facts.rule, 3)
        held_against = f"{by} gets {rule}"
        return replace(_with(known, facts.metric, reached(facts), view), rule=held_against)
    best = view.best or {}
    key, value = str(best.get("metric", "")), best.get("value")
    if key in ("", "last") or not isinstance(value, int | float):
        return known
    return _with(known, key, shown(key, value, digits=3), view)


def _with(known: RunResult, key: str, text: str, view: RunView) -> RunResult:
    value, _, within = text.partition(" ± ")
    words = metric_words(key, view.aims)
    sentence = phrase(key, text, words)
    return replace(known, value=value, within=within, metric=words, sentence=sentence)


def data_name(settings: object) -> str:
    """The name of data in a line, its file without folders or its source; "" where none is chosen.

    settings: `data` of a project.
    """
    if not isinstance(settings, Mapping):
        return ""
    given = cast("Mapping[str, Any]", settings)
    source = str(given.get("source") or "")
    path = given.get(OWN[source][0]) if source in OWN else source
    return str(path or source).rstrip("/").rpartition("/")[2]
