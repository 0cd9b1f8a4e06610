"""What a script leaves out is what torch assumes anyway."""

import inspect

import pytest
from torch import nn, optim
from torch.optim import lr_scheduler

from core.script.optim import is_not_default
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS


@pytest.mark.parametrize("name", list(SCHEDULES))
def test_a_schedule_leaves_out_torchs_defaults_only(name: str):
    given = inspect.signature(getattr(lr_scheduler, name)).parameters
    for setting in SCHEDULES[name].settings:
        torchs = given[setting.name].default
        if torchs is inspect.Parameter.empty:
            assert is_not_default(name, setting.name, setting.default)
        elif not is_not_default(name, setting.name, setting.default):
            assert setting.default == torchs


@pytest.mark.parametrize("name", list(SCHEDULES))
def test_what_is_required_is_required_by_torch(name: str):
    given = inspect.signature(getattr(lr_scheduler, name)).parameters
    needed = {each.name for each in given.values() if each.default is inspect.Parameter.empty}
    assert needed - {"optimizer"} <= set(SCHEDULES[name].required)


@pytest.mark.parametrize("name", [name for name, o in OPTIMIZERS.items() if o.fused])
def test_an_optimiser_written_as_fused_has_a_fused_kernel(name: str):
    weight = nn.Linear(2, 2).weight
    weight.sum().backward()
    getattr(optim, name)([weight], lr=0.1, fused=True).step()
