"""Data-dependent control flow: which values depend on the input, and where Python reads them.

A drawing does the same for every input, so a branch, a loop or a number that was decided by the
values of one sample holds for that sample alone.
"""

import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from core.wings.importing.error_messages import for_one_sample
from core.wings.importing.tracing.symint import Expression, Size
from core.wings.importing.tracing.trace_ir import SIZED_BY_VALUES, Ref, Step, values_in
from core.wings.importing.tracing.user_frame import user_code

METADATA = frozenset(
    """shape size dim ndim ndimension numel nelement dtype device layout names type itemsize
    element_size nbytes is_cuda is_cpu is_meta is_xpu is_mps is_hpu is_ipu is_xla is_vulkan is_mtia
    is_maia is_ort is_privateuseone is_sparse is_sparse_csr is_mkldnn is_quantized
    is_leaf is_contiguous is_floating_point is_complex is_conj is_neg is_signed is_inference
    is_same_size is_pinned is_shared is_nested requires_grad requires_grad_ grad grad_fn
    retains_grad get_device data_ptr stride storage_offset storage untyped_storage output_nr
    _version _backward_hooks _base __len__ __hash__ __dir__ __repr__ __str__ __format__
    result_type can_cast promote_types broadcast_shapes register_hook retain_grad has_names
    _assert""".split()
)
"""Functions that tell nothing of the values of a tensor."""
RANDOM = frozenset(
    """rand randn randint randperm rand_like randn_like randint_like bernoulli multinomial normal
    poisson bernoulli_ uniform_ normal_ random_ exponential_ log_normal_ geometric_
    cauchy_""".split()
)
"""Functions with random results."""
VALUE_INDEPENDENT = frozenset(
    """zeros_like ones_like empty_like full_like rand_like randn_like new_zeros new_ones new_empty
    new_full arange linspace tensor zero zero_""".split()
)
"""Functions that read nothing of the values of their first argument."""
SPLITTING = frozenset("unbind split chunk".split())
"""Functions whose number of results may depend on a size."""
SHAPED_AS_FIRST = frozenset(
    """__setitem__ index_put index_put_ index_add index_add_ index_copy index_copy_ index_fill
    index_fill_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_
    masked_fill masked_fill_ masked_scatter masked_scatter_ expand_as view_as reshape_as
    copy_""".split()
)
"""Functions whose results are as large as one argument: the first one, or the second."""
SHAPED_AS_SECOND = frozenset("expand_as view_as reshape_as".split())


BY_VALUES = "decides by values that it computes from its input"
BY_BATCH = "decides by the size of the batch"
OTHER_WAYS = {
    f"{BY_BATCH}: ": "Name the dimension, as in dim=1",
    BY_BATCH: "Rewrite it to do the same for every batch size",
    BY_VALUES: "Use tensor operations, such as torch.where",
}
"""What a model could do instead, by how a reason begins."""
LONGEST = 300
"""Characters of what was read."""


class DataDependence:
    """Values of a trace that depend on the input or on random numbers, and Python's reads of them.

    dependent: values whose numbers do. sized: by value, the dimensions whose sizes do. read: reason
    by place in the user's model, for people. assertions: reads by assert statements alone.
    """

    def __init__(self) -> None:
        self.dependent: set[int] = set()
        self.sized: dict[int, set[int]] = {}
        self.shapes: dict[int, tuple[int, ...]] = {}
        self.read: dict[str, str] = {}
        self.assertions: list[str] = []

    def propagate(self, step: Step) -> None:
        """Propagate dependence through one step: results of dependent inputs are dependent."""
        self._record_iteration(step)
        reads = list(values_in((step.args, dict(step.kwargs))))
        counted = reads[1:] if step.name in VALUE_INDEPENDENT and step.module is None else reads
        if step.name in RANDOM or not self.dependent.isdisjoint(counted):
            self.dependent.update(step.makes)
        if step.name in SIZED_BY_VALUES or _by_mask(step):
            if not self.dependent.isdisjoint(reads):
                self.sized |= {value: {0} for value in step.makes}
        elif counts := self._dependent_sizes(step, reads):
            for value in step.makes:
                self._mark_sized(value, counts)

    def _dependent_sizes(self, step: Step, reads: list[int]) -> set[int]:
        """The data-dependent sizes among those that determine the shapes of a step's results."""
        if step.name in SHAPED_AS_FIRST and step.module is None:
            index = 1 if step.name in SHAPED_AS_SECOND else 0
            reads = list(values_in(step.args[index : index + 1]))
        dependent = {self.shapes[v][dim] for v in reads for dim in self.sized.get(v, ())}
        sizes = sizes_in((step.args, dict(step.kwargs)))
        return dependent | {int(size) for size in sizes if self._depends(size.expression)}

    def _mark_sized(self, value: int, counts: set[int]) -> None:
        """Mark the dimensions of a result that have one of these sizes; all of them if none
        matches."""
        shape = self.shapes[value]
        same = {dim for dim, size in enumerate(shape) if size in counts}
        if shape:
            self.sized[value] = same or set(range(len(shape)))

    def _depends(self, expression: Expression) -> bool:
        """Whether data-dependent sizes occur in an expression."""
        return any(dim in self.sized.get(value, ()) for value, dim in sizes_of(expression))

    def record_read(
        self, name: str, result: Any, inputs: Iterable[int], location: Callable[[], str]
    ) -> bool:
        """Record a call whose result is not a tensor; True if Python thereby read a dependent
        value."""
        inputs = set(inputs)
        if result is None:
            return False
        sized = name == "__len__" and any(0 in self.sized.get(value, ()) for value in inputs)
        if not sized and (name in METADATA or self.dependent.isdisjoint(inputs)):
            return False
        return self._record(f"{bare_name(name)} of a tensor", location())

    def _record_iteration(self, step: Step) -> None:
        """Record a loop over a tensor whose length is data-dependent."""
        if (
            step.name not in SPLITTING
            or not step.args
            or any(isinstance(a, tuple) and not isinstance(a, Ref) for a in step.args)
        ):
            return  # sizes of pieces say how many there are
        dim = step.kwargs.get("dim", [*step.args, 0, 0][1 if step.name == "unbind" else 2])
        source = next(values_in(step.args[:1]), -1)
        rank = len(self.shapes.get(source, ())) or 1
        if isinstance(dim, int) and dim % rank in self.sized.get(source, ()):
            self._record(f"number of pieces of {step.name}", step.place)

    def record_comparison(self, location: str, text: str, *sides: Expression) -> bool:
        """Record a comparison of sizes, or a number made of one; True if they are
        data-dependent."""
        if not any(self._depends(side) for side in sides):
            return False
        self.read.setdefault(location, f"{BY_VALUES} (a size that depends on them: {text})")
        return True

    def _record(self, text: str, location: str) -> bool:
        code = user_code()
        if code and linecache.getline(*code).lstrip().startswith("assert "):
            self.assertions.append(
                f"an assertion on values that the drawing leaves out, {location}"
            )
        else:
            self.read.setdefault(location, f"{BY_VALUES} (Python reads the {text})")
        return True


def bare_name(name: str) -> str:
    """A function's name without underscores."""
    return name.strip("_")


def _by_mask(step: Step) -> bool:
    return step.name == "repeat_interleave" and len(list(values_in(step.args[1:]))) > 0


def sizes_of(expression: Expression) -> Iterator[tuple[int, int]]:
    """The sizes in an expression, each as (value, dimension)."""
    if expression[0] == "size":
        yield expression[1], expression[2]
    elif expression[0] != "int":
        for side in expression[1:]:
            yield from sizes_of(side)


def sizes_in(nested: Any) -> Iterator[Size]:
    """The symbolic Sizes in a nested argument."""
    if isinstance(nested, Size):
        yield nested
    elif isinstance(nested, slice):
        yield from sizes_in((nested.start, nested.stop, nested.step))
    elif isinstance(nested, Mapping):
        yield from sizes_in(tuple(nested.values()))
    elif isinstance(nested, (tuple, list)):
        for item in nested:
            yield from sizes_in(item)


def refuse_data_dependent(read: dict[str, str]) -> None:
    """Raises ImportRefused if Python's control flow depended on values."""
    if not read:
        return
    (location, reason), *others = read.items()
    more = ""
    if others:
        count = f"{len(others)} other lines" if len(others) > 1 else "one other line"
        more = f" ({count}: {'; '.join(location for location, _ in others[:3])})"
    other = next(way for start, way in OTHER_WAYS.items() if reason.startswith(start))
    raise for_one_sample(
        location, f"{reason}{more}. A drawing does the same for every input.", other
    )


def describe_decisions(read: dict[str, str]) -> tuple[str, ...]:
    """One sentence for each data-dependent decision that a specialised drawing has fixed."""
    messages = (
        f"{location} {reason[:LONGEST]}: drawn as it ran for one sample."
        for location, reason in read.items()
    )
    return tuple("".join(c for c in message if c.isprintable()) for message in messages)
