"""Calls of pages and commands about representations. Runs in a worker process, with torch."""

from collections.abc import Mapping
from functools import lru_cache

import torch
from torch import Tensor

from core.common.network_ref import NetworkRef
from core.insight.attribution.subject import NoSuch, NotExplained
from core.insight.network_cache import aim, opened, validation, validation_rows
from core.insight.representation.codes import chosen_blocks, codes, rows_that_fit
from core.insight.representation.embedding import pca, tsne
from core.insight.representation.linear_probe import class_accuracy, r_squared
from core.insight.representation.results import Map, Probes, Similarity
from core.insight.representation.similarity import cka_matrix
from core.tasks.tensor_values import floats

MOST_ON_MAP = 600


def blocks(ref: NetworkRef) -> list[str]:
    """The blocks whose outputs can be compared, in order."""
    return chosen_blocks(opened(ref).report)


def embedding(ref: NetworkRef, node: str, method: str = "pca") -> Map:
    """The validation samples on a plane, by the output of a block. Raises NoSuch."""
    network, dataset = opened(ref), validation(ref)[0]
    if node not in network.report.nodes:
        there = ", ".join(blocks(ref))
        raise NoSuch(f"There is no block called {node}.", f"There are: {there}.")
    count = min(MOST_ON_MAP, rows_that_fit(network.report, [node]))
    inputs = [column[:count] for column in validation_rows(ref)[0]]
    rows = codes(network.module, network.report, inputs, [node]).get(node)
    if rows is None:
        raise NotExplained(f"{node} has no output for each sample.", "Choose another block.")
    points, shares = (tsne(rows), (0.0, 0.0)) if method == "tsne" else pca(rows)
    labels = () if dataset.labels is None else dataset.labels[dataset.validation_indices]
    return Map(
        node,
        method,
        tuple(range(len(rows))),
        tuple(floats(points[:, 0])),
        tuple(floats(points[:, 1])),
        tuple(int(k) for k in labels[: len(rows)]),
        tuple(str(name) for name in dataset.classes) if dataset.labels is not None else (),
        shares,
    )


@lru_cache(maxsize=2)
def probes(ref: NetworkRef) -> Probes:
    """A linear probe on every block, learned from training and tried on validation samples.

    Raises NotExplained where targets are neither classes nor one number.
    """
    network = opened(ref)
    nodes = blocks(ref)
    count = rows_that_fit(network.report, nodes)
    learned, goals = _training(ref, count)
    tried, truth = _tried(ref, count)
    ours, theirs = (
        codes(network.module, network.report, inputs, nodes) for inputs in (learned, tried)
    )
    classes = not goals.is_floating_point()
    scores = [
        (n, network.report.nodes[n].block, _score(ours[n], goals, theirs[n], truth))
        for n in nodes
        if n in ours and n in theirs
    ]
    guess = float((truth == goals.mode().values).double().mean()) if classes else 0.0
    metric = "accuracy" if classes else "R²"
    return Probes(metric, tuple(scores), guess, len(goals), len(truth))


def _score(ours: Tensor, goals: Tensor, theirs: Tensor, truth: Tensor) -> float:
    if goals.is_floating_point():
        return r_squared(ours, goals, theirs, truth)
    return class_accuracy(ours, goals, theirs, truth)


def _training(ref: NetworkRef, count: int) -> tuple[list[Tensor], Tensor]:
    dataset = validation(ref)[0]
    places = dataset.train_indices[:count]
    inputs = [column[places] for column in dataset.all_inputs]
    if dataset.labels is not None:
        return inputs, dataset.labels[places].long()
    return inputs, _numbers(ref, dataset.all_training()[1])[:count]


def _tried(ref: NetworkRef, count: int) -> tuple[list[Tensor], Tensor]:
    dataset = validation(ref)[0]
    inputs = [column[:count] for column in validation_rows(ref)[0]]
    if dataset.labels is not None:
        return inputs, dataset.labels[dataset.validation_indices][:count].long()
    return inputs, _numbers(ref, validation_rows(ref)[1])[:count]


def _numbers(ref: NetworkRef, targets: tuple[Tensor, ...]) -> Tensor:
    term = aim(ref)
    if term.measure is None or not term.measure.declared.in_unit or (term.target is None):
        raise NotExplained(
            "A probe needs classes or one number to predict, and this data has neither.",
            "PCA and similarity need no target.",
        )
    return targets[term.target].reshape(len(targets[term.target]), -1)[:, :1]


def similarity(ref: NetworkRef, other: NetworkRef | None = None) -> Similarity:
    """CKA of all blocks with each other, or with those of another network, on the same samples.

    Raises NotExplained where the other network takes other inputs.
    """
    rows = _codes_of(ref, ref)
    columns = rows if other is None else _codes_of(other, ref)
    values = cka_matrix(rows, columns)
    count = len(next(iter(rows.values()), torch.empty(0)))
    return Similarity(tuple(rows), tuple(columns), tuple(map(tuple, values)), count)


def _codes_of(ref: NetworkRef, samples_of: NetworkRef) -> Mapping[str, Tensor]:
    network, nodes = opened(ref), blocks(ref)
    count = min(MOST_ON_MAP, rows_that_fit(opened(samples_of).report, blocks(samples_of)))
    inputs = [column[:count] for column in validation_rows(samples_of)[0]]
    shapes = [s.shape[1:] for _, s in network.report.inputs]
    if [tuple(x.shape[1:]) for x in inputs] != [tuple(s) for s in shapes]:
        got = ", ".join(str(tuple(x.shape[1:])) for x in inputs)
        want = ", ".join(str(tuple(s)) for s in shapes)
        raise NotExplained(
            f"{network.title} takes samples of {want}, but those of the first have {got}.",
            "Compare networks that are trained on the same data.",
        )
    return codes(network.module, network.report, inputs, nodes)
