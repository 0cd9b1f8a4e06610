"""Suggested training settings: applied unless the user set others, listed, undone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.services import training as training_of
from app.services.document import Document
from core.common.json_types import is_array, is_object
from core.data import DataError, DataSettings, read_settings
from core.data.facts.description import sizes
from core.project.values import frozen
from core.settings import adopt
from core.settings.network_facts import facts_of
from core.settings.schema import TRAINING
from core.settings.suggest import Suggestion, suggest
from core.settings.usual_rates import usual_rate

WORDS = {
    setting.name: (setting.title or setting.name).lower().replace("_", " ") for setting in TRAINING
} | {"clip_norm": "clipping"}
SIDE = (64,)
"""The length of pieces of text without an Input that sets it."""


@dataclass(frozen=True)
class Offer:
    """A suggestion for a page. differs: settings that are not as suggested, as people read them.
    followed: whether all others follow the data and the network."""

    sentence: str
    differs: tuple[str, ...]
    followed: bool
    undoable: bool


def follow(document: Document) -> bool:
    """Adopt what suits data and network now. Returns whether settings of the data changed.

    Settings are written when other data is chosen, and where they are still as nobody set them: at
    their defaults with something drawn, or as suggested before.
    """
    suggested = suggestion(document)
    if suggested is None:
        return False
    training, last = document.project.training, document.form.suggested
    anew = document.form.takes_new_data(document.project)
    scaled = anew and _scale(document, suggested)
    if last is None and not anew:
        if adopt.differences(training, suggested):
            anew = adopt.untouched(training, suggested) and bool(document.project.graph.nodes)
        else:
            last = suggested.training
    if last is not None or anew:
        new = adopt.adopt(training, suggested, last, defaults_too=anew)
        _change_training(document, new, suggested.training)
    return scaled


def _scale(document: Document, suggestion: Suggestion) -> bool:
    """Write the suggested settings of the data that are neither chosen nor defaults."""
    data = document.project.data
    now = read_settings(data)
    wanted = {n: v for n, v in suggestion.data.items() if n not in data and getattr(now, n) != v}
    if wanted:
        document.form.data_epoch += 1  # so that the form shows them
        document.change(data={**data, **wanted})
    return bool(wanted)


def offer(document: Document) -> Offer | None:
    """What to say of the settings as they are; None where nothing can be suggested."""
    found = suggestion(document)
    if found is None or not document.project.graph.nodes:  # another network gets another one
        return None
    differs = tuple(WORDS[n] for n in adopt.differences(document.project.training, found))
    undoable = document.form.before_use is not None
    return Offer(found.sentence, differs, document.form.suggested is not None, undoable)


def refit(document: Document) -> None:
    """Adopt what suits a network that was just fitted to its data."""
    found = suggestion(document)
    if found is not None:
        new = adopt.adopt(document.project.training, found, document.form.suggested)
        _change_training(document, new, found.training)


def use(document: Document) -> None:
    """Take every suggested setting, also in place of a student's own; `undo` brings those back."""
    found = suggestion(document)
    if found is not None:
        before = document.project.training, document.form.suggested
        _change_training(document, adopt.use(document.project.training, found), found.training)
        document.form.before_use = before


def undo(document: Document) -> None:
    """Bring back the settings from before `use`."""
    if document.form.before_use is not None:
        training, suggested = document.form.before_use
        _change_training(document, training, suggested or {})


def _change_training(
    document: Document, training: Mapping[str, Any], suggested: Mapping[str, Any]
) -> None:
    """Change the training settings to some that were suggested; `suggested` is all of those."""
    if frozen(training) != frozen(document.project.training):
        document.form.note_training()
        document.change(training=training)
    document.form.suggested = suggested


def suggestion(document: Document) -> Suggestion | None:
    """What suits the data and the network as they are; None without data, or against itself."""
    project = document.project
    if _adversarial(project.training):
        return None
    try:
        data = read_settings(project.data)
        info = training_of.fit(document).info
        samples = info.train_size if info else sizes(data, _shape(document, data))[0]
    except DataError:  # the page shows it beside its setting
        return None
    losses = info.losses if info and info.terms else ()
    return suggest(data, samples, project.graph, losses, project.training)


def usual_rate_of(document: Document, optimizer: str) -> float:
    """The rate at which an optimiser usually learns with this network, to one digit."""
    schedule = document.project.training.get("scheduler")
    named = schedule.get("name", "") if is_object(schedule) else schedule or ""
    rate = usual_rate(facts_of(document.project.graph), optimizer, 0.0, str(named))
    return float(f"{rate:.1g}")


def _adversarial(training: Mapping[str, Any]) -> bool:
    """Whether parts of the network learn against each other, which no rule of thumb is for."""
    losses = training.get("losses")
    return is_array(losses) and any(is_object(one) and one.get("trains") for one in losses)


def _shape(document: Document, data: DataSettings) -> tuple[int, ...]:
    """The shape of the first Input, where it cuts a text into pieces."""
    graph = document.project.graph
    name = next(iter(graph.of_block("Input")), "")
    shape: Any = graph.nodes[name].settings.get("shape", SIDE) if name else SIDE
    if is_array(shape) and shape and isinstance(shape[0], int) and shape[0] > 0:
        return tuple(shape)
    return SIDE
