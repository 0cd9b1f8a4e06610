"""Torch's own samples of its modules: each is drawn, and computes what torch's module computes.

Every sample is a drawing of Inputs, the block and Outputs; its source is built, given the weights
of torch's module, and compared with it bit for bit, in evaluation and in training (a row without
a batch, drawn as a batch of one, to the rounding of its kernel).
"""

import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules.lazy import LazyModuleMixin

from blocks import CATALOGUE
from core.analyse import analyse, build
from tests.blocks.module_samples import (
    Drawing,
    Undrawn,
    arguments,
    block_name,
    call_of,
    draw_sample,
    module_db,
    samples,
)

UNDRAWN = {
    # the rows of all samples behind each other: no dimension of them is the batch
    "CTCLoss": ("needs (N, S) at targets", 20),
}
"""What no drawing has, by block: the sentence that says why, and how many samples it is about."""
LONG = ("LinearCrossEntropyLoss", "CrossEntropyLoss", "RNN", "LSTM", "GRU", "MultiheadAttention",
        "Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer",
        "TransformerDecoderLayer")  # fmt: skip


def tensors(value: Any) -> list[Tensor]:
    """The tensors of a nested result, in order."""
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in tensors(item)]
    return [] if value is None else [value]


def run(module: nn.Module, mode: bool, *args: Any, **kwargs: Any) -> list[Tensor]:
    """Call a module from one seed."""
    module.train(mode)
    torch.default_generator.manual_seed(5)
    return tensors(module(*args, **kwargs))


def difference(cls: type[nn.Module], given: Any, drawing: Drawing, source: str) -> str:
    """In what the module of a source differs from torch's own; "" in nothing."""
    theirs = cls(*given.constructor_input.args, **given.constructor_input.kwargs)
    if hasattr(theirs, "_random_samples"):
        setattr(theirs, "_random_samples", None)  # noqa: B010 - drawn from the seed on both sides
    args, kwargs = given.forward_input.args, given.forward_input.kwargs
    if isinstance(theirs, LazyModuleMixin):
        theirs(*args, **kwargs)
    ours = build(source)
    for mode in (False, True):
        weights = {f"layer.{k}": v.clone() for k, v in theirs.state_dict().items()}
        ours.load_state_dict(weights | drawing.kept)
        wanted = run(theirs, mode, *args, **kwargs)
        found = run(ours, mode, *drawing.inputs)
        if drawing.alone:
            found = [a.reshape(b.shape) for a, b in zip(found, wanted, strict=True)]
        if [a.shape for a in found] != [b.shape for b in wanted]:
            return f"other shapes: {found} {wanted}"
        same = near if drawing.alone else equal
        if not all(same(a, b) for a, b in zip(found, wanted, strict=True)):
            return f"other values with training={mode}"
        mine = ours.state_dict()
        if not all(equal(mine[f"layer.{k}"], v) for k, v in theirs.state_dict().items()):
            return f"other buffers with training={mode}"
    return ""


def equal(a: Tensor, b: Tensor) -> bool:
    return a.dtype == b.dtype and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))


def near(a: Tensor, b: Tensor) -> bool:
    """Equal but for the order of additions: a batch of one need not take an alone row's kernel."""
    return a.dtype == b.dtype and torch.allclose(a, b, rtol=1e-5, atol=1e-5, equal_nan=True)


def fault_of(cls: type[nn.Module], given: Any) -> str:
    """What is wrong with the drawing of a sample; "" where it computes what torch computes."""
    try:
        called = call_of(cls, given.forward_input)
        drawing = draw_sample(block_name(cls), arguments(cls, given.constructor_input), called)
    except Undrawn as why:
        return str(why)
    report = analyse(drawing.graph)
    if report.source is None:
        return report.errors[0].message
    return difference(cls, given, drawing, report.source)


def faults(chosen: Any) -> Iterator[tuple[str, str]]:
    """Block and fault of every sample that is not equal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in module_db():
            name = block_name(info.module_cls)
            if chosen(name):
                assert name in CATALOGUE, f"torch has samples of {name}, and there is no such block"
                found = (fault_of(info.module_cls, given) for given in samples(info))
                yield from ((name, fault) for fault in found if fault)


def unexpected(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Faults that stand in no list."""
    return [(name, why) for name, why in found if UNDRAWN.get(name, ("\0", 0))[0] not in why]


@pytest.mark.slow
@pytest.mark.parametrize("long", [False, True])
def test_every_sample_of_torch_is_equal_or_listed_with_its_reason(long: bool):
    found = list(faults(lambda name: (name in LONG) == long))
    assert unexpected(found) == []
    counted = Counter(name for name, _ in found)
    assert all(counted[name] <= UNDRAWN[name][1] for name in counted)


def test_the_list_is_short():
    assert sum(count for _, count in UNDRAWN.values()) < 60


@pytest.mark.gate
def test_the_samples_leave_the_switches_of_torch_to_the_tests_that_follow() -> None:
    module_db()
    assert not torch.backends.flags_frozen()
