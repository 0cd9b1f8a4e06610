"""The bundle of the charts as it is delivered."""

from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "app" / "static"
BUNDLES = sorted(STATIC.glob("*/*.js"))


def test_there_is_one_bundle_of_the_charts() -> None:
    assert len(list((STATIC / "charts").glob("*.js"))) == 1


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.name.split("-")[0])
def test_colours_for_light_and_dark_are_not_left_undefined(bundle: Path) -> None:
    """light-dark() is built into variables that only a color-scheme in the same style defines."""
    text = bundle.read_text("utf-8")
    assert "var(--lightningcss-light" not in text or "--lightningcss-light:" in text
