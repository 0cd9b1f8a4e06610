"""The workbench behind a path: canvas, questions, curves and exports all go by the path."""

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import workbench
from tests.browser.drawings import checked
from tests.browser.test_first_five_minutes import open_lenet, train_and_watch_the_curve

pytestmark = pytest.mark.slow


@pytest.fixture
def answers(page: Page) -> list[Response]:
    """What our routes answered, whatever address they were asked at."""
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer) if "/api/ll/" in answer.url else None)
    return answers


def test_an_edit_and_a_training_below_a_base_path(page: Page, answers, tmp_path_factory):
    with workbench(tmp_path_factory.mktemp("based"), base_path="/user/ann") as server:
        open_lenet(page, server.address)
        page.get_by_test_id("node-fc1").click()
        page.get_by_test_id("setting-out_features").fill("77")
        page.get_by_test_id("setting-out_features").press("Enter")
        checked(page)
        train_and_watch_the_curve(page)
        page.get_by_role("link", name="Build", exact=True).click()
        page.wait_for_url("**/user/ann/build?*")
        page.reload()
        checked(page)
        page.get_by_test_id("node-fc1").click()
        expect(page.get_by_test_id("setting-out_features")).to_have_value("77")
    asked = {answer.url.split("/api/ll/")[1].split("/")[0].split("?")[0] for answer in answers}
    assert {"canvas", "runs"} <= asked
    bad = [(answer.url, answer.status) for answer in answers if answer.status != 200]
    assert bad == []
    assert all("/user/ann/api/ll/" in answer.url for answer in answers)
    assert {answer.headers["content-type"] for answer in answers} == {"application/json"}
