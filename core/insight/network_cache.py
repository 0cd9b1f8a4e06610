"""Cache of opened networks, their data and losses: one per process, until the weights change.

A `NetworkRef` names the network; its stamp changes with the weights. Functions about samples count
them from 0 in the validation part of the data.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from core.common.errors import TrainingError
from core.common.network_ref import NetworkRef
from core.data import Dataset
from core.data.batches.dataset import Rows
from core.data.batches.file_rows import cells_of
from core.engine.objective import LossTerm, Objective, objective_of
from core.engine.trainer_factory import whole_objective
from core.insight.confusion import Judgement, judge
from core.insight.live import answer
from core.insight.load_model import OpenedNetwork, allowed, open_network
from core.insight.thumbnails import Sample, sample
from core.project import Project
from core.settings.validate import resolve
from core.tasks.labeler import Labeler


@lru_cache(maxsize=3)
def _cached(ref: NetworkRef) -> OpenedNetwork:
    return open_network(ref)


def opened(ref: NetworkRef) -> OpenedNetwork:
    """The network. Raises NotReady, also where this user trusts its Python no more."""
    return allowed(_cached(ref))


@lru_cache(maxsize=3)
def validation(ref: NetworkRef) -> tuple[Dataset, Tensor, Tensor]:
    """The data, and its first inputs and targets to validate with. Raises DataError."""
    dataset = opened(ref).dataset
    inputs, targets = dataset.validation()
    return dataset, inputs, targets[:]


@lru_cache(maxsize=3)
def validation_rows(ref: NetworkRef) -> Rows:
    """What all Inputs receive and all losses compare with, to validate. Raises DataError."""
    inputs, targets = opened(ref).dataset.all_validation()
    return inputs, tuple(each[:] for each in targets)  # masks are read from their file


@lru_cache(maxsize=3)
def objective(ref: NetworkRef) -> Objective:
    """The losses that the network is trained by."""
    return objective_for(opened(ref).project, opened(ref).dataset)


def objective_for(project: Project, dataset: Dataset) -> Objective:
    """The losses that a project is trained by; the usual one where its settings fit no run."""
    info = dataset.info
    try:
        training = resolve(project.training, info.task, info.losses, info.rare)
        return whole_objective(training, dataset, dataset.all_training()[1])
    except TrainingError:  # a drawing may have settings that no run would take: it can be seen
        usual: dict[str, Any] = {"loss": info.losses[0], "loss_settings": {}}
        return objective_of(info.terms, usual, dataset.target_std, None, dataset.target_mean)


def aim(ref: NetworkRef) -> LossTerm:
    """The loss term that measures single samples."""
    return objective(ref).main


@lru_cache(maxsize=3)
def labeler(ref: NetworkRef) -> Labeler:
    """The words for targets and outputs of that loss term."""
    return Labeler(opened(ref).dataset.info, aim(ref).measure)


@lru_cache(maxsize=3)
def judged(ref: NetworkRef) -> Judgement:
    """How the network does on every validation sample."""
    inputs, targets = validation_rows(ref)
    term = aim(ref)
    goal = None if term.target is None else targets[term.target]
    return judge(opened(ref).module, inputs, goal, term)


def inputs_of(ref: NetworkRef, start: int, stop: int) -> tuple[Tensor, ...]:
    """What the Inputs receive of these validation samples, (stop - start, ...) each."""
    return tuple(x[start:stop] for x in validation_rows(ref)[0])


def target_of(ref: NetworkRef, index: int) -> Tensor | None:
    """What the loss compares one sample with; None where it compares outputs with each other."""
    term = aim(ref)
    return None if term.target is None else validation_rows(ref)[1][term.target][index]


def true_words(ref: NetworkRef, index: int) -> str:
    """What is right for one sample, in words: its class where it has one."""
    dataset, _, _ = validation(ref)
    if dataset.labels is not None:
        label = dataset.labels[dataset.validation_indices][index]
        return answer(label.numpy(), list(dataset.classes))
    target = target_of(ref, index)
    return labeler(ref).describe_target(target)


def sample_of(ref: NetworkRef, index: int, width_px: int = 96) -> Sample:
    """One validation sample to show: a picture, numbers or words; of a table as its file has it."""
    naming, inputs, true = labeler(ref), inputs_of(ref, index, index + 1), true_words(ref, index)
    value = naming.sample(inputs)[0]
    words = naming.words(value)
    if words:
        return Sample(index, b"", true, (), words)
    shown = sample(index, value.numpy(), true, width_px)
    return replace(shown, cells=cells_of(validation(ref)[0], inputs))


def chosen_samples(ref: NetworkRef, label: str) -> Tensor:
    """Indices of the validation samples, of one class where `label` is not ""."""
    dataset, inputs, _ = validation(ref)
    every = torch.arange(len(inputs))
    if not label or dataset.labels is None:
        return every
    labels = dataset.labels[dataset.validation_indices]
    return every[labels == list(dataset.classes).index(label)]
