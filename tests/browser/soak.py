"""The soak's hand: random edits through the real page, each told to the model as well."""

import random
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from core.graph import Edge, Graph
from core.graph.ports import input_ports, output_ports
from tests.browser import soak_model as m

SIMPLE = "Conv2d ReLU BatchNorm2d Dropout MaxPool2d GELU Linear flatten Identity".split()
JOINS = ["add", "cat"]
NUMBERS = {
    "Conv2d": ("out_channels", "kernel_size"),
    "Linear": ("out_features",),
    "MaxPool2d": ("kernel_size",),
}
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
MOST = 34
DRAWN = "() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
PLACE = """([id, part]) => {
  const find = (root, css) => { for (const e of root.querySelectorAll('*')) {
      const t = e.matches(css) ? e : e.shadowRoot && find(e.shadowRoot, css);
      if (t) return t; } };
  const e = find(document, `[data-testid="${id}"]`);
  if (!e) return null;
  const b = e.getBoundingClientRect(), x = b.x + b.width * part[0], y = b.y + b.height * part[1];
  let top = document.elementFromPoint(x, y);
  while (top?.shadowRoot) top = top.shadowRoot.elementFromPoint(x, y);
  return top && e.contains(top) ? [x, y] : null; }"""


class Player:
    """Makes edits. Each returns whether it could be made now."""

    def __init__(self, page: Page, model: m.Model, rng: random.Random) -> None:
        self.page, self.model, self.rng = page, model, rng
        self.done: list[str] = []
        self._merge = self._about = ""
        self._names = iter(f"Zone{a}{b}" for a in LETTERS for b in LETTERS)
        self._ids = iter(f"n{number}" for number in range(10_000))

    @property
    def graph(self) -> Graph:
        return self.model.graph

    def edit(self) -> None:
        """Make one random edit; try others where it cannot be made now."""
        full = len(self.graph.nodes) > MOST
        while True:
            edit = self.rng.choices(list(EDITS), [w(full) for w in EDITS.values()])[0]
            self._about = ""
            self.page.get_by_test_id("workbench").focus()
            try:
                made = edit(self)
            except Exception as error:
                error.add_note(f"in {edit.__name__}, after {self.done[-8:]}, of {self.told()}")
                raise
            if made:
                self.done.append(f"{edit.__name__} {self._about}".strip())
                return

    def told(self) -> str:
        """The drawing in words."""
        nodes = " ".join(f"{name}:{node.block}" for name, node in self.graph.nodes.items())
        wires = ", ".join(f"{e.source} -> {e.target}.{e.target_port}" for e in self.graph.edges)
        return f"{nodes}; {wires}"

    # what the hand does

    def select(self, node: str, path: str = "") -> None:
        """Go to a block by the search, and have nothing else selected."""
        self._about = path + node
        self.page.keyboard.press("Control+k")
        self.page.get_by_test_id("search-query").fill(f"{path}{node} {node}" if path else node)
        self.page.keyboard.press("Enter")

    def fill(self, test_id: str, text: str) -> None:
        self.page.get_by_test_id(test_id).fill(text)
        self.page.keyboard.press("Escape")

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def place(self, test_id: str, x: float = 0.5, y: float = 0.5) -> tuple[float, float] | None:
        """Where a thing is on the page, if nothing lies over it."""
        self.page.evaluate(DRAWN)
        found = self.page.evaluate(PLACE, [test_id, [x, y]])
        return (found[0], found[1]) if found else None

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        mouse.move(*end, steps=2)
        mouse.up()

    # what is chosen

    def any(self, fits: Callable[[str], bool] = lambda _: True) -> str:
        """A random node that fits, "" if there is none."""
        found = [name for name in self.graph.nodes if fits(name)]
        return self.rng.choice(found) if found else ""

    def block(self, name: str) -> str:
        return self.graph.nodes[name].block

    def merges(self, key: str) -> bool:
        """Whether an edit could become one undo step with the last one."""
        same, self._merge = key == self._merge, key
        return same

    def commit(self, graph: Graph, merge: str = "") -> bool:
        self._merge = merge
        self.model.commit(graph)
        return True

    def free_wire(self) -> Edge | None:
        """A wire that can be drawn into a port that has none."""
        target = self.any(lambda n: self.block(n) != "Input")
        used = {e.target_port for e in self.graph.into(target)} if target else set()
        node = self.graph.nodes.get(target)
        ports = input_ports(node, self.graph.composites) if node else ()
        names = [
            f"{p.name}.{len(used)}" if p.listed else p.name
            for p in ports
            if p.kind not in ("size", "sizes")
        ]
        free = [name for name in names if name not in used]
        source = self.any(lambda n: self.block(n) != "Output")
        if not free or not source:
            return None
        out = output_ports(self.graph.nodes[source], self.graph.composites)[0].name
        edge = Edge(source, out, target, free[0])
        self._about = f"{source} -> {target}"
        return edge if m.can_connect(self.graph, edge) else None


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
    player.keys(player.rng.choice(["Delete", "Backspace"]))
    return player.commit(m.remove(player.graph, [name]))


def set_number(player: Player) -> bool:
    name = player.any(lambda n: player.block(n) in NUMBERS)
    if not name:
        return False
    setting = player.rng.choice(NUMBERS[player.block(name)])
    value, key = player.rng.randint(1, 24), f"set {name} {setting}"
    now = player.graph.nodes[name].settings.get(setting, 0)
    if value == now or player._merge == key:
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
    if player.graph.nodes[name].label == text or player._merge == f"label {name}":
        return False
    player.select(name)
    player.fill("field-label", text)
    return player.commit(m.change(player.graph, name, label=text), f"label {name}")


def repeat(player: Player) -> bool:
    name, times = player.any(), player.rng.randint(1, 4)
    if player.graph.nodes[name].repeat == times or player._merge == f"repeat {name}":
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
    name = player.any()
    player.keys("Escape", "f")
    start = player.place(f"node-{name}", 0.5, 0.25)
    if not start or player._merge == "nudge":
        return False
    player.drag(start, (start[0] + player.rng.choice([-40, 40]), start[1] + 30))
    return player.commit(player.graph, "nudge")


def move_by_keys(player: Player) -> bool:
    if player._merge == "nudge":
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
    player._merge = ""
    for _ in range(times):
        player.keys("Control+z")
        player.model.undo()
    return True


def redo(player: Player) -> bool:
    if not player.model.future:
        return False
    player._merge = ""
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
