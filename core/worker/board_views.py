"""Histograms and pictures of a run for TensorBoard, at a small share of its time and of a disk.

Nothing of the run changes by it: weights and gradients are read, a forward pass for feature maps
runs in evaluation mode and puts every random state back.
"""

import time
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from core.engine.feature_maps import feature_maps
from core.engine.parametrized import computed_weight
from core.engine.trainer import Trainer
from core.tasks.labeler import Labeler
from core.tasks.measure import predicted_classes
from core.tasks.registry import has_one_class
from core.worker import board_pictures
from core.worker.live_views import LiveViews
from core.worker.tensorboard import TensorBoardLogger

SHARE = 0.01
"""Of the time of a run, what is written between its epochs may take; what is written once at its
end comes on top."""
FIRST_S = 0.05
"""What writing is taken to cost until it was done once."""
MOST_BYTES = 20_000_000
"""Of histograms and pictures of a run, and all that attempts before this one have written."""
CONVOLUTIONS = (nn.Conv1d, nn.Conv2d)
MAPS, CHANNELS, FILTERS, SAMPLES, COLUMNS = 3, 16, 64, 8, 6


class BoardViews:
    """Writes histograms and pictures after epochs, as often as time and room allow.

    always: whether the histograms are written after every epoch, whatever they cost.
    """

    def __init__(
        self, board: TensorBoardLogger, engine: Trainer, live: LiveViews, always: bool = False
    ) -> None:
        self.board, self.engine, self.live, self.always = board, engine, live, always
        self.names = live.names
        self.layers = [
            n for n, m in engine.eval_model.named_modules() if isinstance(m, CONVOLUTIONS)
        ]
        self.started, self.spent_s, self.last_s = time.monotonic(), 0.0, FIRST_S
        self.written, self.last_bytes, self.step = board.files.before(), 0, engine.step

    def epoch(self) -> None:
        """Write what is due after an epoch."""
        if self.always:
            self.board.histograms(self.engine.module, self.engine.step)
        elapsed = time.monotonic() - self.started
        progress = min(1.0, self.engine.epoch / max(1, self.engine.training["epochs"]))
        in_time = self.spent_s + self.last_s <= SHARE * elapsed
        if in_time and self.written + self.last_bytes <= MOST_BYTES * progress:
            self._write()

    def end(self) -> None:
        """Write the end of a run, where nothing is written of it yet."""
        if self.step != self.engine.step and self.written + self.last_bytes <= MOST_BYTES:
            self._write()

    def _write(self) -> None:
        if self.board.missing:
            return
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
        started, before = time.monotonic(), self.board.files.written
        self.step = self.engine.step
        try:
            self.write()
        finally:
            self.last_s = time.monotonic() - started
            self.last_bytes = self.board.files.written - before
            self.spent_s += self.last_s
            self.written += self.last_bytes

    def write(self) -> None:
        """Histograms of weights and gradients, and every picture that the network has."""
        if not self.always:
            self.board.histograms(self.engine.module, self.step)
        self._samples()
        self._confusion()
        self._filters()
        self._feature_maps()

    def _samples(self) -> None:
        """The first validation samples with targets and predictions: a picture, or a table."""
        term, shown = self.engine.objective.main, self.live.displayed[:SAMPLES].cpu()
        outputs, naming = self.engine.val_outputs, self.live.naming
        if naming is None or not outputs or term.constant is not None:
            return
        predictions = [outputs[index][: len(shown)].cpu() for index in term.outputs]
        shown = shown[: len(predictions[0])]
        column = None if term.target is None else self.engine.validation.targets[term.target]
        targets = None if column is None else column[: len(shown)].cpu()
        right = [naming.describe_target(t) for t in targets] if targets is not None else []
        right = right or [naming.describe_target(None)] * len(shown)
        captions = self._said(naming, predictions, targets)
        if not any(captions):
            self._compared(predictions[0], targets)
        elif shown.dim() == 4 and shown.shape[1] in (1, 3):
            sheet = board_pictures.captioned(shown.float().numpy(), right, captions)
            self.board.picture("samples/predictions", sheet, self.step)
        else:
            words = [naming.words(row) or _numbers(row) for row in shown]
            self.board.table(
                "samples/predictions",
                ("sample", "target", "prediction"),
                [*zip(words, right, captions, strict=True)],
                self.step,
            )

    def _said(
        self, naming: Labeler, predictions: Sequence[Tensor], targets: Tensor | None
    ) -> list[str]:
        """The prediction for each sample in words, "" where only a picture could show it."""
        term = self.engine.objective.main
        if has_one_class(self.live.task) and term.measure:
            return [self.live.classes[k] for k in predicted_classes(predictions[0], term.measure)]
        return [
            naming.describe_prediction(
                [part[row] for part in predictions], None if targets is None else targets[row]
            )
            for row in range(len(predictions[0]))
        ]

    def _compared(self, predictions: Tensor, targets: Tensor | None) -> None:
        """Predictions that are pictures themselves, and their targets."""
        self._tiles("samples/predictions", predictions)
        if targets is not None:
            masks = targets.dim() == predictions.dim() - 1
            self._tiles("samples/targets", targets[:, None] if masks else targets)

    def _confusion(self) -> None:
        matrix = self.live.confusion_matrix()
        if matrix is not None:
            sheet = board_pictures.confusion(matrix.cpu().numpy(), self.live.classes)
            if sheet is not None:
                self.board.picture("confusion_matrix", sheet, self.step)

    def _filters(self) -> None:
        for name in self.layers[:1]:
            weight = computed_weight(self.engine.eval_model.get_submodule(name)).detach()
            if weight.dim() == 4:
                weight = weight if weight.shape[1] in (1, 3) else weight.mean(dim=1, keepdim=True)
                self._tiles(f"filters/{self.names.get(name, name)}", weight[:FILTERS])

    def _feature_maps(self) -> None:
        """The channels of the first convolutions for the first validation sample."""
        chosen = self.layers[:MAPS]
        if not chosen:
            return
        sample = [column[:1] for column in self.live.inputs]
        found = feature_maps(self.engine.eval_model, sample, frozenset(chosen))
        for name, value in found.items():
            if value.dim() == 4:
                channels = value[0, :CHANNELS, None]
                self._tiles(f"feature_maps/{self.names.get(name, name)}", channels)

    def _tiles(self, tag: str, pictures: Tensor) -> None:
        if pictures.dim() == 4 and pictures.shape[1] in (1, 3) and pictures.numel():
            shown = board_pictures.tiles(pictures.detach().float().cpu().numpy())
            self.board.tiles(tag, shown, self.step)


def _numbers(row: Tensor) -> str:
    """The first numbers of a sample that is no text."""
    flat = row.reshape(-1)
    return ", ".join(f"{value:.4g}" for value in flat[:COLUMNS].tolist()) + (
        ", …" if len(flat) > COLUMNS else ""
    )
