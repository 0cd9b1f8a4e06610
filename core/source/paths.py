"""Map module paths to node paths: layers of an nn.Sequential are numbered in the module.

No torch here: modules are recognised by the names of their children.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Ids = Mapping[str, tuple[str, ...]]
"""Ids of the nodes directly inside a node, by its path."""


def inner_ids(paths: Iterable[str]) -> Ids:
    """Sort node paths by what they stand in."""
    inner: dict[str, dict[str, None]] = {}
    for path in paths:
        outer = ""
        for part in path.split("."):
            inner.setdefault(outer, {})[part] = None
            outer = f"{outer}.{part}" if outer else part
    return {outer: tuple(ids) for outer, ids in inner.items()}


def step_names(ids: tuple[str, ...], count: int) -> dict[str, str]:
    """Which node a number of an nn.Sequential is: a repetition 0, 1, ..., or NAME_0, NAME_1, ...

    A node of a chain that repeats takes several numbers: NAME_3 is 3, 4, ... up to the next one.
    ids: of the nodes that are layers in it.
    """
    numbered = sorted((int(n), name) for name in ids if (n := name.rpartition("_")[2]).isdigit())
    if not ids or len(numbered) < len(ids) or all(name.isdigit() for name in ids):
        return {str(i): str(i) for i in range(count)}
    starts, names = [n for n, _ in numbered], [name for _, name in numbered]
    node_of: dict[str, str] = {}
    for name, start, end in zip(names, starts, [*starts[1:], count], strict=True):
        for number in range(start, end):
            node_of[str(number)] = name if end - start == 1 else f"{name}.{number - start}"
    return node_of


def node_paths(module: Any, paths: Iterable[str]) -> dict[str, str]:
    """The path in the drawing of every layer of a module, by its path in the module.

    module: an nn.Module. paths: of the nodes whose statements are in its source.
    """
    return dict(_walk(module, "", "", inner_ids(paths)))


def _walk(module: Any, own: str, path: str, ids: Ids) -> Iterator[tuple[str, str]]:
    children = dict(module.named_children())
    numbered = list(children) == [str(i) for i in range(len(children))]
    steps = step_names(ids.get(path, ()), len(children)) if numbered else {}
    for name, child in children.items():
        mine = f"{own}.{name}" if own else name
        step = steps.get(str(name), str(name))
        node = f"{path}.{step}" if path else step
        yield mine, node
        yield from _walk(child, mine, node, ids)
