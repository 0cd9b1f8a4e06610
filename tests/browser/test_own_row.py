"""A row in the words of its file: on the canvas (V) and on the exported page, in a browser."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.data.facts.metadata import read_own
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.project import read_text
from tests.browser.hand import Hand
from tests.browser.test_exported_page import opened

LINES = [
    "2023-10-19;17,5;Bonn;no",
    "2023-02-02;97,25;Ulm;yes",
    "2023-03-02;32,0;Bonn;no",
    "2023-08-19;63,5;Ulm;yes",
    "2023-09-01;1.063,5;Ulm;yes",
    "2023-05-20;20,25;Bonn;no",
]


GRAPH: dict[str, Any] = {
    "nodes": {
        "row": {"block": "Input", "settings": {"shape": [6]}},
        "fc": {"block": "Linear", "settings": {"out_features": 2}},
        "out": {"block": "Output"},
    },
    "edges": ["row -> fc", "fc -> out"],
}
DATA = {"source": "CSV", "file": "data/dates.csv"}


@pytest.fixture
def home(server, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace with a table of dates, decimal commas and a category, as it is dropped."""
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(server.workspace))
    file = server.workspace / "data/dates.csv"
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(["joined;income;town;buys", *LINES]) + "\n", "utf-8")
    read_own(DATA)
    return server.workspace


@pytest.fixture
def subject(home: Path) -> Subject:
    text = json.dumps({"layerloom": 1, "name": "D", "graph": GRAPH, "data": DATA})
    return subject_of(read_text(text, "D"))


@pytest.fixture
def exported(subject: Subject, tmp_path: Path) -> Path:
    return export_subject(subject, "web", tmp_path / "dates.html").path


def test_the_page_takes_a_row_as_the_file_writes_it(
    page: Page, exported: Path, subject: Subject, tmp_path: Path
) -> None:
    """Field by field and as a line: the answer is that of the sample."""
    opened(page, exported)
    answers = page.locator("#answers")
    fields = [page.get_by_role("textbox", name=name, exact=True) for name in ("joined", "income")]
    fields.append(page.get_by_role("combobox", name="town", exact=True))
    line = page.get_by_label("Or a whole line, as the file has it")
    assert subject.opened is not None
    dataset = subject.opened.dataset
    first = int(dataset.validation_indices[0])
    written = LINES[first].split(";")[:3]

    def shares() -> list[str]:
        return answers.locator(".share").all_inner_texts()

    page.locator(".chip").first.click()
    for field, text in zip(fields, written, strict=True):
        expect(field).to_have_value(text.replace(".", "").replace(",0", ""))
    right = shares()
    line.fill(LINES[(first + 1) % 6])
    expect(fields[0]).to_have_value(LINES[(first + 1) % 6][:10])
    expect(answers.locator(".share").first).not_to_have_text(right[0])
    runs = int(answers.get_attribute("data-runs") or "0")
    fields[0].fill(written[0])
    fields[1].fill(written[1])
    fields[2].select_option(written[2])
    expect(answers.locator(".share").first).to_have_text(right[0])
    assert shares() == right
    assert int(answers.get_attribute("data-runs") or "0") > runs
    fields[0].fill("19.10.2023")
    expect(page.get_by_text("needs a date such as 1999-12-31")).to_be_visible()
    line.fill(f"joined;income;town\n{written[0]};{written[1]};{written[2]}")
    expect(fields[0]).to_have_value(written[0])
    expect(answers.locator(".share").first).to_have_text(right[0])
    page.screenshot(path=tmp_path / "page.png", full_page=True)
    line.fill("1;2")
    expect(page.get_by_text("needs the columns joined, income, town")).to_be_visible()


def test_v_begins_with_the_row_of_the_file_and_takes_another(
    server, page: Page, home: Path
) -> None:
    """The fields hold the sample as its file has it; a line of the file fills them anew."""
    hand = Hand(page, server)
    hand.open("own-row", GRAPH, data=DATA)
    hand("workbench").focus()
    hand.keys("v")
    told = hand("sample-told")
    expect(told).to_contain_text("Prediction")
    hand.click("sample-own")
    fields = [hand(f"sample-field-{name}") for name in ("joined", "income", "town")]
    expect(fields[0]).to_have_value(re.compile(r"2023-\d\d-\d\d"))
    first = [field.input_value() for field in fields]
    assert any(line.startswith(first[0]) for line in LINES)
    expect(told).to_contain_text("Prediction")
    hand.fill("sample-line", "2023-09-01;1.063,5;Ulm;yes")
    for field, text in zip(fields, ("2023-09-01", "1063,5", "Ulm"), strict=True):
        expect(field).to_have_value(text)
    hand.fill("sample-line", "joined;income;town\n2023-02-02;97,25;Bonn")
    expect(fields[1]).to_have_value("97,25")
    expect(told).to_contain_text("Prediction")
    bars = [bar.bounding_box() for bar in page.locator(".sample-making .score-bar").all()]
    assert len(bars) == 2  # of "yes" and "no"
    assert len({bar["x"] for bar in bars if bar}) == 1
    page.screenshot(path=home / "v.png")
    hand.fill("sample-field-joined", "19.10.2023")
    expect(told).to_contain_text("needs a date for joined, written as 1999-12-31")
    hand.fill("sample-field-joined", first[0])
    expect(told).to_contain_text("Prediction")
    hand.fill("sample-field-income", "much")
    expect(fields[1]).to_have_attribute("aria-invalid", "true")
    expect(told).to_contain_text("needs a number for income but receives 'much'")
