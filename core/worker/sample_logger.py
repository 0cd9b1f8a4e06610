"""Samples of each epoch: generated pictures, reconstructions, continued texts.

RUN/live/made/NNNNNN.npz, one file for an epoch, at most KEPT over the run, each with some of

value            (K, ...) new samples: of a GAN for the noise of the validation part, else what the
                 block that training.samples_from names makes of the same noise each time
inputs, outputs  (K, ...) the first validation samples, and what the network gives back of them;
clean            what it should give back, where noise was added
prompts, tokens  (K, T), (K, LENGTH) beginnings of validation texts, and how the network goes on,
                 each token drawn by chance with TEMPERATURE; "alphabet" their characters

and predictions beside targets, as in `core.tasks.predictions`.

Noise and chance are those of the first epoch, so that the pictures differ by what was learnt.
"""

import io
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from core.analyse.report import Report, size
from core.data.facts.info import DataInfo
from core.engine.objective import LossTerm
from core.engine.rng import fork_rng
from core.engine.trainer import Trainer
from core.runs.files import write_bytes
from core.tasks.metrics import as_tuple
from core.tasks.prediction_batch import Validated
from core.tasks.predictions import predictions
from core.tasks.registry import draws_input, is_adversarial

MADE, BACK, TEXTS, LENGTH = 48, 8, 3, 120
TEMPERATURE = 0.8
KEPT = 40


class SampleLogger:
    """Makes things with the network that is validated. problem: why it cannot, "" if it can."""

    def __init__(
        self,
        run_dir: Path,
        engine: Trainer,
        report: Report,
        info: DataInfo,
        samples_from: str = "",
        kinds: Tensor | None = None,
    ) -> None:
        self.engine, self.info, self.kinds, self.problem = engine, info, kinds, ""
        self.folder = run_dir / "live" / "made"
        self.block, self.noise = samples_from, None
        if samples_from:
            self._find(report)
        for file in self.folder.glob("*.npz"):
            if int(file.stem) > engine.epoch:  # of a part of the run that is done anew
                file.unlink(missing_ok=True)

    @property
    def _main(self) -> int:
        """The first Input that is fed from the data."""
        return next((i for i, spread in enumerate(self.engine.spreads) if spread != 1.0), 0)

    @cached_property
    def inputs(self) -> Tensor:
        """The first validation samples, gathered when they are first looked at."""
        return self.engine.validation.inputs[self._main][:MADE]

    def _find(self, report: Report) -> None:
        node, device = report.nodes.get(self.block), self.engine.validation.inputs[0].device
        signatures = list(node.inputs.values()) if node else []
        if not isinstance(getattr(self.engine.module, self.block, None), nn.Module):
            self.problem = f"training.samples_from names {self.block}, which is not a block."
        elif len(signatures) != 1 or isinstance(signatures[0], tuple):
            self.problem = f"training.samples_from names {self.block}, which needs several inputs."
        else:
            generator = torch.Generator().manual_seed(0)
            self.noise = torch.randn(size(signatures[0], MADE), generator=generator).to(device)

    def make(self) -> None:
        """Write what the network makes after the epoch just validated. Raises OSError."""
        record, shown = self.engine.record, self.engine.val_outputs
        if not record or not shown:
            return
        with fork_rng(self.engine.eval_model):
            arrays = {**self._samples(shown), **self._given_back(shown), **self._texts()}
            losses, validated = self.engine.objective.terms, self._validated(shown)
            arrays |= predictions(losses, validated, self.info, lambda: self.inputs, self.kinds)
        if not arrays:
            return
        self.folder.mkdir(exist_ok=True)
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        write_bytes(self.folder / f"{record['epoch']:06d}.npz", buffer.getvalue(), durable=False)
        thin(self.folder, (self.engine.best or {}).get("epoch", 0))

    def _validated(self, shown: tuple[Tensor, ...]) -> Validated:
        split, size = self.engine.validation, self.engine.training["batch_size"]
        return Validated(self.engine.eval_model, split.inputs, split.targets, shown, size)

    def _samples(self, shown: tuple[Tensor, ...]) -> dict[str, np.ndarray]:
        made = list(shown) if is_adversarial(self.info.task) else []
        if self.noise is not None:
            made = list(as_tuple(getattr(self.engine.eval_model, self.block)(self.noise)))
        picture = self._like_inputs(made)
        return {} if picture is None else {"value": picture[:MADE]}

    def _given_back(self, shown: tuple[Tensor, ...]) -> dict[str, np.ndarray]:
        aim = self._drawing
        if self.info.kind != "image" or not (aim or draws_input(self.info.task)):
            return {}
        outputs = self._like_inputs([shown[aim.outputs[0]]] if aim else list(shown))
        if outputs is None:
            return {}
        arrays = {"inputs": self.inputs[:BACK].float().cpu().numpy(), "outputs": outputs[:BACK]}
        if aim and aim.target is not None and self.engine.spreads[self._main]:
            clean = self.engine.validation.targets[aim.target][:BACK]
            arrays["clean"] = clean.reshape(arrays["inputs"].shape).float().cpu().numpy()
        return arrays

    def _like_inputs(self, outputs: list[Tensor]) -> np.ndarray | None:
        """The first output with as many values as a sample, brought to its shape."""
        if not outputs:
            return None
        shape = self.inputs.shape[1:]
        for output in outputs:
            if output.is_floating_point() and output[0].numel() == shape.numel():
                return self._drawn(output).reshape(-1, *shape).float().cpu().numpy()
        return None

    def _drawn(self, output: Tensor) -> Tensor:
        """The values of a picture, where a loss compares one with what went in."""
        measure = self._drawing.measure if self._drawing else None
        drawn = measure.drawn(output) if measure else None
        return output if drawn is None else drawn

    @cached_property
    def _drawing(self) -> LossTerm | None:
        """The loss that compares a picture with what went in."""
        aims = self.engine.objective.terms
        return next((aim for aim in aims if aim.measure and aim.measure.declared.draws_input), None)

    def _texts(self) -> dict[str, np.ndarray]:
        if self.info.target != "next" or self.info.kind != "text" or len(self.info.feeds) != 1:
            return {}
        prompts = self.inputs[:TEXTS]
        tokens = self._gone_on(prompts)
        if tokens is None:
            return {}
        alphabet = np.array(self.info.origin.alphabet)
        return {"prompts": prompts.cpu().numpy(), "tokens": tokens, "alphabet": alphabet}

    def _gone_on(self, window: Tensor) -> np.ndarray | None:
        """Tokens drawn one after the other, each from the chances that the network gives.

        None where these are no finite numbers, from which nothing can be drawn.
        """
        generator = torch.Generator(window.device).manual_seed(0)
        output, tokens = self.engine.objective.terms[0].outputs[0], list[Tensor]()
        for _ in range(LENGTH):
            scores = as_tuple(self.engine.eval_model(window))[output][:, -1].float()
            chances = torch.softmax(scores / TEMPERATURE, dim=-1)
            if not torch.isfinite(chances).all():
                return None
            token = torch.multinomial(chances, 1, generator=generator)
            window = torch.cat([window[:, 1:], token], dim=1)
            tokens.append(token)
        return torch.cat(tokens, dim=1).cpu().numpy()


def thin(folder: Path, best: int = 0) -> None:
    """Keep at most KEPT epochs, evenly over the run: every second is deleted.

    The latest stays, and the best so far, whose weights the pages use.
    """
    files = sorted(folder.glob("*.npz"))
    if len(files) > KEPT:
        for file in files[1:-1:2]:
            if int(file.stem) != best:
                file.unlink(missing_ok=True)
