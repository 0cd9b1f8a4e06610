"""A lab report says what its run says: by page and command, as HTML and notebook, opened again."""

import json
from dataclasses import fields, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest

from app import cli
from core.analyse import analyse_project, report_json
from core.common.errors import LayerloomError, ProjectError
from core.insight.samples import EpochSamples
from core.project import Project
from core.runs import listing
from core.wings.team import report_file
from core.wings.team.lab_report import LabReport, report_of
from core.wings.team.report_file import ReportFile, kept_with, open_report
from core.wings.team.report_html import page, piece_html
from core.wings.team.report_markdown import as_cell, as_html, split
from core.wings.team.report_notebook import notebook
from core.wings.team.report_pieces import PARTS, ReportSamples, ReportSentence, ReportTable
from core.wings.team.report_predictions import pieces
from core.wings.team.report_snapshot import snapshot_of, what_changed
from tests.damage import mutations, texts, tried
from tests.hostile_names import HOSTILE, commanding
from tests.wings.team import reported
from tests.wings.team.versions import lenet

TITLES = {key: title for key, (title, _) in PARTS.items()}


def analysis(project: Project) -> Any:
    return report_json(analyse_project(project))


def of(folder: Path) -> LabReport:
    return report_of(folder, analysis)


def tables(report: LabReport) -> dict[str, tuple[tuple[str, ...], ...]]:
    found = (
        piece for part in report.parts for piece in part.pieces if isinstance(piece, ReportTable)
    )
    return {grid.title: grid.rows for grid in found}


def sentences(report: LabReport, part: str) -> list[str]:
    found = next(each for each in report.parts if each.key == part)
    return [piece.text for piece in found.pieces if isinstance(piece, ReportSentence)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return reported.run(tmp_path / "runs" / "lenet-001")


class Page(HTMLParser):
    """What of an HTML file is an element, and what is text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_its_numbers_are_those_of_the_run(run: Path) -> None:
    reported.predicted(run)
    report = of(run)
    found = tables(report)
    assert found["Cost for one sample"] == (
        ("Parameters", "61,706"),
        ("Trainable parameters", "61,706"),
        ("Multiply-adds", "416,520"),
    )
    assert ("conv2", "Conv2d", "(N, 16, 10, 10)", "2,416", "240,000") in found["Blocks"]
    assert found["Metrics after epoch 2"] == (
        ("Training loss", "0.3"),
        ("Training accuracy", "95.0%"),
        ("Validation loss", "0.4"),
        ("Validation accuracy", "90.0%"),
    )
    assert found["Beside simple rules: validation accuracy"] == (
        ("this network", "90.0%"),
        ("always predicting “3”", "10.0%"),
        ("always predicting “5”", "9.0%"),
    )
    assert ("Learning rate", "0.003") in found["Training"]
    assert found["Confusion matrix"][0] == ("cat", "30", "5")
    assert "94 of 100 samples are predicted right: 94.0%." in sentences(report, "predictions")
    assert sentences(report, "training")[0] == "2 of 2 epochs, 8 steps, 1 min 18 s on cpu."
    assert report.about == ("Run lenet-001 has finished.",)


def test_it_changes_when_the_run_does_and_says_so(run: Path) -> None:
    before = of(run)
    reported.finish(run, {name: [*column, 0.97] for name, column in reported.CURVES.items()})
    after = of(run)
    assert tables(after)["Metrics after epoch 3"][-1] == ("Validation accuracy", "97.0%")
    assert what_changed(before.snapshot, before.snapshot) == ""
    assert what_changed(before.snapshot, after.snapshot) == (
        "The run changed since these words were saved. Then: finished, epoch 2, step 8, 90.0% ± "
        "6 validation accuracy. Now: finished, epoch 3, step 12, 97.0% ± 3.7 validation accuracy."
    )


@pytest.mark.parametrize(("write", "ending"), [(page, "html"), (notebook, "ipynb")])
def test_what_is_written_opens_again_equal(run: Path, tmp_path: Path, write, ending: str) -> None:
    report = of(run)
    words = {"question": "Why? <b>", "result": "</script><script>alert(1)</script> “quoted”"}
    kept = kept_with(report, ReportFile(report.snapshot, words, report.title))
    file = tmp_path / f"a.{ending}"
    file.write_text(write(report, kept, ["read now"]), "utf-8")
    assert open_report(file) == kept
    assert json.loads(open_report(file).project) == lenet()
    assert report_file.run_of(run.parent, kept.snapshot) == run


def test_a_run_of_the_same_name_with_other_settings_is_another_one(run: Path) -> None:
    snapshot = snapshot_of(run)
    spec = json.loads((run / "spec.json").read_text("utf-8"))
    reported.put(run, "spec.json", {**spec, "training": {"epochs": 5}})
    assert report_file.run_of(run.parent, snapshot) is None
    assert "lenet-001 in runs is another one" in ReportFile(snapshot).gone(run.parent)


def test_a_run_that_is_gone_is_told_with_what_it_had(run: Path) -> None:
    kept = ReportFile(snapshot_of(run), {"result": "good"})
    run.rename(run.with_name("elsewhere"))
    assert report_file.run_of(run.parent, kept.snapshot) is None
    assert kept.gone(run.parent) == (
        "The run lenet-001 is not in runs, so its numbers cannot be read. When these words were "
        "saved it had 90.0% ± 6 validation accuracy."
    )


def test_a_run_without_results_has_a_report(run: Path) -> None:
    for name in ("status.json", "metrics.jsonl", "baseline.json"):
        (run / name).unlink()
    report = of(run)
    assert "No epoch is complete." in sentences(report, "training")
    assert sentences(report, "predictions") == ["The run has written no predictions."]
    assert "Metrics" not in "".join(tables(report))
    assert "61,706" in page(report, kept_with(report, None), [])


def test_a_run_that_trains_says_that_these_are_its_numbers_so_far(run: Path, monkeypatch) -> None:
    monkeypatch.setattr(listing, "alive", lambda folder: True)
    reported.finish(run, reported.CURVES, "running")
    report = of(run)
    assert report.live
    assert report.about[0].endswith("is still training: these are its numbers so far.")
    assert ("this network", "90.0%") in tables(report)["Beside simple rules: validation accuracy"]


@pytest.mark.parametrize("name", ["spec.json", "status.json", "metrics.jsonl", "baseline.json"])
def test_damaged_files_of_a_run_are_told(run: Path, name: str) -> None:
    for content in ("{", "[]", '{"training": 3, "data": 4, "best": 5, "metric": 6}'):
        (run / name).write_text(content, "utf-8")
        text = page(of(run), kept_with(of(run), None), [])
        assert "<main" in text


def test_a_drawing_that_cannot_be_read_leaves_the_rest(run: Path) -> None:
    (run / "project.loom.json").write_text("{", "utf-8")
    report = of(run)
    assert sentences(report, "network") == ["The drawing of this run cannot be read."]
    assert tables(report)["Metrics after epoch 2"][-1] == ("Validation accuracy", "90.0%")


def test_what_puts_its_verdict_in_doubt_stands_below_it(run: Path) -> None:
    report = report_of(run, analysis, doubted=lambda view, verdict: [f"{verdict.value}, but."])
    assert sentences(report, "result")[-1] == "90.0% ± 6, but."


def test_an_analysis_that_fails_is_told(run: Path) -> None:
    def fails(project: Project) -> Any:
        raise LayerloomError("It took longer than 10 seconds.", "Make it smaller.")

    assert sentences(report_of(run, fails), "network") == [
        "Shapes and costs are unknown: It took longer than 10 seconds. Make it smaller."
    ]


def test_every_kind_of_prediction_has_a_place() -> None:
    every = {field.name for field in fields(EpochSamples)}
    assert reported.KINDS.keys() == every - reported.ABOUT
    for name, value in reported.KINDS.items():
        found = list(pieces(replace(EpochSamples(), **{name: value})))
        assert found, name
        for flat in (False, True):
            assert all("\n" not in piece_html(piece, flat) for piece in found), name


def test_a_picture_of_each_mask_is_shown() -> None:
    (found,) = pieces(EpochSamples(masks=reported.KINDS["masks"]))
    assert isinstance(found, ReportSamples)
    assert [words for _, words in found.cards[0].pictures] == ["input", "target", "prediction"]
    assert piece_html(found).count("data:image/png;base64,") == 3


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_strangers_are_text(tmp_path: Path, name: str) -> None:
    safe = name.replace("\ud800", "?")  # no file of a project holds half a character
    project = {**lenet(), "name": safe[:100]}
    project["graph"]["nodes"]["conv1"]["label"] = safe[:60]
    folder = reported.run(tmp_path / "lenet-001", project, classes=[safe])
    rule = {**reported.BASELINE, "rule": name, "others": [[name, 0.2]]}
    reported.put(folder, "baseline.json", rule)
    report = of(folder)
    kept = kept_with(report, ReportFile(report.snapshot, {"result": name}, report.title))
    text = page(report, kept, [name])
    found = Page(text)
    scripts = [attrs for tag, attrs in found.tags if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "layerloom_report"}]
    sources = [attrs.get("src") or "" for tag, attrs in found.tags if tag in ("img", "iframe")]
    assert all(source.startswith("data:image/") for source in sources)
    assert not [a for _, attrs in found.tags for a in attrs if a.startswith("on")]
    assert not commanding(text)
    cells = nbformat.reads(notebook(report, kept, [name]), as_version=4).cells
    assert not commanding("".join(cell.source for cell in cells))
    assert "<script" not in "".join(cell.source for cell in cells).lower()


def test_own_words_are_markdown_and_no_more() -> None:
    text = "**bold** <img src=x onerror=alert(1)> ![p](http://e.test/p) [a](javascript:alert(1))"
    assert as_html(text) == (
        "<p><strong>bold</strong> &lt;img src=x onerror=alert(1)&gt; "
        '!<a href="http://e.test/p">p</a> [a](javascript:alert(1))</p>\n'
    )
    assert as_cell("a < b `x<y` <i>c</i> ![p](u)") == "a < b `x<y` &lt;i>c&lt;/i> !\\[p](u)"
    assert "<table>" in as_html("|a|b|\n|-|-|\n|1|2|")


def test_words_of_one_file_go_to_their_parts() -> None:
    text = "First.\n\n# Result\nGood.\n## not a part\n- x\n\n## data and SETTINGS ##\nDigits."
    assert split(text, TITLES) == {
        "question": "First.",
        "result": "Good.\n## not a part\n- x",
        "setup": "Digits.",
    }


def test_words_that_come_in_a_file_never_overwrite_others(run: Path) -> None:
    mine = ReportFile(snapshot_of(run), {"result": "mine"}, "LeNet")
    report_file.save(run.parent, mine)
    aside = report_file.take_in(run.parent, replace(mine, words={"result": "theirs"}))
    now = report_file.load(run.parent, mine.snapshot)
    assert now is not None
    assert now.words == {"result": "theirs"}
    assert aside is not None
    assert json.loads(aside.read_text("utf-8"))["words"] == {"result": "mine"}
    assert report_file.take_in(run.parent, now) is None
    assert [each.words for each in report_file.kept(run.parent)] == [{"result": "theirs"}]
    assert [view.name for view in listing.list_runs(run.parent)] == ["lenet-001"]


def test_too_many_words_are_refused_with_their_number(run: Path) -> None:
    words = {"result": "x" * 20_001}
    with pytest.raises(ProjectError, match="20,001 characters before the part Result"):
        report_file.save(run.parent, ReportFile(snapshot_of(run), words))


@pytest.mark.parametrize("name", ["../x", "a/b", "", "a" * 200, ".hidden"])
def test_no_file_is_written_for_a_name_that_no_run_has(run: Path, name: str) -> None:
    snapshot = replace(snapshot_of(run), run=name)
    with pytest.raises(ProjectError, match="names a run that cannot be"):
        report_file.save(run.parent, ReportFile(snapshot, {"result": "x"}))
    assert report_file.run_of(run.parent, snapshot) is None


def test_a_newer_report_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"layerloom_report": 2}', "utf-8")
    with pytest.raises(ProjectError, match=r"has format 2, and this release reads 1\."):
        open_report(tmp_path / "a.json")


def test_damaged_reports_raise_one_kind_of_error(run: Path, tmp_path: Path) -> None:
    report = of(run)
    kept = kept_with(report, ReportFile(report.snapshot, {"result": "x"}, report.title))
    path = tmp_path / "a.html"
    small = replace(kept, project="{}")
    assert tried(path, texts(small.json(), 5), lambda: open_report(path), ProjectError) > 50
    bare = f"<html>{small.embedded()}</html>".encode()
    assert tried(path, mutations(bare), lambda: open_report(path), ProjectError) > 20


def test_the_command_prints_writes_and_reads_again(run: Path, tmp_path: Path, capsys) -> None:
    runs, out, words = ["--runs", str(run.parent)], tmp_path / "r.html", tmp_path / "w.md"
    words.write_text("# Result\nNine of ten.\n", "utf-8")
    assert cli.main(["report", "lenet-001", *runs, "--words", str(words)]) == 0
    printed = capsys.readouterr().out
    assert "Nine of ten." in printed
    assert "always predicting “3”  10.0%" in printed
    assert cli.main(["report", "lenet-001", *runs, "--out", str(out)]) == 0
    assert "Nine of ten." in out.read_text("utf-8")
    capsys.readouterr()
    reported.finish(run, {name: [*column, 0.97] for name, column in reported.CURVES.items()})
    assert cli.main(["report", str(out), *runs, "--out", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["run"]["result"] == "97.0% ± 3.7 validation accuracy"
    assert said["changed"].startswith("The run changed since these words were saved.")
    result = next(part for part in said["parts"] if part["part"] == "result")
    assert result["words"] == "Nine of ten."
    assert ["Validation accuracy", "97.0%"] in result["tables"][0]["rows"]
    assert "97.0%" in out.read_text("utf-8")


def test_the_command_refuses_what_it_cannot_do(run: Path, tmp_path: Path, capsys) -> None:
    runs = ["--runs", str(run.parent)]
    assert cli.main(["report", "lenet-001", *runs, "--out", "a.pdf"]) == 2
    assert "print it as PDF" in capsys.readouterr().err
    assert cli.main(["report", "lenet-001", *runs, "--out", "a.doc"]) == 2
    assert cli.main(["report", "nothing", *runs]) == 2
    out = tmp_path / "r.html"
    assert cli.main(["report", "lenet-001", *runs, "--out", str(out)]) == 0
    before = out.read_bytes()
    run.rename(run.with_name("elsewhere"))
    capsys.readouterr()
    assert cli.main(["report", str(out), *runs, "--out", str(out)]) == 1
    assert "The run lenet-001 is not in runs" in capsys.readouterr().err
    assert out.read_bytes() == before
