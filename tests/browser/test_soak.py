"""Nothing a student drew is lost: random edits over a bad connection, reloads, a server killed.

The project file at the end is the model's, and so is each drawing that the browser ever sent.
`--soak 500` makes that many edits instead of a few, `--seed S` repeats a soak.
"""

import logging
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.graph import Graph
from core.project import graph_from_json, open_project
from tests.browser.backend import Backend
from tests.browser.conftest import free_port
from tests.browser.drawings import checked
from tests.browser.mischief import TRICKS, Mischief
from tests.browser.proxy import Proxy
from tests.browser.soak import Player
from tests.browser.soak_edits import EDITS
from tests.browser.soak_model import Model

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
ENOUGH = 500  # edits, for every trick to have its turn on both ways
_LOG = logging.getLogger(__name__)
START = """{"layerloom": 1, "name": "soak", "graph": {"nodes": {
  "image": {"block": "Input", "settings": {"shape": [1, 16, 16]}},
  "conv1": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3}},
  "relu1": {"block": "ReLU"},
  "logits": {"block": "Output"}},
  "edges": ["image -> conv1", "conv1 -> relu1", "relu1 -> logits"]}}"""


class Witness:
    """Looks at every drawing the browser sent: each must be one the model had, in its order."""

    def __init__(self, proxy: Proxy, model: Model) -> None:
        self.proxy, self.model = proxy, model
        self._seen = self._state = 0

    def look(self, done: Sequence[str]) -> None:
        for sent in self.proxy.snapshots[self._seen :]:
            self._seen += 1
            self._state = self._find(graph_from_json(sent["graph"]), done)
            missing = set(sent["graph"]["nodes"]) - set(sent["layout"])
            assert not missing, f"no place for {missing}"

    def _find(self, graph: Graph, done: Sequence[str]) -> int:
        states = self.model.states
        for index in range(self._state, len(states)):
            if same(states[index], graph):
                return index
        history = f"after {len(done)} edits, the last ones {list(done[-20:])}"
        found = [difference(state, graph) for state in states[self._state :]]
        closest = min(found, key=lambda text: text.count("\n"))
        raise AssertionError(f"{history}:\n{closest}")


def same(one: Graph, other: Graph) -> bool:
    return one == other and list(one.nodes) == list(other.nodes)


def difference(wanted: Graph, found: Graph) -> str:
    lines = [f"order {list(wanted.nodes)}\nfound {list(found.nodes)}"]
    for name in sorted({*wanted.nodes, *found.nodes}):
        a, b = wanted.nodes.get(name), found.nodes.get(name)
        lines += [f"{name}: {a}\n  found {b}"] if a != b else []
    lines += [f"wire missing: {e}" for e in wanted.edges if e not in found.edges]
    lines += [f"wire too many: {e}" for e in found.edges if e not in wanted.edges]
    for name in sorted({*wanted.composites, *found.composites}):
        a, b = wanted.composites.get(name), found.composites.get(name)
        lines += [f"{name}: {a}\n  found {b}"] if a != b else []
    return "\n".join(lines)


def settle(page: Page, model: Model) -> None:
    """Do what a student does when the page is back: take what was unsent, keep the own drawing."""
    page.locator(".react-flow__node").first.wait_for()
    if page.get_by_test_id("rescue-restore").is_visible():
        page.get_by_test_id("rescue-restore").click()
    if page.get_by_test_id("elsewhere-mine").is_visible():
        page.get_by_test_id("elsewhere-mine").click()
    page.get_by_test_id("workbench").focus()


def test_the_file_is_what_was_drawn_edit_for_edit(
    page: Page, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    edits, seed = request.config.getoption("--soak"), request.config.getoption("--seed")
    _LOG.info("--soak %d --seed %d", edits, seed)
    rng = random.Random(seed)
    path = tmp_path / "soak.loom.json"
    path.write_text(START, encoding="utf-8")
    backend = Backend(tmp_path)
    backend.start()
    proxy = Proxy(free_port(), backend.port, Mischief(seed))
    try:
        player = play(page, proxy, backend, path, edits, rng)
    finally:
        backend.stop()
        proxy.close()
    kinds = Counter(name.split()[0] for name in player.done)
    _LOG.info("%s, %s, %d messages", dict(kinds), proxy.mischief.played, len(proxy.snapshots))
    assert len(player.done) == edits
    if edits >= ENOUGH:
        assert set(proxy.mischief.played) == TRICKS


def play(
    page: Page, proxy: Proxy, backend: Backend, path: Path, edits: int, rng: random.Random
) -> Player:
    page.goto(f"http://localhost:{proxy.port}/build?project={path.name}")
    checked(page)
    page.get_by_test_id("workbench").focus()
    player = Player(page, Model(open_project(path).graph), rng)
    witness = Witness(proxy, player.model)
    troubles = trouble(edits, rng)
    proxy.mischief.calm = False
    for number in range(edits):
        match troubles.get(number):
            case "reload":
                page.reload()
                settle(page, player.model)
            case "kill":
                backend.kill()
            case "start":
                backend.start()
            case "cut":
                proxy.cut()
        player.edit(EDITS)
        witness.look(player.done)
    proxy.mischief.calm = True
    finish(page, path, player.model, witness, player.done)
    return player


def trouble(edits: int, rng: random.Random) -> dict[int, str]:
    """When what happens: a reload each 120 edits, a cut each 80, one kill with edits while dead."""
    plan = {number: "reload" for number in range(70, edits, 120)}
    plan |= {number: "cut" for number in range(40, edits, 80)}
    dead = edits // 2 + rng.randint(0, 9)
    plan |= {number: "" for number in range(dead, dead + 6)}
    return plan | {dead: "kill", dead + 5: "start"}


def finish(page: Page, path: Path, model: Model, witness: Witness, done: list[str]) -> None:
    """Save, when the page is through with its messages; compare the file with the model."""
    checked(page)
    settle(page, model)
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("status")).to_contain_text("saved in")
    witness.look(done)
    saved = open_project(path)
    assert same(saved.graph, model.graph), difference(model.graph, saved.graph)
    assert dict(saved.layout) == {
        k: tuple(v) for k, v in witness.proxy.snapshots[-1]["layout"].items()
    }
