"""Names of values inside a forward: `x` for what only the next line uses, else the node's id."""

from core.source.scope import Scope, Value


def name_values(scope: Scope) -> dict[Value, str]:
    """Name every value that is used, and the first output of every node."""
    readers: dict[Value, set[int]] = {}
    for index, use in enumerate(scope.uses):
        for wire in use.wires.values():
            for value in (wire,) if isinstance(wire, Value) else wire:
                readers.setdefault(value, set()).add(index)
    for _, value in scope.results:
        readers.setdefault(value, set()).add(len(scope.uses))
    names: dict[Value, str] = {Value(name): name for name, _ in scope.inputs}
    taken = {use.id for use in scope.uses} | set(names.values())
    for index, use in enumerate(scope.uses):
        ports = [port for port in use.outputs if Value(use.id, port) in readers]
        alone = len(ports) == 1 and readers[Value(use.id, ports[0])] == {index + 1}
        alone = alone and not use.outputs[ports[0]].is_size
        # what is written into in a second statement must not hide an `x` that statement reads
        alone = alone and not (use.block and use.block.after)
        if alone and not (index + 1 == len(scope.uses) and len(scope.results) > 1):
            names[Value(use.id, ports[0])] = "x"
            continue
        for port in ports or list(use.outputs)[:1]:
            name = use.id if port == next(iter(use.outputs)) else f"{use.id}_{port.split('.')[-1]}"
            while name != use.id and name in taken:
                name += "_"
            taken.add(name)
            names[Value(use.id, port)] = name
    return names
