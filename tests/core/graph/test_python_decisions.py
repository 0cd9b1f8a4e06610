"""Own Python that decides by the values it receives is known by its text."""

import pytest

from core.graph.python_decisions import decisions

CLASS = "class Mine(nn.Module):\n    def forward(self, x: Tensor) -> Tensor:\n"


def of(*lines: str) -> list[str]:
    code = CLASS + "".join(f"        {line}\n" for line in lines)
    return [decision.text for decision in decisions(code)]


@pytest.mark.parametrize(
    "line",
    [
        "if x.mean() > 0: return x + 1",
        "while x.norm() > 1: x = x / 2",
        "return x + 1 if x.sum() > 0 else x",
        "return x * x.max().item()",
        "return x[: int(x[0, 0])]",
        "return x if not x.any() else -x",
        "return x.abs() if (x > 0).all() and self.training else x",
        "return torch.stack([row for row in x if row.sum() > 0])",
        "return max(x.mean(), x.std())",
    ],
)
def test_a_line_that_depends_on_values_is_named(line: str) -> None:
    assert of(line) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "if x.shape[0] > 1: return x + 1",
        "if x.dim() == 2 and x.size(1) > 3: return x + 1",
        "if self.training: return x + 1",
        "return x if x is not None else 0",
        "return torch.where(x > 0, x, -x)",
        "if len(x) > 3: return x * 2",
        "if isinstance(x, Tensor): return x * 2",
        "for i in range(x.shape[1]): x = x + i",
        "assert x.min() > 0",
        "if x.dtype == torch.float32: return x",
    ],
)
def test_shapes_modes_and_checks_are_no_decision(line: str) -> None:
    assert of(line) == []


def test_values_are_followed_through_names() -> None:
    assert of("y = x * 2", "n = x.shape[0]", "if n > 1:", "    y = y + 1", "m = y.mean()",
              "if m > 0:", "    return y", "return -y") == ["if m > 0:"]  # fmt: skip


def test_a_name_that_is_bound_anew_to_a_size_decides_nothing() -> None:
    assert of("n = x.sum()", "n = x.shape[0]", "if n > 1:", "    return x", "return -x") == []


def test_a_check_that_only_raises_is_no_decision() -> None:
    assert of("if x.min() < 0:", "    raise ValueError('negative')", "return x") == []


def test_the_line_is_that_of_the_text_and_a_branch_is_told_from_a_number() -> None:
    code = CLASS + "        n = x.sum().item()\n        return x if n > 0 else -x\n"
    assert [(d.line, d.branches) for d in decisions(code)] == [(3, False), (4, True)]


def test_helpers_are_read_with_what_they_are_given() -> None:
    helper = "    def half(self, y, k):\n        return y / 2 if {} > 1 else y\n"
    called = CLASS + "        return self.half(x, k=x.shape[1])\n"
    assert [d.line for d in decisions(called + helper.format("y.sum()"))] == [5]
    assert decisions(called + helper.format("k")) == ()
