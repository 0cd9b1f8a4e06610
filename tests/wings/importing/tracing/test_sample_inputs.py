"""What verdicts are tried on: sizes, perturbed weights, and weights that two modules share."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.engine.weights_file import write_weights
from core.project.comparison import Comparison, OutputComparison, as_json, from_json
from core.wings.importing.tracing.sample_inputs import (
    Noise,
    adopt,
    other_lengths,
    other_sizes,
    perturb,
    samples,
)
from core.wings.importing.tracing.user_frame import once_per_line
from core.wings.importing.verify.equivalence import other_size_label
from core.wings.importing.weights import full_state


def test_another_size_is_smaller_where_images_are_large_and_larger_where_they_are_not():
    assert other_sizes([(3, 224, 224)]) == [(3, 160, 128)]
    assert other_sizes([(3, 520, 520), (4,)]) == [(3, 352, 288), (4,)]
    assert other_sizes([(1, 28, 28)]) == [(1, 60, 92)]
    assert other_sizes([(3, 224, 224), (3, 64, 64)]) == [(3, 256, 288), (3, 96, 128)]


def test_another_size_of_a_video_has_other_frames_and_sequences_are_longer_or_shorter():
    assert other_sizes([(3, 16, 112, 112)]) == [(3, 12, 64, 64)]
    assert other_sizes([(3, 4, 32, 32)]) == [(3, 6, 64, 96)]
    lengths = list(other_lengths([(12,), (12,), (7,)], ["int64<20", "bool", "float32"]))
    assert lengths == [[(15,), (15,), (7,)], [(8,), (8,), (7,)]]
    assert list(other_lengths([(6,)], ["float32"])) == []


def test_inputs_are_of_several_scales_and_signs_and_integers_of_their_whole_range():
    def given(scale: str) -> list[torch.Tensor]:
        return samples([(50,), (50,)], ["float32", "int64<9"], 2, scale=scale)

    (negative, _), (zeros, none), (large, last) = map(given, ("negative", "zeros", "large"))
    assert -1 <= float(negative.min()) < float(negative.max()) <= 0
    assert int(zeros.count_nonzero()) == int(none.count_nonzero()) == 0
    assert float(large.max()) > 400
    assert float(large.min()) < -400
    assert last.unique().tolist() == [8]
    normal, _ = given("normal")
    assert float(normal.min()) < 0 < float(normal.max())


def test_masks_of_ones_or_infinities_and_tables_of_whole_numbers_are_not_perturbed():
    model = nn.BatchNorm1d(3)
    model.register_buffer("causal", torch.full((4, 4), float("-inf")).triu(1))
    model.register_buffer("lower", torch.ones(4, 4).tril())
    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    perturb(model)
    kept = [name for name, b in model.named_buffers() if torch.equal(b, before[name])]
    assert kept == ["num_batches_tracked", "causal", "lower"]


def test_no_two_tensors_are_perturbed_alike_and_large_ones_have_no_equal_rows():
    twins = nn.Sequential(nn.BatchNorm2d(64), nn.BatchNorm2d(64))
    perturb(twins)
    first, second = (norm.weight for norm in (twins[0], twins[1]))
    assert not torch.equal(first, second)
    assert float((first.detach() - 1).abs().max()) < 0.2
    noise = Noise(0)
    noise.take(torch.Size((5,)))
    wide = noise.take(torch.Size((3, Noise.COUNT - 1)))
    assert wide.shape == (3, Noise.COUNT - 1)
    assert not any(torch.equal(wide[i], wide[j]) for i, j in ((0, 1), (0, 2), (1, 2)))


def test_adopted_weights_are_shared_and_adopted_buffers_are_not():
    theirs = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    with torch.device("meta"):
        ours = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    adopt(ours, full_state(theirs))
    assert ours[0].weight.data_ptr() == theirs[0].weight.data_ptr()
    ours(torch.rand(4, 2)).sum().backward()
    assert theirs[0].weight.grad is None
    assert int(ours[1].num_batches_tracked) == 1
    assert int(theirs[1].num_batches_tracked) == 0


def test_tensors_that_share_memory_are_written_each_for_itself(tmp_path: Path):
    table = torch.arange(6.0).reshape(2, 3)
    write_weights(tmp_path / "w", {"a": table, "b": table, "row": table[1], "turned": table.T}, {})
    found = load_file(tmp_path / "w")
    assert found["a"].tolist() == found["b"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["row"].tolist() == [3, 4, 5]
    assert found["turned"].tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize(
    ("shapes", "kinds", "called"),
    [([(3, 64, 64)], ["float32"], ""), ([(3, 16, 32, 32)], ["float32"], "another video size"),
     ([(12,)], ["int64<100"], "another length"), ([(12, 6)], ["float32"], "another length"),
     ([(6,)], ["float32"], "another size")],
)  # fmt: skip
def test_another_size_is_called_after_what_the_inputs_are(
    shapes: list[tuple[int, ...]], kinds: list[str], called: str
):
    assert other_size_label(shapes, kinds) == called


def test_files_keep_the_name_and_people_read_what_it_is_called():
    verdict = OutputComparison("another image size", True, "", "another length")
    found = Comparison((verdict, OutputComparison("one training step", None, "none")))
    assert as_json(found)["verdicts"] == [
        {"name": "another image size", "equal": True, "note": "", "called": "another length"},
        {"name": "one training step", "equal": None, "note": "none"},
    ]
    assert from_json(as_json(found)) == found
    assert [v.title for v in found.verdicts] == ["another length", "one training step"]


def test_what_a_line_decides_for_many_modules_is_reported_once():
    decisions = [
        "size 1 of pad in a.0 (swin.py, line 1) <= 8 is False, a.0 (swin.py, line 160)",
        "size 1 of pad in a.1 (swin.py, line 1) <= 8 is False, a.1 (swin.py, line 160)",
        "size 1 of pad in a.1 (swin.py, line 1) <= 8 is True, a.1 (swin.py, line 162)",
        "size 1 of pad in a.2 (swin.py, line 1) <= 8 is True, a.2 (swin.py, line 160)",
        "reshape of size 3, without a line",
    ]
    assert once_per_line([*decisions, decisions[0]]) == (
        f"{decisions[0]}, and 2 more at this line",
        decisions[2],
        "reshape of size 3, without a line",
    )
