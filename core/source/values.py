"""Names of values inside a forward: `x` for what only the next line uses, else the node's id."""

from core.source.scope import Scope, Use, Value


def name_values(scope: Scope) -> dict[Value, str]:
    """Name every value that is used, and the first output of every node."""
    readers = _readers(scope)
    names: dict[Value, str] = {Value(name): name for name, _ in scope.inputs}
    taken = {use.id for use in scope.uses} | set(names.values())
    several = len(scope.results) > 1
    for index, use in enumerate(scope.uses):
        ports = [port for port, value in use.gives.items() if value in readers]
        last = several and index + 1 == len(scope.uses)
        if not last and _alone(use, ports, readers, index):
            names[use.gives[ports[0]]] = "x"
            continue
        for port in ports or list(use.outputs)[:1]:
            name = use.id if port == next(iter(use.outputs)) else f"{use.id}_{port.split('.')[-1]}"
            while name != use.id and name in taken:
                name += "_"
            taken.add(name)
            names[use.gives[port]] = name
    return names


def _readers(scope: Scope) -> dict[Value, set[int]]:
    """The lines that read each value; the last one returns the results."""
    readers: dict[Value, set[int]] = {}
    for index, use in enumerate(scope.uses):
        for value in use.reads:
            readers.setdefault(value, set()).add(index)
    for _, value in scope.results:
        readers.setdefault(value, set()).add(len(scope.uses))
    return readers


def _alone(use: Use, ports: list[str], readers: dict[Value, set[int]], index: int) -> bool:
    """Whether a use gives one tensor, which only the next line reads."""
    # what is written into in a second statement must not hide an `x` that statement reads
    if len(ports) != 1 or use.outputs[ports[0]].is_size or (use.block and use.block.after):
        return False
    return readers[use.gives[ports[0]]] == {index + 1}
