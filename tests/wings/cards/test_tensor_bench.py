"""The tensor bench: what its grammar reads and refuses, and facts of results, in plain torch."""

from typing import Any

import numpy as np
import pytest
import torch

from core.wings.cards.catalogue import CARDS
from core.wings.cards.expression import BenchError, names_of, python_of
from core.wings.cards.run import CardError, run
from core.wings.cards.text import card_text
from tests.wings.cards.conftest import drawing_of, subject

BENCH = CARDS["tensor-bench"]


def left_by(expression: str, template: str = "mlp_iris") -> dict[str, Any]:
    """What the text of the card leaves, for an expression."""
    room: dict[str, Any] = {"__name__": "card"}
    exec(compile(card_text(BENCH, drawing_of(template), expression=expression).text, "c", "exec"),
         room)  # fmt: skip
    return room


@pytest.mark.parametrize(
    ("template", "typed", "python"),
    [
        ("mlp_iris", " x[0,:2] ", "x[0, :2]"),
        ("mlp_iris", "x@fc1.weight.T", "x @ model.fc1.weight.T"),
        ("mlp_iris", "torch.cat([x, -x], dim=1)", "torch.cat([x, -x], dim=1)"),
        ("mlp_iris", "x[x[:, 0] > 1e-3]", "x[x[:, 0] > 0.001]"),
        ("mlp_iris", "torch.where(output > 0, output, 0.0).to(torch.float64)",
         "torch.where(output > 0, output, 0.0).to(torch.float64)"),
        ("gpt_text", "blocks[1].attn.qkv.weight[:64].T", "model.blocks[1].attn.qkv.weight[:64].T"),
        ("gpt_text", "positions.mean(0)", "model.positions.mean(0)"),
        ("gpt_text", "torch.einsum('bij,kj->bik', output, head.weight.T)",
         "torch.einsum('bij,kj->bik', output, model.head.weight.T)"),
    ],
)  # fmt: skip
def test_an_expression_is_read_as_python_over_the_model(
    template: str, typed: str, python: str
) -> None:
    assert python_of(typed, drawing_of(template)) == python


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("__import__('os').system('ls')", "The bench does not call __import__."),
        ("().__class__", "The bench reads no attribute .__class__."),
        ("x.__class__.__mro__", "The bench reads no attribute .__class__."),
        ("torch.load('a.pt')", "The bench has no function torch.load."),
        ("torch.ops.aten", "The bench has no type torch.ops."),
        ("x.numpy()", "The bench has no method .numpy()."),
        ("x.add_(1)", "The bench has no method .add_()."),
        ("fc1.weight.requires_grad_()", "The bench has no method .requires_grad_()."),
        ("torch.add(x, 1, out=x)", "The bench does not read out=x."),
        ("fc1", "fc1 is a block, not a tensor."),
        ("fc1.double()", "fc1 is a block, not a tensor."),
        ("fc1.zero_grad", "fc1.zero_grad is not a tensor."),
        ("fc1(x)", "The bench does not call fc1."),
        ("model.fc1.weight", "There is no tensor called model."),
        ("fc9.weight", "There is no tensor called fc9."),
        ("[each for each in x]", "The bench does not read [each for each in x]."),
        ("lambda: x", "The bench does not read lambda: x."),
        ("x if x else x", "The bench does not read x if x else x."),
        ("(y := x)", "The bench does not read (y := x)."),
        ("f'{x}'", "The bench does not read f'{x}'."),
        ("x is x", "The bench does not read Is."),
        ("torch.cat(*x)", "The bench does not read *x."),
        ("torch.cat(**x)", "The bench does not read **x."),
        ("x.sum('~/a')", "The bench does not read the text '~/a'."),
        ("torch.zeros(9999999999)", "The number 9999999999 is larger than 1,000,000,000."),
        ("x[0", "The expression cannot be read at letter 2: '[' was never closed."),
        ("x = 1", "The expression cannot be read at letter 3: invalid syntax."),
        ("x + " * 100 + "x", "The expression has 401 letters, and the most is 300."),
        ("-" * 299 + "x", None),
    ],
)  # fmt: skip
def test_what_is_no_calculation_is_refused_by_name(typed: str, message: str | None) -> None:
    if message is None:
        assert python_of(typed, drawing_of("mlp_iris")).endswith("x")
        return
    with pytest.raises(BenchError) as refused:
        python_of(typed, drawing_of("mlp_iris"))
    assert refused.value.message == message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("typed", "shape", "strides", "owners", "distinct", "stored"),
    [
        ("x", (16, 4), (4, 1), "x", 64, 64),
        ("x.flatten(1)[:, ::2]", (16, 2), (4, 2), "x", 32, 64),
        ("x[0].expand(3, -1)", (3, 4), (0, 1), "x", 4, 64),
        ("x[0].unfold(0, 2, 1)", (3, 2), (1, 1), "x", 4, 64),
        ("x[[0, 1]]", (2, 4), (4, 1), "", 8, 8),
        ("x @ fc1.weight.T", (16, 16), (16, 1), "", 256, 256),
        ("fc1.weight.T", (4, 16), (1, 4), "fc1.weight", 64, 64),
        ("torch.sort(x)", (16, 4), (4, 1), "", 64, 64),
        ("x[:0]", (0, 4), (4, 1), "x", 0, 64),
        ("x.shape", (2,), (1,), "", 2, 2),
        ("x > 1", (16, 4), (4, 1), "", 64, 64),
    ],
)  # fmt: skip
def test_a_result_has_the_shape_strides_and_memory_that_torch_documents(
    typed: str, shape: tuple[int, ...], strides: tuple[int, ...], owners: str, distinct: int,
    stored: int,
) -> None:  # fmt: skip
    room = left_by(typed)
    rows = dict(room["rows"])
    assert (rows["shape"], rows["strides"]) == (str(shape), str(strides))
    assert (room["owners"], room["distinct"], room["stored"]) == (owners, distinct, stored)


def test_memory_that_is_said_to_be_shared_changes_with_the_other() -> None:
    it = subject("tensor-bench", "mlp_iris")
    for typed in ("x[1:3]", "x.clone()[1:3]"):
        room = left_by(typed)
        before = room["result"].clone()
        torch.testing.assert_close(before, it.x[1:3])
        room["x"].add_(1.0)
        moved = not torch.equal(before, room["result"])
        assert moved == (room["owners"] == "x")
        assert room["numpy_shares"] == "yes"
        room["array"][:] = np.zeros(4)
        assert room["result"].abs().sum().item() == 0.0


def test_a_type_that_numpy_lacks_is_a_copy_there() -> None:
    assert left_by("x.to(torch.bfloat16)")["numpy_shares"] == "no"
    assert left_by("torch.ones(2, dtype=torch.complex64)")["corner"].tolist() == [[1.0, 1.0]]


def test_what_is_said_follows_the_result() -> None:
    def said(typed: str) -> str:
        room = left_by(typed)
        return BENCH.explanation({name: room[name] for name in BENCH.variables})

    assert "reads the memory of x: writing" in said("x[0]")
    assert "memory of its own" in said("x + 1")
    assert "Its 12 values are read from 4 places" in said("x[0].expand(3, -1)")
    assert "The result is empty: it reads no number." in said("x[:0]")
    assert "reads the memory" not in said("x[:0]")


def test_the_names_of_a_drawing_can_be_typed() -> None:
    for template in ("mlp_iris", "lenet_digits", "gpt_text"):
        drawing = drawing_of(template)
        names = names_of(drawing)
        assert len(names) == 4
        assert [python_of(name, drawing) for name in names][:2] == ["x", "output"]


def test_a_method_that_writes_into_a_tensor_leads_to_the_one_that_does_not() -> None:
    with pytest.raises(BenchError) as refused:
        python_of("x.add_(1)", drawing_of("mlp_iris"))
    assert refused.value.hint == "Did you mean add?"


def test_a_card_that_takes_no_expression_says_so() -> None:
    with pytest.raises(BenchError, match="Leaves and grad_fn takes no expression"):
        card_text(CARDS["leaves"], drawing_of("mlp_iris"), expression="x")


@pytest.mark.slow
def test_a_failing_expression_is_one_sentence_of_torch() -> None:
    with pytest.raises(CardError, match=r"^x.view\(7\) cannot be calculated: RuntimeError: shape"):
        run(BENCH, drawing_of("mlp_iris"), expression="x.view(7)")
