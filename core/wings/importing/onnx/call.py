"""One ONNX node as it runs: its inputs, its attributes, the layer or weights it owns.

The first run builds: layers and weights are made on demand and registered at the path the file
names. Later runs, the traced one among them, find them there.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.graph.names import check_id
from core.wings.importing.onnx.reader import Array, OnnxFile, OnnxNode
from core.wings.importing.onnx.shape_values import ints
from core.wings.importing.tracing.symint import Size


@dataclass(eq=False)
class BuildPlan:
    """State shared by all parts of a rebuilt module, which deepcopy does not copy.

    layers: node number to the path of its layer. made: what makes layers equal, to their path.
    flattens: reshapes that keep the batch and join all else. freed: reshapes whose fixed batch
    follows the data. places: constant to its path. hints: node number to path and class of the
    module it was alone in. batch: the fixed batch of the file, None if free. fixed: what the sizes
    of the first run decided.
    """

    file: OnnxFile
    nodes: tuple[OnnxNode, ...]
    hints: dict[int, tuple[str, str]]
    batch: int | None
    root: Any = None
    building: bool = True
    anchor: Any = None
    layers: dict[int, str] = field(default_factory=lambda: {})
    made: dict[Any, str] = field(default_factory=lambda: {})
    places: dict[str, str] = field(default_factory=lambda: {})
    freed: set[int] = field(default_factory=lambda: set[int]())
    flattens: set[int] = field(default_factory=lambda: set[int]())
    fixed: dict[str, None] = field(default_factory=lambda: {})

    @cached_property
    def read(self) -> frozenset[str]:
        """Values that some node reads, or that are outputs of the file."""
        return frozenset([n for node in self.nodes for n in node.inputs] + [*self.file.outputs])

    def __deepcopy__(self, memo: Any) -> "BuildPlan":
        return self


class NodeCall:
    """A node with its inputs: tensors, arrays of known numbers or sizes, None."""

    def __init__(self, plan: BuildPlan, number: int, part: str, given: list[Any]) -> None:
        self.plan, self.number, self.part, self.given = plan, number, part, given
        self.node = plan.nodes[number]

    def __len__(self) -> int:
        return len(self.given)

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute of the node."""
        return self.node.attributes.get(name, default)

    def has(self, place: int) -> bool:
        """Whether an optional input is present."""
        return len(self.given) > place and self.given[place] is not None

    def reads(self, place: int) -> bool:
        """Whether this output is used."""
        outputs = self.node.outputs
        return len(outputs) > place and bool(outputs[place]) and outputs[place] in self.plan.read

    def known(self, place: int) -> Array | None:
        """The values of an input that is not a tensor of the run."""
        value = self.given[place] if self.has(place) else None
        return value if isinstance(value, np.ndarray) else None

    def numbers(self, place: int, name: str = "") -> list[Any] | None:
        """Integers from an input or, in older opsets, from an attribute."""
        if self.has(place):
            known = self.known(place)
            if known is None:
                raise self.node.refuse(f"calculates its {name or 'sizes'} from data.")
            return ints(known)
        value = self.get(name)
        return None if value is None else [value] if isinstance(value, int) else list(value)

    def scalar(self, place: int, name: str = "", default: Any = None) -> Any:
        """A single number from an input or an attribute."""
        if not self.has(place):
            return self.get(name, default) if name else default
        known = self.known(place)
        if known is None or known.size != 1:
            raise self.node.refuse(f"needs one constant number as {name or f'input {place + 1}'}.")
        return plain_number(known)

    def tensor(self, place: int) -> Tensor:
        """An input as a tensor; known values become a parameter or a buffer of the module."""
        result = self.given[place]
        if isinstance(result, Tensor):
            return result
        return self._weight(place, result)

    def operand(self, place: int, beside: int = -1) -> Any:
        """An input as a tensor, or as a plain number if it is a single one."""
        value = self.given[place]
        if isinstance(value, np.ndarray) and value.size == 1 and beside >= value.ndim:
            number = plain_number(value)
            if math.isfinite(number):  # a project file holds no other number
                return number
        return self.tensor(place)

    def constant(self, base: str, values: Array) -> Tensor:
        """A constant that the file does not contain, as a buffer of the module."""
        return self._held(f"{self.node.outputs[0]}.{base}.{self.number}", values, base)

    def _weight(self, place: int, values: Array) -> Tensor:
        return self._held(self.node.inputs[place], values)

    def _held(self, name: str, values: Array, base: str = "") -> Tensor:
        if name not in self.plan.places:
            if not self.plan.building:
                raise self.node.refuse(
                    "needs numbers that its first run, on the sizes of the sample, did not make."
                )
            self._enter(name, values, base)
        path, _, last = self.plan.places[name].rpartition(".")
        return getattr(self.plan.root.get_submodule(path), last)

    def _enter(self, name: str, values: Array, own: str) -> None:
        if values.dtype == object:
            if any(isinstance(n, Size) for n in values.reshape(-1).tolist()):
                self.fix(f"{self.node.place} reads numbers calculated from sizes")
            kind = {bool: bool, float: np.float32}.get(type(values.reshape(-1)[0]), np.int64)
            values = values.astype(kind)
        if values.dtype.kind not in "fiub" or str(values.dtype) not in TENSORS:
            raise self.node.refuse(
                f"uses constants of {values.dtype}, which torch does not support."
            )
        value = torch.from_numpy(np.array(values)).reshape(values.shape or (1,))
        is_weight = name in self.plan.file.weights and value.is_floating_point()
        entry = nn.Parameter(value) if is_weight else value
        base = "weight" if is_weight else "constant"
        prefix = f"{self.part}." if self.part else ""
        path = f"{prefix}{own}" if own else self._owned_path(name, base)
        self.plan.places[name] = self._place(path, entry)

    def _owned_path(self, name: str, base: str) -> str:
        dotted = re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+", name)
        inside = not self.part or name.startswith(f"{self.part}.")
        if dotted and inside:
            return name
        own = legal(name.rpartition(".")[2], "")
        generic = re.fullmatch(r"(val|onnx|v|const|constant)_*\w*\d+", own) or not own
        own = base if generic else own
        return f"{self.part}.{own}" if self.part else own

    def layer(self, make: Callable[[], nn.Module], base: str, weight: int | None = None) -> Any:
        """The node's layer: made and registered in the first run, reused later.

        weight: the input that names it, as conv1.weight names conv1.
        """
        plan = self.plan
        if self.number not in plan.layers:
            if not plan.building:
                raise self.node.refuse("gives a different graph for another batch size.")
            shared = tuple(n for n in self.node.inputs if n in plan.file.weights)
            key = (self.node.op, shared, repr(self.node.attributes)) if shared else self.number
            if key not in plan.made:
                module = make().eval()
                plan.made[key] = self._place(self._layer_path(base, weight), module)
            plan.layers[self.number] = plan.made[key]
        return plan.root.get_submodule(plan.layers[self.number])

    def _layer_path(self, base: str, weight: int | None) -> str:
        prefix = f"{self.part}." if self.part else ""
        named = self.node.inputs[weight] if weight is not None and self.has(weight) else ""
        if match := re.fullmatch(r"(\w+(?:\.\w+)*)\.weight", named):
            path = match[1]
            if path.startswith(prefix):
                return path
            return prefix + path.rpartition(".")[2]
        hint = self.plan.hints.get(self.number, ("", ""))[0]
        if hint.startswith(prefix) and hint:
            return hint
        match = re.fullmatch(r"(?:.*[./])?([A-Za-z]\w*?)_?(?:w|weight|weights|W)(?:_\d+)?", named)
        own = legal(match[1], "") if match and len(match[1]) > 1 else ""
        return prefix + (own if own and not is_generated_name(own) else base)

    def _place(self, path: str, entry: nn.Module | nn.Parameter | Tensor) -> str:
        """Register a layer or a weight at a path, or at a free one beside it."""
        holder, words = self.plan.root, path.split(".")
        for word in words[:-1]:
            if word not in holder._modules:
                holder.add_module(word, nn.Module())
            holder = holder.get_submodule(word)
        name, number = words[-1], 1
        taken = {*holder._modules, *holder._parameters, *holder._buffers}
        while name in taken or (not name.isdigit() and hasattr(holder, name)):
            number += 1
            name = f"{words[-1]}{number}"
        if isinstance(entry, nn.Module):
            holder.add_module(name, entry)
        elif isinstance(entry, nn.Parameter):
            holder.register_parameter(name, entry)
        else:
            holder.register_buffer(name, entry)
        return ".".join([*words[:-1], name])

    def fix(self, message: str) -> None:
        """Note that the sizes of the sample decided something of this node."""
        if self.plan.building:  # later runs try other sizes
            self.plan.fixed[message] = None


TENSORS = frozenset("float32 float64 int64 int32 int16 int8 uint8 bool".split())


def is_generated_name(name: str) -> bool:
    """Whether an exporter made up a name."""
    return bool(re.fullmatch(r"(?i)(val|onnx|v|n|const|constant|w|node|tmp)_*[a-z]*_*\d*", name))


def legal(name: str, base: str) -> str:
    """Make any text an attribute's name."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[-38:].lstrip("_0123456789")
    return base if not name or (check_id(name) and is_generated_name(name)) else name


def plain_number(number: Array) -> Any:
    """A single number; a float32 with the fewest digits that round-trip: 0.1, not 0.10000000149."""
    value = number.reshape(-1)[0]
    if isinstance(value, np.floating) and value.dtype.itemsize < 8:
        short, largest = float(str(value)), float(np.finfo(value.dtype).max)
        beyond = abs(short) > largest >= abs(float(value))  # -3.4028235e+38 is not a float32
        return float(value) if beyond else short
    return value.item() if isinstance(value, np.generic) else value
