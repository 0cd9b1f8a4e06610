"""What wings bring stands behind what it names."""

from core.common import wing


def test_what_a_wing_brings_stands_behind_what_it_names_or_at_the_end() -> None:
    own = {"start": 1, "build": 2}
    of_wings = [("late", "there", 5), ("there", "start", 3), ("alone", "", 4), ("lost", "gone", 6)]
    assert wing.placed(own, of_wings) == [1, 3, 5, 2, 4, 6]
