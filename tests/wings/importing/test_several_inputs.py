"""A forward of any number of inputs is drawn with those it needs, or the hint states each."""

import pytest

from core.common.errors import ImportRefused
from core.wings.importing.pipeline import import_model

HOME = "python:tests.wings.importing.several_inputs"


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("Unpacks", "4 and 4"),
        ("FirstAndMore", "4 and 4"),
        ("Keywords", "left=4 and right=4"),
    ],
)
def test_inputs_are_found_by_trial(name: str, inputs: str) -> None:
    found = import_model(f"{HOME}:{name}")
    assert found.notes[0] == f"its input was found by trial: {inputs}"
    assert all(verdict.equal is not False for verdict in found.verdicts)


def test_a_number_that_forward_leaves_open_is_said() -> None:
    assert import_model(f"{HOME}:Unpacks").notes[1] == (
        "its forward takes any number of inputs and is drawn with 2: for another number give one "
        "--input for each, as in --input 4 --input 4 for these"
    )


def test_the_hint_states_as_many_inputs_as_forward_reads() -> None:
    with pytest.raises(ImportRefused) as refused:
        import_model(f"{HOME}:Counts")
    assert refused.value.hint == (
        "Its forward takes several inputs: give one --input for each, such as "
        "--input 4 --input 4 --input 4 --input 4 --input 4."
    )


def test_weights_of_another_dtype_are_named_where_forward_casts_its_input() -> None:
    with pytest.raises(ImportRefused) as refused:
        import_model(f"{HOME}:Casts")
    assert str(refused.value) == (
        "layer: has weights of float64, and a drawing has weights of float32. "
        "Import model.float(), and let forward cast nothing to float64."
    )
