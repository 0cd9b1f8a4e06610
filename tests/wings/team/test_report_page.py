"""The page Lab report: words before each part, a run that changed or went, a dropped file."""

import json

import pytest

from app.services import paths, staging
from app.services.file_drop import open_dropped
from app.services.staging import Staged
from core.data import DataError
from core.project import write_text
from core.wings.team import report_file
from core.wings.team.lab_report import report_of
from core.wings.team.report_file import ReportFile, kept_with
from core.wings.team.report_html import page
from core.wings.team.report_snapshot import snapshot_of
from tests.wings.team import reported


def trained(lenet, name="lenet-001"):
    """A run of the open project."""
    document = lenet.document
    project = json.loads(write_text(document.project))
    return reported.run(paths.runs_dir() / name, project, document=document.address)


def html(lenet):
    """All that the page shows as HTML."""
    return "".join(each.proto.body for each in lenet.at.get("html"))


def nothing(project):
    return {"ok": False, "nodes": {}, "errors": []}


def test_without_a_run_it_leads_to_training(lenet) -> None:
    lenet.go("report").assert_calm()
    assert any("Train the network first" in each.value for each in lenet.at.markdown)


def test_words_are_written_kept_and_shown(lenet) -> None:
    folder = trained(lenet)
    lenet.go("report").assert_calm()
    assert ">61,706</td>" in html(lenet)
    lenet.press("report_write_result").assert_calm()
    lenet.at.text_area(key="report_words_lenet-001_result").input("**Nine** of <b>ten</b>")
    lenet.press("report_save").assert_calm()
    assert "<strong>Nine</strong> of &lt;b&gt;ten&lt;/b&gt;" in html(lenet)
    kept = report_file.load(paths.runs_dir(), snapshot_of(folder))
    assert kept is not None
    assert kept.words == {"result": "**Nine** of <b>ten</b>"}
    assert {each.proto.label for each in lenet.at.get("download_button")} == {"HTML", "Notebook"}


def test_a_run_that_changed_is_told_until_the_words_fit(lenet) -> None:
    folder = trained(lenet)
    report_file.save(paths.runs_dir(), ReportFile(snapshot_of(folder), {"result": "x"}))
    reported.finish(folder, {name: [*column, 0.97] for name, column in reported.CURVES.items()})
    lenet.go("report").assert_calm()
    assert "The run changed since these words were saved." in lenet.texts[0]
    lenet.press("report_fits").assert_calm()
    assert lenet.texts == []


def test_a_run_that_went_leaves_the_words(lenet) -> None:
    folder = trained(lenet)
    title = lenet.document.title
    report_file.save(paths.runs_dir(), ReportFile(snapshot_of(folder), {"result": "kept"}, title))
    folder.rename(paths.runs_dir().parent / "elsewhere")
    lenet.go("report").assert_calm()
    assert "The run lenet-001 is not in runs" in lenet.texts[0]
    assert ">kept<" in html(lenet).replace("<p>", ">").replace("</p>", "<")


def dropped(text, name="lab.html"):
    with staging.staging() as folder:
        (folder / "0").write_text(text, "utf-8")
        return open_dropped([Staged(name, folder / "0")])


def test_a_report_that_is_dropped_opens_its_project_and_words(lenet) -> None:
    document = lenet.document
    document.save()
    folder = trained(lenet)
    report = report_of(folder, nothing)
    text = page(report, kept_with(report, ReportFile(report.snapshot, {"result": "x"})), [])
    found = dropped(text)
    assert found.page == "report"
    opened = found.begin()
    assert (opened.doc_id, opened.run) == (document.address, "lenet-001")
    kept = report_file.load(paths.runs_dir(), report.snapshot)
    assert kept is not None
    assert kept.words == {"result": "x"}
    folder.rename(paths.runs_dir().parent / "elsewhere")
    drawn = dropped(text, "lab.HTML").begin()
    assert drawn.project.graph == document.project.graph
    assert (drawn.path, drawn.run) == (None, "lenet-001")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<html></html>", "is not a lab report of Layerloom"),
        (
            '<script type="application/json" id="layerloom_report">{</script>',
            "lab.html is damaged: ",
        ),
    ],
)
def test_a_page_that_is_no_report_is_refused(workspace, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        dropped(text)
