"""The edits of the soak: each by the hand on the page, and the same on the model.

Each returns whether it could be made now.
"""

from collections.abc import Callable
from typing import Any

from tests.browser import soak_model as m
from tests.browser.soak import Player

SIMPLE = "Conv2d ReLU BatchNorm2d Dropout MaxPool2d GELU Linear flatten Identity".split()
JOINS = ["add", "cat"]
NUMBERS = {
    "Conv2d": ("out_channels", "kernel_size"),
    "Linear": ("out_features",),
    "MaxPool2d": ("kernel_size",),
}


def add(player: Player) -> bool:
    after = player.any(lambda n: player.block(n) != "Output")
    own = list(player.graph.composites)
    block = player.rng.choice([*SIMPLE, *SIMPLE, *JOINS, *own])
    if not after:
        return False
    player.select(after)
    player.page.get_by_test_id("palette-search").fill(block)
    player.page.get_by_test_id(f"palette-{block}").click()
    return player.commit(m.add_next(player.graph, block, after))


def delete(player: Player) -> bool:
    name = player.any(lambda n: player.block(n) not in m.ENDS)
    if not name:
        return False
    player.select(name)
    player.keys(player.rng.choice(["Shift+Delete", "Shift+Backspace"]))
    return player.commit(m.remove(player.graph, [name]))


def set_number(player: Player) -> bool:
    name = player.any(lambda n: player.block(n) in NUMBERS)
    if not name:
        return False
    setting = player.rng.choice(NUMBERS[player.block(name)])
    value, key = player.rng.randint(1, 24), f"set {name} {setting}"
    now = player.graph.nodes[name].settings.get(setting, 0)
    if value == now or player.merge == key:
        return False
    player.select(name)
    player.fill(f"setting-{setting}", str(value))
    return player.commit(m.with_setting(player.graph, name, setting, value), key)


def rename(player: Player) -> bool:
    name, to = player.any(), next(player._ids)
    player.select(name)
    player.page.get_by_test_id("field-id").fill(to)
    player.keys("Enter", "Escape")
    return player.commit(m.edits.rename(player.graph, name, to))


def label(player: Player) -> bool:
    name, text = player.any(), f"part {player.rng.randint(0, 999)}"
    if player.graph.nodes[name].label == text or player.merge == f"label {name}":
        return False
    player.select(name)
    player.fill("field-label", text)
    return player.commit(m.change(player.graph, name, label=text), f"label {name}")


def repeat(player: Player) -> bool:
    name, times = player.any(), player.rng.randint(1, 4)
    if player.graph.nodes[name].repeat == times or player.merge == f"repeat {name}":
        return False
    player.select(name)
    player.fill("field-repeat", str(times))
    return player.commit(m.change(player.graph, name, repeat=times), f"repeat {name}")


def connect(player: Player) -> bool:
    edge = player.free_wire()
    if edge is None:
        return False
    player.select(edge.target)
    field = player.page.get_by_test_id(f"input-{edge.target_port}")
    text = f"{edge.source}.{edge.source_port} -> {edge.target}.{edge.target_port}"
    field.select_option(text)
    player.keys("Escape")
    return player.commit(m.connect(player.graph, edge))


def disconnect(player: Player) -> bool:
    if not player.graph.edges:
        return False
    edge = player.rng.choice(player.graph.edges)
    player.select(edge.target)
    player.page.get_by_test_id(f"input-{edge.target_port}").select_option("")
    player.keys("Escape")
    return player.commit(m.edits.disconnect(player.graph, edge))


def wire_by_mouse(player: Player) -> bool:
    edge = player.free_wire()
    if edge is None:
        return False
    player.keys("Escape", "f")
    start = player.place(f"port-{edge.source}-out-{edge.source_port}")
    end = player.place(f"port-{edge.target}-in-{edge.target_port}")
    if not start or not end:
        return False
    player.drag(start, end)
    return player.commit(m.connect(player.graph, edge))


def move_by_mouse(player: Player) -> bool:
    """Move a block that has a wire: one without would go onto the wire it is dropped on."""
    wired = {end for edge in player.graph.edges for end in (edge.source, edge.target)}
    name = player.any(lambda n: n in wired or player.block(n) in m.ENDS)
    if not name:
        return False
    player.keys("Escape", "f")
    start = player.place(f"node-{name}", 0.5, 0.25)
    if not start or player.merge == "nudge":
        return False
    player.drag(start, (start[0] + player.rng.choice([-40, 40]), start[1] + 30))
    return player.commit(player.graph, "nudge")


def move_by_keys(player: Player) -> bool:
    if player.merge == "nudge":
        return False
    player.select(player.any())
    player.keys("Shift+" + player.rng.choice(["ArrowDown", "ArrowRight", "ArrowUp"]))
    return player.commit(player.graph, "nudge")


def tidy(player: Player) -> bool:
    player.keys("Escape", player.rng.choice(["l", "L"]))
    return player.commit(player.graph)


def duplicate(player: Player) -> bool:
    name = player.any()
    player.select(name)
    player.keys(*player.rng.choice([["Control+d"], ["Control+c", "Control+v"]]))
    return player.commit(m.duplicate(player.graph, [name]))


def undo(player: Player) -> bool:
    times = player.rng.randint(1, 4)
    if len(player.model.past) < times:
        return False
    player.merge = ""
    for _ in range(times):
        player.keys("Control+z")
        player.model.undo()
    return True


def redo(player: Player) -> bool:
    if not player.model.future:
        return False
    player.merge = ""
    for _ in range(player.rng.randint(1, len(player.model.future))):
        player.keys("Control+Shift+z")
        player.model.redo()
    return True


def group(player: Player) -> bool:
    pair = m.pair_to_group(player.graph, player.rng)
    if pair is None:
        return False
    name = next(player._names)
    return _group(player, *pair, name)


def _group(player: Player, one: str, two: str, name: str) -> bool:
    player.keys("Escape", "f")
    place = player.place(f"node-{two}", 0.5, 0.2)
    if not place:
        return False
    player.select(one)
    player.keys("f")
    place = player.place(f"node-{two}", 0.5, 0.2)
    if not place:
        return False
    player.page.keyboard.down("Control")
    player.page.mouse.click(*place)
    player.page.keyboard.up("Control")
    player.keys("Control+g")
    player.page.get_by_test_id("group-name").fill(name)
    player.keys("Enter")
    return player.commit(m.group(player.graph, one, two, name))


def unpack(player: Player) -> bool:
    own = player.graph.composites
    use = player.any(lambda n: player.block(n) in own and player.graph.nodes[n].repeat == 1)
    if not use:
        return False
    player.select(use)
    player.keys("Control+Shift+g")
    return player.commit(m.unpack(player.graph, use))


def edit_inside(player: Player) -> bool:
    own = player.graph.composites
    use = player.any(lambda n: player.block(n) in own)
    if not use:
        return False
    name = player.block(use)
    nodes = own[name].graph.nodes
    node = player.rng.choice([n for n in nodes if nodes[n].block != "Output"])
    block = player.rng.choice(SIMPLE)
    player.select(node, f"{use}.")
    player.page.get_by_test_id("palette-search").fill(block)
    player.page.get_by_test_id(f"palette-{block}").click()
    player.keys("Escape", "Escape", "Escape")
    edited = m.inside(player.graph, name, lambda part: m.add_next(part, block, node))
    return player.commit(edited)


Weight = Callable[[bool], float]


def _weight(usual: float, full: float | None = None) -> Weight:
    return lambda is_full: full if is_full and full is not None else usual


EDITS: dict[Any, Weight] = {
    add: _weight(15, 2),
    delete: _weight(9, 40),
    set_number: _weight(14),
    rename: _weight(6),
    label: _weight(3),
    repeat: _weight(3),
    connect: _weight(9),
    disconnect: _weight(5),
    wire_by_mouse: _weight(7),
    move_by_mouse: _weight(7),
    move_by_keys: _weight(5),
    tidy: _weight(3),
    duplicate: _weight(5, 0),
    undo: _weight(8),
    redo: _weight(6),
    group: _weight(5),
    unpack: _weight(3),
    edit_inside: _weight(4),
}
