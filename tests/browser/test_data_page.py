"""From a folder of pictures and from a table to a network that fits, in the browser."""

import shutil
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.rest import add_from, at_rest, choose_from
from tests.core.data.own_sets import write_pictures, write_table

ROOT = Path(__file__).parents[2]


def open_own(page: Page, server, name: str, project: str) -> None:
    """Open the Data page on a copy of a template and choose data of the workspace."""
    file = server.workspace / f"{Path(name).name}.loom.json"
    shutil.copy(ROOT / "projects" / f"{project}.loom.json", file)
    page.goto(f"{server.address}/data?project={file.name}")
    at_rest(page)
    page.get_by_text("My own", exact=True).click()
    choose_from(page, "From the workspace", name)
    page.get_by_role("button", name="Read", exact=True).click()


def test_a_folder_of_pictures_is_read_when_asked_fitted_varied_and_ready_to_train(
    page: Page, server
) -> None:
    write_pictures(server.workspace / "data/shapes", 8, (24, 20))
    open_own(page, server, "data/shapes", "lenet_digits")
    samples = page.get_by_role("group", name="Samples")
    expect(samples.get_by_role("img")).to_have_count(24)
    expect(samples.get_by_text("circle", exact=True)).to_have_count(8)
    expect(page.get_by_role("list", name="Samples of each class")).to_contain_text("6 + 2")
    at_rest(page)
    page.get_by_role("button", name="Fit the network to the data").click()
    expect(page.get_by_role("button", name="Train on this data")).to_be_visible()
    pictures = page.get_by_role("group", name="Before and after").get_by_role("img")
    expect(pictures).to_have_count(6)
    add_from(page, "Vary training samples", "GaussianNoise")
    expect(pictures).to_have_count(30)
    at_rest(page)
    before = [pictures.nth(i).get_attribute("src") for i in range(5)]
    assert len(set(before)) == 5  # one picture, and four draws that are not alike
    page.get_by_role("button", name="Draw again").click()
    expect(pictures.nth(4)).not_to_have_attribute("src", before[4] or "")
    assert pictures.nth(0).get_attribute("src") == before[0]
    at_rest(page)
    page.get_by_role("button", name="Prepare the pictures now").click()
    expect(page.get_by_text("All 24 pictures are decoded")).to_be_visible()
    page.reload()
    expect(pictures).to_have_count(30)


def test_a_table_shows_its_columns_and_sets_the_networks_ends(page: Page, server) -> None:
    write_table(server.workspace / "data/flowers.csv")
    open_own(page, server, "data/flowers.csv", "mlp_iris")
    offer = page.get_by_text("The network does not fit this data yet")
    expect(offer).to_contain_text("shape [5]")
    expect(offer).to_contain_text("out_features 2")
    expect(page.get_by_role("heading", name="Columns")).to_be_visible()
    page.get_by_role("button", name="Fit the network to the data").click()
    expect(page.get_by_role("button", name="Train on this data")).to_be_visible()
    expect(offer).to_have_count(0)
