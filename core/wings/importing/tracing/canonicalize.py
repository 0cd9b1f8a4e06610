"""Canonical calls: casts, device moves and tensor factories rewritten as the catalogue's blocks.

A factory call (zeros, arange) has no tensor input, but its block needs a wire for the device: it
takes the tensor that the trace made last.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

import torch
from torch import nn

from core.common.device import CPU
from core.wings.importing.tracing.trace_ir import Ref, Step, Trace, TraceScope

Call = tuple[str, tuple[Any, ...], dict[str, Any]]
PLACEMENT_ARGUMENTS = (
    "device",
    "pin_memory",
    "layout",
    "non_blocking",
    "memory_format",
    "copy",
    "requires_grad",
    "out",
)
"""Arguments that change no value."""
CASTS = frozenset(
    "to type type_as float double half bfloat16 long int short char bool byte".split()
)
FACTORIES = frozenset(
    """arange linspace zeros ones full empty eye tensor as_tensor scalar_tensor tril_indices
    triu_indices""".split()
)
"""Functions that make a tensor out of nothing."""
LOGIC = {
    "__and__": "logical_and",
    "__or__": "logical_or",
    "__xor__": "logical_xor",
    "__invert__": "logical_not",
    "bitwise_not": "logical_not",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
}
"""What operators on masks are called."""
DROPOUTS: dict[int, Any] = {2: nn.Dropout, 3: nn.Dropout1d, 4: nn.Dropout2d}
"""By the rank of what they drop from."""
WHOLE_CHANNELS = {"dropout2d": 4, "dropout3d": 5}
"""The ranks that they are made for."""
MAX_LITERAL = 4096
"""Numbers of the longest constant that is written into the source."""


NEUTRAL = {
    "mul": 1,
    "rmul": 1,
    "multiply": 1,
    "truediv": 1,
    "div": 1,
    "divide": 1,
    "true_divide": 1,
    "sub": 0,
    "subtract": 0,
    "add": 0,
    "radd": 0,
}
"""Arithmetic that leaves every number as it is, and the number that does so.

Adding 0 takes the sign off a zero, so 0.0 is kept; with the integer, Python's own sum begins.
"""


def is_identity_call(name: str, args: Any, kwargs: Mapping[str, Any], result: Any) -> bool:
    """Whether a call returns its input bit for bit: x * 1.0, x.to(x.dtype)."""
    if kwargs or len(args) != 2 or not isinstance(args[0], torch.Tensor):
        return False
    number = NEUTRAL.get(name.strip("_")) if not name.endswith("_") or name[:1] == "_" else None
    kinds = (int,) if name.strip("_") in ("add", "radd") else (int, float)
    plain = type(args[1]) in kinds and number is not None
    same = isinstance(result, torch.Tensor) and result.dtype == args[0].dtype
    return plain and same and args[1] == number


def canonical_call(
    name: str, args: Any, kwargs: Mapping[str, Any], result: Any, near: Ref | None
) -> Call:
    """Rewrite one call in the catalogue's form. near: a tensor on the same device."""
    keywords = {k: v for k, v in kwargs.items() if k not in PLACEMENT_ARGUMENTS}
    if name in CASTS and args and isinstance(args[0], Ref) and isinstance(result, torch.Tensor):
        return "to", args[:1], {"dtype": result.dtype}
    if name == "tensor_split" and (cuts := keywords.keys() & {"indices", "sections"}):
        keywords["indices_or_sections"] = keywords.pop(next(iter(cuts)))
    if name in LOGIC and isinstance(result, torch.Tensor) and result.dtype == torch.bool:
        return LOGIC[name], args, {}
    if name.endswith("_with_indices"):
        return name.removesuffix("_with_indices"), args, {**keywords, "return_indices": True}
    if name == "new_tensor":
        return constant(concrete_values(args[1], result), args[0])
    if name == "unique" and keywords.get("sorted"):
        del keywords["sorted"]  # what it does by itself
    if keywords.get("compute_mode") == "use_mm_for_euclid_dist_if_necessary":
        del keywords["compute_mode"]  # what cdist does by itself
    if name == "nonzero":
        keywords.pop("as_tuple", None)  # one form of the call stands for both
    if name == "where" and len(args) == 1:
        return "nonzero", args, {}
    if name == "copy_":
        return "expand_as", (args[1], args[0]), {}
    if name == "fill_":
        return "full_like", (args[0], args[1]), {}
    if name == "roi_align":
        return name, args[:2], roi_settings(args)
    if name == "unfold" and "dilation" in keywords:
        return "Unfold", args, keywords  # of patches, where the method of tensors has three numbers
    if name == "meshgrid":
        return name, (args if isinstance(args[0], Ref) else args[0],), keywords
    if name not in FACTORIES or near is None:
        return name, tuple(args), keywords
    return factory_call(name, args, keywords, result, near)


def factory_call(
    name: str, args: Any, kwargs: dict[str, Any], result: torch.Tensor, near: Ref
) -> Call:
    """Rewrite a call that makes a tensor without a tensor input."""
    if name in ("tensor", "as_tensor", "scalar_tensor"):
        data = args[0] if args else kwargs["data"]
        if isinstance(data, Ref):
            return "to", (data,), {"dtype": result.dtype}
        return constant(concrete_values(data, result), near)
    if name in ("eye", "tril_indices", "triu_indices"):
        return constant(getattr(torch, name)(*args, **{**kwargs, "dtype": result.dtype}), near)
    if name in ("arange", "linspace"):
        words = ("start", "end", "step" if name == "arange" else "steps")
        named = (
            dict(
                zip(words[1:] if name == "arange" and len(args) == 1 else words, args, strict=False)
            )
            | kwargs
        )
        if name == "arange" and any(isinstance(n, float) for n in named.values()):
            return _float_arange(named, result, near)
        return name, (near,), named
    value = kwargs.pop("fill_value", None)
    sizes = kwargs.pop("size", None) or args[: len(args) - (name == "full" and value is None)]
    if name == "full" and value is None:
        value = args[-1]
    nested = len(sizes) == 1 and isinstance(sizes[0], tuple)
    size = tuple(sizes[0]) if nested else tuple(sizes)
    dtype = {"dtype": result.dtype}
    if name == "full":
        return "new_full", (near, size, value), dtype
    return f"new_{name.replace('empty', 'zeros')}", (near, size), dtype


def _float_arange(arguments: dict[str, Any], result: torch.Tensor, near: Ref) -> Call:
    """An arange of floats: of integers and a dtype where all bounds are whole, else a literal
    tensor."""
    whole = {
        k: int(v) if isinstance(v, float) and v.is_integer() else v for k, v in arguments.items()
    }
    if not any(isinstance(n, float) for n in whole.values()):
        return "arange", (near,), {**whole, "dtype": result.dtype}
    made_of = {k: v for k, v in arguments.items() if k != "dtype"}
    numbers_in = torch.arange(*made_of.values(), dtype=result.dtype, device=CPU)
    return constant(numbers_in, near)


def roi_settings(args: Any) -> dict[str, Any]:
    """The positional arguments of torchvision's roi_align operator by name."""
    scale, height, width, ratio, aligned = args[2:]
    return {
        "output_size": (height, width),
        "spatial_scale": scale,
        "sampling_ratio": ratio,
        "aligned": aligned,
    }


def concrete_values(data: Any, tensor: torch.Tensor) -> torch.Tensor:
    """The values a tensor was constructed from, for one on the meta device, which has none
    itself."""
    return torch.tensor(data, dtype=tensor.dtype) if tensor.is_meta else tensor


def constant(tensor: torch.Tensor, near: Ref) -> Call:
    """The call of a tensor with literal values."""
    return "tensor", (near,), {"data": literal_text(tensor), "dtype": tensor.dtype}


def literal_text(tensor: torch.Tensor) -> str:
    """The values of a small tensor as exact Python lists; "" if it is too large, complex or on
    meta."""
    if tensor.is_meta or tensor.numel() > MAX_LITERAL or tensor.is_complex():
        return ""
    return repr(_shortest_floats(tensor.detach().tolist(), tensor.dtype))


def _shortest_floats(nested: Any, dtype: torch.dtype) -> Any:
    """Shorten every float to the fewest digits that its dtype round-trips."""
    if isinstance(nested, list):
        return [_shortest_floats(item, dtype) for item in cast(list[Any], nested)]
    if not isinstance(nested, float):
        return nested
    exact = torch.tensor(nested, dtype=dtype)
    texts = (float(f"{nested:.{digits}g}") for digits in range(1, 17))
    return next((f for f in texts if torch.equal(torch.tensor(f, dtype=dtype), exact)), nested)


def canonicalize(trace: Trace) -> None:
    """Rewrite the steps of a trace in place."""
    root = trace.root.module
    modules = dict(root.named_modules()) if root is not None else {}
    for scope in (trace.root, *trace.root.scopes()):
        for item in scope.items:
            if isinstance(item, Step) and item.name == "linear" and item.module is None:
                _as_linear_layer(item, scope, trace.attributes, modules)
        for dropout in [i for i in scope.items if _is_dropout(i)]:
            _as_stochastic_depth(scope, dropout)
        for item in scope.items:
            if isinstance(item, Step) and item.reads:
                _as_dropout_of_rank(item, len(trace.shapes[item.reads[0]]))


def _as_dropout_of_rank(step: Step, rank: int) -> None:
    """Turn a dropout of whole channels into that of its input's rank, where torch only warns: on
    (N, C) Dropout2d drops single numbers, as Dropout does."""
    own = WHOLE_CHANNELS.get(step.name.lower(), 0)
    if not own or rank >= own or rank not in DROPOUTS or step.module is None:
        return
    kind = DROPOUTS[rank]
    step.name, step.module = kind.__name__, kind(step.module.p)


def _as_linear_layer(
    step: Step, scope: TraceScope, attributes: Mapping[int, str], modules: Mapping[str, nn.Module]
) -> None:
    """Turn F.linear with the weights of an nn.Linear inside the scope into a call of that layer."""
    arguments = {**dict(zip(("input", "weight", "bias"), step.args, strict=False)), **step.kwargs}
    weight, bias = arguments.get("weight"), arguments.get("bias")
    path = attributes.get(weight.value, "") if isinstance(weight, Ref) else ""
    layer = modules.get(path.removesuffix(".weight"))
    if type(layer) is not nn.Linear or not isinstance(arguments.get("input"), Ref):
        return
    path = path.removesuffix(".weight")
    bias_path = attributes.get(bias.value, "") if isinstance(bias, Ref) else None
    own = f"{path}.bias" if layer.bias is not None else None
    if bias_path == own and path.startswith(f"{scope.path}." if scope.path else ""):
        step.name, step.path, step.module = "Linear", path, layer
        step.args, step.kwargs = (arguments["input"],), {}


def _is_dropout(item: Any) -> bool:
    return isinstance(item, Step) and type(item.module) is nn.Dropout3d


def _as_stochastic_depth(scope: TraceScope, dropout: Any) -> None:
    """Turn unsqueeze, Dropout3d, squeeze, which drops whole samples, into StochasticDepth."""
    index = next(i for i, item in enumerate(scope.items) if item is dropout)
    before, after = scope.items[max(index - 2, 0) : index], scope.items[index + 1 : index + 2]
    near = [*before[-1:], *after]
    if len(near) < 2 or not all(isinstance(i, Step) for i in near):
        return
    steps = [i for i in (*before, *after) if isinstance(i, Step)]
    if not _on_first(steps[-2], "unsqueeze"):
        return
    if _on_first(steps[-1], "squeeze"):
        _replace(scope, [steps[-2], dropout, steps[-1]])
    elif steps[-1].name == "view_as" and len(steps) == 3 and _flattens(steps[0], steps[-1]):
        _replace(scope, [steps[0], steps[1], dropout, steps[-1]])


def _on_first(step: Step, name: str) -> bool:
    dims = [*step.args[1:], *step.kwargs.values()]
    return step.name == name and dims == [0]


def _flattens(step: Step, last: Step) -> bool:
    dims = [*step.args[1:], *step.kwargs.values()]
    return step.name == "flatten" and dims == [3] and last.args[1] == step.args[0]


def _replace(scope: TraceScope, steps: list[Any]) -> None:
    made = [v for step in steps[:-1] for v in step.makes]
    inside = {id(step) for step in steps}
    others = [i for i in scope.items if id(i) not in inside]
    read = {
        v
        for i in others
        for s in (i.steps() if isinstance(i, TraceScope) else [i])
        for v in s.reads
    }
    dropout = next(step for step in steps if step.module is not None)
    linked = all(b.reads[0] == a.makes[0] for a, b in pairwise(steps))
    if not linked or read & set(made):
        return
    from torchvision.ops import StochasticDepth  # the layer that this is in torchvision

    step = Step(
        "StochasticDepth",
        dropout.path,
        StochasticDepth(dropout.module.p, "row"),
        (steps[0].args[0],),
        {},
        dropout.place,
        steps[-1].outputs,
        steps[-1].result,
    )
    index = scope.items.index(steps[0])
    scope.items = [i for i in scope.items if id(i) not in inside]
    scope.items.insert(index, step)
