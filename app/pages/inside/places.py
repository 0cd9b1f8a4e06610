"""A map of samples: pointing at a dot, or the arrow keys, shows the sample."""

from typing import Any

import streamlit as st

from app.pages.shared import markup, svg_plots
from core.insight.representation.results import Faces, Map

_component = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_places",
    js="""
const NEAR_PX = 16, FACE_PX = 72;
const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, -1], ArrowDown: [1, 1] };

const made = (parent) => {
  const box = document.createElement("div");
  box.className = "ll-places";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.innerHTML =
    '<div class="plane"></div><i class="ring" hidden></i>' +
    '<div class="tip" hidden><i class="face"></i><span role="status"></span></div>';
  parent.appendChild(box);
  box.addEventListener("pointermove", (event) => show(box, nearest(box, event)));
  box.addEventListener("pointerleave", () => show(box, -1));
  box.addEventListener("blur", () => show(box, -1));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return show(box, -1);
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    show(box, beside(box, ...STEPS[event.key]));
  });
  return box;
};

const nearest = (box, event) => {
  const { left, top, width, height } = box.plane.getBoundingClientRect();
  let best = -1, least = NEAR_PX ** 2;
  box.data.points.forEach(([x, y], k) => {
    const far = (left + x * width - event.clientX) ** 2 + (top + y * height - event.clientY) ** 2;
    if (far < least) [best, least] = [k, far];
  });
  return best;
};

const beside = (box, axis, step) => {
  const order = box.orders[axis], at = order.indexOf(box.shown);
  if (at < 0) return order[step > 0 ? 0 : order.length - 1];
  return order[Math.min(Math.max(at + step, 0), order.length - 1)];
};

const show = (box, k) => {
  if (box.shown === k) return;
  box.shown = k;
  const [ring, tip] = [box.querySelector(".ring"), box.querySelector(".tip")];
  ring.hidden = tip.hidden = k < 0;
  if (k < 0) return;
  const { points, words, columns, size, sheet } = box.data, [x, y] = points[k];
  const place = { left: `${100 * x}%`, top: `${100 * y}%` };
  Object.assign(ring.style, place);
  Object.assign(tip.style, place);
  tip.classList.toggle("left", x > 0.6);
  tip.classList.toggle("above", y > 0.6);
  const face = tip.querySelector(".face"), scale = FACE_PX / Math.max(...size, 1);
  face.hidden = !sheet;
  if (sheet)
    Object.assign(face.style, {
      width: `${size[0] * scale}px`,
      height: `${size[1] * scale}px`,
      backgroundImage: `url(${sheet})`,
      backgroundSize: `${columns * size[0] * scale}px auto`,
      backgroundPosition:
        `${-(k % columns) * size[0] * scale}px ${-Math.floor(k / columns) * size[1] * scale}px`,
    });
  tip.querySelector("span").textContent = `Sample ${k}\\n${words[k]}`;
};

export default ({ parentElement, data }) => {
  const box = parentElement.querySelector(":scope > .ll-places") ?? made(parentElement);
  if (box.html === data.html && box.data.words.length === data.words.length) return;
  box.plane = box.querySelector(".plane");
  box.plane.innerHTML = box.html = data.html;
  box.data = data;
  box.setAttribute("aria-label", data.label);
  box.orders = [0, 1].map((axis) =>
    data.points.map((_, k) => k).sort((a, b) => data.points[a][axis] - data.points[b][axis]));
  box.shown = null;
  show(box, -1);
};
""",
    isolate_styles=False,
)


def show(found: Map, faces: Faces, html: str, words: str) -> None:
    """Draw a map with a tooltip for each sample. html: the plane; words: its description."""
    _component(key="inside_places", data=data_of(found, faces, html, words))


def data_of(found: Map, faces: Faces, html: str, words: str) -> dict[str, Any]:
    """Data for the front end: points in 0..1 of the plane's size, and the sprite sheet."""
    points = svg_plots.on_plane(found.x, found.y)
    wide, tall = svg_plots.PLANE, svg_plots.PLANE_TALL
    return {
        "html": html,
        "label": f"{words} Arrow keys move between samples.",
        "points": [(round(x / wide, 4), round(y / tall, 4)) for x, y in points],
        "words": faces.words,
        "sheet": markup.data_url(faces.sheet) if faces.sheet else "",
        "columns": faces.columns,
        "size": faces.size,
    }
