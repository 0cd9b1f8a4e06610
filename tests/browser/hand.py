"""What a hand does on the canvas: open, point, drag, wire, type keys, save. One class, real events.

Places to drop on are told from a block ("40 to the right of conv1"), never from the window: so the
saved layout is the same on every machine.
"""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import FloatRect, Locator, Page, expect

from core.project import read_text, write_text
from tests.browser.drawings import CHAIN, checked

SECOND = {"x": 40, "y": 14}  # a place on a block's head that is no port
STILL = """e => new Promise(done => {
  const place = () => Object.values(e.getBoundingClientRect().toJSON()).join();
  let last = '', same = 0;
  const look = () => {
    same = place() === last ? same + 1 : 0;
    last = place();
    same > 2 ? done() : requestAnimationFrame(look);
  };
  look(); })"""


def colour_by(page: Page, measure: str) -> None:
    """Colour the blocks by one of their costs, in the panel of the costs."""
    page.get_by_test_id("toolbar-costs").click()
    page.get_by_test_id("toolbar-heat").select_option(measure)
    page.keyboard.press("Escape")


class Hand:
    """A page with the canvas of one project."""

    def __init__(self, page: Page, server: Any) -> None:
        self.page, self.server = page, server
        self.path = Path()
        self.start = ""

    def open(self, name: str, graph: dict[str, Any] = CHAIN, **parts: Any) -> None:
        """Write a project of this graph to the workspace, as the workbench would, and open it."""
        places = {node: [300 * (i % 3), 160 * (i // 3)] for i, node in enumerate(graph["nodes"])}
        project = {"layerloom": 1, "name": name, "graph": graph, "layout": places, **parts}
        self.start = write_text(read_text(json.dumps(project), name))
        self.path = self.server.workspace / f"{name}.loom.json"
        self.path.write_text(self.start, encoding="utf-8")
        self.go()

    def go(self) -> None:
        """Go to the project's address, as a bookmark does."""
        self.page.goto(f"{self.server.address}/build?project={self.path.name}")
        checked(self.page)

    def reload(self) -> None:
        """Load the page anew."""
        self.page.reload()
        checked(self.page)

    def __call__(self, test_id: str) -> Locator:
        return self.page.get_by_test_id(test_id)

    def click(self, *test_ids: str) -> None:
        for test_id in test_ids:
            self(test_id).click()

    def arrange(self, verb: str) -> None:
        """Choose one of the verbs that arrange the whole drawing."""
        self.click("toolbar-arrange", f"toolbar-{verb}")

    def share(self, way: str) -> None:
        """Choose from the menu of what is done with the project as a file."""
        self.click("toolbar-share", f"toolbar-{way}")

    def colour_by(self, measure: str) -> None:
        """Colour the blocks by one of their costs."""
        colour_by(self.page, measure)

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def keys_at_once(self, *keys: str) -> None:
        """Press keys as fast as a hand does, whatever the machine: the page's clock stands still.

        Moves within 0.8 s are one step of undo.
        """
        self.page.evaluate("() => { const at = Date.now(); Date.now = () => at; }")
        self.keys(*keys)
        self.page.evaluate("() => { Date.now = () => new Date().getTime(); }")

    def fill(self, test_id: str, text: str, *keys: str) -> None:
        """Write into a field, then press keys there."""
        self(test_id).fill(text)
        for key in keys:
            self(test_id).press(key)

    def choose(self, *nodes: str) -> None:
        """Select blocks: click the first, click the others with Ctrl."""
        self.show(*nodes)
        for i, node in enumerate(nodes):
            modifiers: list[Any] = ["Control"] if i else []
            self.box(f"node-{node}")  # the panel that opens for the first moves the view
            self(f"node-{node}").click(modifiers=modifiers, position=SECOND)
            expect(self(f"node-{node}")).to_have_attribute("data-selected", "true")

    def show(self, *nodes: str) -> None:
        """Fit the view to the drawing where one of the blocks lies outside of the canvas."""
        canvas = self.box("canvas")
        for node in nodes:
            box = self.box(f"node-{node}")
            right, bottom = box["x"] + box["width"], box["y"] + box["height"]
            across = canvas["x"] <= box["x"] and right <= canvas["x"] + canvas["width"]
            down = canvas["y"] <= box["y"] and bottom <= canvas["y"] + canvas["height"]
            if not (across and down):
                self("workbench").focus()
                self.keys("f")
                return

    def find(self, query: str) -> None:
        """Go to the first block that answers a search."""
        self("workbench").focus()
        self.keys("Control+k")
        self.fill("search-query", query, "Enter")

    def menu(self, node: str, item: str) -> None:
        """Choose from the menu that the right button opens."""
        self(f"node-{node}").click(button="right", position=SECOND)
        self(f"menu-{item}").click()

    def box(self, test_id: str) -> FloatRect:
        """Where a thing is, once it stands still: a view that was moved is drawn a frame later."""
        self(test_id).evaluate(STILL)
        found = self(test_id).bounding_box()
        assert found is not None, f"{test_id} is not on the page"
        return found

    def at(self, test_id: str, x: float = 0.5, y: float = 0.5) -> tuple[float, float]:
        """A place on the page, as parts of a thing's width and height (1.5: half beside it)."""
        box = self.box(test_id)
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press, move in steps as a hand does, let go."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
        mouse.move(*end, steps=4)
        mouse.up()

    def wire(self, source: str, target: str, port: str = "input", out: str = "output") -> None:
        """Draw a wire from an output to an input."""
        self.drag(self.at(f"port-{source}-out-{out}"), self.at(f"port-{target}-in-{port}"))

    def drop(self, block: str, place: tuple[float, float]) -> None:
        """Drag a block from the palette to a place, to the centre of its card's head."""
        self.fill("palette-search", block)
        self(f"palette-{block}").hover()
        self.page.mouse.down()
        self.page.mouse.move(place[0] - 9, place[1] - 9, steps=3)
        self.page.mouse.move(*place, steps=3)
        self.page.mouse.up()
        self.fill("palette-search", "")

    def middle(self, source: str, target: str) -> tuple[float, float]:
        """Half way along the wire between the first ports of two blocks."""
        a, b = self.at(f"port-{source}-out-output"), self.at(f"port-{target}-in-input")
        return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2

    def palette(self, *blocks: str) -> None:
        """Add blocks one after the other with the keyboard, each wired to the one before."""
        for block in blocks:
            self("workbench").focus()
            self.keys("/")
            expect(self("palette-search")).to_be_focused()
            self.page.keyboard.insert_text(block)
            self.keys("Enter", "Escape")

    def set(self, node: str, **settings: str) -> None:
        """Go to a block and write its settings into their fields."""
        self.find(node)
        for name, text in settings.items():
            field = self(f"setting-{name}")
            if not field.is_visible():
                self.click("more-settings")
            if field.get_attribute("role") == "switch":
                field.set_checked(text == "True")
            else:
                field.fill(text)

    def rename(self, node: str, to: str) -> None:
        self.find(node)
        self.fill("field-id", to, "Enter")

    def group(self, name: str, *nodes: str) -> None:
        self.choose(*nodes)
        self.keys("Control+g")
        self.fill("group-name", name, "Enter")
        expect(self("group-dialog")).to_have_count(0)

    def undo(self, times: int = 1) -> None:
        self("workbench").focus()
        self.keys(*["Control+z"] * times)

    def redo(self, times: int = 1) -> None:
        self("workbench").focus()
        self.keys(*["Control+Shift+z"] * times)

    def saved(self) -> str:
        """Save with the keyboard and return the project file's text."""
        checked(self.page)
        self("workbench").press("Control+s")
        expect(self("status")).to_contain_text("saved in")
        return self.path.read_text("utf-8")

    @property
    def graph(self) -> dict[str, Any]:
        """The whole saved file, as JSON."""
        return json.loads(self.saved())
