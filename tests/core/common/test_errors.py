"""Errors with a message and a hint: one base, and each reaches another process whole."""

import pickle

import pytest

from app.cli.output import Failed, UsageError
from app.process.pool import PoolError
from core.common.errors import (
    Conflict,
    DataError,
    Diverged,
    ImportRefused,
    LayerloomError,
    ProjectError,
    RunError,
    TrainingError,
)
from core.engine.weights_file import WeightsError
from core.export.result import ExportError
from core.graph.model import GraphError
from core.insight.attribution.subject import NotExplained
from core.insight.load_model import NotReady
from core.project.inputs import InputError
from tests.wing_parts import modules

PLAIN = (
    DataError, ExportError, Failed, InputError, NotExplained, NotReady, PoolError,
    UsageError, WeightsError, *(error for part in modules("errors") for error in part.ERRORS),
)  # fmt: skip
OTHERS = (
    (ProjectError("net.loom.json", "is empty.", "Draw a block."), "net.loom.json is empty. "),
    (RunError("lr", "is 0.", "Draw a block."), "is 0. "),
    (TrainingError("lr", "is 0.", "Draw a block."), "is 0. "),
    (Diverged(7, "The loss is NaN.", "Draw a block."), "The loss is NaN. "),
    (GraphError("conv1", "is missing.", "Draw a block."), "conv1 is missing. "),
    (ImportRefused("net.py:3", "has a loop.", "Draw a block."), "net.py:3: has a loop. "),
)


@pytest.mark.parametrize("error", [kind("It failed.", "Draw a block.") for kind in PLAIN], ids=repr)
def test_an_error_states_its_message_and_its_hint(error: LayerloomError) -> None:
    assert isinstance(error, LayerloomError)
    assert (error.message, error.hint) == ("It failed.", "Draw a block.")
    assert str(error) == "It failed. Draw a block."


@pytest.mark.parametrize(("error", "start"), OTHERS, ids=lambda value: type(value).__name__)
def test_an_error_with_a_subject_states_that_too(error: LayerloomError, start: str) -> None:
    assert str(error) == f"{start}Draw a block."


@pytest.mark.parametrize(
    "error",
    [*(kind("It failed.", "Draw a block.") for kind in PLAIN), *(error for error, _ in OTHERS),
     Conflict("net.loom.json", "a" * 40, "b" * 40)],
    ids=repr,
)  # fmt: skip
def test_an_error_reaches_another_process_whole(error: LayerloomError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_an_input_that_cannot_be_read_is_still_a_value_error() -> None:
    assert isinstance(InputError("It failed.", ""), ValueError)
