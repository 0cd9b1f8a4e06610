"""Match a step of a trace with a block: the node it becomes, with settings and wires."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import Tensor, nn

from blocks import CATALOGUE, Block, Setting
from core.common.errors import ImportRefused
from core.source.statement import HOLE, is_default, plain, returns
from core.wings.importing.matching.custom_blocks import constructor_settings
from core.wings.importing.matching.initializers import buffer_init, parameter_init
from core.wings.importing.matching.settings import (
    bound_arguments,
    layer_settings,
    literal_of,
    non_default_settings,
)
from core.wings.importing.tracing.leaf_modules import CUSTOM_LEAVES
from core.wings.importing.tracing.symint import Expression, Size
from core.wings.importing.tracing.trace_ir import Ref, Step, Trace


@dataclass
class MatchedNode:
    """A step as a node. wires: port (tensors.0 in a list) to value. outputs: port to value.

    sizes: port to the expression of sizes wired into it. fixed_sizes: sizes that stay plain
    numbers, described for people, with their expressions.
    """

    block: Block
    settings: dict[str, Any]
    wires: dict[str, int]
    outputs: dict[str, int]
    sizes: dict[str, Expression] = field(default_factory=lambda: {})
    fixed_sizes: dict[str, Expression] = field(default_factory=lambda: {})


def match_attribute(step: Step, trace: Trace) -> MatchedNode:
    """The node of a parameter or buffer that is used without a layer."""
    block, settings = tensor_block(trace.tensors[step.path])
    return MatchedNode(block, settings, {}, {"output": step.makes[0]})


def tensor_block(tensor: Tensor) -> tuple[Block, dict[str, Any]]:
    """The block of a tensor that a module owns, with its settings."""
    settings: dict[str, Any] = {"shape": tuple(tensor.shape)}
    if isinstance(tensor, nn.Parameter):
        block = CATALOGUE["Parameter"]
        settings |= {} if tensor.requires_grad else {"requires_grad": False}
        settings |= parameter_init(tensor)
    else:
        block = CATALOGUE["Buffer"]
        settings["dtype"] = literal_of(tensor.dtype)
        settings |= buffer_init(tensor, settings)
    return block, settings


def match_index(step: Step) -> MatchedNode:
    """The node of __getitem__ or __setitem__, by numbers and slices or by index tensors."""
    key = step.args[1]
    parts = (key,) if isinstance(key, Ref) or not isinstance(key, tuple) else key
    return _by_tensors(step, parts) or _by_text(step, parts)


def _by_tensors(step: Step, parts: tuple[Any, ...]) -> MatchedNode | None:
    """An index of tensors alone; None for any other."""
    source, changes = step.args[0], step.name == "__setitem__"
    whole = next((i for i, part in enumerate(parts) if part != slice(None)), 0)
    numbers = parts[whole:]
    if numbers and all(isinstance(part, Ref) for part in numbers) and not changes:
        wires = {f"indices.{i}": part.value for i, part in enumerate(numbers)}
        wires["input"] = source.value
        settings = {"dim": whole} if whole else {}
        return MatchedNode(CATALOGUE["index"], settings, wires, {"output": step.makes[0]})
    if parts and all(isinstance(part, Ref) for part in parts) and isinstance(step.args[2], Ref):
        wires = {f"indices.{i}": part.value for i, part in enumerate(parts)}
        wires |= {"input": source.value, "value": step.args[2].value}
        return MatchedNode(CATALOGUE["index_put"], {}, wires, {"output": step.makes[0]})
    return None


def _by_text(step: Step, parts: tuple[Any, ...]) -> MatchedNode:
    """An index written as text, with symbolic sizes as letters."""
    source, changes = step.args[0], step.name == "__setitem__"
    block, letters = CATALOGUE["setitem" if changes else "getitem"], iter("abcd")
    result = MatchedNode(block, {}, {"input": source.value}, {"output": step.makes[0]})

    def text(part: Any) -> str:
        if part is None or part is Ellipsis:
            return "None" if part is None else "..."
        if isinstance(part, tuple):
            return f"[{', '.join(text(p) for p in cast(tuple[Any, ...], part))}]"
        if isinstance(part, slice):
            ends = ["" if p is None else text(p) for p in (part.start, part.stop)]
            return ":".join([*ends, *([] if part.step is None else [text(part.step)])])
        if isinstance(part, Size) and any(e[0] == "size" for e in expressions(part.expression)):
            letter = next(letters, None)
            if letter is None:
                raise unsupported_argument(step, "an index of more than four sizes", int(part))
            result.sizes[letter] = part.expression
            return letter
        if isinstance(part, int) and not isinstance(part, bool):
            return str(int(part))
        raise unsupported_argument(step, "an index", part)

    result.settings = {"index": f"[{', '.join(text(part) for part in parts)}]"}
    if changes and isinstance(step.args[2], Ref):
        result.wires["value"] = step.args[2].value
    elif changes:
        result.settings["value"] = literal_of(step.args[2])
    return result


def expressions(expression: Expression) -> Iterator[Expression]:
    """An expression and all its parts."""
    yield expression
    if expression[0] not in ("size", "int"):
        yield from expressions(expression[1])
        yield from expressions(expression[2])


def unsupported_argument(step: Step, name: str, value: Any) -> ImportRefused:
    """The refusal of an argument that the block does not have."""
    return ImportRefused(
        step.place,
        f"calls {step.name} with {name} = {value!r}, which its block does not take.",
        "Rewrite this call.",
    )


ALIASES = {
    "view": "reshape",
    "truediv": "div",
    "concat": "cat",
    "concatenate": "cat",
    "multiply": "mul",
    "subtract": "sub",
    "divide": "div",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "zero": "zeros_like",
    "empty_like": "zeros_like",
    "new_empty": "new_zeros",
    "linalg_vector_norm": "vector_norm",
    "true_divide": "div",
    "floordiv": "floor_divide",
    "negative": "neg",
    "absolute": "abs",
    "moveaxis": "movedim",
    "special_expit": "sigmoid",
    "special_logit": "logit",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "data": "detach",
    "arctan2": "atan2",
    "cross_entropy": "CrossEntropyLoss",
    "binary_cross_entropy": "BCELoss",
    "kl_div": "KLDivLoss",
    "binary_cross_entropy_with_logits": "BCEWithLogitsLoss",
    "clip": "clamp",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "not_equal": "ne",
    "linalg_matmul": "matmul",
    "inverse": "linalg_inv",
    "linalg_cross": "cross",
    "linalg_multi_dot": "multi_dot",
    "fix": "trunc",
    "arctanh": "atanh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "special_gammaln": "lgamma",
}
"""Torch's further names for what a block does."""
IDENTITY_FUNCTIONS = frozenset({"contiguous", "clone", "alias"})
"""Functions whose result holds the same values as what they are given."""


def function_block(name: str) -> Block | None:
    """The block of a function: of the same name, or a layer without weights that calls it."""
    bare = name.strip("_")
    for candidate in (bare, bare[1:] if name.startswith("__") else bare):
        plain = candidate.removeprefix("special_")
        block_name = ALIASES.get(candidate) or ALIASES.get(plain, plain)
        if block_name in CATALOGUE:
            return CATALOGUE[block_name]
        if block_name.replace("_", "") in LAYERS:
            return CATALOGUE[LAYERS[block_name.replace("_", "")]]
    return None


LAYERS = {
    block.name.lower(): block.name
    for block in CATALOGUE.values()
    if block.init and not any(s.infer for s in block.settings) and "learns" not in block.traits
}
"""Layers by the name of their function; not those with weights, which a function has elsewhere."""


def match(step: Step, trace: Trace) -> MatchedNode:
    """The node that a step becomes. Raises ImportRefused."""
    if step.module is not None:
        return _layer(step)
    if step.name == "attribute":
        return match_attribute(step, trace)
    if step.name in ("__getitem__", "__setitem__"):
        return match_index(step)
    block = function_block(step.name)
    if block is None:
        raise ImportRefused(
            step.place,
            f"calls {step.name.strip('_')}, for which there is no block.",
            "Replace it by other functions, or import a part of the model without it.",
        )
    _refuse_reinterpreted(step)
    if _flattens(step, trace):
        block = CATALOGUE["flatten"]
        result = MatchedNode(
            block, {**block.defaults, "start_dim": 1}, {"input": step.reads[0]}, {}
        )
    else:
        _refuse_always(step, block, trace)
        result = _bind(step, block)
    if block.name == "reshape":
        free_batch_size(step, trace, result)
    result.outputs = _outputs(step, block, result.settings)
    result.settings = non_default_settings(block, result.settings)
    return result


def _refuse_reinterpreted(step: Step) -> None:
    """Refuse x.view(dtype), which is not a reshape."""
    if step.name == "view" and isinstance([*step.args, *step.kwargs.values()][-1], torch.dtype):
        raise ImportRefused(
            step.place,
            "calls view with a dtype, which reinterprets the bits; there is no block for this.",
            "Use to(dtype) to convert the numbers, if that is the intention.",
        )


def _refuse_always(step: Step, block: Block, trace: Trace) -> None:
    """Refuse a call that is random in eval mode, if its block is random in training only."""
    root = trace.root.module
    always = step.kwargs.get("training") is True and not (root and root.training)
    if always and not block.setting("training"):
        raise ImportRefused(
            step.place,
            f"calls {step.name} with training=True in evaluation, where a drawing does not drop.",
            "Write training=self.training in that call, or use the layer of torch.nn.",
        )


def _layer(step: Step) -> MatchedNode:
    assert step.module is not None
    block, settings = _settings(step.module, step.place)
    wires: dict[str, int] = {}
    arguments = bound_arguments(step.module, step.args, step.kwargs)
    parameters = inspect.signature(step.module.forward).parameters
    for name, value in arguments.items():
        setting = block.setting(name)
        if isinstance(value, Ref) and block.input(name):
            wires[name] = value.value
        elif isinstance(value, tuple) and value and all(isinstance(v, Ref) for v in value):
            _wire_states(step, block, value, wires)
        elif setting and setting.call:
            settings[name] = plain(setting, literal_of(value))
        elif isinstance(value, Ref):
            first = next((p.name for p in block.inputs if p.name not in wires), None)
            if first is None:
                raise unsupported_argument(step, name, value)
            wires[first] = value.value
        elif value is not parameters[name].default and value != parameters[name].default:
            raise unsupported_argument(step, name, value)
    return MatchedNode(
        block, non_default_settings(block, settings), wires, _outputs(step, block, settings)
    )


def _settings(module: Any, place: str) -> tuple[Block, dict[str, Any]]:
    if (own := CUSTOM_LEAVES.get(type(module))) is not None:
        return own, constructor_settings(module, own)
    return layer_settings(module, place)


def _wire_states(step: Step, block: Block, refs: Any, wires: dict[str, int]) -> None:
    """Wire a tuple of tensors into several ports, such as the two states of an LSTM."""
    open_ports = [p.name for p in block.inputs if p.name not in wires]
    if len(refs) > len(open_ports):
        raise unsupported_argument(step, "a list of tensors", refs)
    wires |= {name: ref.value for name, ref in zip(open_ports, refs, strict=False)}


def _bind(step: Step, block: Block) -> MatchedNode:
    result = MatchedNode(block, {}, {}, {})
    wires, settings = result.wires, result.settings
    ports = [p for p in block.inputs if p.kind in ("tensor", "tensors")]
    names = {p.name for p in ports}
    free = [s for s in block.settings if s.name not in names and not s.infer]
    positional = list(step.args)
    if step.name.startswith("__r") and len(positional) == 2:
        positional.reverse()
    while positional:
        value = positional.pop(0)
        if value is None and ports and ports[0].optional and not block.setting(ports[0].name):
            ports.pop(0)  # a weight or mask that is not there
        elif ports and (_is_wire(value) or block.setting(ports[0].name)):
            kind = ports[0].kind
            port = ports.pop(0).name
            if kind == "tensors" and isinstance(value, Ref):
                value, positional = (value, *positional), []
            if _is_wire(value):
                _wire(port, value, wires)
            else:
                setting = block.setting(port)
                assert setting
                settings[port] = _setting_value(result, step, setting, value)
        elif free and not _is_wire(value):
            setting = free.pop(0)
            if setting.kind == "dims" and isinstance(value, int):
                value, positional = (value, *positional), []
            settings[setting.name] = _setting_value(result, step, setting, value)
        else:
            raise unsupported_argument(step, "an argument", value)
    for name, value in step.kwargs.items():
        _keyword(step, block, name, value, result)
    result.settings = {**block.defaults, **settings}
    return result


def _keyword(step: Step, block: Block, name: str, value: Any, result: MatchedNode) -> None:
    wires, settings = result.wires, result.settings
    setting = block.setting({"axis": "dim"}.get(name, name))
    if _is_wire(value) and (port := next((p for p in block.inputs if p.name == name), None)):
        _wire(port.name, value, wires)
    elif setting and not _is_wire(value):
        settings[setting.name] = _setting_value(result, step, setting, value)
    elif (
        not name.startswith("_")
        and name not in ("training", "inplace")
        and value not in NEUTRAL_VALUES
    ):
        raise unsupported_argument(step, name, value)


NEUTRAL_VALUES = (None, False)
"""Values of further arguments that leave everything as it is; unbiased is handled before."""


def _is_wire(value: Any) -> bool:
    listed = isinstance(value, tuple) and bool(value) and all(isinstance(v, Ref) for v in value)
    return isinstance(value, Ref) or listed


def _wire(port: str, value: Any, wires: dict[str, int]) -> None:
    if isinstance(value, Ref):
        wires[port] = value.value
    else:
        wires |= {f"{port}.{i}": ref.value for i, ref in enumerate(value)}


def _setting_value(result: MatchedNode, step: Step, setting: Setting, value: Any) -> Any:
    literal = literal_of(value)
    if setting.kind == "dims" and isinstance(literal, int):
        literal = (literal,)
    trackeds = [value] if isinstance(value, int) else list(value) if _listed(value) else []
    port = next((p for p in result.block.inputs if p.name == setting.name), None)
    for index, number in enumerate(trackeds):
        if isinstance(number, Size) and any(e[0] == "size" for e in expressions(number.expression)):
            alone = port and (port.kind == "size" or port.number)
            name = setting.name if alone else f"{setting.name}.{index}"
            fits = port and (port.number or port.kind in ("size", "sizes"))
            if fits and len({e for e in expressions(number.expression) if e[0] == "size"}) <= 4:
                result.sizes[name] = number.expression
                literal = _with_one(literal, index)
            else:
                message = f"{setting.name} = {int(number)}, {step.place}"
                result.fixed_sizes[message] = number.expression
    as_it_is = setting.bare is not None or is_default(setting, literal)
    return literal if as_it_is else plain(setting, literal)


def _with_one(numbers: Any, place: int) -> Any:
    """Replace a number by 1: the value of a wire takes its place."""
    return (*numbers[:place], 1, *numbers[place + 1 :]) if _listed(numbers) else 1


def _listed(value: Any) -> bool:
    return isinstance(value, (tuple, list))


def _flattens(step: Step, trace: Trace) -> bool:
    """Whether a reshape is x.view(batch, -1), which is a flatten."""
    sizes = _shape_given(step)
    rank = len(trace.shapes[step.reads[0]]) if step.reads else 0
    return len(sizes) == 2 and rank > 1 and trace.is_batch(sizes[0]) and sizes[1] == -1


def _shape_given(step: Step) -> tuple[Any, ...]:
    if ALIASES.get(step.name, step.name) != "reshape":
        return ()
    sizes = step.kwargs.get("shape", step.args[1:])
    nested = len(sizes) == 1 and isinstance(sizes[0], tuple)
    return tuple(sizes[0]) if nested else tuple(sizes)


def free_batch_size(step: Step, trace: Trace, result: MatchedNode) -> None:
    """Write the one size of a reshape that grows with the batch as -1, unless -1 is taken."""
    sizes = _shape_given(step)
    grows = [i for i, n in enumerate(sizes) if trace.is_batch(n)]
    if len(grows) == 1 and -1 not in sizes:
        shape = list(result.settings["shape"])
        shape[grows[0]] = -1
        result.settings["shape"] = tuple(shape)
        result.sizes.pop(f"shape.{grows[0]}", None)
        prefix = f"shape = {int(sizes[grows[0]])}, "
        result.fixed_sizes = {
            k: v for k, v in result.fixed_sizes.items() if not k.startswith(prefix)
        }


def _outputs(step: Step, block: Block, settings: Mapping[str, Any]) -> dict[str, int]:
    """Match torch's nested result with the block's named outputs."""
    form = HOLE.sub(lambda hole: repr(hole["name"]), returns(block, settings))
    tree = ast.literal_eval(form)
    lists = {port.name for port in block.outputs if port.listed}
    result: dict[str, int] = {}
    for path, value in step.outputs:
        place, rest = tree, list(path)
        if tree in lists or (isinstance(tree, tuple) and tree[0] in lists):
            result[f"{tree if isinstance(tree, str) else tree[0]}.{path[0]}"] = value
            continue
        while rest and isinstance(place, tuple) and isinstance(rest[0], int):
            place = place[rest.pop(0)]
        if rest or not isinstance(place, str):
            raise unsupported_argument(step, "its result", path)
        result[place] = value
    return result


def settings_of(block: Block, explicit: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of a block but those inferred from its input: explicit ones and torch's
    defaults."""
    inferred = {s.name for s in block.settings if s.infer} - set(explicit)
    return {k: v for k, v in {**block.defaults, **explicit}.items() if k not in inferred}
