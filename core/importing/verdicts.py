"""Four verdicts on an imported model: the sample, another batch, another image size, one step.

Each runs the original and the module built from our source on the same weights and compares the
results bit for bit. Nothing here is estimated.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from core.importing.record import Run
from core.importing.weights import carried, everything


@dataclass(frozen=True)
class Verdict:
    """name: what was tried. equal: bit for bit. note: how it differs, or why it was not tried."""

    name: str
    equal: bool | None
    note: str = ""


def verdicts(
    original: nn.Module, ours: nn.Module, keys: Mapping[str, str],
    shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str] = (), keep: bool = True,
    step: bool = True, run: Run | None = None,
) -> list[Verdict]:  # fmt: skip
    """Compare on perturbed weights, so that zero heads hide nothing.

    keep: perturb a copy, and leave the original as it is. step: try one training step, too.
    run: how to call the original with a batch, where that is not original(*batch).
    """
    model = copy.deepcopy(original) if keep else original
    perturb(model)
    called = Called(model, run)
    ours.load_state_dict(carried(everything(model), keys, ours))
    dtypes = [*dtypes, *["float32"] * (len(shapes) - len(dtypes))]
    tries: list[tuple[str, Callable[[], str]]] = [
        ("the sample", lambda: _compare(called, ours, samples(shapes, dtypes, 2))),
        ("another batch", lambda: _compare(called, ours, samples(shapes, dtypes, 3))),
        ("another image size", lambda: _another_size(called, ours, shapes, dtypes)),
        ("one training step", lambda: _step(called, ours, samples(shapes, dtypes, 2), keys)),
    ]
    return [_verdict(name, one) for name, one in tries[: 4 if step else 3]] + (
        [] if step else [Verdict(tries[3][0], None, "")]
    )


def _verdict(name: str, one: Callable[[], str]) -> Verdict:
    try:
        difference = one()
    except NotTried as reason:
        return Verdict(name, None, str(reason))
    return Verdict(name, not difference, difference)


class Called:
    """The original with the way to call it."""

    def __init__(self, model: nn.Module, run: Run | None) -> None:
        self.model, self.run = model, run

    def __call__(self, *batch: Tensor) -> Any:
        """Call it."""
        return self.run(self.model, *batch) if self.run else self.model(*batch)


class NotTried(Exception):
    """A comparison that says nothing: the original itself cannot do it."""


def perturb(module: nn.Module, seed: int = 0) -> None:
    """Move every floating parameter and buffer a little, reproducibly."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=random) * 0.02)
        for buffer in module.buffers():
            if buffer.is_floating_point():
                buffer.add_(torch.rand(buffer.shape, generator=random) * 0.1)


def samples(
    shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], batch: int, device: str = "cpu"
) -> list[Tensor]:
    """Inputs of the given shapes: values in [0, 1), small integers."""
    random = torch.Generator().manual_seed(batch)
    found: list[Tensor] = []
    for shape, name in zip(shapes, dtypes, strict=True):
        dtype, size = getattr(torch, name), (batch, *shape)
        if device == "meta":
            found.append(torch.empty(size, dtype=dtype, device=device))
        elif dtype.is_floating_point:
            found.append(torch.rand(size, generator=random).to(dtype))
        else:
            found.append(torch.randint(0, 2, size, generator=random).to(dtype))
    return found


def _compare(original: Called, ours: nn.Module, inputs: list[Tensor]) -> str:
    original.model.eval()
    ours.eval()
    with torch.no_grad():
        expected = _run(original, inputs)
        if not all(t.isfinite().all() for t in expected if t.is_floating_point()):
            raise NotTried("the original's result is not finite")
        try:
            got = list(tensors(ours(*inputs)))
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            return f"ours fails: {first_line(error)}"
    return difference(expected, got)


def _run(original: Called, inputs: list[Tensor]) -> list[Tensor]:
    try:
        return list(tensors(original(*(t.clone() for t in inputs))))
    except (RuntimeError, ValueError, TypeError, IndexError, AssertionError) as error:
        raise NotTried(f"the original fails, too: {first_line(error)}") from error


def _another_size(
    original: Called, ours: nn.Module, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]
) -> str:
    if not any(len(shape) == 3 for shape in shapes):
        raise NotTried("no input is an image")
    other = [(s[0], s[1] + 32, s[2] + 64) if len(s) == 3 else s for s in shapes]
    return _compare(original, ours, samples(other, dtypes, 2))


def _step(original: Called, ours: nn.Module, inputs: list[Tensor], keys: Mapping[str, str]) -> str:
    """Forward and backward in training mode with the same seed: results, gradients, buffers."""
    outcomes: list[tuple[list[Tensor], dict[str, Tensor], dict[str, Tensor]]] = []
    for number, module in enumerate((original.model, ours)):
        module.train()  # the last verdict: nobody needs it as it was
        torch.manual_seed(0)
        if number == 0:
            results = _run(original, inputs)
        else:
            results = list(tensors(module(*(t.clone() for t in inputs))))
        total = sum((t.float().mean() for t in results if t.requires_grad), torch.zeros(()))
        if not total.requires_grad:
            raise NotTried("nothing in it can be trained")
        total.backward()
        gradients = {n: p.grad for n, p in module.named_parameters() if p.grad is not None}
        results = [t.detach() for t in results]
        outcomes.append((results, gradients, dict(module.named_buffers())))
    (expected, before, kept), (got, after, ours_kept) = outcomes
    if len(got) < len(expected):
        drawn = {keys.get(n, n) for n in after}
        heads = ", ".join(_apart(original.model, before.keys() - drawn, drawn)) or "more"
        return (
            f"{heads}: used in training only and not drawn; in training the original gives "
            f"{len(expected)} results, the drawing {len(got)}"
        )
    said = difference(expected, got)
    said = said or _same_set("gradients", before, {keys.get(n, n): t for n, t in after.items()})
    return said or _same_set("buffers", kept, {keys.get(n, n): t for n, t in ours_kept.items()})


def _apart(model: nn.Module, odd: Set[str], drawn: Set[str]) -> list[str]:
    """The outermost modules that own nothing but some odd parameters."""
    found: list[str] = []
    for path, _ in model.named_modules():
        inside = any(path.startswith(f"{other}.") for other in found)
        own = any(n.startswith(f"{path}.") for n in odd)
        if path and own and not inside and not any(n.startswith(f"{path}.") for n in drawn):
            found.append(path)
    return found


def _same_set(what: str, expected: Mapping[str, Tensor], got: Mapping[str, Tensor]) -> str:
    if expected.keys() != got.keys():
        odd = sorted(expected.keys() ^ got.keys())
        return f"{what} of {', '.join(odd[:3])} stand on one side only"
    worst = max(
        (
            float((a - got[n]).abs().max())
            for n, a in expected.items()
            if not torch.equal(a, got[n])
        ),
        default=0.0,
    )
    return f"{what} differ by up to {worst:.1e}" if worst else ""


def difference(expected: list[Tensor], got: list[Tensor]) -> str:
    """Say how two lists of tensors differ, "" if they are equal bit for bit."""
    if len(expected) != len(got):
        return f"{len(got)} results instead of {len(expected)}"
    for number, (a, b) in enumerate(zip(expected, got, strict=True), 1):
        if a.shape != b.shape:
            return f"result {number} is {tuple(b.shape)} instead of {tuple(a.shape)}"
        if not torch.equal(a, b):
            return f"result {number} differs by up to {float((a - b).abs().max()):.1e}"
    return ""


def tensors(found: Any) -> Iterator[Tensor]:
    """All tensors of a nested result, in order."""
    if isinstance(found, Tensor):
        yield found
    elif isinstance(found, Mapping):
        for item in found.values():
            yield from tensors(item)
    elif isinstance(found, (tuple, list)):
        for item in found:
            yield from tensors(item)


def first_line(error: Exception) -> str:
    """The first line of what torch says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
