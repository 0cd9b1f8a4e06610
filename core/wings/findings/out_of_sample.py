"""Probabilities of samples that a network has not learned from: those that validate, or all folds.

Where the folds of a run are there as runs of their own (`layerloom sweep --folds`), each sample is
judged by the network that did not see it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from core.common.network_ref import NetworkRef, PartRef, ProjectRef, RunRef, RunWeights
from core.insight.attribution.subject import NoSuch
from core.insight.network_cache import aim, judged, opened
from core.runs.checkpoint import path_of
from core.runs.files import read_json
from core.runs.listing import alive
from core.tasks.measure import class_probabilities
from core.wings.findings.file_rows import Place, places_of
from core.wings.findings.run_doubts import SUMMARY
from core.wings.findings.table_view import Floats, Ints

FOLD, FOLDS = "fold", "folds"


@dataclass(frozen=True)
class JudgedSamples:
    """S samples. given: (S,) places of their classes. probabilities: (S, C) of a network that has
    not learned from them. places: row or file of each, () where they have none. refs, indices: the
    network that judged each, and which of its validation samples it is. folds: how many there are,
    0 for one validation part; found: how many of them are judged."""

    classes: tuple[str, ...]
    given: Ints
    probabilities: Floats
    places: tuple[Place, ...]
    refs: tuple[NetworkRef, ...]
    indices: Ints
    folds: int = 0
    found: int = 0

    @property
    def of_all(self) -> bool:
        """Whether every sample outside of the test part is judged."""
        return bool(self.folds) and self.found == self.folds

    @property
    def part(self) -> str:
        """The samples, in words."""
        return "samples (each judged in its fold)" if self.of_all else "validation samples"


def judged_of(ref: NetworkRef, every_fold: bool = True) -> JudgedSamples:
    """What a network says of the samples it has not learned from.

    Raises NoSuch where no class is predicted or nothing is trained, DataError where the data is
    gone.
    """
    if isinstance(ref, ProjectRef | PartRef):
        raise NoSuch(
            "This network is not trained yet, so its probabilities mean nothing.", "Train it."
        )
    folds = int(opened(ref).project.data.get(FOLDS) or 0)
    refs = fold_runs(ref) if every_fold and folds else [ref]
    each = [_one(one) for one in refs]
    names = [places for *_, places in each]
    return JudgedSamples(
        opened(ref).dataset.classes,
        np.concatenate([given for given, *_ in each]),
        np.concatenate([probabilities for _, probabilities, _ in each]),
        tuple(place for places in names for place in places) if all(names) else (),
        tuple(one for one, (given, *_) in zip(refs, each, strict=True) for _ in given),
        np.concatenate([np.arange(len(given)) for given, *_ in each]),
        folds,
        len(refs),
    )


def _one(ref: NetworkRef) -> tuple[Ints, Floats, tuple[Place, ...]]:
    measure = aim(ref).measure
    found = judged(ref) if measure and measure.declared.one_class else None
    if measure is None or found is None or found.targets is None:
        raise NoSuch("This network does not predict a class.", "Look at a classifier.")
    probabilities = class_probabilities(found.outputs[0], measure)
    if not torch.isfinite(probabilities).all():
        raise NoSuch("The outputs of this network are not finite (NaN).", "Choose other weights.")
    places = places_of(opened(ref).dataset)
    return found.targets.numpy().astype(np.intp), probabilities.double().numpy(), places


def fold_runs(ref: NetworkRef) -> list[NetworkRef]:
    """This network, and those of the other folds: runs beside it that differ in the fold alone."""
    if not isinstance(ref, RunWeights):
        return [ref]
    wanted, fold = _same_but_fold(ref.folder)
    others: dict[int, Path] = {}
    for folder in sorted(ref.folder.absolute().parent.iterdir()):
        if not (folder / "spec.json").is_file() or alive(folder):
            continue
        same, number = _same_but_fold(folder)
        if same == wanted and number != fold and path_of(folder, "best").exists():
            others.setdefault(number, folder)
    return [ref, *(RunRef(others[number]) for number in sorted(others))]


def _same_but_fold(folder: Path) -> tuple[tuple[Any, ...], int]:
    """What two runs of one network on one data set have in common, and the fold."""
    spec: Mapping[str, Any] = read_json(folder / "spec.json")
    data, training = spec.get("data"), spec.get("training")
    data = data if isinstance(data, dict) else {}
    rest = {key: value for key, value in data.items() if key not in (FOLD, SUMMARY)}
    fold = data.get(FOLD, 1)
    return (spec.get("source_sha256"), rest, training), fold if isinstance(fold, int) else 1


def where(judged_samples: JudgedSamples, number: int) -> str:
    """A sample in words: "row 12", a file, or its number in the validation part of its run."""
    places: Sequence[Place] = judged_samples.places
    if not places:
        run, several = judged_samples.refs[number], len({*judged_samples.refs}) > 1
        of = f" of {run.folder.name}" if several and isinstance(run, RunWeights) else ""
        return f"sample {judged_samples.indices[number]}{of}"
    place = places[number]
    return f"row {place}" if isinstance(place, int) else place
