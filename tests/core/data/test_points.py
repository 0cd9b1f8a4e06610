"""Points of a plane, made by formulas: scikit-learn's where it has one; set by data.made."""

import numpy as np
import pytest
import torch

from core.data import DataError, load, read_settings
from core.data.generated import POINTS, blob_centers
from core.data.points import ranges

NAMES = [source.name for source in POINTS]


@pytest.mark.parametrize(
    ("name", "made", "theirs"),
    [
        ("moons", {}, {"noise": 0.15}),
        ("circles", {"samples": 101, "seed": 3}, {"noise": 0.1, "factor": 0.5}),
        ("blobs", {"classes": 4, "samples": 101}, {"centers": blob_centers(4), "cluster_std": 0.8}),
    ],
)
def test_points_are_those_of_scikit_learn_to_the_bit(name: str, made: dict, theirs: dict) -> None:
    from sklearn import datasets

    seed, samples = made.get("seed", 0), made.get("samples", 500)
    wanted, classes = getattr(datasets, f"make_{name}")(samples, random_state=seed, **theirs)
    data = load({"source": name, "made": made, "normalize": False}, (2,), None)
    assert np.array_equal(data.inputs.numpy(), wanted.astype(np.float32))
    assert data.labels is not None
    assert np.array_equal(data.labels.numpy(), classes)


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_decides_the_points_and_classes_are_even(name: str) -> None:
    def made(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
        data = load({"source": name, "made": {"seed": seed}}, (2,), None, seed=seed)
        assert data.labels is not None
        return data.inputs, data.labels

    points, classes = made(1)
    assert torch.equal(points, made(1)[0])
    assert not torch.equal(points, made(2)[0])
    assert points.shape == (500, 2)
    counts = classes.bincount()
    assert counts.max() - counts.min() <= (80 if name == "XOR" else 1)


def test_without_noise_a_spiral_turns_one_and_a_half_times_and_xor_is_its_signs() -> None:
    quiet = {"noise": 0.0}
    data = load({"source": "spirals", "made": quiet, "normalize": False}, (2,), None)
    first = data.inputs[data.labels == 0]
    radius, angle = first.norm(dim=1), torch.atan2(first[:, 0], first[:, 1])
    turns = 1.5 * radius - angle / (2 * torch.pi)
    assert torch.allclose(turns, turns.round(), atol=1e-3)
    assert 0.99 < radius.max() <= 1.0
    data = load({"source": "XOR", "made": quiet, "normalize": False}, (2,), (2,))
    assert torch.equal((data.inputs.prod(dim=1) < 0).long(), data.targets)


def test_classes_and_samples_are_what_the_project_says() -> None:
    found = read_settings({"source": "spirals", "made": {"classes": 3, "samples": 90}})
    assert (found.source.samples, found.source.classes) == (
        90, ("spiral 1", "spiral 2", "spiral 3"),
    )  # fmt: skip
    assert found.made == {"samples": 90, "noise": 0.03, "seed": 0, "classes": 3}
    assert all("Made by a formula, not measured." in source.about for source in POINTS)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"source": "moons", "made": {"classes": 3}}, "data.made has no setting 'classes' for"),
        ({"source": "moons", "made": {"samples": 5}}, "data.made.samples is 5."),
        ({"source": "moons", "made": {"samples": True}}, "data.made.samples is true."),
        ({"source": "blobs", "made": {"noise": float("nan")}}, "data.made.noise is NaN."),
        ({"source": "XOR", "made": 3}, "data.made is 3."),
        ({"source": "iris", "made": {}}, "data.made is of data that a formula makes, and iris is"),
    ],
)
def test_what_cannot_be_made_is_named(data: dict, words: str) -> None:
    with pytest.raises(DataError) as error:
        read_settings(data)
    assert error.value.message.startswith(words)


def test_the_plane_keeps_a_circle_round_unless_columns_are_of_other_sizes() -> None:
    square = ranges(torch.tensor([[0.0, 0.0], [2.0, 1.0]]))
    assert [*square[0], *square[1]] == pytest.approx([-0.16, 2.16, -0.66, 1.66])
    wide = ranges(torch.tensor([[0.0, 0.0], [100.0, 1.0]]))
    assert [*wide[0], *wide[1]] == pytest.approx([-8.0, 108.0, -0.08, 1.08])
