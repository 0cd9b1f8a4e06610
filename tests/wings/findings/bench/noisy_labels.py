"""How many planted wrong labels are named, against plain confident learning on the same figures.

5 % of the labels of a sound set are changed to another class, in all parts alike; the network of
"Make a network for this data" learns with its suggested settings. Precision: of what is named, how
much is planted. Recall: of what is planted among the samples that are judged, how much is named. On
the set as it is, everything that is named counts as a false alarm.
"""
# ruff: noqa: T201

import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from app.services import documents, first_network
from app.services.data_guess import guess_and_read
from core.analyse import analyse_project
from core.common.network_ref import RunRef
from core.data.facts.metadata import read_own
from core.prepare.create import prepare
from core.project.values import frozen
from core.wings.findings.out_of_sample import JudgedSamples, judged_of
from core.wings.findings.wrong_labels import likely_wrong, usual_probabilities
from tests.core.small_runs import train_here
from tests.wings.findings.planted import people, write
from tests.wings.findings.texts import texts

SHARE, SEED = 0.05, 7
FOLDS = 4


@dataclass(frozen=True)
class Labelled:
    """Samples as a file holds them. labels: (S,) their classes, sound. folds: 0 where the part that
    validates is judged alone. save: writes them with other labels, and gives the first settings."""

    labels: list[str]
    save: Callable[[list[str], Path], dict[str, Any]]
    folds: int = 0


def digits() -> Labelled:
    """scikit-learn's 1,797 digits as arrays."""
    from sklearn.datasets import load_digits

    found: Any = load_digits()

    def save(labels: list[str], folder: Path) -> dict[str, Any]:
        images = (found.images[:, None] / 16).astype(np.float32)
        np.savez(folder / "digits.npz", images=images, labels=np.array(labels, int))
        return {"source": "NPZ", "file": "digits.npz"}

    return Labelled([str(label) for label in found.target], save)


def pictures() -> Labelled:
    """600 of them as a folder of pictures, a sub-folder for each class."""
    from sklearn.datasets import load_digits

    found: Any = load_digits()

    def save(labels: list[str], folder: Path) -> dict[str, Any]:
        for number, (grey, label) in enumerate(zip(found.images, labels, strict=False)):
            (folder / "pictures" / f"class {label}").mkdir(parents=True, exist_ok=True)
            file = folder / "pictures" / f"class {label}" / f"p{number:04d}x.png"
            Image.fromarray((grey * 15.9).astype(np.uint8)).save(file)
        return {"source": "ImageFolder", "root": "pictures"}

    return Labelled([str(label) for label in found.target[:600]], save)


def wine() -> Labelled:
    """scikit-learn's wine, in folds, since 36 rows validate."""
    from sklearn.datasets import load_wine

    found: Any = load_wine()
    columns = {f"x{i}": found.data[:, i].tolist() for i in range(found.data.shape[1])}
    return Labelled([f"c{label}" for label in found.target], _table(columns), FOLDS)


def mails() -> Labelled:
    """600 texts of three topics."""
    table = texts(np.random.default_rng(SEED), 600, 3)
    return Labelled(table["label"], _table({"text": table["text"]}))


def overlapping() -> Labelled:
    """600 rows of three classes that overlap: nobody can tell 40 % of them."""
    table = people(np.random.default_rng(SEED), 600, 3)
    return Labelled(table.pop("label"), _table(table))


def _table(columns: Mapping[str, list[Any]]) -> Callable[[list[str], Path], dict[str, Any]]:

    def save(labels: list[str], folder: Path) -> dict[str, Any]:
        write({**columns, "label": labels}, folder / "labels.csv")
        return {"source": "CSV", "file": "labels.csv"}

    return save


SETS = {
    "digits": digits,
    "own pictures": pictures,
    "wine, in folds": wine,
    "texts": mails,
    "classes that overlap": overlapping,
}


def changed(labels: list[str], share: float) -> list[str]:
    """Labels with a share of them changed to another class."""
    rng, kinds, found = np.random.default_rng(SEED), sorted({*labels}), list(labels)
    for place in rng.choice(len(labels), round(share * len(labels)), replace=False):
        step = int(rng.integers(1, len(kinds)))
        found[place] = kinds[(kinds.index(labels[place]) + step) % len(kinds)]
    return found


def trained(data: Mapping[str, Any], runs: Path) -> Path:
    """The run of the default network of a data set with its suggested settings."""
    document = documents.empty()
    document.change(data=frozen(dict(data)))
    first_network.make(document)
    report = analyse_project(document.project)
    run_dir = prepare(document.project, report, runs, {"seed": SEED, "threads": 1})
    train_here(run_dir)
    return run_dir


def confident_learning(judged: JudgedSamples) -> set[int]:
    """What stands off the diagonal of the confident joint and is not predicted as labelled, as
    cleanlab 2.9 has it (filter_by="confident_learning")."""
    usual = usual_probabilities(judged.given, judged.probabilities) - 1e-6
    above = np.where(judged.probabilities >= usual, judged.probabilities, -1)
    other = (above.max(1) > 0) & (above.argmax(1) != judged.given)
    other &= judged.probabilities.argmax(1) != judged.given
    return {*np.flatnonzero(other).tolist()}


def noisy_labels(folder: Path, kinds: str) -> list[str]:
    """A row for each set, sound and with planted labels."""
    lines = [
        "| data | planted | judged | wrong of these | named: right, wrong | precision | recall "
        "| confident learning: right, wrong | precision | recall |",
        f"|{'---|' * 10}",
    ]
    for name in (name for name in SETS if kinds in name):
        for share in (0.0, SHARE):
            lines.append(_row(folder, name, share))
            print(lines[-1], file=sys.stderr)
    return lines


def _row(folder: Path, name: str, share: float) -> str:
    made = SETS[name]()
    place = Path(tempfile.mkdtemp(dir=folder))
    shutil.rmtree(folder / "pictures", ignore_errors=True)
    given = changed(made.labels, share)
    data = {**made.save(given, folder)}
    data, _, error = guess_and_read(data)
    assert error == "", error
    runs = []
    for fold in range(1, made.folds + 1) if made.folds else [0]:
        each = {**data, "folds": made.folds, "fold": fold} if fold else data
        read_own(each)
        runs.append(trained(each, place))
    judged = judged_of(RunRef(runs[0]))
    assert judged.found == made.folds or not made.folds
    planted = _planted(judged, made.labels, given)
    ours = {s.number for s in likely_wrong(judged.given, judged.probabilities)}
    cells = [_figures(each, planted) for each in (ours, confident_learning(judged))]
    kind = f"{share:.0%}" if share else "none"
    return f"| {name} | {kind} | {len(judged.given)} | {len(planted)} | {' | '.join(cells)} |"


def _planted(judged: JudgedSamples, labels: list[str], given: list[str]) -> set[int]:
    """Which of the judged samples have a planted label."""
    wrong = {i for i, pair in enumerate(zip(labels, given, strict=True)) if pair[0] != pair[1]}
    return {n for n, place in enumerate(judged_places(judged)) if place in wrong}


def judged_places(judged: JudgedSamples) -> list[int]:
    """Which sample of the file each judged one is, from 0."""
    from core.insight.network_cache import opened

    if judged.places and isinstance(judged.places[0], int):
        return [int(row) - 2 for row in judged.places]
    if judged.places:
        return [int(Path(str(name)).stem[1:-1]) for name in judged.places]
    return opened(judged.refs[0]).dataset.validation_indices.tolist()


def _figures(named: set[int], planted: set[int]) -> str:
    right = len(named & planted)
    precision = f"{right / len(named):.2f}" if named and planted else "-"
    recall = f"{right / len(planted):.2f}" if planted else "-"
    return f"{right}, {len(named) - right} | {precision} | {recall}"
