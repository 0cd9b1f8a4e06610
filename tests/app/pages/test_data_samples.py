"""What a project's file says of its data: no more than it must."""

from app.pages.shared import data_settings
from core.data import SOURCES

DIGITS = SOURCES["digits"]


def test_what_is_as_usual_is_not_written_into_the_project() -> None:
    shown = {"source": "digits", "noise": 0.0, "normalize": False, "validation": 0.3}
    kept = data_settings.without_defaults(shown, {"source": "digits"}, DIGITS)
    assert kept == {"source": "digits", "validation": 0.3}


def test_what_the_project_set_before_stays_set() -> None:
    before = {"source": "digits", "noise": 0.1}
    assert data_settings.without_defaults({"source": "digits", "noise": 0.0}, before, DIGITS) == {
        "source": "digits",
        "noise": 0.0,
    }
