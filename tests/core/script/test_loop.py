"""A file keeps the time limit of its project: its epoch ends after the step that was too long."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.script.lightning import write_lightning
from core.script.notebook import write_notebook
from core.script.script import write_script
from tests.core.script.alone import run_like_many
from tests.core.script.hand_made import CASES, lenet
from tests.core.script.test_lightning import written
from tests.core.script.test_notebook import run_cells

OVER = "Its 0 minutes are over."


def test_what_has_no_limit_counts_no_time() -> None:
    made = CASES["shares"]()
    for form in (write_script, write_lightning, write_notebook):
        text = form(made.project, made.report, made.info)
        assert "import time" not in text
        assert "seen" not in text


def test_a_limit_is_kept_after_each_step_and_after_each_epoch() -> None:
    made = lenet(max_minutes=2.5, accumulate=2)
    script = write_script(made.project, made.report, made.info)
    assert "    stop_at = time.monotonic() + 60 * 2.5\n    for epoch in" in script
    assert (
        """
            if number % 2 == share - 1:
                optimizer.step()
                if time.monotonic() >= stop_at:
                    break
"""
        in script
    )
    assert (
        """
        if time.monotonic() >= stop_at:
            print("Its 2.5 minutes are over.")
            break
"""
        in script
    )
    assert 'max_time={"minutes": 2.5},' in write_lightning(made.project, made.report, made.info)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lenet_digits", "two_heads_digits"])
def test_script_and_lightning_script_end_at_the_same_step(name: str, tmp_path: Path) -> None:
    """Without any time: one step is made, told as it was, and its weights are kept."""
    printed, kept = list[list[str]](), list[dict[str, torch.Tensor]]()
    for form in (write_script, write_lightning):
        folder = tmp_path / form.__name__
        folder.mkdir()
        text = written(name, form, max_minutes=0, epochs=3)
        printed.append(
            run_like_many(text, folder, "--device", "cpu", imported="lightning").splitlines()
        )
        kept.append(torch.load(folder / "model.pt", weights_only=True))
    first, over, last = printed[0]
    assert over == OVER
    assert printed[1] == [first, last]  # Lightning tells of its limit on the other stream
    assert float(first.split("train loss ")[1].split(",")[0]) > 2
    assert [key for key in kept[0] if not torch.equal(kept[0][key], kept[1][key])] == []


@pytest.mark.slow
@pytest.mark.parametrize("form", [write_script, write_notebook])
@pytest.mark.parametrize("name", ["dcgan_digits", "rnn_letter_names"])
def test_files_of_other_tasks_end_so_too(
    name: str, form: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = written(name, form, max_minutes=0, epochs=3)
    monkeypatch.chdir(tmp_path)
    printed = run_cells(text)[1] if form is write_notebook else run_like_many(text, tmp_path)
    assert printed.count("epoch 1:") == 1
    assert "epoch 2:" not in printed
    assert OVER in printed
