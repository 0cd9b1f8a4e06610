"""Compare the drawing with the ONNX file: onnxruntime runs the file, we run our source."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from core.export.onnx_draws import RANDOM, DrawRecorder, without_draws
from core.wings.importing.onnx import OnnxSource
from core.wings.importing.tracing.outputs import tensor_leaves
from core.wings.importing.tracing.run_sample import FAILURES
from core.wings.importing.tracing.sample_inputs import SCALES, WHOLE, adopt, samples
from core.wings.importing.verify.compare_tensors import dtype_name, first_line
from core.wings.importing.verify.equivalence import (
    NAMES,
    OURS_FAILS,
    NotCompared,
    OnVerdict,
    OutputComparison,
    ignore_verdict,
    verdicts,
)
from core.wings.importing.weights import full_state, mapped_state

TOLERANCE = 1e-5
"""Of the largest number in a result; runtimes add in other orders."""


def file_verdicts(
    source: OnnxSource,
    ours: nn.Module,
    keys: Mapping[str, str],
    on_verdict: OnVerdict = ignore_verdict,
) -> list[OutputComparison]:
    """Four verdicts: sample and another batch against onnxruntime with the file's own weights.

    The other two are against the rebuilt module, bit for bit, on perturbed weights, since a file
    fixes its image size and cannot be trained. Where the first two equal the file but not, bit for
    bit, that module, they say so.
    """
    adopt(ours, mapped_state(full_state(source.module), keys, ours))
    ours.eval()
    run, here = Runtime(source), source.batch or 2
    against = {
        NAMES[0]: _on_all_scales(run, ours, NAMES[0], here),
        NAMES[1]: _compare(run, ours, NAMES[1], here + 1),
    }
    result: list[OutputComparison] = []

    def judge(bits: OutputComparison) -> None:
        file = against.get(bits.name)
        odd = bits.equal is False and file is not None and bool(file.equal)
        result.append(_with_note(bits) if file is None else bits if odd else file)
        on_verdict(result[-1])

    verdicts(source.module, ours, keys, source.shapes, source.dtypes, on_verdict=judge)
    return result


def _with_note(verdict: OutputComparison) -> OutputComparison:
    note = "bit for bit equal to the rebuilt file"
    return replace(verdict, note=note) if verdict.equal else verdict


def _on_all_scales(run: "Runtime", ours: nn.Module, name: str, batch: int) -> OutputComparison:
    """The verdict on values in [0, 1), unless values of another scale or sign differ."""
    usual = _compare(run, ours, name, batch)
    if usual.equal:
        for scale in SCALES:
            other = _compare(run, ours, name, batch, scale)
            if other.equal is False:
                return replace(other, note=f"{other.note} on {scale} values")
    return usual


def _compare(
    run: "Runtime", ours: nn.Module, name: str, batch: int, scale: str = ""
) -> OutputComparison:
    inputs = samples(run.source.shapes, run.source.dtypes, batch, scale=scale)
    caught = DrawRecorder()
    got, failure = list[Tensor](), ""
    try:
        with torch.no_grad(), caught:
            got = list(tensor_leaves(ours(*inputs)))
    except FAILURES as error:
        failure = f"{OURS_FAILS}{first_line(error)}"
    try:
        expected = run(inputs, caught.found)
    except NotCompared as reason:
        return OutputComparison(
            name, None if not failure or scale else False, failure or str(reason)
        )
    if failure:  # torch refuses negative classes and places, which the file counts from the end
        return OutputComparison(name, None if scale == WHOLE else False, failure)
    if scale and not all(t.isfinite().all() for t in expected):
        return OutputComparison(name, None, "the file's result is not finite")
    difference = rounding_difference(expected, got)
    same = ", on the same random numbers" if run.draws else ""
    same += "".join(_other_dtypes(expected, got))
    return OutputComparison(
        name, not difference, difference or f"as {run.name} computes it, to 1e-5{same}"
    )


def _other_dtypes(expected: Sequence[Tensor], got: Sequence[Tensor]) -> Iterator[str]:
    """Results that have another precision than in the file."""
    for number, (a, b) in enumerate(zip(expected, got, strict=True), 1):
        if a.dtype != b.dtype:
            yield f"; result {number} is {dtype_name(b)}, in the file {dtype_name(a)}"


def _kind(tensor: Tensor) -> str:
    if tensor.dtype == torch.bool:
        return "bool"
    return "float" if tensor.is_floating_point() else "int"


class Runtime:
    """onnxruntime on a file, or onnx's reference evaluator if that is too old for the file.

    A file with batch 1 is given one sample at a time. draws: inputs that replace its random
    numbers.
    """

    def __init__(self, source: OnnxSource) -> None:
        self.source = source
        content = source.file.content or source.file.model.SerializeToString()
        random = any(node.op in RANDOM for node in source.file.nodes)
        self.content, self.draws = without_draws(content) if random else (content, ())
        self.name = "onnxruntime"
        self.session: Any = None

    def __call__(self, inputs: Sequence[Tensor], drawn: Sequence[Tensor] = ()) -> list[Tensor]:
        """Run the file. Raises NotCompared if onnxruntime cannot."""
        inputs = (*inputs, *drawn)
        try:
            self.session = self.session or self._open()
            size = self.source.batch
            if size is None or len(inputs[0]) == size:
                return self._run(inputs)
            if size != 1:
                raise NotCompared(f"the file takes {size} at a time")
            each = [self._run([t[i : i + 1] for t in inputs]) for i in range(len(inputs[0]))]
            return [torch.cat(parts) for parts in zip(*each, strict=True)]
        except NotCompared:
            raise
        except Exception as error:  # neither has a common class for what it raises
            raise NotCompared(f"{self.name} cannot run the file: {first_line(error)}") from error

    def _open(self) -> Any:
        try:
            return _session(self.content)
        except Exception:  # it rejects newer file versions and unsupported operations
            from onnx.reference import ReferenceEvaluator

            self.name = "onnx's own evaluator"
            return ReferenceEvaluator(onnx.load_model_from_string(self.content))

    def _run(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        kinds = {entry.name: entry.kind for entry in self.source.file.inputs}
        kinds |= dict.fromkeys(self.draws, np.float32)
        feed = {n: t.numpy().astype(k) for (n, k), t in zip(kinds.items(), inputs, strict=True)}
        return [torch.from_numpy(np.array(value)) for value in self.session.run(None, feed)]


def _session(content: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def rounding_difference(
    expected: Sequence[Tensor], got: Sequence[Tensor], tolerance: float = TOLERANCE
) -> str:
    """How two lists of results differ beyond rounding; "" if they do not.

    The drawing calculates in float32 and int64, whatever the file has: their kinds have to agree.
    """
    if len(expected) != len(got):
        return f"{len(got)} results instead of {len(expected)}"
    for number, (a, b) in enumerate(zip(expected, got, strict=True), 1):
        if a.shape != b.shape:
            return f"result {number} is {tuple(b.shape)} instead of {tuple(a.shape)}"
        if _kind(a) != _kind(b):
            return f"result {number} is {dtype_name(b)} instead of {dtype_name(a)}"
        a, b = a.double(), b.double()
        same = (a == b) | (a.isnan() & b.isnan())
        gap = torch.where(same, 0.0, (a - b).abs())
        largest = float(gap.max()) if gap.numel() else 0.0
        scale = max(1.0, float(a[a.isfinite()].abs().max()) if a.isfinite().any() else 1.0)
        if not largest <= tolerance * scale:
            return f"result {number} differs by up to {largest:.1e}"
    return ""
