"""ONNX with fewer bits: weights and values in 8-bit integers, or in half precision.

By onnxruntime's own quantization tools. Both files keep float32 inputs and outputs.
"""

import logging
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from core.data import DataError
from core.export.agreement import (
    EIGHT_BITS,
    HALF,
    FilePrecision,
    OutputsDiffer,
    calibrated,
    compare_outputs,
)
from core.export.error_text import first_line
from core.export.onnx import make_onnx, session
from core.export.parity import Inputs, refuse_draws
from core.export.quality import quality
from core.export.result import CannotHold, ExportedFile, ExportError, Quality
from core.export.subject import Subject
from core.worker import child_process

CALIBRATION_SAMPLES = 128
"""Training samples that the ranges of values are taken from; never validation samples."""
TOLERATED = 0.01
SEVEN_BITS = True
"""Weights use 7 of their 8 bits: processors with AVX2 but without VNNI add products in 16 bits, and
all 8 overflow there (ONNX Runtime, "Quantize ONNX Models", on reduce_range)."""
KEPT_WIDE = ("LayerNormalization", "LSTM", "RNN")
"""Operators that stay in float32: onnxruntime ends the whole process where it loads one of these in
float16 on a processor."""
LOAD = Path(__file__).with_name("onnx_loads.py")


def make_int8(subject: Subject) -> ExportedFile:
    """Quantise weights and values to 8 bits; the way that keeps the metric.

    Static (QDQ, per channel, ranges from training samples) is the faster one. Where it costs more
    than TOLERATED of the metric, where its outputs are farther from the network's than rounding
    explains, as attention's masks may put them, and where there is no data, values are quantised
    as they come (dynamic).
    """
    dynamic = make_dynamic(subject)
    if not calibration(subject):
        return dynamic
    try:
        static = make_static(subject)
    except OutputsDiffer:
        return dynamic
    return _chosen(subject, static, dynamic)


def make_dynamic(subject: Subject) -> ExportedFile:
    """Quantise the weights to 8 bits, and values at run time."""
    _refuse_draws(subject)
    whole = _whole(subject)
    with _refusing():
        words = "values quantised at run time (dynamic)"
        return _int8(subject, _dynamic(whole), words, EIGHT_BITS)


def make_static(subject: Subject) -> ExportedFile:
    """Quantise weights and values to 8 bits, with ranges of values from training samples."""
    _refuse_draws(subject)
    samples = calibration(subject)
    if not samples:
        message = "Calibration needs training samples, and there are none here."
        raise ExportError(message, "Use dynamic quantisation, which needs no samples.")
    whole = _whole(subject)
    with _refusing():
        words = f"calibrated on {len(samples[0])} training samples"
        return _int8(subject, _static(whole, subject, samples), words, calibrated(samples))


@lru_cache(maxsize=1)
def _whole(subject: Subject) -> bytes:
    """The file as it is, which all smaller ones of a network are made from."""
    return make_onnx(subject).content


@contextmanager
def _refusing() -> Iterator[None]:
    """Tell what onnxruntime cannot quantise as an error of ours."""
    try:
        yield
    except ExportError:
        raise
    except Exception as error:  # onnxruntime raises many kinds of errors for what it cannot hold
        raise CannotHold(
            "onnxruntime cannot quantise this network",
            first_line(error),
            "Export ONNX in half precision, or plain ONNX.",
        ) from error


def _int8(subject: Subject, content: bytes, words: str, precision: FilePrecision) -> ExportedFile:
    if crashes(content, subject.sample(2)):
        raise ExportError(
            "8 bits are not possible: ONNX Runtime crashes on this network on a CPU.",
            "Export ONNX in half precision, or plain ONNX.",
        )
    run = session(content)
    difference = compare_outputs(subject.module, run, subject.sample, subject.batches, precision)
    return ExportedFile(content, difference, (words,), run=run)


def _chosen(subject: Subject, static: ExportedFile, dynamic: ExportedFile) -> ExportedFile:
    """The static one unless it costs more of the metric than the other."""
    first, second = (loss_of(quality(subject, made.run)) for made in (static, dynamic) if made.run)
    return static if first <= max(TOLERATED, second) else dynamic


def loss_of(found: Quality) -> float:
    """How far the metric of a file is from the network's, as a share of it where it is over 1."""
    return abs(found.file - found.eager) / max(1.0, abs(found.eager))


def make_half(subject: Subject) -> ExportedFile:
    """Keep weights and values in float16, with float32 inputs and outputs."""
    _refuse_draws(subject)
    whole = _whole(subject)
    try:
        content, wide = _half_that_runs(whole, subject.sample(2))
        made = session(content)
        difference = compare_outputs(subject.module, made, subject.sample, subject.batches, HALF)
    except ExportError:
        raise
    except Exception as error:  # as above
        raise CannotHold(
            "This network cannot be converted to half precision",
            first_line(error),
            "Export plain ONNX.",
        ) from error
    notes = (f"{', '.join(wide)} in float32",) if wide else ()
    return ExportedFile(content, difference, notes, run=made)


def _half_that_runs(whole: bytes, inputs: Inputs) -> tuple[bytes, list[str]]:
    """A file in float16 that onnxruntime survives, and the operators in it that stay in float32.

    Where it crashes, one more operator stays wide: the first that helps. Raises ExportError.
    """
    import onnx

    present = list(dict.fromkeys(n.op_type for n in onnx.load_from_string(whole).graph.node))
    wide = [name for name in KEPT_WIDE if name in present]
    others = [name for name in present if name not in KEPT_WIDE]
    for more in ([], *([name] for name in others)):
        content = _half(whole, [*wide, *more])
        if not crashes(content, inputs):
            return content, [*wide, *more]
    raise ExportError(
        "Half precision is not possible: ONNX Runtime crashes on this network on a CPU, even with "
        f"these operators in float32: {', '.join(present)}.",
        "Export ONNX in 8 bits, or plain ONNX.",
    )


def _half(whole: bytes, wide: list[str]) -> bytes:
    import onnx
    from onnxruntime.transformers.float16 import (
        DEFAULT_OP_BLOCK_LIST,
        convert_float_to_float16,
    )

    model, kept = onnx.load_from_string(whole), [*DEFAULT_OP_BLOCK_LIST, *wide]
    with _quiet():
        return convert_float_to_float16(
            model, keep_io_types=True, op_block_list=kept
        ).SerializeToString()


def _refuse_draws(subject: Subject) -> None:
    refuse_draws(subject.module, subject.sample, "a smaller file", "Export plain ONNX.")


def calibration(subject: Subject) -> tuple[torch.Tensor, ...]:
    """Training samples for every Input; () without data."""
    if subject.opened is None:
        return ()
    try:
        columns, _ = subject.opened.dataset.all_training()
    except DataError:
        return ()
    return tuple(column[:CALIBRATION_SAMPLES] for column in columns)


class _Reader:
    """Hands calibration samples to onnxruntime, in batches of 32."""

    def __init__(self, names: list[str], samples: tuple[torch.Tensor, ...]) -> None:
        parts = zip(*(column.split(32) for column in samples), strict=True)
        self._rows: Iterator[dict[str, Any]] = (
            {name: value.numpy() for name, value in zip(names, part, strict=True)} for part in parts
        )

    def get_next(self) -> dict[str, Any] | None:
        return next(self._rows, None)


def _static(whole: bytes, subject: Subject, samples: tuple[torch.Tensor, ...]) -> bytes:
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as folder, _quiet():
        source, ready, out = (Path(folder, f"{name}.onnx") for name in ("source", "ready", "out"))
        source.write_bytes(whole)
        quant_pre_process(str(source), str(ready), skip_symbolic_shape=True)
        reader: Any = _Reader(list(subject.inputs), samples)
        quantization.quantize_static(
            str(ready),
            str(out),
            reader,
            quant_format=quantization.QuantFormat.QDQ,
            per_channel=True,
            reduce_range=SEVEN_BITS,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
        )
        return out.read_bytes()


def _dynamic(whole: bytes) -> bytes:
    from onnxruntime import quantization

    with tempfile.TemporaryDirectory() as folder, _quiet():
        source, out = Path(folder, "source.onnx"), Path(folder, "out.onnx")
        source.write_bytes(whole)
        quantization.quantize_dynamic(
            str(source), str(out), reduce_range=SEVEN_BITS, weight_type=quantization.QuantType.QInt8
        )
        return out.read_bytes()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the tools' advice about their own steps off the terminal."""
    log = logging.getLogger()
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def crashes(content: bytes, inputs: Inputs) -> bool:
    """Whether the runtime ends its process by a signal as it loads a file or runs a sample.

    An error is not a crash: it is raised again when the file is used.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, samples = Path(folder, "network.onnx"), Path(folder, "samples.npz")
        file.write_bytes(content)
        np.savez(samples, **{str(i): t.numpy() for i, t in enumerate(inputs)})  # pyright: ignore[reportArgumentType]
        command = child_process.module(str(LOAD), str(file), str(samples))
        return child_process.run(command).returncode < 0
