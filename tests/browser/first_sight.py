"""What is on the screen before anything is pressed: how many controls, and how many words.

A control is what can be pressed or typed into, by its element or role. A word has a letter or a
digit and stands between two spaces in a text that can be read, what stands in a field included:
drawn, inside the window, not cut away by what it scrolls in. Icons that a font draws from their
names are pictures. Shadow roots and frames are included.
"""

from dataclasses import dataclass

from playwright.sync_api import Frame, Page

from tests.browser.rest import at_rest

DRAWN = "[data-testid=stMain] :is(h1, h2):visible, [data-testid=workbench][data-status=checked]"
"""What stands on a page once it is drawn: its title, or the canvas."""
LOOK = r"""() => {
  const CONTROLS = 'button,a[href],input:not([type=hidden]),select,textarea,summary,'
    + '[contenteditable=true],' + ['button', 'link', 'tab', 'switch', 'checkbox', 'radio', 'slider',
    'option', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'combobox', 'textbox', 'spinbutton',
    'searchbox', 'treeitem'].map((role) => `[role=${role}]`).join(',');
  const SILENT = new Set(['STYLE', 'SCRIPT', 'TITLE', 'DESC', 'NOSCRIPT', 'TEMPLATE', 'OPTION']);
  const LEAST = 2;  // px: text for screen readers alone is cut to a single pixel
  const above = (e) => e.parentElement ?? e.getRootNode().host ?? null;
  const cut = (box, by) => ({left: Math.max(box.left, by.left), top: Math.max(box.top, by.top),
    right: Math.min(box.right, by.right), bottom: Math.min(box.bottom, by.bottom)});
  /** Whether a box can be seen from outside: not transparent, not cut away. */
  const seen = (box, element) => {
    let left = cut(box, {left: 0, top: 0, right: innerWidth, bottom: innerHeight});
    for (let at = element; at; at = above(at)) {
      const {overflow, display, clipPath} = getComputedStyle(at);
      if (clipPath === 'inset(50%)') return false;  // how a style hides what is read aloud
      if (overflow !== 'visible' && display !== 'contents' && display !== 'inline')
        left = cut(left, at.getBoundingClientRect());
      if (right(left) < LEAST || down(left) < LEAST) return false;
    }
    return element.checkVisibility({opacityProperty: true, visibilityProperty: true});
  };
  const right = (box) => box.right - box.left, down = (box) => box.bottom - box.top;
  const named = (e) => (e.getAttribute('aria-label') || e.innerText || e.getAttribute('placeholder')
    || e.getAttribute('title') || e.id || e.tagName).trim().replace(/\s+/g, ' ').slice(0, 40);
  const controls = [], words = [];
  const element = (e) => {
    if (!e.matches(CONTROLS)) return;
    // the box of a switch or a slider is drawn by its label, the field itself hidden in it
    const shown = [e, ...(e.labels ?? [])].some((at) => seen(at.getBoundingClientRect(), at));
    if (!shown) return;
    controls.push(named(e));
    if (!['checkbox', 'radio', 'range'].includes(e.type))
      say(e.selectedOptions?.[0]?.textContent ?? (e.value || e.placeholder || ''));
  };
  const say = (said) =>
    words.push(...said.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)));
  const text = (node) => {
    const at = node.parentElement ?? node.getRootNode().host, said = node.data.trim();
    const icon = at?.dataset?.testid === 'stIconMaterial';
    if (!said || !at || icon || SILENT.has(at.tagName)) return;
    if (at.matches('details:not([open])')) return;
    for (const {index, 0: word} of node.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if ([...range.getClientRects()].some((box) => seen(box, at))) say(word);
    }
  };
  const walk = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) text(node);
      if (node.nodeType !== Node.ELEMENT_NODE) continue;
      element(node);
      if (node.shadowRoot) walk(node.shadowRoot);
      walk(node);
    }
  };
  walk(document.body);
  return {controls, words};
}"""


@dataclass(frozen=True)
class FirstSight:
    """What somebody sees at once: the names of the controls, and all words in their order."""

    controls: tuple[str, ...]
    words: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{len(self.controls)} controls, {len(self.words)} words\n"
            f"{' | '.join(self.controls)}\n{' '.join(self.words)}"
        )


def first_sight(page: Page) -> FirstSight:
    """What is in view on a page, and in frames that are themselves in view."""
    seen = [frame.evaluate(LOOK) for frame in page.frames if _in_view(frame)]
    return FirstSight(
        tuple(name for each in seen for name in each["controls"]),
        tuple(word for each in seen for word in each["words"]),
    )


def sight_of(page: Page, address: str) -> FirstSight:
    """Go to a page of the workbench; what is in view once it is drawn to its end."""
    page.goto(address)
    page.locator(DRAWN).first.wait_for()
    at_rest(page)
    return first_sight(page)


def _in_view(frame: Frame) -> bool:
    if frame.parent_frame is None:
        return True
    holder = frame.frame_element()
    box, window = holder.bounding_box(), frame.page.viewport_size
    if not (box and window and holder.is_visible()):
        return False
    across = min(box["x"] + box["width"], window["width"]) - max(box["x"], 0)
    down = min(box["y"] + box["height"], window["height"]) - max(box["y"], 0)
    return across > 1 and down > 1
