"""The states of the workbench that axe-core looks at, and the hand that brings them about."""

from collections.abc import Mapping
from typing import Any, Literal

from playwright.sync_api import Page, expect

from tests.browser import access
from tests.browser.access import checked
from tests.browser.customs import GATED, button, gate, write
from tests.browser.hand import Hand
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest, choose_format, open_settings
from tests.browser.test_journey_own_csv import drag
from tests.browser.verbs_composites import PARTS, STAGES, enter

THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
Known = Mapping[str, set[tuple[str, str]]]
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules of axe-core whose answer depends on the theme."""
SHOWN = """dark => {
  const page = document.querySelector('[data-testid=stApp]');
  const [r, g, b] = getComputedStyle(page).backgroundColor.match(/[0-9.]+/g).map(Number);
  return (r + g + b < 384) === dark; }"""


class Look:
    """One tab; `at` notes what axe-core finds that an empty page does not have.

    Everything is looked at in the light, and what depends on colours in the dark, too.
    """

    def __init__(self, page: Page, axe: str, known: Known):
        self.page, self.axe, self.known = page, axe, known
        self.found: dict[str, list] = {}

    def at(self, state: str, rests: bool = True) -> None:
        if rests:  # what is still being drawn is pale
            at_rest(self.page)
        self._note(state, "light", access.violations(self.page, self.axe))
        show(self.page, "dark", rests)
        self._note(f"{state}, dark", "dark", access.violations(self.page, self.axe, COLOURS))
        show(self.page, "light", rests)

    def _note(self, state: str, theme: str, seen: list[dict[str, Any]]) -> None:
        new = [v for v in seen if (v["rule"], v["where"]) not in self.known[theme]]
        if new:
            self.found[state] = new

    @property
    def report(self) -> str:
        return "\n\n".join(f"== {s}\n{access.describe(found)}" for s, found in self.found.items())


def known_of(page: Page, axe: str, empty_page: str) -> Known:
    """What axe-core finds, in each theme, on a Streamlit page with a title and a button's help.

    The help is drawn into a portal of Streamlit's own, outside all landmarks: rule "region". Where
    it stands and what it is called is not ours to say.
    """
    page.goto(empty_page)
    expect(page.get_by_role("heading", name="Empty")).to_be_visible()
    page.get_by_role("button", name="Helped").hover()
    expect(page.get_by_test_id("stTooltipContent")).to_be_visible()
    known: dict[str, set[tuple[str, str]]] = {}
    for theme in THEMES:
        show(page, theme)
        known[theme] = {(v["rule"], v["where"]) for v in access.violations(page, axe)}
    show(page, "light")
    return known


def show(page: Page, theme: Literal["light", "dark"], rests: bool = True) -> None:
    """Show a page in a theme, as the whole machine's would change."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(SHOWN, arg=theme == "dark")
    if rests:
        at_rest(page)


IN_BAR = ("Build", "Data", "Train", "Look inside", "Export")


def go(page: Page, name: str) -> None:
    """Turn to a page by the bar, whose links come before those on the page, or by its menu."""
    if name in IN_BAR:
        page.get_by_role("link", name=name, exact=True).first.click()
    else:
        of_menu(page, name)


def of_menu(page: Page, name: str) -> None:
    """Choose in the menu of the bar: a page, or Help."""
    page.get_by_test_id("more").click()
    page.get_by_role("menuitem", name=name, exact=True).click()


def to_sweep(page: Page) -> None:
    """Go to Sweep from Train; the bar has that page, too, once it was used."""
    go(page, "Train")
    page.locator(".st-key-train_head").get_by_role("link", name="Sweep").click()


def start_states(look: Look, hand: Hand) -> None:
    page = look.page
    page.goto(hand.server.address)
    expect(page.get_by_text("Start with a template")).to_be_visible()
    look.at("start")
    drag(page, "a.csv", b"", drop=False)
    expect(page.get_by_test_id("drop-overlay").first).to_contain_text("Drop to open")
    look.at("start, a file dragged over it", rests=False)
    page.get_by_test_id("more").click()
    look.at("the menu of the bar")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Empty project").click()
    checked(page, 60_000)
    look.at("build, empty")
    of_menu(page, "Help")
    expect(page.get_by_role("dialog")).to_be_visible()
    look.at("help")
    page.get_by_role("button", name="Show me around").click()
    expect(page.get_by_test_id("tour")).to_contain_text("1 of 6")
    look.at("tour")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    go(page, "My work")
    expect(page.get_by_role("heading", name="My work")).to_be_visible()
    look.at("my work")


def open_lenet(look: Look, hand: Hand) -> None:
    access.open_lenet(look.page, hand.server.address)


def block_states(look: Look, hand: Hand) -> None:
    page = look.page
    open_lenet(look, hand)
    look.at("build, nothing selected")
    hand.choose("conv1")
    look.at("build, a block selected")
    hand.click("replace")
    look.at("build, replace picker")
    hand.keys("Escape")
    hand.colour_by("params")
    expect(page.get_by_test_id("heat-legend")).to_be_visible()
    look.at("build, heat map")
    hand.click("toolbar-costs")
    look.at("build, costs")
    hand.keys("Escape")
    hand.click("toolbar-arrange")
    look.at("build, arrange")
    hand.keys("Escape")
    hand.click("toolbar-share")
    look.at("build, share")
    hand.keys("Escape")
    hand.click("heat-off", "tab-source")
    look.at("build, source")
    hand.fill("palette-search", "norm")
    look.at("build, palette search")
    hand.fill("palette-search", "xyzzy")
    look.at("build, nothing found")
    hand.fill("palette-search", "")
    hand.arrange("help")
    look.at("build, shortcuts")
    hand.keys("Escape")


def error_states(look: Look, hand: Hand) -> None:
    hand.click("tab-block")
    hand.choose("pool2")
    hand.fill("setting-kernel_size", "20")
    expect(hand("popover-pool2")).to_be_visible()
    checked(look.page)
    look.at("build, error")
    hand.click("tab-problems")
    look.at("build, problems")
    hand("workbench").press("Control+k")
    hand.fill("search-query", "error")
    look.at("build, search")
    hand.keys("Escape")
    hand.click("problem-0-fix-0", "tab-block")
    checked(look.page)


def over_the_canvas(look: Look, hand: Hand) -> None:
    """What lies over the canvas for a moment, and notes."""
    count = len(list(hand.server.workspace.glob("looked_at*")))
    hand.open(f"looked_at_{count}", STAGES, **PARTS)
    hand("node-stage1").click(button="right", position={"x": 40, "y": 14})
    look.at("build, menu")
    hand.click("menu-text")
    look.at("build, as text")
    hand.keys("Escape")
    hand.choose("stage1", "stage2")
    look.at("build, several selected")
    hand.keys("Control+g")
    look.at("build, group dialog")
    hand.keys("Escape", "Escape", "n")
    hand.page.keyboard.insert_text("Two of a kind.")
    look.at("build, writing a note")
    hand.keys("Escape")
    look.at("build, note")
    hand.drag(hand.at("port-stage2-out-output"), hand.at("node-stage2", 0.5, 1.9))
    expect(hand("drop")).to_be_visible()
    look.at("build, wire into the void")
    hand.keys("Escape")
    enter(hand, "stage1")
    look.at("build, open composite")
    hand.choose("conv1")
    look.at("build, a block of a composite")


def custom_code(look: Look, hand: Hand) -> None:
    """A stranger's code: the question, the editor, what is wrong, and the block once trusted."""
    count = len(list(hand.server.workspace.glob("strange*")))
    hand.open(f"strange_{count}", GATED, **gate(count))
    look.at("build, code that nobody trusts")
    hand.choose("gate1")
    look.at("build, a block that nobody trusts")
    hand("popover-gate1").get_by_role("button", name="Read the code").click()
    button(hand, "I have read Gate").wait_for()
    look.at("build, the question of trust")
    button(hand, "I have read Gate").click()
    expect(hand("total-params")).to_have_text("72")
    look.at("build, a custom block")
    hand.click("code-Gate")
    look.at("build, editor of a custom block")
    write(hand, "class Gate(nn.Module):\n    pass")
    hand.page.locator(".ll-faults").wait_for()
    look.at("build, faults of a custom block")
    hand.keys("Escape")


def other_tab(look: Look, hand: Hand) -> None:
    """The same project in two tabs; the other one changes it."""
    other = Hand(look.page.context.new_page(), hand.server)
    other.page.goto(look.page.url)
    checked(other.page, 60_000)
    other.choose("stage2")
    other.keys("Delete")
    checked(other.page)
    expect(hand("elsewhere")).to_be_visible()
    look.at("build, changed in another tab")
    other.page.close()


def run_states(look: Look, hand: Hand) -> None:
    page = look.page
    open_lenet(look, hand)
    go(page, "Train")
    expect(page.get_by_role("button", name="Train", exact=True).first).to_be_enabled()
    look.at("train, before a run")
    page.get_by_role("button", name="Find a learning rate").hover()
    expect(page.get_by_test_id("stTooltipContent")).to_be_visible()
    look.at("train, the help of the finder")
    page.mouse.move(720, 6)
    go(page, "Look inside")
    look.at("inside, before a run")
    go(page, "Build")
    checked(page)
    hand.click("toolbar-train")
    state = page.get_by_test_id("run-state")
    expect(state).to_have_text("Training")
    look.at("train, running", rests=False)
    expect(state).to_have_text("Finished")
    look.at("train, finished")
    at_rest(page)
    open_settings(page)
    page.get_by_text("More training settings", exact=True).click()
    expect(page.get_by_text("Clip gradient norm at", exact=True)).to_be_visible()
    look.at("train, all settings")


def sweep_states(look: Look, hand: Hand) -> None:
    """Settings to search, and the trials of a sweep."""
    page = look.page
    to_sweep(page)
    expect(page.get_by_role("heading", name="New sweep")).to_be_visible()
    look.at("sweeps, before one")
    for name in ("Trials", "Epochs each"):
        field = page.get_by_role("spinbutton", name=name, exact=True)
        field.fill("2")
        field.press("Enter")
        at_rest(page)
    page.get_by_role("button", name="Start the sweep").click()
    expect(page.get_by_test_id("run-state")).to_have_text("Finished")
    expect(page.locator(".sweep-table tbody tr")).to_have_count(2)
    look.at("sweeps, finished")
    go(page, "Compare")
    boxes = page.locator(".st-key-compare_list").get_by_role("checkbox")
    expect(boxes.nth(1)).to_be_visible()
    for box in boxes.all()[:3]:
        box.check(force=True)
        at_rest(page)
    look.at("compare, several runs")


def train(look: Look, hand: Hand) -> None:
    """Train LeNet to its end."""
    open_lenet(look, hand)
    hand.click("toolbar-train")
    expect(look.page.get_by_test_id("run-state")).to_have_text("Finished")


def after_run_states(look: Look, hand: Hand) -> None:
    """What the pages say of the run that has just finished."""
    page = look.page
    go(page, "Look inside")
    page.locator(".st-key-inside_large img").first.wait_for()
    look.at("inside")
    for section, shown in SECTIONS.items():
        at_rest(page)
        open_section(page, section)
        page.locator(shown).first.wait_for()
        look.at(f"inside, {section}")
    go(page, "Export")
    choose_format(page, "TorchScript, scripted")
    card = page.locator(".st-key-export_card_torchscript_script")
    card.get_by_role("button", name="Export").click()
    card.get_by_role("button", name="Download").wait_for()
    look.at("export")
    page.locator(".st-key-export_else button").first.click()
    page.get_by_role("link", name="Make it smaller").click()
    expect(page.get_by_role("heading", name="Shrink", exact=True)).to_be_visible(
        timeout=PATIENCE_MS
    )
    look.at("shrink, nothing tried")
    page.go_back()
    expect(page.get_by_role("heading", name="Export", exact=True)).to_be_visible(
        timeout=PATIENCE_MS
    )
    go(page, "Data")
    page.locator(".ll-classes").wait_for()
    look.at("data")
    go(page, "Compare")
    page.locator(".ll-compare").first.wait_for()
    look.at("compare")
    go(page, "My work")
    expect(page.get_by_text("LeNet on digits").first).to_be_visible()
    look.at("my work, with runs")


def open_section(page: Page, name: str) -> None:
    """Open a view of Look inside by its tab and, where that has several, its name in it."""
    of = {"Feature maps": "Blocks", "Filters": "Blocks", "Confusion matrix": "Mistakes"}
    for each in filter(None, (of.get(name), name)):
        page.get_by_role("radio", name=each, exact=True).click()


SECTIONS = {
    "Why": ".ll-says",
    "Representations": ".ll-probes",
    "Mistakes": ".ll-tiles.blocks img",
    "Confusion matrix": ".ll-matrix",
    "Filters": ".ll-misses.excited img",
    "Cost": ".st-key-inside-cost-start button",
    "Summary": ".ll-table",
}
