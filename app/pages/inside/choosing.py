"""A grid of pictures, cards or cells as HTML buttons; a click calls back with the button's value.

All buttons are one element, so a grid of a hundred is as fast as one button. They are native
buttons, so keyboards and screen readers reach each of them.
"""

from collections.abc import Callable

import streamlit as st

from app.pages.shared import markup, state

_component = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_choice",
    js="""
export default ({ parentElement, data, setTriggerValue }) => {
  let box = parentElement.querySelector(":scope > .ll-choice");
  if (!box) {
    box = document.createElement("div");
    box.className = "ll-choice";
    box.addEventListener("click", (event) => {
      const hit = event.target.closest("[data-choose]");
      if (hit) box.tell("chosen", hit.dataset.choose);
    });
    parentElement.appendChild(box);
  }
  box.tell = setTriggerValue;
  const find = (value) =>
    value ? box.querySelector(`[data-choose="${CSS.escape(value)}"]`) : null;
  if (box.shown !== data.html) {
    const held = box.contains(document.activeElement) && document.activeElement.dataset.choose;
    box.innerHTML = data.html;
    box.shown = data.html;
    find(held)?.focus();
  }
  if (data.chosen === null) return;
  for (const each of box.querySelectorAll("[data-choose]"))
    each.setAttribute("aria-pressed", String(each.dataset.choose === data.chosen));
  if (box.chosen && box.chosen !== data.chosen)
    find(data.chosen)?.scrollIntoView({ block: "nearest" });
  box.chosen = data.chosen;
};
""",
    isolate_styles=False,
)


def choice(html: str, chosen: str | None, key: str, choose: Callable[[str], None]) -> None:
    """Draw HTML whose elements with `data-choose` call `choose` with its value when clicked.

    html: must be escaped. chosen: value of the pressed button, None if no button stays pressed.
    """

    def heard() -> None:
        value = state.event(key, "chosen")
        if isinstance(value, str):
            choose(value)

    _component(key=key, data={"html": html, "chosen": chosen}, on_chosen_change=heard)


def button(value: object, inner: str, words: str = "", look: str = "") -> str:
    """A button for `choice`; words: its accessible name if its content is not text."""
    named = f' aria-label="{markup.escape(words)}" title="{markup.escape(words)}"' if words else ""
    return (
        f'<button type="button" class="ll-pick {look}" data-choose="{markup.escape(value)}"'
        f"{named}>{inner}</button>"
    )


def keep_number(key: str, value: str) -> None:
    """Store the chosen number under `key`."""
    if value.isdecimal() and len(value) < 12:
        state.keep(key, int(value))
