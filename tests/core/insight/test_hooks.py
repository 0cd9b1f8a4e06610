"""A look catches modules by forward hooks and functions by statements, and says which."""

from collections import Counter
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.analyse.report import size
from core.common.network_ref import ProjectRef
from core.insight import views
from core.insight.features import capture
from tests.core.drawing import draw
from tests.core.insight.drawn import lenet, shared


def test_a_look_puts_one_hook_on_each_module_block_and_takes_it_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = lenet()
    module = build(report.source or "", report.class_name).eval()
    hooked: Counter[str] = Counter()
    put = nn.Module.register_forward_hook

    def counted(self: nn.Module, hook: Any, **more: Any) -> Any:
        hooked[next(name for name, part in module.named_modules() if part is self)] += 1
        return put(self, hook, **more)

    monkeypatch.setattr(nn.Module, "register_forward_hook", counted)
    x = torch.zeros(1, 1, 28, 28)
    values = capture(module, report, (x,)).values
    assert hooked == {name: 1 for name, _ in module.named_children()}
    assert {"image", "conv1", "logits"} <= values.keys()
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in module.modules())


def test_a_module_of_several_blocks_is_caught_for_each() -> None:
    report = shared()
    module = build(report.source or "", report.class_name).eval()
    x = tuple(torch.randn(size(s, 2)) for _, s in report.inputs)
    values = capture(module, report, x).values
    assert set(report.lines) <= values.keys()


def test_attention_that_would_calculate_otherwise_keeps_its_last_digits() -> None:
    report = analyse(
        draw(
            {
                "x": ("Input", {"shape": (5, 8)}),
                "layer": (
                    "TransformerEncoderLayer",
                    {"nhead": 2, "dim_feedforward": 16, "batch_first": True},
                ),
                "y": "Output",
            },
            ["x -> layer", "layer -> y"],
        )
    )
    assert report.errors == ()
    torch.manual_seed(0)
    module, x = build(report.source or "", report.class_name).eval(), torch.randn(2, 5, 8)
    with torch.no_grad():
        plain = module(x)
    assert torch.equal(capture(module, report, (x,)).values["layer"], plain)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> tuple[nn.Module, Tensor]:
    report = analyse(
        draw(
            {
                "x": ("Input", {"shape": (4,)}),
                "fc": ("Linear", {"out_features": 4}),
                "sum": "add",
                "y": "Output",
            },
            ["x -> fc", "fc -> sum.input", "x -> sum.other", "sum -> y"],
        )
    )
    module = build(report.source or "", report.class_name).eval()
    network: Any = type("Network", (), {"module": module, "report": report})
    monkeypatch.setattr(views, "opened", lambda ref: network)
    return module, torch.randn(2, 4)


def test_the_five_lines_run_and_see_what_the_look_sees(drawn: tuple[nn.Module, Tensor]) -> None:
    module, x = drawn
    found = views.hook_lines(ProjectRef(""), "fc")
    assert found is not None
    assert found.sentence == "Captured by a forward hook on model.fc (Linear)."
    assert len(found.code.splitlines()) == 5
    space: dict[str, Any] = {"model": module, "x": x}
    exec(found.code, space)
    assert torch.equal(space["seen"]["out"], module.get_submodule("fc")(x))
    assert not module.get_submodule("fc")._forward_hooks


def test_a_function_has_no_hook_and_its_statement_is_shown(
    drawn: tuple[nn.Module, Tensor],
) -> None:
    found = views.hook_lines(ProjectRef(""), "sum")
    assert found is not None
    assert found.sentence == (
        "sum has no module of its own to hook; its value is read after its statement in forward:"
    )
    assert "=" in found.code
    assert views.hook_lines(ProjectRef(""), "x") is None
