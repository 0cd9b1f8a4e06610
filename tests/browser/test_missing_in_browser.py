"""What a project needs and is not here: a finding on the canvas, and the way to where it is had."""

from playwright.sync_api import Page, expect

from tests.browser import conftest
from tests.browser.hand import Hand


def test_a_data_set_that_is_not_here_stays_among_the_problems_and_leads_to_the_data(
    page: Page, tmp_path
) -> None:
    with conftest.workbench(tmp_path / "home", {"LAYERLOOM_DATA": str(tmp_path / "no")}) as server:
        hand = Hand(page, server)
        hand.open("far-data", data={"source": "MNIST"})
        hand("tab-problems").click()
        finding = page.get_by_role("listitem").filter(
            has_text="MNIST, which is not on this machine"
        )
        expect(finding).to_contain_text("Download it on the Data page.")
        expect(finding.get_by_role("button")).to_have_count(1)
        finding.get_by_role("button", name="Open the Data page").click()
        page.wait_for_url("**/data?*")
