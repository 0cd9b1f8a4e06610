"""Every declared task is whole: from its data to a script that runs, on its smallest template."""

import pytest
import torch

from core.tasks.losses import LOSSES
from core.tasks.registry import KINDS, TASKS, exchangeable
from core.tasks.task import TargetKind, function_of

NAMED = sorted(
    {
        name
        for kind in KINDS.values()
        for name in (kind.arrays, kind.true_words, kind.predicted_words, *kind.functions)
        + ((kind.metrics.rows, kind.metrics.hits) if kind.metrics else ())
        if name
    }
    | {name for task in TASKS.values() for each in task.targets for name in each.functions}
)


@pytest.mark.parametrize("name", NAMED)
def test_every_function_that_a_task_names_is_there_and_says_what_it_does(name: str) -> None:
    function = function_of(name)
    assert callable(function)
    assert function.__doc__


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_of_target_has_a_loss_and_one_way_to_be_measured(kind: TargetKind) -> None:
    assert [name for name in kind.losses if name not in LOSSES] == ["mean"] * (
        kind.name == "itself"
    )
    assert kind.losses[0] in exchangeable(kind)
    if kind.metrics:
        assert bool(kind.metrics.rows) != bool(kind.metrics.hits)
        assert kind.metrics.script.sums
        assert kind.predicted_words or kind.arrays or kind.name == "image"


def test_every_loss_is_of_some_task() -> None:
    used = {name for kind in KINDS.values() for name in kind.losses}
    assert used - {"mean"} == LOSSES.keys()
    assert [name for name in LOSSES if not hasattr(torch.nn, name)] == []
