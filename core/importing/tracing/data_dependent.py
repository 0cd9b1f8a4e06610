"""What Python decides while a model runs: which values depend on the input, and who reads them.

A drawing does the same for every input, so a branch, a loop or a number that was decided by the
values of one sample holds for that sample alone.
"""

import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from core.importing.error_messages import for_one_sample
from core.importing.tracing.steps import SIZED_BY_VALUES, Ref, Step, values
from core.importing.tracing.symint import Expression, Size
from core.importing.tracing.user_frame import user_code

METADATA = frozenset(
    """shape size dim ndim ndimension numel nelement dtype device layout names type itemsize
    element_size nbytes is_cuda is_cpu is_meta is_sparse is_sparse_csr is_mkldnn is_quantized
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
"""Functions whose results are chance."""
OF_SIZES = frozenset(
    """zeros_like ones_like empty_like full_like rand_like randn_like new_zeros new_ones new_empty
    new_full arange linspace tensor zero zero_""".split()
)
"""Functions that read nothing of the values of their first argument."""
PIECES = frozenset("unbind split chunk".split())
"""Functions that may give as many tensors as a size says."""
SHAPED_AS_FIRST = frozenset(
    """__setitem__ index_put index_put_ index_add index_add_ index_copy index_copy_ index_fill
    index_fill_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_
    masked_fill masked_fill_ masked_scatter masked_scatter_ expand_as view_as reshape_as
    copy_""".split()
)
"""Functions whose results are as large as one argument: the first one, or the second."""
FORM_OF_SECOND = frozenset("expand_as view_as reshape_as".split())


BY_VALUES = "decides by values that it computes from its input"
BY_BATCH = "decides by the size of the batch"
LONGEST = 300
"""Characters of what was read."""


class Decisions:
    """The values of a run that depend on its input or on chance, and what Python read of them.

    dependent: values whose numbers do so. sized: the dimensions that do so, by value. read: what
    was read, for people, by place. assertions: what was only asserted, which a drawing does not.
    """

    def __init__(self) -> None:
        self.dependent: set[int] = set()
        self.sized: dict[int, set[int]] = {}
        self.shapes: dict[int, tuple[int, ...]] = {}
        self.read: dict[str, str] = {}
        self.assertions: list[str] = []

    def enter(self, step: Step) -> None:
        """Follow one step: what it makes of dependent values is dependent."""
        self._takes_apart(step)
        reads = list(values((step.args, dict(step.kwargs))))
        counted = reads[1:] if step.name in OF_SIZES and step.module is None else reads
        if step.name in RANDOM or not self.dependent.isdisjoint(counted):
            self.dependent.update(step.makes)
        if step.name in SIZED_BY_VALUES or _by_mask(step):
            if not self.dependent.isdisjoint(reads):
                self.sized |= {value: {0} for value in step.makes}
        elif counts := self._counts(step, reads):
            for value in step.makes:
                self._grow(value, counts)

    def _counts(self, step: Step, reads: list[int]) -> set[int]:
        """The sizes that depend on values among those that decide how large the results are."""
        if step.name in SHAPED_AS_FIRST and step.module is None:
            place = 1 if step.name in FORM_OF_SECOND else 0
            reads = list(values(step.args[place : place + 1]))
        found = {self.shapes[v][dim] for v in reads for dim in self.sized.get(v, ())}
        given = sizes_in((step.args, dict(step.kwargs)))
        return found | {int(size) for size in given if self._depends(size.expression)}

    def _grow(self, value: int, counts: set[int]) -> None:
        """Note which dimensions of a result these sizes went into: all, if none shows it."""
        shape = self.shapes[value]
        same = {dim for dim, size in enumerate(shape) if size in counts}
        if shape:
            self.sized[value] = same or set(range(len(shape)))

    def _depends(self, expression: Expression) -> bool:
        """Whether values decide the sizes that an expression is calculated from."""
        return any(dim in self.sized.get(value, ()) for value, dim in sizes_of(expression))

    def look(self, name: str, result: Any, given: Iterable[int], place: Callable[[], str]) -> bool:
        """Note that a function without a tensor as its result was called; True for a decision."""
        given = set(given)
        if result is None:
            return False
        sized = name == "__len__" and any(0 in self.sized.get(value, ()) for value in given)
        if not sized and (name in METADATA or self.dependent.isdisjoint(given)):
            return False
        return self._decided(f"{bare(name)} of a tensor", place())

    def _takes_apart(self, step: Step) -> None:
        """Note a loop over a tensor whose length depends on values."""
        if (
            step.name not in PIECES
            or not step.args
            or any(isinstance(a, tuple) and not isinstance(a, Ref) for a in step.args)
        ):
            return  # sizes of pieces say how many there are
        dim = step.kwargs.get("dim", [*step.args, 0, 0][1 if step.name == "unbind" else 2])
        source = next(values(step.args[:1]), -1)
        rank = len(self.shapes.get(source, ())) or 1
        if isinstance(dim, int) and dim % rank in self.sized.get(source, ()):
            self._decided(f"number of pieces of {step.name}", step.place)

    def compared(self, place: str, said: str, *sides: Expression) -> bool:
        """Note a comparison of sizes, or a number made of one; True where values decide them."""
        if not any(self._depends(side) for side in sides):
            return False
        self.read.setdefault(place, f"{BY_VALUES} (a size that they decide: {said})")
        return True

    def _decided(self, said: str, place: str) -> bool:
        code = user_code()
        if code and linecache.getline(*code).lstrip().startswith("assert "):
            self.assertions.append(f"an assertion on values that the drawing leaves out, {place}")
        else:
            self.read.setdefault(place, f"{BY_VALUES} (Python reads the {said})")
        return True


def bare(name: str) -> str:
    """A function's name without underscores."""
    return name.strip("_")


def _by_mask(step: Step) -> bool:
    return step.name == "repeat_interleave" and len(list(values(step.args[1:]))) > 0


def sizes_of(expression: Expression) -> Iterator[tuple[int, int]]:
    """The sizes an expression is calculated from: values and dimensions."""
    if expression[0] == "size":
        yield expression[1], expression[2]
    elif expression[0] != "int":
        for side in expression[1:]:
            yield from sizes_of(side)


def sizes_in(found: Any) -> Iterator[Size]:
    """The tracked sizes in a nested argument."""
    if isinstance(found, Size):
        yield found
    elif isinstance(found, slice):
        yield from sizes_in((found.start, found.stop, found.step))
    elif isinstance(found, Mapping):
        yield from sizes_in(tuple(found.values()))
    elif isinstance(found, (tuple, list)):
        for item in found:
            yield from sizes_in(item)


def refuse(read: dict[str, str]) -> None:
    """Raises ImportRefused where something was decided by values."""
    if not read:
        return
    (place, said), *others = read.items()
    more = ""
    if others:
        count = f"{len(others)} further places" if len(others) > 1 else "one further place"
        more = f" ({count}: {'; '.join(place for place, _ in others[:3])})"
    other = (
        "Name the dimension, as in squeeze(1)"
        if said == BY_BATCH
        else "Write it with tensors, \
such as torch.where"
    )
    raise for_one_sample(place, f"{said}{more}. A drawing does the same for every input.", other)


def sentences(read: dict[str, str]) -> tuple[str, ...]:
    """What a specialised drawing has to say of itself, one sentence for each decision."""
    found = (
        f"{place} {said[:LONGEST]}: drawn as it went for one sample."
        for place, said in read.items()
    )
    return tuple("".join(c for c in said if c.isprintable()) for said in found)
