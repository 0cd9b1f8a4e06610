"""Two tabs changed one project: what either changed is merged."""

from core.project import open_project
from core.project.drafts import list_backups, load_draft
from tests.app.canvas import test_other_tab as tabs
from tests.app.canvas.test_other_tab import IRIS, NAME

both = tabs.both


def test_merging_takes_what_either_tab_changed(both):
    first, second = both
    first.settle("both")
    assert (first.project.name, first.project.training["lr"]) == ("Mine", 0.5)
    assert first.elsewhere() is None
    assert load_draft(NAME).project.name == "Mine"
    assert [open_project(file).training["lr"] for file in list_backups(NAME)] == [0.5]
    assert second.elsewhere().name == "Mine"


def test_where_both_changed_the_same_merging_keeps_this_tabs_and_says_so(both):
    first, _ = both
    first.update(training={**IRIS.training, "lr": 0.25})
    _, (sentence,) = first.merged()
    assert sentence.startswith("training: lr is 0.25 in ours and 0.5 in theirs")
    first.settle("both")
    assert first.project.training["lr"] == 0.25
