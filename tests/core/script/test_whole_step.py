"""A file of a project with `compile_step` compiles its steps, or says why it does not."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from core.script.accelerations import COMPILE
from core.script.lightning import write_lightning
from core.script.notebook import write_notebook
from core.script.script import write_script
from tests.core.script.alone import run_alone
from tests.core.script.hand_made import CYCLE, MLP, STEP, Case, case
from tests.core.script.test_lightning import written
from tests.core.script.test_same_as_run import weights_of_a_run

NEEDS_COMPILER = pytest.mark.needs("g++")


def iris(data: dict[str, Any] | None = None, **training: Any) -> Case:
    return case(MLP, {"source": "iris", **(data or {})}, (4,), (3,), **training)


def script(**training: Any) -> str:
    made = iris(**training)
    return write_script(made.project, made.report, made.info)


def test_the_step_is_one_compiled_function_that_the_loop_calls() -> None:
    text = script(compile_step="on", clip_norm=1.0, ema_decay=0.9)
    assert (
        """
    torch._dynamo.config.trace_autograd_ops = True  # the backward pass with the rest

    @torch.compile(dynamic=False, options={"fallback_random": True})
    def train_step(x: Tensor, y: Tensor) -> Tensor:
        \"\"\"Make one step. The first call compiles it: a minute, and a C++ compiler.

        Its sums are in another order than those of the run, so results are close,
        not identical.
        \"\"\"
        loss = criterion(model(x), y)
        loss.backward()
        loss = loss.detach()  # its graph is no longer needed
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    best = (-1.0, 0.0)
    for epoch in range(args.epochs):
        batches.set_epoch(epoch)
        model.train()
        train_loss = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = train_step(x, y)
            average.update_parameters(model)
            train_loss += loss.item() * len(y)
"""
        in text
    )
    assert "optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)\n" in text


def test_rates_that_move_are_tensors() -> None:
    lines = """
    for group in optimizer.param_groups:
        group["lr"] = torch.tensor(group["lr"])  # otherwise each rate is compiled again
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
"""
    assert lines in script(compile_step="on", scheduler=STEP)
    assert "param_groups" not in script(compile_step="on")
    assert "param_groups" not in script(scheduler=STEP)


def test_files_with_compiled_steps_are_formatted_and_free_of_lint(tmp_path: Path) -> None:
    wide = {"precision": "bfloat16", "max_minutes": 3, "scheduler": "CosineAnnealingLR"}
    for name, training in {"a": {}, "b": wide, "c": {"accumulate": 2}}.items():
        text = script(compile_step="on", **training)
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    columns = written("two_heads_digits", write_script, compile_step="on")
    assert "def train_step(" in columns
    (tmp_path / "columns.py").write_text(columns, encoding="utf-8")
    for command in (["format", "--check", "--diff"], ["check", "--select", "E,F,I,B,UP,SIM,RUF,A"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("training", "reason"),
    [
        ({"accumulate": 2}, "accumulate is 2"),
        ({"on_not_finite": "skip"}, "on_not_finite checks each step"),
        ({"precision": "float16"}, "float16 checks each gradient"),
        ({"scheduler": CYCLE}, "OneCycleLR also changes the momentum"),
        ({"optimizer": "Muon"}, "Muon makes decisions that depend on values"),
    ],
)
def test_where_it_cannot_be_done_a_comment_says_why_and_all_else_stays(
    training: dict[str, Any], reason: str
) -> None:
    text = script(compile_step="on", **training)
    comment = f"    # The step cannot be compiled: {reason}.\n"
    assert comment in text
    assert text.replace(comment, "") == script(**training)


def test_networks_with_losses_of_their_own_are_calculated() -> None:
    text = written("dcgan_digits", write_script, compile_step="on")
    reason = "several losses each update their own weights"
    assert reason in " ".join(text.replace("#", " ").split())
    assert "torch.compile" not in text


def test_auto_is_off_in_files_and_explained_in_one_line() -> None:
    words = "auto compiles in runs only, once it pays off; here it is off."
    comment = f"    # compile_step: {words}\n"
    text = script(compile_step="auto")
    assert text.replace(comment, "") == script()
    assert comment in text


def test_lightning_calculates_its_steps_and_says_why() -> None:
    made = (iris(compile_step=choice) for choice in ("off", "on"))
    plain, asked = (write_lightning(each.project, each.report, each.info) for each in made)
    added_lines = [line for line in asked.splitlines() if line not in plain.splitlines()]
    assert added_lines == [
        "    # compile_step: Lightning runs the backward pass and optimiser itself, so the step",
        "    # is not compiled; the training script compiles it.",
    ]
    assert asked.replace("\n".join([*added_lines, ""]), "") == plain


def test_a_notebook_has_the_same_step_in_the_cell_that_trains() -> None:
    made = iris(compile_step="on")
    text = write_notebook(made.project, made.report, made.info)
    assert "def train_step(x: Tensor, y: Tensor) -> Tensor:" in text
    assert "        loss = train_step(x, y)" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    ['@torch.compile(dynamic=False, backend="eager")', pytest.param(COMPILE, marks=NEEDS_COMPILER)],
)
def test_a_file_with_compiled_steps_ends_where_the_run_ends(how: str, tmp_path: Path) -> None:
    """With noise, a schedule and a smaller last batch; equal to rounding."""
    settings: dict[str, Any] = {"scheduler": STEP, "clip_norm": 1.0, "lr": 0.01}
    weights, metrics = weights_of_a_run(iris({"noise": 0.1}, **settings))
    made = iris({"noise": 0.1}, compile_step="on", **settings)
    text = write_script(made.project, made.report, made.info)
    assert text.count(COMPILE) == 1
    printed = run_alone(
        text.replace(COMPILE, how),
        tmp_path,
        "--device",
        "cpu",
        path=os.environ["PATH"],
        limit_s=1800.0,
    )
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    assert saved.keys() == weights.keys()
    for key, value in saved.items():
        assert torch.allclose(value, weights[key], rtol=1e-4, atol=1e-5), key
    assert f"validation loss {metrics['val_loss']:.4f}" in printed
