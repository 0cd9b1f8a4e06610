"""Views of a network in training: feature maps, confusion matrix, worst samples, filters.

Writing them changes nothing of the run.

Files of RUN/live/, each written whole or not at all:

confusion.json   classification, after an epoch's validation:
                 {"epoch", "step", "classes": [names], "matrix": [[count of true i, said j]]}
mistakes.json    worst validation samples, worst first: {"epoch", "step", "task", "classes",
                 "items": [{"index": place in the validation part, "loss", "target", "predicted",
                 "confidence"}]}; the last three for classification only (class numbers, 0..1);
                 else "is" and "said" in words; "words" are those of a text, "cells" what stands
                 in each column of a table's file
mistakes.npz     "inputs" (K, ...) float32 as the network sees them, K = len(items), same order,
                 pictures that are compared side by side; for images, masks, texts, series and
                 labels also "targets" and "outputs"
made.npz         of a GAN: "value" (48, ...), samples that it made; "step"
filters.npz      first convolution: "weight" (<=64, C, kH, kW) float32; "node" its id; "step"
features/NODE.npz while somebody watches: "value" float32, the node's output for the first 8
                 validation samples, at most 16 channels; "step". NODE is a path such as
                 stage1.conv1. Weights are those that are validated: averaged ones where there
                 are any
health.json      while somebody watches: {"epoch", "step", "nodes": {NODE: {"mean", "std", "zeros"
                 (share of exact zeros), "dead" (share of channels that are 0 for all samples),
                 "finite" (bool)}}}
samples.npz      written once: "inputs" (8, ...) and "targets" of those 8 samples; "answers" and
                 "words" say the targets, and the texts of inputs that are texts; "cells" (8, F)
                 what stands in each column of a table's file

Somebody watches when the file RUN/viewer was touched in the last 10 s.
RUN/probe/NNNNNN.npz holds the feature maps of the last 5 epochs watched: one array per NODE.
"""

import io
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.data.batches.dataset import Dataset
from core.data.batches.file_rows import cells_of
from core.engine.feature_maps import activation_health, feature_maps, losses_per_sample
from core.engine.loader import DeviceSplit
from core.engine.parametrized import computed_weight
from core.engine.trainer import Trainer
from core.runs.files import write_bytes, write_json
from core.runs.jsonl import number
from core.source.paths import node_paths
from core.tasks.labeler import Labeler
from core.tasks.measure import Measure, predicted_classes, probabilities
from core.tasks.registry import TASKS, has_one_class, is_adversarial
from core.worker.throttle import ViewThrottle

SAMPLES, CHANNELS, WORST, FILTERS, MADE = 8, 16, 24, 64, 48
WATCHED_S = 10.0
PROBE_S, PROBE_SHARE = 0.5, 0.01
PROBES = 5


class LiveViews:
    """Writes the live folder of a run.

    nodes: paths of the drawing's nodes, told of by these. naming: says samples in words. data: has
    the rows of a table in their own units. problem: why the samples cannot be shown, "" if they
    can.
    """

    def __init__(
        self,
        run_dir: Path,
        engine: Trainer,
        classes: tuple[str, ...],
        task: str,
        nodes: Iterable[str] = (),
        naming: Labeler | None = None,
        data: Dataset | None = None,
    ) -> None:
        self.naming, self.data, self.problem = naming, data, ""
        self.run_dir, self.engine, self.classes, self.task = run_dir, engine, classes, task
        self.names = node_paths(engine.module, nodes)
        self.folder = run_dir / "live"
        part = engine.validation
        self.inputs = tuple(column[:SAMPLES] for column in part.inputs)
        self._touched_s, self._watched_until, self._epoch = 0.0, 0.0, -1
        self._probing = ViewThrottle(PROBE_S, PROBE_SHARE)
        self.main = next((i for i, spread in enumerate(engine.spreads) if spread != 1.0), 0)
        self.displayed = self._displayed(self.inputs)
        shown = {"inputs": _to_numpy(self.displayed)}
        shown["targets"] = _to_numpy(part.targets[0][:SAMPLES]) if part.targets else shown["inputs"]
        try:
            (self.folder / "features").mkdir(parents=True, exist_ok=True)
            (run_dir / "probe").mkdir(exist_ok=True)
            _save_npz(self.folder / "samples.npz", shown | self._words_of(part))
        except OSError as error:
            self.problem = f"The live views could not be written: {error.strerror}."

    def _words_of(self, part: DeviceSplit) -> dict[str, np.ndarray]:
        """The samples and their targets in words."""
        naming, term = self.naming, self.engine.objective.main if self.naming else None
        if naming is None or term is None:
            return {}
        targets = None if term.target is None else part.targets[term.target][:SAMPLES].cpu()
        rows = list(self.displayed.cpu())
        words: dict[str, Sequence[Any]] = {
            "answers": [naming.describe_target(t) for t in targets] if targets is not None else []
        }
        words["words"] = [naming.words(row) for row in rows]
        words["cells"] = [self._cells(self.inputs, k) for k in range(len(rows))]
        return {name: np.array(texts) for name, texts in words.items() if any(texts)}

    def _displayed(self, inputs: Sequence[Tensor]) -> Tensor:
        """What samples look like."""
        return self.naming.sample(inputs) if self.naming else inputs[self.main]

    def _cells(self, inputs: Sequence[Tensor], k: int) -> tuple[str, ...]:
        """What stands in each column of sample k's row; () for what is no row of a table."""
        return cells_of(self.data, [x[k : k + 1] for x in inputs]) if self.data else ()

    def watched(self) -> bool:
        """Whether somebody touched the viewer file in the last 10 s, by our own clock."""
        try:
            touched = (self.run_dir / "viewer").stat().st_mtime
        except OSError:
            return False
        now = time.monotonic()
        if touched != self._touched_s:
            self._touched_s, self._watched_until = touched, now + WATCHED_S
        return now < self._watched_until

    def write_feature_maps(self) -> None:
        """Write feature maps and health, if somebody watches and the last look is old enough."""
        if self._probing.due and self.watched():
            with self._probing.timed():
                self._write_feature_maps()

    def _write_feature_maps(self) -> None:
        maps = feature_maps(self.engine.eval_model, self.inputs)
        maps = {self.names.get(name, name): value for name, value in maps.items()}
        step, health = self.engine.step, {}
        for node, value in maps.items():
            health[node] = activation_health(value)
            cut = _to_numpy(value[:, :CHANNELS] if value.ndim > 2 else value)
            arrays = {"value": cut, "step": np.array(step)}
            _save_npz(self.folder / "features" / f"{node}.npz", arrays)
        health_record = {"epoch": self.engine.epoch, "step": step, "nodes": health}
        write_json(self.folder / "health.json", health_record)
        self._write_probe(maps)

    def _write_probe(self, maps: dict[str, Tensor]) -> None:
        if self.engine.epoch == self._epoch:
            return
        self._epoch = self.engine.epoch
        folder = self.run_dir / "probe"
        cut = {k: _to_numpy(v[:, :CHANNELS] if v.ndim > 2 else v) for k, v in maps.items()}
        _save_npz(folder / f"{self._epoch:06d}.npz", cut)
        for old in sorted(folder.glob("*.npz"))[:-PROBES]:
            old.unlink(missing_ok=True)

    def write_validation(self) -> None:
        """Write filters and what the outputs of the last validation show, by the task."""
        outputs, part = self.engine.val_outputs, self.engine.validation
        if not outputs:
            return
        counts = {"epoch": self.engine.record["epoch"], "step": self.engine.record["step"]}
        term = self.engine.objective.main
        predictions = [outputs[index] for index in term.outputs]
        targets = None if term.target is None else part.targets[term.target][: len(predictions[0])]
        if is_adversarial(self.task):
            self._write_samples(outputs)
        if term.measure and term.constant != 0:  # what is made by a GAN is no sample
            self._write_confusion(counts)
            self._write_mistakes(counts, predictions, targets)
        self._write_filters()

    def _write_samples(self, outputs: tuple[Tensor, ...]) -> None:
        """Keep samples that the network made: its first output of the shape of what it is fed."""
        size = self.inputs[self.main].shape[1:].numel()
        samples = [output for output in outputs if output[0].numel() == size]
        if samples:
            picture = samples[0][:MADE].reshape(-1, *self.inputs[self.main].shape[1:])
            _save_npz(
                self.folder / "made.npz",
                {"value": _to_numpy(picture), "step": np.array(self.engine.step)},
            )

    def confusion_matrix(self) -> Tensor | None:
        """Counts (K, K) of the last validation, true classes by predicted ones; None without."""
        shown, term = self.engine.val_outputs, self.engine.objective.main
        if not shown or not has_one_class(self.task) or term.target is None or not term.measure:
            return None
        outputs = shown[term.outputs[0]]
        targets = self.engine.validation.targets[term.target][: len(outputs)]
        predicted = predicted_classes(outputs, term.measure)
        true, count = targets.reshape(len(outputs)).long(), len(self.classes)
        return torch.bincount(true * count + predicted, minlength=count**2).reshape(count, count)

    def _write_confusion(self, counts: dict[str, Any]) -> None:
        matrix = self.confusion_matrix()
        if matrix is not None:
            record = {**counts, "classes": list(self.classes), "matrix": matrix.tolist()}
            write_json(self.folder / "confusion.json", record)

    @property
    def _measure(self) -> Measure:
        measure = self.engine.objective.main.measure
        assert measure is not None
        return measure

    def _write_mistakes(
        self, counts: dict[str, Any], predictions: Sequence[Tensor], targets: Tensor | None
    ) -> None:
        losses, class_columns = (
            losses_per_sample(self.engine.objective.main, predictions, targets),
            {},
        )
        if has_one_class(self.task) and targets is not None:
            predicted, true = (
                predicted_classes(predictions[0], self._measure),
                targets.reshape(-1).long(),
            )
            losses = torch.where(predicted != true, losses, -torch.inf)
            chances = probabilities(predictions[0], predicted, self._measure)
            class_columns = {"target": true, "predicted": predicted, "confidence": chances}
        order = losses.argsort(descending=True)[:WORST]
        order = order[losses[order] > (0.0 if TASKS[self.task].compares else -torch.inf)]
        columns = {"index": order, "loss": losses[order]} | {
            k: v[order] for k, v in class_columns.items()
        }
        lists = {name: column.tolist() for name, column in columns.items()}
        rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        items = [{k: number(v) if isinstance(v, float) else v for k, v in r.items()} for r in rows]
        chosen = [output[order].cpu() for output in predictions]
        received = [column[order] for column in self.engine.validation.inputs]
        inputs = self._displayed(received).cpu()
        targets_shown = None if targets is None else targets[order].cpu()
        self._add_words(items, inputs, chosen, targets_shown)
        for k, item in enumerate(items):
            if cells := self._cells(received, k):
                item["cells"] = list(cells)
        arrays = {"inputs": _to_numpy(inputs)} | self._comparison_arrays(chosen[0], targets_shown)
        _save_npz(self.folder / "mistakes.npz", arrays)
        record = {**counts, "task": self.task, "classes": list(self.classes), "items": items}
        write_json(self.folder / "mistakes.json", record)

    def _add_words(
        self,
        items: list[dict[str, Any]],
        inputs: Tensor,
        predictions: Sequence[Tensor],
        targets: Tensor | None,
    ) -> None:
        """Add the sample, its target and its prediction in words to every item."""
        for row, item in enumerate(items if self.naming else ()):
            assert self.naming is not None
            item["words"] = self.naming.words(inputs[row])
            if not has_one_class(self.task):
                target = None if targets is None else targets[row]
                item["is"] = self.naming.describe_target(target)
                item["said"] = self.naming.describe_prediction(
                    [output[row] for output in predictions], target
                )

    def _comparison_arrays(
        self, prediction: Tensor, targets: Tensor | None
    ) -> dict[str, np.ndarray]:
        """Prediction and target, where they can be drawn."""
        outputs = self._measure.drawn(prediction)
        if self._measure.declared.class_at_pixel:  # painted in the colours of the run
            outputs = self._measure.predicted(prediction)
        if targets is None or outputs is None:
            return {}
        return {"targets": _to_numpy(targets), "outputs": _to_numpy(outputs)}

    def _write_filters(self) -> None:
        for name, layer in self.engine.eval_model.named_modules():
            if isinstance(layer, nn.Conv1d | nn.Conv2d | nn.Conv3d):
                arrays = {
                    "weight": _to_numpy(computed_weight(layer)[:FILTERS]),
                    "node": np.array(self.names.get(name, name)),
                }
                arrays["step"] = np.array(self.engine.step)
                _save_npz(self.folder / "filters.npz", arrays)
                return


def _to_numpy(value: Tensor) -> np.ndarray:
    value = value.detach().cpu()
    return (value.float() if value.is_floating_point() else value).numpy()


def _save_npz(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """As numpy.savez, which cannot take every node's id as a name ("file")."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
    write_bytes(path, buffer.getvalue(), durable=False)
