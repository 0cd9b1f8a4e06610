"""The checks against torch itself: silent means it runs, and every offered fix helps."""

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blocks import CATALOGUE, Block, Fix, Problem, Signature
from blocks.checks import block_problems, block_warnings
from blocks.validate import setting_problems
from blocks.versions import has
from core.analyse import size
from core.analyse.probe import probe
from tests.blocks.draws import given_settings, wires
from tests.blocks.torch_truth import N_SAMPLES, complete, execute, run_shapes

EXAMPLES = settings(
    max_examples=int(os.environ.get("EXAMPLES", "40")),
    deadline=None,
    derandomize="EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
# Blocks whose own checks say all that torch refuses; behind the others stands the run on meta.
CHECKED = frozenset(
    """AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AlphaDropout AvgPool1d AvgPool2d AvgPool3d BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CELU
    Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Dropout Dropout1d
    Dropout2d Dropout3d ELU Embedding EmbeddingBag Flatten GELU GLU GRU GroupNorm Hardsigmoid
    Hardswish Hardtanh Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d LPPool2d LSTM
    LayerNorm LeakyReLU Linear LocalResponseNorm LogSigmoid LogSoftmax MaxPool1d MaxPool2d
    MaxPool3d Mish MultiheadAttention PReLU PixelShuffle PixelUnshuffle PositionEmbedding RMSNorm
    RNN RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d SELU SiLU Sigmoid Softmax Softplus
    Softsign Tanh TransformerDecoderLayer TransformerEncoderLayer Unflatten Upsample ZeroPad2d add
    amax bmm cat div flatten interpolate matmul maximum mean minimum mul narrow normalize pad
    permute reshape scaled_dot_product_attention select squeeze stack sub sum to transpose
    unflatten unsqueeze""".split()
)
every_block = pytest.mark.parametrize("name", sorted(CHECKED))
# What only real values decide: probabilities, entries that must exist, sizes that wires bring.
OF_VALUES = frozenset(
    """BCELoss MaxUnpool1d MaxUnpool2d MaxUnpool3d one_hot affine_grid calculate
    size remainder fmod floor_divide""".split()
)
other_blocks = pytest.mark.parametrize(
    "name",
    [
        b.name
        for b in CATALOGUE.values()
        if b.family != "ends" and b.name not in CHECKED | OF_VALUES and has(b, torch.__version__)
    ],
)

# These speak of numbers that torch refuses too; the others are stricter than torch on purpose
# (accidental broadcasting, the batch in the wrong place, a flatten that was forgotten).
AS_STRICT_AS_TORCH = {"image_too_small", "groups_divide", "heads_divide", "channel_mismatch"}


def strict_codes(full: dict[str, Any]) -> set[str]:
    """A normalisation without weights and averages never looks at num_features."""
    blind = not full.get("affine", True) and not full.get("track_running_stats", False)
    return AS_STRICT_AS_TORCH - {"channel_mismatch"} if blind else AS_STRICT_AS_TORCH


def spoken(block: Block, given_: dict[str, Any], inputs: dict[str, Any]) -> list[Problem]:
    """All that is said about a block with all required ports connected."""
    found = setting_problems(block, given_)
    return found or block_problems(block, complete(block, given_, inputs), inputs)


@pytest.mark.slow
@every_block
@EXAMPLES
@given(data=st.data())
def test_torch_runs_where_no_check_speaks_and_refuses_the_same_numbers(
    name: str, data: st.DataObject
):
    block = CATALOGUE[name]
    chosen = data.draw(given_settings(block))
    inputs = data.draw(wires(block, chosen))
    codes = {problem.code for problem in spoken(block, chosen, inputs)}
    full = complete(block, chosen, inputs)
    if not codes:
        execute(block, full, inputs)
    elif codes <= strict_codes(full) and all(s.name in full for s in block.settings):
        with pytest.raises((RuntimeError, ValueError, AssertionError)):
            execute(block, full, inputs)


@pytest.mark.slow
@other_blocks
@settings(EXAMPLES, max_examples=int(os.environ.get("EXAMPLES", "15")))
@given(data=st.data())
def test_torch_runs_where_neither_checks_nor_the_run_on_meta_speak(name: str, data: st.DataObject):
    block = CATALOGUE[name]
    chosen = data.draw(given_settings(block))
    inputs = data.draw(wires(block, chosen))
    if spoken(block, chosen, inputs):
        return
    full = complete(block, chosen, inputs)
    outcome = probe(block, full, inputs)
    if outcome.error:
        return
    value = execute(block, full, inputs)
    found = [tuple(t.shape) for t in flattened(value)]
    promised = dict(outcome.outputs).values()
    assert [open_as(s, shape) for s, shape in zip(promised, found, strict=True)] == found


def open_as(promised: Signature, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The promised sizes, with what came where the data decide."""
    dims = [came if dim is None else dim for dim, came in zip(promised.shape, shape, strict=True)]
    return size(Signature(tuple(dims)), N_SAMPLES)


def flattened(value: Any) -> Iterator[Any]:
    """All tensors of a nested result."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from flattened(item)
    elif value is not None:
        yield value


@pytest.mark.slow
@every_block
@EXAMPLES
@given(data=st.data())
def test_every_problem_is_a_sentence_and_every_offered_fix_removes_it(
    name: str, data: st.DataObject
):
    block = CATALOGUE[name]
    chosen = data.draw(given_settings(block))
    inputs = data.draw(wires(block, chosen))
    problems = spoken(block, chosen, inputs)
    if not problems:
        problems = block_warnings(block, complete(block, chosen, inputs), inputs)
    for problem in problems:
        assert problem.message[0].islower()
        assert problem.message.endswith(".")
        assert problem.hint.endswith((".", "?"))
        assert problem.fixes
        for fix in problem.fixes:
            check_fix(block, chosen, inputs, problem, fix)


def check_fix(
    block: Block, chosen: dict[str, Any], inputs: dict[str, Any], problem: Problem, fix: Fix
) -> None:
    """Carry out one fix: its problem is gone, and its settings are legal."""
    after = apply(block, chosen, inputs, fix)
    if after is None:
        return
    left = spoken(*after)
    if not left:
        full = complete(after[0], after[1], after[2])
        left = block_warnings(after[0], full, after[2])
    assert (problem.code, problem.message) not in [(p.code, p.message) for p in left], fix
    before = {p.message for p in setting_problems(block, chosen)}
    assert {p.message for p in setting_problems(*after[:2])} <= before, fix


def apply(
    block: Block, given_: dict[str, Any], inputs: dict[str, Any], fix: Fix
) -> tuple[Block, dict[str, Any], dict[str, Any]] | None:
    """Carry out a fix as the analysis will; None if a wire is gone, so nothing is left to check."""
    given_, inputs = dict(given_), dict(inputs)
    for edit in fix.edits:
        changes = {k: as_tuple(v) for k, v in edit.get("settings", {}).items()}
        if edit["op"] == "set":
            given_ = {
                k: v for k, v in (given_ | changes).items() if k not in changes or v is not None
            }
        elif edit["op"] == "replace":
            first = next(iter(inputs.values()))
            block, given_ = CATALOGUE[edit["block"]], changes
            inputs = {block.inputs[0].name: first}
        elif edit["op"] == "same":
            inputs[edit["port"]] = inputs[edit["as"]]
        elif edit["op"] == "input":
            change(inputs, edit["port"], partial(retyped, dtype=changes["dtype"]))
        elif edit["op"] == "insert":
            change(inputs, edit["port"], partial(run_shapes, CATALOGUE[edit["block"]], changes))
        else:
            return None
    return block, given_, inputs


def change(inputs: dict[str, Any], port: str, how: Any) -> None:
    """Put another signature on one wire."""
    head, _, index = port.partition(".")
    if index:
        listed = list(inputs[head])
        listed[int(index)] = how(listed[int(index)])
        inputs[head] = tuple(listed)
    else:
        inputs[head] = how(inputs[head])


def retyped(signature: Signature, dtype: str) -> Signature:
    return Signature(signature.shape, dtype)


def as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
