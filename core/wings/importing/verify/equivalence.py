"""Equivalence of an imported model with its original: sample, another batch, another size, one
step.

Each verdict runs the original and the module built from our source on the same weights and
compares the results bit for bit. Nothing here is estimated.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from core.common.errors import ImportRefused
from core.project.comparison import OutputComparison
from core.source.forward import DRAWN_FOR
from core.wings.importing.draw.frozen import frozen_norms
from core.wings.importing.tracing.computed_weights import detached_deepcopy, newer_names
from core.wings.importing.tracing.lasting_state import kept_in_training
from core.wings.importing.tracing.lazy_layers import as_before
from core.wings.importing.tracing.outputs import tensor_leaves
from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.run_sample import FAILURES
from core.wings.importing.tracing.sample_inputs import (
    SCALES,
    SEED,
    adopt,
    are_large,
    other_lengths,
    other_sizes,
    perturb,
    samples,
)
from core.wings.importing.tracing.torch_compile import calling_uncompiled, uncompiled
from core.wings.importing.tracing.unregistered import unregistered
from core.wings.importing.verify.compare_tensors import (
    dict_difference,
    difference,
    first_line,
    outermost,
)
from core.wings.importing.verify.diagnose import diagnose
from core.wings.importing.verify.omissions import find_omissions
from core.wings.importing.weights import full_state, mapped_state

NAMES = ("the sample", "another batch", "another image size", "one training step")
"""As files have them; the third is called after what the inputs are."""
OURS_FAILS = "ours fails: "
FOR_THE_SAMPLE = "the file was rebuilt for the sizes of its sample"
OnVerdict = Callable[[OutputComparison], None]
"""Receives each verdict when it is reached: each takes long for a large model."""


def ignore_verdict(verdict: OutputComparison) -> None:
    """The default: verdicts are only returned at the end."""


@calling_uncompiled
def verdicts(
    original: nn.Module,
    ours: nn.Module,
    keys: Mapping[str, str],
    shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[str] = (),
    keep: bool = True,
    step: bool = True,
    run: Run | None = None,
    heads: int = 0,
    on_verdict: OnVerdict = ignore_verdict,
) -> list[OutputComparison]:
    """Compare on perturbed weights, so that zero-initialised layers hide nothing.

    keep: perturb a copy, and leave the original as it is. step: compare one training step, too.
    run: how to call the original with a batch, if not original(*batch). heads: how many of our last
    results the original has in training only. on_verdict: called with each verdict as it is
    reached.
    """
    original = uncompiled(original)
    model = detached_deepcopy(original) if keep else original
    perturb(model)
    called = ModelRunner(model, run, heads)
    adopt(ours, mapped_state(full_state(model), keys, ours))
    dtypes = [*dtypes, *["float32"] * (len(shapes) - len(dtypes))]
    result: list[OutputComparison] = []
    for verdict in _each(called, ours, keys, shapes, dtypes, step):
        result.append(verdict)
        on_verdict(verdict)
    return result


def _each(
    called: "ModelRunner",
    ours: nn.Module,
    keys: Mapping[str, str],
    shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[str],
    step: bool,
) -> Iterator[OutputComparison]:
    """The four verdicts, one after the other."""
    sample = _verdict(NAMES[0], lambda: _scales(called, ours, shapes, dtypes))
    causes = (
        []
        if sample.equal is not False
        else find_omissions(called.model, called.run, samples(shapes, dtypes, 2))
    )
    yield replace(sample, note=": ".join([sample.note, " ".join(causes)])) if causes else sample
    yield _verdict(NAMES[1], lambda: _compare(called, ours, samples(shapes, dtypes, 3)))
    another = _verdict(NAMES[2], lambda: _another_size(called, ours, shapes, dtypes))
    another = replace(another, called=other_size_label(shapes, dtypes))
    yield another
    sizes = [other_sizes(shapes)] * bool(another.equal and are_large(shapes)) + [shapes]
    yield _trained_step(called, ours, [samples(s, dtypes, 2) for s in sizes] * step, keys)


def other_size_label(shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> str:
    """The label of the third verdict by kind of input; "" for images, which have that of
    NAMES[2]."""
    other = other_sizes(shapes)
    if other != list(shapes):
        images = any(len(s) == 3 for s, o in zip(shapes, other, strict=True) if s != o)
        return "" if images else "another video size"
    return "another length" if any(other_lengths(shapes, dtypes)) else "another size"


def _trained_step(
    called: "ModelRunner", ours: nn.Module, tries: list[list[Tensor]], keys: Mapping[str, str]
) -> OutputComparison:
    """The verdict on the first inputs that the original can be trained on; untried without any."""
    trained = OutputComparison(NAMES[3], None)
    for inputs in tries:
        trained = _verdict(NAMES[3], lambda batch=inputs: _step(called, ours, batch, keys))
        if trained.equal is not None:
            break
    return trained


def _verdict(name: str, one: Callable[[], str]) -> OutputComparison:
    try:
        difference = one()
    except NotCompared as reason:
        return OutputComparison(name, None, str(reason))
    return OutputComparison(name, not difference, difference)


class ModelRunner:
    """A model, the original or ours, with the way to call it.

    heads: results it has in training only. drawn: it is ours, whose frozen norms keep their
    statistics.
    """

    def __init__(
        self, model: nn.Module, run: Run | None, heads: int = 0, drawn: bool = False
    ) -> None:
        self.model, self.run, self.heads, self.drawn = model, run, heads, drawn

    def __call__(self, *batch: Tensor) -> Any:
        """Call it."""
        return self.run(self.model, *batch) if self.run else self.model(*batch)


class NotCompared(Exception):
    """A comparison without a verdict: the original itself cannot run it."""


class StaticShapeRefusal(NotCompared):
    """A comparison that our source refuses: its Input has a static shape."""


def _compare(original: ModelRunner, ours: nn.Module, inputs: list[Tensor]) -> str:
    original.model.eval()
    ours.eval()
    with torch.no_grad(), as_before(original.model):
        torch.manual_seed(SEED)
        expected = _run(original, inputs)
        if not all(t.isfinite().all() for t in expected if t.is_floating_point()):
            raise NotCompared("the original's result is not finite")
        torch.manual_seed(SEED)
        try:
            got = list(tensor_leaves(ours(*inputs)))
        except FAILURES as error:
            return f"{OURS_FAILS}{first_line(error)}"
    return difference(expected, got[: len(got) - original.heads])


def _scales(
    original: ModelRunner, ours: nn.Module, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]
) -> str:
    """Compare on inputs of usual scale, then of other scales and signs, while results are
    finite."""
    if difference := _compare(original, ours, samples(shapes, dtypes, 2)):
        return difference
    for scale in SCALES:
        with suppress(NotCompared):
            if difference := _compare(original, ours, samples(shapes, dtypes, 1, scale=scale)):
                return f"{difference} on {scale} values"
    return ""


def _run(original: ModelRunner, inputs: list[Tensor]) -> list[Tensor]:
    try:
        return list(tensor_leaves(original(*(t.clone() for t in inputs))))
    except ImportRefused as refused:  # a file whose module is rebuilt for the sizes of the sample
        raise NotCompared(f"{FOR_THE_SAMPLE}: {refused.place} {refused.message}") from refused
    except FAILURES as error:
        raise NotCompared(f"the original also fails: {first_line(error)}") from error


def _another_size(
    original: ModelRunner, ours: nn.Module, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]
) -> str:
    other = other_sizes(shapes)
    if other != list(shapes):
        return _unless_refused(_compare(original, ours, samples(other, dtypes, 2)))
    why = NotCompared("no input is an image or a sequence")
    for other in other_lengths(shapes, dtypes):
        try:
            return _unless_refused(_compare(original, ours, samples(other, dtypes, 2)))
        except StaticShapeRefusal:
            raise
        except NotCompared as reason:
            why = reason
    raise why


def _unless_refused(message: str) -> str:
    if message.endswith(DRAWN_FOR):
        raise StaticShapeRefusal(f"the drawing rejects it: {message.removeprefix(OURS_FAILS)}")
    return message


def _step(
    original: ModelRunner, ours: nn.Module, inputs: list[Tensor], keys: Mapping[str, str]
) -> str:
    """Compare forward and backward in training mode with the same seed: results, gradients,
    buffers."""
    kept = kept_in_training(original.model, inputs, original.run)
    adopt(ours, mapped_state(full_state(original.model), keys, ours))
    newer = {old: new for new, old in newer_names(original.model).items()}
    start = {newer.get(n, n): b.clone() for n, b in original.model.named_buffers()}
    expected, before, buffers = _trained(original, inputs)
    try:
        got, after, ours_kept = _trained(ModelRunner(ours, None, drawn=True), inputs)
    except NotCompared as reason:
        return f"ours fails: {first_line(reason.__cause__ or reason)}"
    if len(got) < len(expected):
        drawn = {keys.get(n, n) for n in after}
        missing = before.keys() - drawn
        heads = ", ".join(outermost(original.model, missing, drawn)) or "more"
        kept = missing <= {keys.get(n, n) for n, _ in ours.named_parameters()}  # but never called
        how = "called" if missing and kept else "drawn"
        return (
            f"{heads}: used in training only and not {how}, unless asked for; in training the "
            f"original gives {len(expected)} results, the drawing {len(got)}"
        )
    message = difference(expected, got)
    message = message or dict_difference(
        "gradients", before, {keys.get(n, n): t for n, t in after.items()}
    )
    ours_kept = {keys.get(n, n): t for n, t in ours_kept.items()}
    buffers |= {n: t for n, t in unregistered(original.model).items() if n in ours_kept}
    buffers = {n: t for n, t in buffers.items() if n in ours_kept or not torch.equal(t, start[n])}
    message = message or dict_difference("buffers", buffers, ours_kept)
    if not message:
        return kept
    why = diagnose(original.model, original.run, inputs) if message else ""
    without = _without_gradients(original.model, before.keys(), {keys.get(n, n) for n in after})
    causes = " ".join(part for part in (kept, without, why) if part)
    return f"{message}: {causes}" if causes else message


def _without_gradients(model: nn.Module, had: Set[str], ours: Set[str]) -> str:
    """What learns in the drawing only, such as a backbone that is called under torch.no_grad."""
    missing = {name for name, _ in model.named_parameters()} & (ours - had)
    parts = ", ".join(outermost(model, missing, had) or sorted(missing))
    return (
        f"The original computes {parts} without gradients (torch.no_grad, detach or requires_grad_ "
        "in forward): freeze these blocks of the drawing before it is trained, or set "
        "requires_grad_(False) before the import."
        if missing
        else ""
    )


Trained = tuple[list[Tensor], dict[str, Tensor], dict[str, Tensor]]
"""Results, gradients and buffers after a step."""


def _trained(one: ModelRunner, inputs: list[Tensor]) -> Trained:
    one.model.train()  # the last verdict: nobody needs it as it was
    for norm in frozen_norms(one.model) if one.drawn else ():
        norm.eval()
    torch.manual_seed(SEED)
    results = _run(one, inputs)
    total = sum((t.float().mean() for t in results if t.requires_grad), torch.zeros(()))
    if not total.requires_grad:
        raise NotCompared("it has no trainable parameters")
    try:
        total.backward()
    except FAILURES as error:
        raise NotCompared(
            f"the original also fails, in its backward pass: {first_line(error)}"
        ) from error
    newer = {old: new for new, old in newer_names(one.model).items()}
    gradients = {
        newer.get(n, n): p.grad for n, p in one.model.named_parameters() if p.grad is not None
    }
    buffers = {newer.get(n, n): b for n, b in one.model.named_buffers()}
    return [t.detach() for t in results], gradients, buffers
