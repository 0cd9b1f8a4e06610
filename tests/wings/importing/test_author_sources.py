"""An imported source reads as its author's: their names, their lists, nothing that does nothing."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.analyse import analyse, build
from core.analyse.run_once import run_once
from core.wings.importing import import_module
from core.wings.importing.weights import mapped_state

GOLDEN = Path(__file__).parents[2] / "golden" / "imported" / "nanogpt_blocks.py"


class Attention(nn.Module):
    """As in nanoGPT."""

    def __init__(self) -> None:
        super().__init__()
        self.c_attn = nn.Linear(8, 24)
        self.c_proj = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(8, dim=2)
        k = k.view(B, T, 2, C // 2).transpose(1, 2)
        q = q.view(B, T, 2, C // 2).transpose(1, 2)
        v = v.view(B, T, 2, C // 2).transpose(1, 2)
        att = F.softmax(q @ k.transpose(-2, -1), dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(8)
        self.attn = Attention()

    def forward(self, x: Tensor) -> Tensor:
        return x + self.attn(self.ln_1(x))


class GPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        blocks = nn.ModuleList([Block() for _ in range(3)])
        self.transformer = nn.ModuleDict({"h": blocks, "ln_f": nn.LayerNorm(8)})
        self.lm_head = nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        blocks: Any = self.transformer["h"]
        for block in blocks:
            x = block(x)
        x = self.transformer["ln_f"](x)
        return self.lm_head(x[:, [-1], :])


def source_of(module: nn.Module, shape: tuple[int, ...]) -> str:
    """The source of a model, which computes its bits."""
    torch.manual_seed(0)
    found = import_module(module, [shape], "Net")
    report = run_once(analyse(found.project.graph, "Net"))
    assert report.source is not None, report.errors
    ours = build(report.source).eval()
    ours.load_state_dict(mapped_state(module.state_dict(), found.keys, ours))
    x = torch.randn(3, *shape)
    with torch.no_grad():
        for mine, theirs in zip(each(ours(x)), each(module.eval()(x)), strict=True):
            assert torch.equal(mine, theirs)
    return report.source


def each(result: Any) -> tuple[Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


def forward_of(source: str) -> list[str]:
    """The statements of the last class's forward."""
    body = source.rpartition("def forward")[2].partition("\n")[2]
    return [line.partition("  #")[0].strip() for line in body.strip().split("\n")]


def test_a_gpt_keeps_its_names_lists_and_indices(request: pytest.FixtureRequest) -> None:
    source = source_of(GPT(), (4, 8))
    if request.config.getoption("--golden"):
        GOLDEN.write_text(source, encoding="utf-8")
    assert source == GOLDEN.read_text("utf-8")


class Idle(nn.Module):
    """Casts to what it is, times one, plus nothing: as libraries write for other precisions."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(8, 8)
        self.fc2 = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        y = self.fc1(x).to(torch.float32) * 1.0
        z = self.fc2(y.float().type_as(x)) / 1
        return sum([z, y, x]) - 0  # pyright: ignore[reportReturnType]


def test_calls_that_change_no_number_are_not_written() -> None:
    assert forward_of(source_of(Idle(), (4, 8))) == [
        "fc1 = self.fc1(features)",
        "x = self.fc2(fc1)",
        "x = x + fc1",
        "x = x + features",
        "return x",
    ]


class Kept(nn.Module):
    """Calls that look as if they did nothing, but change a kind or a sign."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        count = x.long() * 1.0
        return count, x + 0.0, x.double(), x.long() / 1, torch.ones_like(x) * 2


def test_calls_that_change_a_kind_or_a_sign_stay() -> None:
    source = source_of(Kept(), (4, 8))
    assert "* 1.0" in source
    assert "features + 0.0" in source
    assert ".to(torch.float64)" in source
    assert "/ 1" in source


def windows(x: Tensor) -> Tensor:
    """A function of the author's: its caller has the name of what it returns."""
    B, size, _ = x.shape
    return x.view(B, size // 2, 2, -1)


class Named(nn.Module):
    """Names that are given in all the ways that Python has."""

    def forward(self, x: Tensor) -> Tensor:
        parts = windows(x)
        scale, shift = parts[:, 0], parts[:, 1]
        left_part, right_part = (
            scale
            .exp()
            .chunk(2, dim=-1)
        )  # fmt: skip
        scale *= shift
        total: Tensor = left_part + right_part
        out = total * scale.mean() + shift.mean()
        return out - total * scale.mean()


def test_names_come_from_functions_tuples_and_changes_in_place() -> None:
    source = source_of(Named(), (4, 8))
    targets = [line.partition(" = ")[0] for line in forward_of(source) if " = " in line]
    assert [target for target in targets if target != "x"] == [
        "parts", "scale", "shift", "left_part, right_part", "scale2", "total", "mul1", "join1"
    ]  # fmt: skip


class Normed(nn.Module):
    """A normalisation with parameters of its own, as timm's BatchNormAct2d."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x * self.weight)


class Dense(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.norm = Normed(features)
        self.conv = nn.Conv2d(features, 2, 1)

    def forward(self, xs: list[Tensor]) -> Tensor:
        return self.conv(self.norm(torch.cat(xs, 1)))


class DenseNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleDict({f"layer{i + 1}": Dense(3 + 2 * i) for i in range(6)})
        self.head = nn.Conv2d(15, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        xs = [x]
        for layer in self.layers.values():
            xs.append(layer(xs))
        return self.head(torch.cat(xs, 1))


def test_layers_that_differ_in_numbers_only_are_one_class_though_they_read_own_parameters() -> None:
    source = source_of(DenseNet(), (3, 4, 4))
    classes = [line for line in source.split("\n") if line.startswith("class ")]
    assert classes == ["class Normed(nn.Module):", "class Dense(nn.Sequential):",
                       "class Net(nn.Module):"]  # fmt: skip
