"""The web page of a network, opened from disk: it predicts alone, as PyTorch does."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.analyse import analyse_project
from core.export import export
from core.prepare.create import prepare
from core.project.templates import load_template
from core.worker.launch import start, wait
from tests.core.data.gaps import project as gappy_project

pytestmark = pytest.mark.slow


def opened(page: Page, path: Path) -> None:
    """Open a page from disk; it must check itself and ask for nothing but its own parts."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#check")).to_contain_text("the largest difference from PyTorch is")
    assert float(page.locator("#check").get_attribute("data-difference") or "nan") < 1e-4
    assert [url for url in asked if url != path.as_uri() and not url.startswith("blob:")] == []


def best(page: Page) -> str:
    """The class of the longest bar."""
    return page.locator(".bars .best .name").inner_text()


def draw_one(page: Page) -> None:
    """A stroke from top to bottom."""
    box = page.locator(".pad").bounding_box()
    assert box
    middle = box["x"] + box["width"] / 2
    page.mouse.move(middle, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(middle, box["y"] + box["height"] - 30, steps=8)
    page.mouse.up()


def test_a_drawn_digit_is_read_right_without_a_network(page: Page, tmp_path: Path) -> None:
    project = load_template("lenet_digits")
    run = prepare(project, analyse_project(project), tmp_path, {"epochs": 8})
    start(run)
    wait(run)
    opened(page, export(run, "web", tmp_path / "lenet.html").path)
    first = page.locator(".chip").nth(0)
    first.click()
    expect(page.locator(".bars .best .name")).to_have_text(first.inner_text().split(": ")[1])
    draw_one(page)  # a drawing of its own, not on top of the sample
    expect(page.locator(".bars .best .name")).to_have_text("1")
    before = page.locator("#answers").get_attribute("data-runs")
    page.locator("input[type=file]").set_input_files(__file__)
    expect(page.get_by_role("alert")).to_contain_text("This browser cannot read")
    assert page.locator("#answers").get_attribute("data-runs") == before


def test_pages_of_other_tasks_check_themselves_and_answer(page: Page, tmp_path: Path) -> None:
    def made(name: str) -> Path:
        return export(load_template(name), "web", tmp_path / f"{name}.html").path

    opened(page, made("mlp_iris"))
    page.get_by_label("petal length").fill("")
    page.get_by_label("petal length").fill("1.4")
    expect(page.locator(".bars .name")).to_have_text(["setosa", "versicolor", "virginica"])
    opened(page, made("regression_diabetes"))
    expect(page.locator(".number")).to_contain_text("progression")
    opened(page, made("rnn_letter_names"))
    page.get_by_label("Text").fill("ÄLPHA")
    expect(page.get_by_role("alert")).to_contain_text('has not learned the character "Ä"')
    page.get_by_label("Text").fill("ALPHA")
    expect(page.get_by_role("alert")).to_have_count(0)
    opened(page, made("seq2seq_dates"))
    expect(page.locator(".number.text")).to_be_visible()
    opened(page, made("unet_digits"))
    expect(page.locator("canvas.picture")).to_be_visible()


def test_an_empty_field_is_filled_as_the_run_did_and_says_so(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    opened(page, export(gappy_project(tmp_path), "web", tmp_path / "gaps.html").path)
    size, answers = page.get_by_label("size"), page.locator("#answers")

    def shares() -> list[str]:
        expect(answers).to_have_attribute("data-runs", str(runs))
        return page.locator(".bars .share").all_inner_texts()

    runs = int(answers.get_attribute("data-runs") or "0") + 1
    size.fill("9.5")
    far = shares()
    runs += 1
    size.fill("2.5")
    filled = shares()
    assert filled != far
    runs += 1
    size.fill("9.5")
    assert shares() == far
    runs += 1
    size.fill("")
    assert shares() == filled
    note = page.get_by_text("missing: replaced by 2.5, the median of the training samples")
    expect(note).to_be_visible()
    runs += 1
    page.get_by_label("plan").select_option("(missing)")
    shares()
    expect(page.get_by_text("replaced by pro, the most frequent value")).to_be_visible()
    expect(page.get_by_label("city").locator("option")).to_have_text(["Bonn", "Jena", "missing"])
    page.get_by_label("calls").fill("")
    expect(page.get_by_text("needs a number")).to_be_visible()
    expect(page.get_by_label("calls")).to_have_attribute("aria-invalid", "true")
    page.locator(".chip").nth(1).click()
    expect(note).to_have_count(0)
    expect(page.get_by_text("needs a number")).to_have_count(0)


INK = """pad => {
  const { width, height } = pad;
  const all = pad.getContext("2d").getImageData(0, 0, width, height).data;
  let beside = 0, under = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const lit = all[4 * (y * width + x)] > 40;
    if (lit && Math.abs(x - width / 2) > 20) beside++; else if (lit) under++;
  }
  return { beside, under }; }"""
"""Lit pixels of the drawing pad: beside the middle, and in it."""


def test_the_first_stroke_clears_the_sample_and_the_next_does_not_clear_it(
    page: Page, tmp_path: Path
) -> None:
    opened(page, export(load_template("lenet_digits"), "web", tmp_path / "lenet.html").path)
    page.locator(".chip").nth(0).click()
    pad = page.locator(".pad")
    assert pad.evaluate(INK)["beside"] > 0
    draw_one(page)
    first = pad.evaluate(INK)
    assert first["beside"] == 0
    assert first["under"] > 0
    box = pad.bounding_box()
    assert box
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 90, steps=4)
    page.mouse.up()
    second = pad.evaluate(INK)
    assert second["beside"] > 0
    assert second["under"] == first["under"]
