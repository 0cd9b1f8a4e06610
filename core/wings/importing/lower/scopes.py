"""Make every scope of a trace drawable as a composite.

A scope that uses layers outside its own module is inlined into its parent; a container that is
never called (nn.ModuleList) becomes a scope if its layers run one right after the other.
"""

from collections.abc import Iterator
from itertools import pairwise

from core.wings.importing.lower.shared_modules import dissolve_shared
from core.wings.importing.matching.match import IDENTITY_FUNCTIONS
from core.wings.importing.tracing.memory_formats import COPYING
from core.wings.importing.tracing.trace_ir import Ref, Step, Trace, TraceScope, values_in

Item = Step | TraceScope


def identity_modules(trace: Trace) -> list[str]:
    """Modules that returned their input without computing anything, for people."""
    return [
        f"{scope.path} ({type(scope.module).__name__})"
        for scope in trace.root.scopes()
        if scope.module is not None
        and not any(True for _ in scope.steps())
        and not any(True for _ in scope.module.children())
    ]


def make_drawable(trace: Trace) -> dict[int, int]:
    """Bring a trace into drawable form. Returns values that are copies, with their sources."""
    passed = _drop_identities(trace.root)
    _drop_unused(trace, passed)
    _dissolve(trace.root)
    _group_containers(trace.root, set(trace.attributes), passed)
    dissolve_shared(trace.root, trace.attributes)
    _hoist_joins(trace.root, set(trace.attributes), passed)
    chain_joins(trace.root)
    return passed


def _drop_identities(scope: TraceScope) -> dict[int, int]:
    passed: dict[int, int] = {}
    laid_out = _layout_copies(scope)

    def keep(item: Item) -> bool:
        if isinstance(item, TraceScope):
            item.items = [i for i in item.items if keep(i)]
            return True
        single = item.name in ("cat", "concat") and len(item.reads) == 1
        if id(item) in laid_out:
            return True
        if (item.name in IDENTITY_FUNCTIONS or single) and not item.module and len(item.reads) == 1:
            passed[item.makes[0]] = passed.get(item.reads[0], item.reads[0])
            return False
        return True

    scope.items = [i for i in scope.items if keep(i)]
    return passed


def _layout_copies(scope: TraceScope) -> set[int]:
    """Copies (contiguous, clone) whose memory format a reader needs, or whoever is given a
    result."""
    needed = {v for step in scope.steps() if step.needs_layout for v in step.reads}
    needed.update(values_in(scope.result))
    return {
        id(step)
        for step in scope.steps()
        if step.name in COPYING and step.needs_layout and needed.intersection(step.makes)
    }


def _drop_unused(trace: Trace, passed: dict[int, int]) -> None:
    """Dead code elimination: drop functions whose results are unused; layers stay, for their
    weights."""
    needed = {passed.get(v, v) for v in _results(trace.root)}

    def keep(item: Item) -> bool:
        if isinstance(item, TraceScope):
            item.items = [i for i in reversed(item.items) if keep(i)][::-1]
            return bool(item.items)
        if item.module is None and not needed.intersection(item.makes):
            return False
        needed.update(passed.get(v, v) for v in [*item.reads, *item.sizes_read()])
        return True

    trace.root.items = [i for i in reversed(trace.root.items) if keep(i)][::-1]


def _results(scope: TraceScope) -> Iterator[int]:
    yield from values_in(scope.result)


def _dissolve(scope: TraceScope) -> None:
    """Inline scopes that use layers of other modules."""
    items: list[Item] = []
    for item in scope.items:
        if isinstance(item, TraceScope):
            _dissolve(item)
            inside = [
                i.path for i in item.items if isinstance(i, TraceScope) or i.module is not None
            ]
            if not all(path.startswith(f"{item.path}.") for path in inside):
                items += item.items
                continue
        items.append(item)
    scope.items = items


def _group_containers(scope: TraceScope, own: set[int], passed: dict[int, int]) -> None:
    """Put layers of a container that is never called into a scope of its own.

    own: parameters and buffers, which are no wires.
    """
    depth = 1
    while names := dict.fromkeys(_container(scope, item, depth) for item in scope.items):
        if not any(names):
            break
        for name in filter(None, names):
            _group_container(scope, name, own, passed)
        depth += 1
    for item in scope.items:
        if isinstance(item, TraceScope):
            _group_containers(item, own, passed)


def _group_container(scope: TraceScope, name: str, own: set[int], passed: dict[int, int]) -> None:
    """Put the layers of one container into a scope, if they are an uninterrupted chain."""
    depth = name.count(".") + 1
    places = [i for i, item in enumerate(scope.items) if _container(scope, item, depth) == name]
    first, last = places[0], places[-1]
    paths = [item.path for item in scope.items[first : last + 1]]
    path = f"{scope.path}.{name}" if scope.path else name
    called = any(isinstance(item, Step) and item.path == path for item in scope.items)
    if called or last - first + 1 > len(places) or len(set(paths)) < len(paths):
        return
    items = scope.items[first : last + 1]
    names = dict(items[0].names) if isinstance(items[0], TraceScope) else {}
    inner = TraceScope(path, None, items, names, None, scope.place)
    if _is_chain(inner, own, passed):
        scope.items[first : last + 1] = [inner]


def _is_chain(scope: TraceScope, own: set[int], passed: dict[int, int]) -> bool:
    items = scope.items
    reads = [{passed.get(v, v) for v in _reads(i)} for i in items]
    ends = [(r - set(_makes(i)) - own, _makes(i)) for i, r in zip(items, reads, strict=True)]
    linked = all(len(r) == 1 and r <= set(m) for (_, m), (r, _) in pairwise(ends))
    return (linked and len(ends[0][0]) == 1) or _is_loop(items, ends, passed)


def _is_loop(
    items: list[Item], ends: list[tuple[set[int], list[int]]], passed: dict[int, int]
) -> bool:
    """Whether each layer takes the previous one's result first, and otherwise the same inputs as
    all others: `for layer in self.layers: x = layer(x, mask)`.

    ends: for each layer, the values it reads from outside and those it makes.
    """
    starts = [_first_read(item, passed) for item in items]
    further = [reads - {start} for (reads, _), start in zip(ends, starts, strict=True)]
    if (
        len(items) < 2
        or len({item.path.count(".") for item in items}) > 1
        or not further[0]
        or any(more != further[0] for more in further)
    ):
        return False
    if further[0] & {value for _, made in ends for value in made}:
        return False
    return all(start in made for (_, made), start in zip(ends, starts[1:], strict=False))


def _first_read(item: Item, passed: dict[int, int]) -> int | None:
    """The first input of a layer; None if it is no layer with a single result."""
    if isinstance(item, Step):
        return passed.get(item.reads[0], item.reads[0]) if len(item.makes) == 1 else None
    inside, reads = set(_makes(item)), [passed.get(v, v) for v in _reads(item)]
    given = [passed.get(v, v) for v in item.names]
    return next((v for v in given if v in reads and v not in inside), None)


def _reads(item: Item) -> list[int]:
    return item.reads if isinstance(item, Step) else [v for s in item.steps() for v in s.reads]


def _makes(item: Item) -> list[int]:
    return item.makes if isinstance(item, Step) else [v for s in item.steps() for v in s.makes]


def _container(scope: TraceScope, item: Item, depth: int) -> str:
    """The path of an item's container, `depth` levels below the scope; "" if it is not that
    deep."""
    path = item.path if isinstance(item, TraceScope) or item.module is not None else ""
    start = f"{scope.path}." if scope.path else ""
    if not path.startswith(start):
        return ""
    parts = path.removeprefix(start).split(".")
    return ".".join(parts[:depth]) if len(parts) > depth else ""


def _hoist_joins(scope: TraceScope, own: set[int], passed: dict[int, int]) -> None:
    """Move a cat of a scope's inputs out of the scope, if that is their only use.

    A DenseNet's layers then all take one tensor, so that they are uses of one composite.
    own: parameters and buffers, which nobody passes.
    """
    items: list[Item] = []
    for item in scope.items:
        if isinstance(item, TraceScope):
            _hoist_joins(item, own, passed)
            first = item.items[0] if item.items else None
            if isinstance(first, Step) and first.name in ("cat", "concat"):
                inside = set(_makes(item))
                rest = [v for other in item.items[1:] for v in _reads(other)]
                outer = {passed.get(v, v) for v in rest} - inside - own
                if not outer and not set(first.reads) & inside and len(item.items) > 1:
                    first.variables = ()  # the name that it has in there
                    items.append(first)
                    item.items = item.items[1:]
                    item.names = {first.makes[0]: _given_as(item, first)}
        items.append(item)
    scope.items = items


def _given_as(scope: TraceScope, join: Step) -> str:
    """The common name of the arguments that are concatenated: features1, features2, ..."""
    names = {scope.names.get(value, "").rstrip("0123456789") for value in join.reads}
    return names.pop() or "input" if len(names) == 1 else "input"


def chain_joins(scope: TraceScope) -> None:
    """Continue a cat from the previous one: cat(a, b, c) is cat(cat(a, b), c), bit for bit."""
    before: list[Step] = []
    for item in scope.items:
        if isinstance(item, TraceScope):
            chain_joins(item)
            continue
        if item.name not in ("cat", "concat") or not isinstance(item.args[0], tuple):
            continue
        joined, rest = item.args[0], (item.args[1:], dict(item.kwargs))
        for last in reversed(before):
            begin = last.args[0]
            alike = (last.args[1:], dict(last.kwargs)) == rest
            if alike and joined[: len(begin)] == begin and len(joined) > len(begin):
                whole = (Ref(last.makes[0]), *joined[len(begin) :])
                item.joined = whole
                break
        before.append(item)
    for item in before:
        if item.joined:
            item.args = (item.joined, *item.args[1:])
