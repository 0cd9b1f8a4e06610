"""Each page is calm at first sight: few controls and few words, with a run; Train also before."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page

from app.pages import navigation
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import save_project
from core.project.templates import load_template
from tests.browser.first_sight import sight_of
from tests.core.small_runs import train_here
from tests.wing_parts import rows

WORDS = 250
MOST = {
    "train": (18, 120),
    "inside": (30, WORDS),
    "export": (12, WORDS),
    **rows("pages", "AT_FIRST_SIGHT"),
}
"""Controls and words of a page; where none are promised, the words of any page. Build: its test."""
FILE, FRESH = "calm.loom.json", "fresh.loom.json"


@pytest.fixture
def run(server) -> str:
    """LeNet in a file of the workspace, with a run that has ended; in another file without one."""
    project = load_template("lenet_digits")
    save_project(project, server.workspace / FILE)
    save_project(replace(project, name="Fresh"), server.workspace / FRESH)
    report, short = analyse_project(project), {"epochs": 3, "threads": 1}
    folder = prepare(project, report, server.runs, short)
    assert train_here(folder).state == "finished"
    return folder.name


def test_no_page_has_more_than_one_takes_in_at_once(run: str, page: Page, server) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    used, over = server.workspace.parent / "home" / "pages.json", []
    train = next(each for each in navigation.PAGES if each.name == "train")
    visits = [(each, FILE, run) for each in navigation.PAGES if each.name != "build"]
    for each, file, chosen in [*visits, (train, FRESH, "")]:
        used.unlink(missing_ok=True)  # a page that was used is one more in the bar of all others
        path = "" if each is navigation.PAGES[0] else each.name
        seen = sight_of(page, f"{server.address}/{path}?project={file}&run={chosen}")
        controls, words = MOST.get(each.name, (None, WORDS))
        if len(seen.words) > words or (controls and len(seen.controls) > controls):
            over.append(f"{each.title} of {file}: {seen}")
    assert over == []
