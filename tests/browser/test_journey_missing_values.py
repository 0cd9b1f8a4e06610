"""A table of one's own with missing values: the file and two clicks to a network that learned."""

import json
from random import Random

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import checked
from tests.browser.journey import Journey, accuracy, run_of
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest, until
from tests.browser.test_journey_own_csv import drag

FILE_AND_FOUR = 5
CITIES = ("Berlin", "Paris", "Rome")
HIDDEN = {"age": "", "income": "NA", "city": ""}
"""How a tenth of the values of these columns is missing."""


def customers() -> bytes:
    """300 customers of whom age, income and city decide who stays."""
    generator = Random(5)
    rows = ["customer_id,age,income,city,stays"]
    for number in range(300):
        age, income = generator.randint(18, 80), generator.gauss(40, 12)
        city = generator.choice(CITIES)
        stays = "yes" if age + income + 20 * (city == "Rome") > 95 else "no"
        values = {"age": age, "income": f"{income:.1f}", "city": city}
        values |= {name: gap for name, gap in HIDDEN.items() if generator.random() < 0.1}
        rows.append(",".join(map(str, (1000 + number, *values.values(), stays))))
    return "\n".join(rows).encode()


@pytest.mark.gate
def test_a_table_with_missing_values_is_learned_from_with_two_clicks(
    page: Page, server, capsys: pytest.CaptureFixture[str]
):
    page.goto(server.address)
    expect(page.get_by_role("group", name="Open your own data")).to_be_visible()
    at_rest(page)
    journey = Journey("own CSV with missing values", most=FILE_AND_FOUR)
    journey.clicks += 1
    drag(page, "customers.csv", customers())
    page.wait_for_url("**/data**")
    report = page.locator(".st-key-data_said")
    expect(report).to_contain_text("300 rows. stays is the target: 2 classes (no, yes).")
    expect(report).to_contain_text("they are filled with the mean of the training samples")
    expect(page.get_by_role("heading", name="Columns")).to_be_visible()  # as read, no error
    journey.click(page.get_by_role("button", name="Make a network for this data"))
    page.wait_for_url("**/build**")
    checked(page, PATIENCE_MS)
    journey.mark("drawn")
    journey.click(page.get_by_test_id("toolbar-train"))
    run = run_of(page, server.runs)
    until(page, (run / "final.json").exists, "the run does not end")
    journey.end(capsys)
    data = json.loads((run / "spec.json").read_text("utf-8"))["data"]
    assert data["fill"] == {"age": "mean", "income": "mean", "city": "missing"}
    assert data["columns"] == ["age", "income", "city"]
    rule = json.loads((run / "baseline.json").read_text("utf-8"))["value"]
    assert accuracy(run, "status.json") > rule + 0.15
