"""What is counted at first sight."""

from playwright.sync_api import Page

from tests.browser.first_sight import first_sight

SHOWN = """
<h1>Two words</h1>
<button aria-label="Undo"><span data-testid="stIconMaterial">undo_it</span></button>
<label>Batch <input value="32"></label><input placeholder="Search blocks">
<select><option>SGD</option><option selected>Adam W</option></select>
<label style="display:block">Shuffle
  <input type="checkbox" style="opacity:0;position:absolute"></label>
<details><summary>More · 5</summary><button>Folded</button> not read</details>
<div style="width:1px;height:1px;overflow:hidden">for screen readers</div>
<p>term<i style="clip-path:inset(50%)">what it means</i></p>
<div style="height:40px;overflow:auto">
  <p style="margin:0 0 90px">near</p><a href="#">far below</a></div>
<p style="visibility:hidden">hidden <button>Hidden</button></p>
<p style="position:absolute;top:5000px">off <button>Off</button></p>
<div style="opacity:0"><a href="#">faded</a></div>
<div id="host"></div><iframe srcdoc="<a href='#'>Framed link</a>" height="60"></iframe>
"""
SHADOW = """document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML =
  '<div role="tab">In shadow</div>'"""
WORDS = "Two words Batch 32 Search blocks Adam W Shuffle More 5 term near In shadow Framed link"


def test_what_is_drawn_inside_the_window_is_counted_and_nothing_else(page: Page) -> None:
    page.set_content(SHOWN)
    page.evaluate(SHADOW)
    seen = first_sight(page)
    assert " ".join(seen.words) == WORDS
    assert seen.controls == (
        "Undo", "INPUT", "Search blocks", "SGD Adam W", "INPUT", "More · 5", "In shadow",
        "Framed link",
    )  # fmt: skip
