"""Pictures of the states that axe-core looks at, for a person: OUT/STATE-WIDTH-THEME.png.

`python -m tests.browser.album OUT [WALKS ...]`, say `album /tmp/album "a run"`, starts
a workbench of its own; without names it goes all ways of WALKS. Sizes: 1280, 1440, 1920 and 3840
pixels wide, and 720, which is what a page gets of 1440 at a zoom of 200 %.
"""

import argparse
import re
import tempfile
from collections.abc import Collection
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import workbench
from tests.browser.hand import Hand
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest
from tests.browser.states import THEMES, Look, show
from tests.browser.walks import WALKS
from tests.chromium import chromium_path

SIZES = ((720, 450), (1280, 800), (1440, 900), (1920, 1080), (3840, 2160))
"""In CSS pixels; the first is a screen of 1440 x 900 at a zoom of 200 %."""


class Album(Look):
    """One tab; `at` takes its picture at every size of these widths in both themes."""

    def __init__(self, page: Page, out: Path, widths: Collection[int]):
        super().__init__(page, "", {})
        self.out, self.sizes = out, [size for size in SIZES if size[0] in widths]

    def at(self, state: str, rests: bool = True) -> None:
        before = self.page.viewport_size
        for width, height in self.sizes:
            self.page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                show(self.page, theme, rests)
                name = re.sub(r"\W+", "_", state)
                self.page.screenshot(path=self.out / f"{name}-{width}-{theme}.png")
        show(self.page, "light", rests)
        if before:
            self.page.set_viewport_size(before)
        if rests:
            at_rest(self.page)


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--widths", type=int, nargs="*", choices=[w for w, _ in SIZES])
    parser.add_argument("walks", nargs="*", choices=[[], *WALKS])
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE_MS)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        workbench(Path(home)) as server,
        sync_playwright() as playwright,
    ):
        options = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=chromium_path() or None, args=options)
        context = browser.new_context(
            viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
        )
        context.set_default_timeout(PATIENCE_MS)
        album = Album(context.new_page(), args.out, args.widths or dict(SIZES))
        for walk in args.walks or WALKS:
            for states in WALKS[walk]:
                states(album, Hand(album.page, server))
        browser.close()


if __name__ == "__main__":
    main()
