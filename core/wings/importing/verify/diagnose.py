"""Explain a training step that differs: what the model does otherwise in training, by source line.

A drawing is the eval trace. Its layers know both modes; a statement of the model that depends on
the mode, or has a custom backward (torch.autograd.Function), is drawn as it ran.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn.modules.batchnorm import _NormBase  # pyright: ignore[reportPrivateUsage]
from torch.nn.modules.dropout import _DropoutNd  # pyright: ignore[reportPrivateUsage]

from core.common.errors import ImportRefused
from core.wings.importing.draw.frozen import frozen_norms
from core.wings.importing.lower.train_eval import merge_modes
from core.wings.importing.matching.match import function_block
from core.wings.importing.tracing.arguments import refs_in
from core.wings.importing.tracing.computed_weights import (
    computed_names,
    drawn_way,
    layers_with_computed_weights,
    older_ways,
)
from core.wings.importing.tracing.leaf_modules import leaf_block
from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.run_sample import trace_model
from core.wings.importing.tracing.trace_ir import Ref, Step, Trace
from core.wings.importing.tracing.user_frame import is_library_file, user_line
from core.wings.importing.verify.omissions import find_omissions

MOST = 3
"""Causes of one kind that are named; those after them often follow from them."""
OWN_NUMBERS = "Its random numbers do not come from torch: use torch, such as torch.rand."
PARTLY = "A drawing freezes whole blocks: freeze all of it, or train all of it."
STATISTICS = "A frozen block keeps them: leave the norm in evaluation mode, or train it."
KEPT = "Freeze the same blocks of the drawing before it is trained."
IN_TRAINING = "A drawing does the same in both modes: train the original, or use a layer of torch."
AS_IT_IS = (
    "A drawing holds such a weight, or what a norm of it measured, as it was: train the original, "
    "then import it again."
)
NEWER = (
    "It is drawn as the one of torch.nn.utils.parametrizations, which measures the same in "
    "evaluation; in training it moves its two vectors in the other order."
)
GRADIENTS = "The drawing is the run without gradients: let self.training decide."
BACKWARD = (
    "The drawing has torch's gradient instead: train the original, or write it without a Function, "
    "such as x + (y - x).detach() for y with the gradient of x."
)


def diagnose(model: nn.Module, run: Run | None, inputs: Sequence[Tensor]) -> str:
    """The causes with their remedies, "" if none is found. The model is in training mode."""
    shapes = [tuple(t.shape[1:]) for t in inputs]
    dtypes = [str(t.dtype).removeprefix("torch.") for t in inputs]
    try:
        with _custom_backwards() as own, _grad_mode_checks() as grad_checks:
            usual, again, trained = (
                trace_model(model, shapes, dtypes, run, mode) for mode in (False, False, True)
            )
    except ImportRefused as refused:
        return f"In training, {refused.place} {refused.message} {refused.hint}".strip()
    if changing := [f"{sentence} the next time" for sentence in _changed_arguments(usual, again)]:
        return _sentence(changing, OWN_NUMBERS)
    changes = list(_mode_differences(usual, trained))
    drawn = usual.batch == trained.batch and not merge_modes(usual, trained)
    sentences = [
        _sentence(list(_computed(model)), AS_IT_IS),
        _sentence(list(_older_spectral(model)), NEWER),
        _sentence(list(_kept_in_eval(model)), KEPT),
        _sentence(list(_partly_frozen(model)), PARTLY),
        _sentence(list(_changing_statistics(model)), STATISTICS),
        _sentence(list(grad_checks), GRADIENTS),
        _sentence(list(own.values()), BACKWARD),
        *find_omissions(model, run, inputs),
    ]
    if not drawn or not any(sentences):  # what the drawing has of both modes is no cause
        sentences.insert(-1, _sentence(changes, IN_TRAINING))
    return " ".join(sentence for sentence in sentences if sentence)


def _computed(model: nn.Module) -> Iterator[str]:
    """Weights that layers compute before each call."""
    for path, layer in layers_with_computed_weights(model):
        if drawn_way(layer) or older_ways(layer):
            continue
        for name, way in computed_names(layer).items():
            yield f"{path or type(model).__name__} computes its {name} ({way})"


def _older_spectral(model: nn.Module) -> Iterator[str]:
    """Spectral norms in torch's older form, which come in as the newer one."""
    for path, layer in layers_with_computed_weights(model):
        if "SpectralNorm" in computed_names(layer).values() and older_ways(layer):
            yield f"{path or type(model).__name__} has the older torch.nn.utils.spectral_norm"


def _sentence(causes: list[str], remedy: str) -> str:
    return f"{'; '.join(causes[:MOST])}. {remedy}" if causes else ""


@contextmanager
def _custom_backwards() -> Iterator[dict[type, str]]:
    """Record calls of torch.autograd.Function inside the context."""
    lines: dict[type, str] = {}
    before = Function.__dict__["apply"]

    def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
        if not cls.__module__.startswith("torch."):
            lines.setdefault(cls, f"{cls.__name__}{user_line()} has a custom backward")
        return before.__get__(None, cls)(*args, **kwargs)

    Function.apply = classmethod(apply)  # type: ignore[assignment]
    try:
        yield lines
    finally:
        Function.apply = before


@contextmanager
def _grad_mode_checks() -> Iterator[dict[str, None]]:
    """Record the model's own calls of torch.is_grad_enabled inside the context."""
    lines: dict[str, None] = {}
    before = torch.is_grad_enabled

    def asks() -> bool:
        if not is_library_file(sys._getframe(1).f_code.co_filename):
            lines[f"torch.is_grad_enabled(){user_line()} decides"] = None
        return before()

    torch.is_grad_enabled = asks
    try:
        yield lines
    finally:
        torch.is_grad_enabled = before


def _kept_in_eval(model: nn.Module) -> Iterator[str]:
    """Layers that the model's own train() leaves in eval mode."""
    parts = model.named_modules()
    names = [n for n, m in parts if isinstance(m, _NormBase | _DropoutNd) and not m.training]
    if names:
        more = f" and {len(names) - 1} more stay" if len(names) > 1 else " stays"
        yield f"{names[0]}{more} in evaluation mode when the model is trained"


def _partly_frozen(model: nn.Module) -> Iterator[str]:
    """Layers of which some parameters learn and some do not."""
    for name, part in model.named_modules():
        learned = {p.requires_grad for p in part.parameters()} if leaf_block(part) else set[bool]()
        if len(learned) == 2:
            yield f"{name} is frozen in part"


def _changing_statistics(model: nn.Module) -> Iterator[str]:
    """Frozen norms whose running statistics still change."""
    names = {id(part): name for name, part in model.named_modules()}
    held = [names[id(norm)] for norm in frozen_norms(model) if norm.training]
    if held:
        more = f" and {len(held) - 1} more" if len(held) > 1 else ""
        yield f"the running statistics of {held[0]}{more} change, though frozen"


def _mode_differences(usual: Trace, trained: Trace) -> Iterator[str]:
    """Statements that training adds, leaves out, or runs with other arguments."""
    yield from (f"in training only, {difference}" for difference in _only_in_one(trained, usual))
    yield from (f"in evaluation only, {difference}" for difference in _only_in_one(usual, trained))
    yield from (f"{difference} in training" for difference in _changed_arguments(usual, trained))


def _only_in_one(one: Trace, other: Trace) -> list[str]:
    """Calls of one trace that are missing in the other, by source line."""
    known = {_statement(step) for step in other.root.steps()}
    lines: dict[str, dict[str, None]] = {}
    for step in one.root.steps():
        if _statement(step) not in known:
            lines.setdefault(step.place, {})[step.path or step.name.strip("_")] = None
    return [f"{', '.join(names)} in {location}" for location, names in lines.items()]


def _statement(step: Step) -> tuple[str, str]:
    return step.name, step.path or step.place


def _changed_arguments(one: Trace, other: Trace) -> list[str]:
    """Statements of both traces whose arguments differ."""
    steps, others = list(one.root.steps()), list(other.root.steps())
    alike = [_statement(s) for s in steps] == [_statement(s) for s in others]
    result: list[str] = []
    for step in steps:
        twin = next((s for s in others if _statement(s) == _statement(step)), None)
        if twin is None:
            continue
        others.remove(twin)
        arguments, other_arguments = _given(step), _given(twin)
        if changed := [
            f"{n}={other_arguments[n]}"
            for n in other_arguments
            if other_arguments[n] != arguments.get(n)
        ]:
            result.append(f"{step.label} has {', '.join(changed)}")
        elif alike and _read(step) != _read(twin):
            result.append(f"{step.label} takes other values")
    return result


def _read(step: Step) -> list[Any]:
    return list(refs_in((step.args, step.kwargs)))


def _given(step: Step) -> dict[str, str]:
    """The plain arguments of a call, without those that have no effect on its block."""
    block = function_block(step.name)
    needless = set[str]() if block and block.setting("training") else {"training", "inplace"}
    named = {**{f"argument {i}": a for i, a in enumerate(step.args, 1)}, **step.kwargs}
    return {n: repr(a) for n, a in named.items() if n not in needless and _is_plain(a)}


def _is_plain(argument: Any) -> bool:
    if isinstance(argument, tuple) and not isinstance(argument, Ref):
        return all(_is_plain(item) for item in argument)
    return argument is None or isinstance(argument, bool | int | float | str | slice | torch.dtype)
