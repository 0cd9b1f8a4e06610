"""Preparation before tracing: wrap a bare layer in a module, initialise lazy layers."""

import inspect
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.lazy import LazyModuleMixin

from blocks import CATALOGUE
from core.common.errors import ImportRefused
from core.graph.names import camel_case, default_base
from core.wings.importing.error_messages import error_text, for_one_sample
from core.wings.importing.tracing.lazy_layers import has_lazy_layers, leave_out_lazy, made_by_call
from core.wings.importing.tracing.leaf_modules import CUSTOM_LEAVES, leaf_block
from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.run_sample import FAILURES, meta_copy
from core.wings.importing.tracing.sample_inputs import samples
from core.wings.importing.tracing.trace_ir import Trace


def model_name(module: nn.Module, wanted: str = "") -> str:
    """The project's name: the model's class, but for classes of torch itself, such as
    Sequential, the wanted name if it is an identifier, else Net."""
    if not type(module).__module__.startswith("torch.nn"):
        return camel_case(type(module).__name__)
    return camel_case(wanted) if wanted.isidentifier() else "Net"


def wrap_bare_layer(module: nn.Module) -> tuple[nn.Module, str]:
    """A module that calls a bare layer, and the layer's path in it; any other module is returned
    as it is, with an empty path."""
    block_name = leaf_block(module).removeprefix("nn.")
    own = CUSTOM_LEAVES.get(type(module))
    if not block_name and own is None:
        return module, ""
    block = own or CATALOGUE[block_name]
    name = f"{default_base(block.name, block.family)}1"

    class Alone(nn.Module):
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return self.get_submodule(name)(*args, **kwargs)

    Alone.forward.__signature__ = inspect.signature(type(module).forward)  # type: ignore[attr-defined]
    outer = Alone()
    outer.add_module(name, module)
    outer.training = module.training
    return outer, name


def initialise_lazy(
    module: nn.Module,
    shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[str],
    run: Run | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Initialise lazy layers by a forward pass, in place; returns their paths, and those of layers
    that the run never calls, which are left out.

    Raises ImportRefused if the model cannot run on these shapes.
    """
    lazy = [n for n, part in module.named_modules() if isinstance(part, LazyModuleMixin)]
    if not has_lazy_layers(module):
        return (), ()
    _run_once(module, samples(shapes, dtypes, 2), run)
    left = leave_out_lazy(module)
    return tuple(name for name in lazy if name not in left), left


def make_by_first_call(
    module: nn.Module, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], run: Run | None
) -> tuple[str, ...]:
    """Let a model make the layers, weights and buffers that it makes in its first call, in place;
    returns their paths. Raises ImportRefused if the model cannot run on these shapes."""

    with suppress(*FAILURES), torch.random.fork_rng(devices=[]):
        copied, inputs = meta_copy(module), samples(shapes, dtypes, 2, "meta")
        if made_by_call(copied, lambda one: _tried(one, inputs, run)):
            inputs = samples(shapes, dtypes, 2)
            return made_by_call(module, lambda one: _run_once(one, inputs, run))
    return ()


def _tried(module: nn.Module, inputs: Sequence[Tensor], run: Run | None) -> None:
    with suppress(*FAILURES):  # it may read values; what it made up to there is there
        _run_once(module, inputs, run)


def _run_once(module: nn.Module, inputs: Sequence[Tensor], run: Run | None) -> None:
    was_training = module.training
    try:
        with torch.no_grad():
            module.eval()
            _ = run(module, *inputs) if run else module(*inputs)
    except (Exception, SystemExit) as error:  # the user's own code may end in anything
        sizes = ", ".join(str(tuple(tensor.shape[1:])) for tensor in inputs)
        kind = type(module).__name__
        raise ImportRefused(kind, f"cannot be run on {sizes}: {error_text(error)}") from error
    finally:
        module.train(was_training)


def refuse_foreign_rng(trace: Trace, name: str) -> None:
    """Refuse a trace that drew random numbers from Python or numpy: the drawing would fix them.

    Raises ImportRefused.
    """
    if trace.foreign_rng:
        raise for_one_sample(
            name,
            "draws random numbers with Python's random or numpy.random in forward: a drawing "
            "would keep those of one run.",
            "Draw them with torch, such as torch.rand",
        )
