"""The soak's hand: random edits through the real page, each told to the model as well."""

import logging
import random
from collections.abc import Callable, Mapping
from typing import Any

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as WaitedTooLong

from core.graph import Edge, Graph
from core.graph.ports import input_ports, output_ports
from tests.browser import soak_model as m
from tests.browser.access import focused

_LOG = logging.getLogger(__name__)
FOCUS_MS = 10_000
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
        self.merge = self._about = ""
        self._names = iter(f"Zone{a}{b}" for a in LETTERS for b in LETTERS)
        self._ids = iter(f"n{number}" for number in range(10_000))

    @property
    def graph(self) -> Graph:
        return self.model.graph

    def edit(self, edits: Mapping[Any, Callable[[bool], float]]) -> None:
        """Make one random edit; try others where it cannot be made now."""
        full = len(self.graph.nodes) > MOST
        while True:
            edit = self.rng.choices(list(edits), [weight(full) for weight in edits.values()])[0]
            self._about = ""
            try:
                made = edit(self)
            except Exception as error:
                where = f"edit {len(self.done)}, {edit.__name__}, after {self.done[-8:]}"
                error.add_note(f"in {where}, of {self.describe()}; focus on {focused(self.page)!r}")
                raise
            if made:
                self.done.append(f"{edit.__name__} {self._about}".strip())
                return

    def describe(self) -> str:
        """The drawing in words."""
        nodes = " ".join(f"{name}:{node.block}" for name, node in self.graph.nodes.items())
        wires = ", ".join(f"{e.source} -> {e.target}.{e.target_port}" for e in self.graph.edges)
        return f"{nodes}; {wires}"

    # what the hand does

    def select(self, node: str, path: str = "") -> None:
        """Go to a block by the search, and have nothing else selected, as a hand sees it."""
        self._about = path + node
        self._search()
        self.page.get_by_test_id("search-query").fill(f"{path}{node} {node}" if path else node)
        self.page.keyboard.press("Enter")
        self.page.locator(f'[data-testid="node-{node}"][data-selected]').wait_for()

    def _search(self) -> None:
        """Open the search; where the page had lost the focus, go back to the canvas first.

        After a verb it comes back within 50 ms, which fingers are slower than and this is not;
        where it belongs is a claim of test_focus.
        """
        self.page.keyboard.press("Control+k")
        try:
            self.page.get_by_test_id("search-query").wait_for(timeout=FOCUS_MS)
        except WaitedTooLong:
            where = f"edit {len(self.done)}, after {self.done[-3:]}"
            _LOG.warning("the focus was on %r in %s", focused(self.page), where)
            self.page.get_by_test_id("workbench").focus()
            self.page.keyboard.press("Control+k")

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

    def commit(self, graph: Graph, merge: str = "") -> bool:
        self.merge = merge
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
