"""The run that is chosen where a project is shared, which is the one that other pages show."""

import pytest

from tests.app.tab import Tab

DOOR = "share"


def watch(patch: pytest.MonkeyPatch, shown: dict[str, str]) -> None:
    """Write down which run would be shared."""

    def make(_: object, runs: list[str], __: object) -> None:
        shown[DOOR] = " ".join(runs)

    patch.setattr("app.wings.bundle.share._make", make)


def press(tab: Tab, page: str) -> None:
    """Press Share on the Export page."""
    if page == "export":
        tab.press("share_export").assert_calm()
