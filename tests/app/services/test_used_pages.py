"""Pages of the menu stand in the bar while they are among those used last."""

from app.services import used_pages
from core.files.home import home


def test_the_last_three_pages_that_were_used_are_kept(workspace) -> None:
    assert used_pages.used() == ()
    for name in ("learn", "compare", "learn", "work", "sweeps"):
        used_pages.use(name)
    assert used_pages.used() == ("sweeps", "work", "learn")


def test_a_list_that_cannot_be_read_is_empty_until_a_page_is_used(workspace) -> None:
    home().mkdir(parents=True, exist_ok=True)
    (home() / "pages.json").write_text('{"learn": 1}')
    assert used_pages.used() == ()
    used_pages.use("learn")
    assert used_pages.used() == ("learn",)
    assert (home() / "pages.json.bad").read_text() == '{"learn": 1}'
