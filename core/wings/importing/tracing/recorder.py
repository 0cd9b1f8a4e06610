"""One eager run, written down: every layer and torch function called, inside the modules it is in.

Tensors are known by identity. A module of torch.nn that is a block is one step, whatever it does
inside; any other module is a scope.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from core.wings.importing.tracing import symint
from core.wings.importing.tracing.aliasing import AliasTracker
from core.wings.importing.tracing.arguments import (
    argument_names,
    distinct_result,
    first_argument,
    function_name,
    is_mask,
    normalize_function,
    tensors_with_paths,
    version_counters,
)
from core.wings.importing.tracing.canonicalize import (
    CASTS,
    FACTORIES,
    canonical_call,
    is_identity_call,
)
from core.wings.importing.tracing.data_dependent import DataDependence
from core.wings.importing.tracing.decompositions import decompose
from core.wings.importing.tracing.devices import DEVICE_QUESTIONS, as_on_cpu
from core.wings.importing.tracing.dtypes import keeps_dtype, refuse_complex
from core.wings.importing.tracing.leaf_calls import has_hooks, with_hooks
from core.wings.importing.tracing.leaf_modules import leaf_of
from core.wings.importing.tracing.memory_formats import (
    COPYING,
    Layout,
    layout,
    memory_format_call,
    needs_layout,
    with_cpu_layout,
)
from core.wings.importing.tracing.model_call import ModelCall
from core.wings.importing.tracing.outputs import as_containers, refuse_nothing, without_tensors
from core.wings.importing.tracing.patches import patched_functions
from core.wings.importing.tracing.torch_script import unscripted
from core.wings.importing.tracing.trace_ir import Ref, Step, Trace, TraceScope, value_labels
from core.wings.importing.tracing.unregistered import unregistered
from core.wings.importing.tracing.user_frame import user_line
from core.wings.importing.tracing.variable_names import assigned_names

READS = {
    "item",
    "tolist",
    "__bool__",
    "__int__",
    "__float__",
    "__index__",
    "__len__",
    "numpy",
    "stride",
    "nbytes",
    "storage_offset",
}
"""Functions that turn a tensor into a plain number."""


class Recorder(TorchFunctionMode):
    """Writes down what runs while it is entered."""

    def __init__(self, root: nn.Module) -> None:
        super().__init__()
        self.paths = {id(m): name for name, m in root.named_modules()}
        self.scope = self.root = TraceScope("", root)
        self.paused = self.over = False
        self.kept: list[Any] = []
        self.known: dict[int, int] = {}
        self.shapes: dict[int, tuple[int, ...]] = {}
        self.attributes: dict[int, str] = {}
        self.constants: dict[int, str] = {}
        self.apart: set[int] = set()
        self.held: dict[int, torch.Tensor] = {}
        self.memory = AliasTracker()
        self.layouts: dict[int, Layout] = {}
        self.burned: list[str] = []
        self.decisions = DataDependence()
        self.decisions.shapes = self.shapes
        self.parts: dict[int, tuple[torch.Tensor, Any]] = {}
        self.sizes: dict[tuple[str, symint.Expression], str] = {}
        self.root_tensors = {id(t): n for n, t in root.named_parameters()}
        self.root_tensors |= {id(t): n for n, t in root.named_buffers()}
        self.root_tensors |= {id(t): n for n, t in unregistered(root).items()}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if self.paused:
            return func(*args, **(kwargs or {}))
        name = function_name(func)
        func, args, kwargs = normalize_function(func, args, kwargs)
        if (decomposed := decompose(name, args, kwargs)) is not None:
            with self:
                return decomposed()
        with self.pause():
            before, start = version_counters((args, kwargs)), len(self.shapes)
            result = self._function(func, name, args, kwargs)
            self._record_mutation((args, kwargs), before, start)
        return result

    def _record_mutation(self, arguments: Any, before: Mapping[int, int], start: int) -> None:
        """Note whose values a call changed under another name, and what it changed of the model."""
        changed = next(
            (t for _, t in tensors_with_paths(arguments) if t._version != before[id(t)]), None
        )
        if changed is None:
            return
        aliases = [(v, t) for v, t in self.memory.aliases_of(changed) if self.known[id(t)] == v]
        self.memory.invalidate(
            {v for v, t in aliases if v < start and t is not changed}, self.place()
        )
        paths = {self.root_tensors.get(id(t), "") for t in (changed, *(t for _, t in aliases))}
        for path in sorted(paths - {""}):
            message = f"a change of {path} in place that the drawing does not keep, {self.place()}"
            self.burned.append(message)

    def _function(self, func: Any, name: str, args: tuple[Any, ...], kwargs: Any) -> Any:
        if name in ("shape", "size"):
            return self._sizes(func(*args, **kwargs), args, kwargs)
        if name == "__getitem__" and is_mask(args[1]):
            args = (args[0], self._where(args[1]))
        if name in DEVICE_QUESTIONS:
            return as_on_cpu(name, args, func(*args, **kwargs))
        refs: Any = self.refs((args, kwargs)) if name not in IGNORED else ((), {})
        near = self.near() if name in FACTORIES else None
        before = version_counters((args, kwargs))
        result = with_cpu_layout(name, func(*args, **kwargs), *args, *kwargs.values())
        has_tensors = any(True for _ in tensors_with_paths(result))
        refuse_complex(name, args, result, self.place)
        known = self._known(args, kwargs)
        decided = not has_tensors and self.decisions.record_read(name, result, known, self.place)
        if name in READS and not decided:
            self.burned.append(f"{name.strip('_')} of a tensor, {self.place()}")
        if not has_tensors:
            if name in CHANGES and not self._written(args):
                step = Step(name, "", None, refs[0], refs[1], self.place())
                self._record_change(first_argument(args), step)
            return result
        if name in IGNORED or (name in UNCHANGED and result is first_argument(args)):
            return result
        if not name.endswith("_") and not kwargs.get("inplace"):
            result = distinct_result(result, before)
        step = self._step(
            name, args, kwargs, canonical_call(name, refs[0], refs[1], result, near), result
        )
        if keeps_dtype(name, args, kwargs, result):
            self._enter(step, result)
        else:
            self._enter_cast(step, result)
        if name == "__getitem__" and result._is_view():
            self.parts[id(result)] = (args[0], refs[0][1])
        elif name.endswith("_") and not name.startswith("__") and id(result) in self.parts:
            self._write_part(result)
        return result

    def _enter_cast(self, step: Step, result: torch.Tensor) -> None:
        """Enter a call in place whose form out of place gives another dtype, with a cast."""
        self._enter(step, result.detach())
        words = {"dtype": result.dtype}
        self._enter(Step("to", "", None, (Ref(step.makes[0]),), words, self.place()), result)

    def _step(
        self,
        name: str,
        args: Any,
        kwargs: Mapping[str, Any],
        call: tuple[str, Any, Any],
        result: Any,
    ) -> Step:
        """A call as it is drawn: an idle one is an alias, one for memory names its format."""
        name_of, args_of, words = call
        if memory_call := memory_format_call(name, args, kwargs, result):
            (name_of, words), args_of = memory_call, args_of[:1]
        if is_identity_call(name, args, kwargs, result):
            name_of, args_of = "alias", args_of[:1]
        step = Step(name_of, "", None, args_of, words, self.place())
        step.needs_layout = needs_layout(name_of, args, result, self.layouts)
        if name_of in COPYING:
            self.layouts[id(result)] = layout(first_argument(args))
        return step

    def _record_change(self, whole: torch.Tensor, step: Step) -> None:
        """A call that gives nothing back has changed a tensor, and what that is a part of."""
        self._enter(step, whole)
        if id(whole) in self.parts:
            self._write_part(whole)

    def _known(self, *arguments: Any) -> list[int]:
        """The numbers of the tensors in some arguments that have one."""
        return [self.known[id(t)] for _, t in tensors_with_paths(arguments) if id(t) in self.known]

    def _write_part(self, part: torch.Tensor) -> None:
        """A part that was changed in place changes the tensor it was taken from."""
        whole, index = self.parts[id(part)]
        args = (self.refs(whole), index, self.refs(part))
        self._record_change(whole, Step("__setitem__", "", None, args, {}, self.place()))

    def whole(self, name: str, function: Any) -> Any:
        """Stand in for a function of Python that is a block."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.paused:
                return function(*args, **kwargs)
            with self.pause():
                refs: Any = self.refs((args, kwargs))
                result = function(*args, **kwargs)
                step = Step(name, "", None, refs[0], refs[1], self.place())
                self._enter(step, result)
            return result

        return call

    def depends(self, nested: Any) -> bool:
        """Whether a tensor depends on the input or on random numbers."""
        return self.known.get(id(nested), -1) in self.decisions.dependent

    def _where(self, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Write x[mask] as x[where the mask holds]."""
        places = torch.nonzero(mask, as_tuple=True)
        step = Step("nonzero", "", None, (self.refs(mask),), {}, self.place())
        self._enter(step, places)
        return places

    def _written(self, args: tuple[Any, ...]) -> bool:
        """Whether x[i] = x[i] follows a change in place of x[i], as in x[i] += 1."""
        whole, index = self.parts.get(id(args[2]), (None, None)) if len(args) == 3 else (None, None)
        return whole is args[0] and index == self.refs(args[1])

    def near(self) -> Ref | None:
        """A tensor that is there: the one made last in this scope, or given to it."""
        last = [item for item in self.scope.items[-1:] if isinstance(item, Step)]
        made = [v for step in last for v in step.makes if self.shapes[v]]
        named = [v for v in self.scope.names if self.shapes[v]]
        candidates = made or named or list(self.known.values())[:1]
        return Ref(candidates[-1] if made else candidates[0]) if candidates else None

    def _sizes(self, result: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        tensor = first_argument(args)
        value = self.known[id(tensor)] if id(tensor) in self.known else self.refs(tensor).value
        if value in self.apart:
            return result  # sizes of a parameter are not sizes of the input
        if isinstance(result, int):
            dim = kwargs.get("dim", args[1] if len(args) > 1 else 0)
            expression = ("size", value, int(dim) % first_argument(args).dim())
            self.name_size(expression)
            return symint.Size.of(result, expression)
        sizes = [symint.Size.of(n, ("size", value, dim)) for dim, n in enumerate(result)]
        if len(names := assigned_names()) == len(sizes) and not symint.NODES:
            for size, name in zip(sizes, names, strict=True):
                self.sizes.setdefault((self.scope.path, size.expression), name)
        return symint.Sizes(sizes)

    def _variables(self, step: Step) -> tuple[str, ...]:
        """The user's names for what a call gives; of several calls for one value, the last's."""
        names, before = assigned_names(), self.scope.items[-1] if self.scope.items else None
        if (
            names
            and isinstance(before, Step)
            and (before.variables, before.place) == (names, step.place)
            and set(before.makes) & set(step.reads)
        ):
            before.variables = ()
        return names

    def name_size(self, expression: symint.Expression) -> None:
        """Keep the user's name for a size, where it is given one."""
        names = assigned_names()
        if len(names) == 1 and not symint.NODES:
            self.sizes.setdefault((self.scope.path, expression), names[0])

    def _enter(self, step: Step, result: Any) -> None:
        if step.module is None and step.name != "__setitem__" and not symint.NODES:
            step.variables = self._variables(step)
        self.scope.items.append(step)
        for path, tensor in tensors_with_paths(result):
            step.outputs.append((path, self.fresh(tensor)))
        self.apart.update(step.makes if step.is_size_independent(self.apart) else ())
        self.decisions.propagate(step)
        step.result = self.refs(result)

    def fresh(self, tensor: torch.Tensor) -> int:
        """Give a tensor that was just made, or overwritten, a new number."""
        number = len(self.shapes)
        self.known[id(tensor)] = number
        self.kept.append(tensor)
        self.shapes[number] = tuple(tensor.shape)
        self.memory.add(number, tensor)
        return number

    def refs(self, nested: Any) -> Any:
        """Replace tensors by their numbers; unknown ones are parameters, buffers or constants."""
        if isinstance(nested, torch.Tensor):
            if id(nested) not in self.known:
                number = self.fresh(nested)
                self.apart.add(number)
                path = self.root_tensors.get(id(nested))
                if path is None:
                    self.constants[number] = self.place()
                    self.held[number] = nested
                else:
                    self.attributes[number] = path
            return Ref(self.memory.check_valid(self.known[id(nested)], self.place))
        if isinstance(nested, torch.Size) or type(nested) is list or type(nested) is tuple:
            return tuple(self.refs(item) for item in nested)
        if isinstance(nested, Mapping):
            return {key: self.refs(item) for key, item in nested.items()}
        if isinstance(nested, tuple):
            return tuple(self.refs(item) for item in nested)
        return nested

    def call(self, module: nn.Module, original: Any, args: Any, kwargs: Any) -> Any:
        """Stand in for Module.__call__."""
        path = self.paths.get(id(module))
        if self.paused or path is None or module is self.root.module:
            return original(module, *args, **kwargs)
        with self.pause():
            leaf = leaf_of(module)
        if leaf is None:
            with self.pause():
                refs: Any = self.refs((args, kwargs))
            return self._inside(module, path, original, args, kwargs, refs)
        if has_hooks(module):
            forward = lambda args, kwargs: self._leaf(module, leaf, path, args, kwargs)  # noqa: E731
            return with_hooks(module, args, kwargs, forward)
        return self._leaf(module, leaf, path, args, kwargs)

    def _leaf(self, module: nn.Module, leaf: nn.Module, path: str, args: Any, kwargs: Any) -> Any:
        """One layer as one step. leaf: the layer that it is equivalent to."""
        with self.pause():
            refs: Any = self.refs((args, kwargs))
            kept = getattr(module, "inplace", False)
            before = {} if kept else version_counters((args, kwargs))
            result = distinct_result(module.forward(*args, **kwargs), before)
            weight = getattr(leaf, "weight", None)
            result = with_cpu_layout(type(leaf).__name__, result, *args, *kwargs.values(), weight)
            step = Step(type(leaf).__name__, path, leaf, refs[0], refs[1], self.place())
            self._enter(step, result)
        return result

    def _inside(
        self, module: nn.Module, path: str, original: Any, args: Any, kwargs: Any, refs: Any
    ) -> Any:
        outer, self.scope = self.scope, TraceScope(path, module, place=self.place())
        outer.items.append(self.scope)
        self.scope.names = argument_names(module, *refs)
        try:
            result = original(module, *args, **kwargs)
            with self.pause():
                self.scope.result = self.refs(result)
        finally:
            self.scope = outer
        return result

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Write nothing down: the recorder itself is at work, or a layer's inside is running."""
        before, self.paused = self.paused, True
        try:
            yield
        finally:
            self.paused = before

    def place(self) -> str:
        """Say where in the user's model the run is: module path and line, or the file's node."""
        if symint.NODES:
            return symint.NODES[-1]
        name = self.scope.path or type(self.root.module).__name__
        return name if self.over else name + user_line()


IGNORED = frozenset("_assert is_floating_point dtype device requires_grad requires_grad_".split())
UNCHANGED = CASTS | {"contiguous"}
"""Functions that give back the very tensor they are given, where it is so already."""
CHANGES = frozenset({"__setitem__"})


Run = Callable[..., Any]
"""How a model is called with the inputs: run(model, *inputs)."""


def record(module: nn.Module, inputs: Sequence[torch.Tensor], run: Run | None = None) -> Trace:
    """Run a module once on its inputs and write down what it does. The module keeps its mode."""
    recorder = Recorder(module)
    original = nn.Module.__call__

    def call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        return recorder.call(self, original, args, kwargs)

    numbers = [recorder.fresh(tensor) for tensor in inputs]
    refs = tuple(Ref(n) for n in numbers)
    args, kwargs = run.bind(refs) if isinstance(run, ModelCall) else (refs, {})
    recorder.root.names = argument_names(module, args, kwargs)
    recorder.decisions.dependent.update(numbers)
    symint.GUARDS.clear()
    symint.WHERE.append(recorder.place)
    symint.NAMING.append(recorder.name_size)
    nn.Module.__call__ = call
    try:
        patched = patched_functions(module, recorder.whole, recorder.depends)
        with torch.no_grad(), recorder, patched, unscripted(recorder.place):
            result = run(module, *inputs) if run else module(*inputs)
        recorder.over = True
        refuse_nothing(type(module).__name__, result)
        recorder.root.result = recorder.refs(as_containers(result))
    finally:
        nn.Module.__call__ = original
        symint.WHERE.pop()
        symint.NAMING.pop()
    names = value_labels(recorder.root, recorder.attributes, recorder.constants)
    guards = _guards(recorder.decisions, names)
    burned = [*recorder.burned, *recorder.decisions.assertions]
    compared = list(symint.GUARDS)
    symint.GUARDS.clear()
    return Trace(
        recorder.root,
        numbers,
        recorder.shapes,
        recorder.attributes,
        recorder.constants,
        guards,
        burned,
        len(inputs[0]) if inputs and inputs[0].dim() else 0,
        constant_tensors=recorder.held,
        decisions=recorder.decisions,
        sizes=recorder.sizes,
        undrawn=without_tensors(as_containers(result)),
        comparisons=compared,
        valueless=all(tensor.is_meta for tensor in inputs),
    )


def _guards(decisions: DataDependence, names: Mapping[int, str]) -> list[str]:
    """Comparisons of sizes for people, but those that values decide."""
    result: list[str] = []
    for guard in symint.GUARDS:
        location, left, _, right, _ = guard
        text = symint.describe_guard(guard, names)
        if not decisions.record_comparison(
            location, text.removesuffix(f", {location}"), left, right
        ):
            result.append(text)
    return result
