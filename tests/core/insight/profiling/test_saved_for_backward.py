"""What autograd keeps equals what a plain script of torch's hooks counts, on every template."""

from pathlib import Path

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks

from core.analyse import analyse_project, build
from core.analyse.report import size
from core.insight.profiling.saved_for_backward import kept_for_backward
from core.insight.summary import summary
from core.project import open_project
from tests.core.insight.drawn import lenet

TEMPLATES = sorted((Path(__file__).parents[4] / "projects").glob("*.loom.json"))
RECURRENT = ("gru_digits", "lstm_text", "lstm_waves", "rnn_letter_names", "seq2seq_dates")
BATCH = 16


def plain(report, batch):
    """Bytes kept by an unwatched forward pass in training mode, without the weights."""
    module = build(report.source, report.class_name).train()
    inputs = [torch.zeros(size(s, batch), dtype=getattr(torch, s.dtype)) for _, s in report.inputs]
    own = {p.untyped_storage().data_ptr() for p in module.parameters()}
    kept = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        module(*inputs)
    return sum(storage.nbytes() for storage in kept.values())


@pytest.mark.gate
@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name.partition(".")[0])
def test_what_is_kept_is_what_hooks_of_a_plain_script_count(path):
    report = analyse_project(open_project(path))
    kept = kept_for_backward(report, BATCH)
    assert kept is not None
    tolerance = 0.02 if path.name.partition(".")[0] in RECURRENT else 0
    assert sum(kept.values()) == pytest.approx(plain(report, BATCH), rel=tolerance, abs=0)


def test_lenet_keeps_the_values_that_its_gradients_need():
    kept = kept_for_backward(lenet(), 2)
    assert kept == {
        "conv1": 2 * 28 * 28 * 4,  # its input; its output only through tanh
        "tanh1": 2 * 6 * 28 * 28 * 4,
        "conv2": 2 * 6 * 14 * 14 * 4,
        "tanh2": 2 * 16 * 10 * 10 * 4,
        "fc1": 2 * 400 * 4,
        "tanh3": 2 * 120 * 4,
        "tanh4": 2 * 84 * 4,
    }


def test_the_summary_says_what_is_kept_by_block_and_in_all():
    found = summary(lenet(), 2)
    rows = {row.id: row.kept_for_backward_bytes for row in found.rows}
    assert rows["tanh1"] == 37632
    assert rows["pool1"] == 0
    assert found.memory.kept_for_backward_bytes == sum(rows.values())
    assert found.json()["memory"]["kept_for_backward_bytes"] == 70_944


def test_nothing_is_kept_of_random_numbers_and_the_rng_state_stays():
    before = torch.get_rng_state()
    kept_for_backward(lenet(), 1)
    assert torch.equal(torch.get_rng_state(), before)
