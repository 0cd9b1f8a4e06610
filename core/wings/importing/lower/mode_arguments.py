"""Functions with a mode argument (dropout, norms, attention) as one call for eval and training.

The same call in both traces becomes a layer, or gets arguments that depend on self.training.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm  # pyright: ignore[reportPrivateUsage]

from core.wings.importing.tracing.trace_ir import Ref, Step, Trace

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
"""Of a call: by position, by name."""
Pair = tuple[Arguments, Arguments] | None
"""What a call of both modes is given: with the tensors of the one run, and of the other."""
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def mode_arguments(usual: Step, trained: Step, trace: Trace, counted: set[str]) -> Pair:
    """Arguments with which a call does the same in both modes; None for a call without a mode.

    counted: paths of norms that count batches in training. The call may become a layer.
    """
    if usual.module is not None:
        return None
    if usual.name in DROPOUTS:
        return _dropout(usual, trained)
    if usual.name == "batch_norm":
        return _batch_norm(usual, trained, trace, counted)
    if usual.name == "instance_norm":
        return _by_mode(usual, trained, INSTANCE_NORM, "use_input_stats", True)
    if usual.name == "scaled_dot_product_attention":
        return _attention(usual, trained)
    return None


def arguments_by_name(step: Step, words: tuple[str, ...]) -> dict[str, Any]:
    """All arguments of a call by name."""
    return {**dict(zip(words, step.args, strict=False)), **step.kwargs}


def _probability(step: Step, default: bool) -> tuple[Any, bool]:
    """The probability of a dropout, and whether it is in training mode."""
    arguments = arguments_by_name(step, ("input", "p", "training", "inplace"))
    return arguments.get("p", 0.5), bool(arguments.get("training", arguments.get("train", default)))


def _as_layer(default: bool) -> Callable[[Step], Arguments]:
    def arguments(step: Step) -> Arguments:
        return (Ref(step.reads[0]),), {"p": _probability(step, default)[0]}

    return arguments


DROPOUTS: dict[str, Callable[[Step], Arguments]] = {
    **dict.fromkeys(("dropout", "dropout1d", "dropout2d", "dropout3d"), _as_layer(True)),
    **dict.fromkeys(("alpha_dropout", "feature_alpha_dropout"), _as_layer(False)),
}
"""Functions that drop values, each with the arguments of the layer that it is in training."""


def _dropout(usual: Step, trained: Step) -> Pair:
    default = "alpha" not in usual.name
    (p, drops), (p_trained, drops_then) = (_probability(s, default) for s in (usual, trained))
    if drops and p:
        return None  # in both modes: no layer does that
    arguments = DROPOUTS[usual.name](trained)
    if not drops_then or not p_trained:
        usual.name, arguments = "alias", (arguments[0], {})
    return ((Ref(usual.reads[0]),), arguments[1]), arguments


BATCH_NORM = (
    "input",
    "running_mean",
    "running_var",
    "weight",
    "bias",
    "training",
    "momentum",
    "eps",
)
INSTANCE_NORM = (*BATCH_NORM[:5], "use_input_stats", *BATCH_NORM[6:])


def _batch_norm(usual: Step, trained: Step, trace: Trace, counted: set[str]) -> Pair:
    one, other = arguments_by_name(usual, BATCH_NORM), arguments_by_name(trained, BATCH_NORM)
    if len(usual.args) > len(BATCH_NORM) or one.get("training") or not other.get("training"):
        return None
    layer = _layer_of(one, other, trace, counted)
    if layer is None:
        return _by_mode(usual, trained, BATCH_NORM, "training", False)
    usual.name, usual.path, usual.module = type(layer[1]).__name__, *layer
    return ((one["input"],), {}), ((other["input"],), {})


def _layer_of(
    one: Mapping[str, Any], other: Mapping[str, Any], trace: Trace, counted: set[str]
) -> tuple[str, nn.Module] | None:
    """The norm layer that owns the running statistics and weights of a call, with its path."""
    paths = {n: _path(one.get(n), trace) for n in BATCH_NORM[1:5]}
    home = str(paths["running_mean"]).rpartition(".")[0]
    own: Any = dict(trace.root.module.named_modules()).get(home) if trace.root.module else None
    kind = next((k for k in type(own).__mro__ if k in NORMS), None)
    if kind is None or not isinstance(own, _BatchNorm) or not home or home not in counted:
        return None
    weights = [f"{home}.{n}" if getattr(own, n) is not None else None for n in BATCH_NORM[1:5]]
    usual_momentum = other.get("momentum", 0.1) == (1.0 if own.momentum is None else own.momentum)
    if list(paths.values()) != weights or one.get("eps", 1e-5) != own.eps or not usual_momentum:
        return None
    with torch.device("meta"):
        return home, kind(own.num_features, own.eps, own.momentum, own.affine)


def _path(argument: Any, trace: Trace) -> str | None:
    return trace.attributes.get(argument.value, "") if isinstance(argument, Ref) else None


def _by_mode(usual: Step, trained: Step, words: tuple[str, ...], word: str, default: bool) -> Pair:
    """A flag that is off in eval mode and on in training."""
    one, other = arguments_by_name(usual, words), arguments_by_name(trained, words)
    if one.get(word, default) or not other.get(word, default):
        return None
    mode = {word: True, "training_only": True}
    return ((), {**one, **mode}), ((), {**other, **mode})


ATTENTION = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")


def _attention(usual: Step, trained: Step) -> Pair:
    one, other = arguments_by_name(usual, ATTENTION), arguments_by_name(trained, ATTENTION)
    p = other.get("dropout_p", 0.0)
    if one.get("dropout_p", 0.0) or not p:
        return None
    mode = {"dropout_p": p, "training_only": True}
    return ((), {**one, **mode}), ((), {**other, **mode})
