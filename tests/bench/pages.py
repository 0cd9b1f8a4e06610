"""Each page at first sight: controls and words in view, and its looks beside the best of its kind.

Run: python -m tests.bench.pages; kept in pages.md. Counted in Chromium at 1280 x 800 with LeNet on
digits, once before its first run and once with a run of three epochs. The bar's links are counted
with each page. A mark (1 to 10) is the judgement of eyes that looked at a page with a run, in light
at 820 and 1280 pixels and in dark at 1920 and 3840; it is no measurement.
"""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from app.pages import navigation
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import save_project
from core.project.templates import load_template
from tests.browser.conftest import Server, workbench
from tests.browser.first_sight import sight_of
from tests.chromium import chromium_path
from tests.core.small_runs import train_here
from tests.wing_parts import rows

TABLE = Path(__file__).with_name("pages.md")
FRESH, TRAINED = "fresh.loom.json", "trained.loom.json"
SIZE: ViewportSize = {"width": 1280, "height": 800}
Counts = dict[str, tuple[int, int]]


JUDGED: dict[str, tuple[float, str, str]] = {
    "start": (
        8.5,
        "Figma's home",
        "a network that learns before one's eyes, one clear first step; 41 templates in one scroll",
    ),
    "work": (
        8.2,
        "Linear",
        "dense and aligned, each drawing as a picture, copies only of what no page lists; no "
        "folders or sorting",
    ),
    "build": (
        8.7,
        "Figma, Netron",
        "one bar, shapes on wires, values as pictures, what it is in a whole sentence; with values "
        "on it has the most controls",
    ),
    "data": (
        8.4,
        "Hugging Face viewer",
        "samples lead, one row leads on, figures and histograms; settings stand before pictures",
    ),
    "train": (
        8.9,
        "Weights & Biases",
        "one large result of every task, two curves and live predictions above the fold; a GAN has "
        "no result",
    ),
    "inside": (8.5, "Distill", "pictures lead and say what they do not show; little motion"),
    "compare": (
        8.6,
        "Weights & Biases",
        "own runs in two calm lines each, others folded, curves, axes and tables; charts cannot be "
        "arranged",
    ),
    "export": (
        8.8,
        "Vercel",
        "three ways as cards with pictures, the others in a list, each file compared, a figure in "
        "the colours of the page; of a long figure only a part is in view",
    ),
    **rows("pages", "JUDGED"),
}
"""By the name of a page: its mark, the best of its kind, and what it has and lacks beside that."""


def counted(page: Page, server: Server, file: str, run: str, names: Sequence[str]) -> Counts:
    """Controls and words in view on each page of these names."""
    used, found = server.workspace.parent / "home" / "pages.json", Counts()
    for name in names:
        used.unlink(missing_ok=True)  # a page that was used is one more in the bar of all others
        path = "" if name == navigation.PAGES[0].name else name
        seen = sight_of(page, f"{server.address}/{path}?project={file}&run={run}")
        found[name] = len(seen.controls), len(seen.words)
    return found


def measured(names: Sequence[str], epochs: int) -> tuple[Counts, Counts]:
    """What is in view before the first run, and with one."""
    temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with temporary as home, workbench(Path(home)) as at:
        project = load_template("lenet_digits")
        save_project(replace(project, name="Fresh"), at.workspace / FRESH)
        save_project(project, at.workspace / TRAINED)
        short = {"epochs": epochs, "threads": 1}
        with sync_playwright() as play:
            browser = play.chromium.launch(
                executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport=SIZE)
            before = counted(page, at, FRESH, "", names)
            run = prepare(project, analyse_project(project), at.runs, short)
            train_here(run)
            after = counted(page, at, TRAINED, run.name, names)
            browser.close()
    return before, after


def table(before: Counts, after: Counts) -> str:
    """The text of pages.md: the counted pages, in the order of the bar."""
    lines = list[str]()
    for page in navigation.PAGES:
        if page.name in after:
            mark, beside, reason = JUDGED[page.name]
            seen = [" / ".join(map(str, counts[page.name])) for counts in (before, after)]
            lines.append(f"| {' | '.join([page.title, *seen, f'{mark:g}', beside, reason])} |")
    return (
        "# The pages at first sight\n\n"
        f"Counted on {datetime.now(UTC).date()} by `python -m tests.bench.pages`, which says how. "
        "Controls / words in view at 1280 x 800. Marks are a judgement, from 1 to 10, beside the "
        "best of its kind.\n\n| page | before a run | with a run | mark | beside | why |\n"
        f"|---|---|---|---|---|---|\n" + "\n".join(lines) + "\n"
    )


def main() -> None:
    """Count, print it and write it down."""
    text = table(*measured(list(JUDGED), 3))
    sys.stdout.write(text)
    TABLE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
