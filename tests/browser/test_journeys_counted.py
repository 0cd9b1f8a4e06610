"""What is counted on a journey."""

import pytest

from tests.browser.journey import Journey


class Target:
    """Stands in for something to click."""

    def click(self) -> None:
        """Count nothing: the journey counts."""


def test_clicks_keys_and_seconds_are_counted_and_printed(capsys: pytest.CaptureFixture[str]):
    journey = Journey("two clicks and a key", most=3)
    journey.click(Target(), Target())  # pyright: ignore[reportArgumentType]
    journey.keys += 1
    journey.mark("drawn")
    journey.end(capsys)
    assert (journey.clicks, journey.keys) == (2, 1)
    assert list(journey.reached) == ["drawn", "end"]
    journey.keys += 1
    with pytest.raises(AssertionError):
        journey.end(capsys)  # an action more than it may take


def test_a_line_that_is_typed_and_entered_is_one_action():
    journey = Journey("a line")
    journey.line("conv2d 16 3")
    journey.keys += 1
    assert (journey.keys, journey.actions) == (13, 2)
