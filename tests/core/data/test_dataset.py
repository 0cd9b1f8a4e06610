"""Data as a network receives it: fitted, parted by seed, normalised, with the true numbers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.analyse import analyse_project
from core.data import SOURCES, EpochBatches, ends, load, load_project, noisy, steps_per_epoch
from core.data.batches.split import split
from core.data.builtin.embedded import read_embedded
from core.project import open_project

TEMPLATES = Path(__file__).parents[3] / "projects"

ENDS = {
    "digits": ((1, 8, 8), (10,)),
    "iris": ((4,), (3,)),
    "wine": ((13,), (3,)),
    "breast_cancer": ((30,), (2,)),
    "diabetes": ((10,), (1,)),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_embedded_data_is_scikit_learns(name: str):
    from sklearn import datasets

    raw = {"scaled": False} if name == "diabetes" else {}
    data, target = getattr(datasets, f"load_{name}")(return_X_y=True, **raw)
    inputs, targets = read_embedded(name)
    assert np.array_equal(inputs.reshape(len(data), -1), data)
    assert np.array_equal(targets, target)
    names = getattr(getattr(datasets, f"load_{name}")(), "target_names", ())
    assert tuple(map(str, names)) == SOURCES[name].classes


@pytest.mark.parametrize("name", ENDS)
def test_moved_files_are_read_through_scikit_learn(name: str, monkeypatch):
    inputs, targets = read_embedded(name)
    monkeypatch.setattr("core.data.builtin.embedded._FILES", {"digits": "moved.csv"})
    again = read_embedded(name)
    assert np.array_equal(again[0], inputs)
    assert np.array_equal(again[1], targets)


@pytest.mark.parametrize(
    ("name", "train", "validation"),
    [
        ("digits", [143, 146, 141, 147, 145, 145, 145, 143, 139, 144], None),
        ("iris", [40, 40, 40], [10, 10, 10]),
        ("wine", [48, 56, 38], [11, 15, 10]),
        ("breast_cancer", [170, 285], [42, 72]),
    ],
)
def test_every_class_keeps_its_share_in_both_parts(name: str, train: list, validation: list | None):
    data = load({"source": name}, *ENDS[name])
    counts = torch.bincount(data.targets[data.train_indices]).tolist()
    rest = torch.bincount(data.targets[data.validation_indices]).tolist()
    whole = torch.bincount(data.targets).tolist()
    assert [a + b for a, b in zip(counts, rest, strict=True)] == whole
    assert all(abs(b - 0.2 * w) < 1 for b, w in zip(rest, whole, strict=True))
    assert sum(counts) == data.info.train_size
    assert counts == train
    assert validation is None or rest == validation


def test_the_parts_are_disjoint_and_the_same_for_the_same_seed():
    first, again, other = (load({"source": "digits"}, (64,), (10,), seed) for seed in (3, 3, 4))
    both = torch.cat([first.train_indices, first.validation_indices])
    assert both.sort().values.tolist() == list(range(1797))
    assert torch.equal(first.validation_indices, again.validation_indices)
    assert not torch.equal(first.validation_indices, other.validation_indices)


def test_neither_part_is_sorted_by_class():
    data = load({"source": "iris"}, (4,), (3,))
    first = data.targets[data.train_indices[:12]].tolist()
    assert len(set(first)) == 3
    assert len(set(data.targets[data.validation_indices[:12]].tolist())) == 3


def test_the_global_random_state_is_left_alone():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    load({"source": "digits", "noise": 0.5}, (64,), (10,)).validation()
    list(EpochBatches(10, 2, 0))
    assert torch.equal(torch.get_rng_state(), before)


def test_digits_are_grey_from_0_to_1():
    data = load({"source": "digits"}, (1, 8, 8), (10,))
    assert data.inputs.dtype == torch.float32
    assert (data.inputs.min().item(), data.inputs.max().item()) == (0.0, 1.0)
    assert data.inputs.mean().item() == pytest.approx(0.3052601, abs=1e-6)
    assert data.inputs[0, 0, 0].tolist() == [0.0, 0.0, 0.3125, 0.8125, 0.5625, 0.0625, 0.0, 0.0]
    assert data.targets[:5].tolist() == [0, 1, 2, 3, 4]
    assert data.mean is None


def test_tables_are_normalised_by_the_training_part_only():
    data = load({"source": "iris"}, (4,), (3,))
    train = data.inputs[data.train_indices]
    assert train.mean(0).abs().max() < 1e-5
    assert (train.std(0, correction=0) - 1).abs().max() < 1e-5
    assert data.inputs.mean(0).abs().max() > 1e-3  # the whole is not centred, so nothing leaked
    assert data.mean is not None
    assert data.mean.tolist() == pytest.approx([5.8258, 3.05, 3.7392, 1.1983], abs=1e-3)
    raw = load({"source": "iris", "normalize": False}, (4,), (3,))
    assert raw.inputs[0].tolist() == pytest.approx([5.1, 3.5, 1.4, 0.2])


def test_images_are_normalised_by_channel_before_they_are_reshaped():
    data = load({"source": "digits", "normalize": True}, (64,), (10,))
    assert data.mean is not None
    assert data.mean.shape == (1, 1, 1)
    train = data.inputs[data.train_indices]
    assert train.mean().item() == pytest.approx(0.0, abs=1e-5)
    assert train.std(correction=0).item() == pytest.approx(1.0, abs=1e-5)


def test_images_are_resized_once():
    data = load({"source": "digits"}, (1, 28, 28), (10,))
    assert data.inputs.shape == (1797, 1, 28, 28)
    assert data.inputs[:, :, 13:15, 13:15].mean().item() == pytest.approx(0.5, abs=0.2)


def test_a_regression_target_is_standardised_and_tells_its_unit():
    data = load({"source": "diabetes"}, (10,), (1,))
    assert data.targets.shape == (442, 1)
    assert data.targets[data.train_indices].mean().item() == pytest.approx(0.0, abs=1e-5)
    progression = data.targets[:3, 0] * data.target_std + data.target_mean
    assert progression.tolist() == pytest.approx([151.0, 75.0, 141.0], abs=1e-3)
    assert data.labels is None
    raw = load({"source": "diabetes", "normalize": False}, (10,), (1,))
    assert (raw.targets[0].item(), raw.target_mean, raw.target_std) == (151.0, 0.0, 1.0)


def test_two_classes_may_be_one_score():
    data = load({"source": "breast_cancer"}, (30,), (1,))
    assert (data.targets.shape, data.targets.dtype) == ((569, 1), torch.float32)
    assert int(data.targets.sum()) == 357
    assert data.labels is not None
    assert torch.equal(data.labels, data.targets[:, 0].long())


def test_the_target_of_denoising_is_the_clean_input():
    data = load({"source": "digits", "target": "input", "noise": 0.5}, (1, 8, 8), (64,))
    assert torch.equal(data.targets, data.inputs.reshape(-1, 64))
    noised, clean = data.validation()
    spread = (noised.reshape(-1, 64) - clean).std().item()
    assert spread == pytest.approx(0.5, abs=0.01)
    assert torch.equal(noised, data.validation()[0])
    assert torch.equal(data.training()[0].reshape(-1, 64), data.training()[1])


def test_a_mask_marks_the_bright_pixels_of_the_clean_image():
    one = load({"source": "digits", "target": "mask", "normalize": True}, (1, 8, 8), (1, 8, 8))
    assert one.targets.dtype == torch.float32
    assert one.targets[0, 0, 0].tolist() == [0, 0, 0, 1, 1, 0, 0, 0]
    two = load({"source": "digits", "target": "mask"}, (1, 8, 8), (2, 8, 8))
    assert two.targets.dtype == torch.int64
    assert torch.equal(two.targets, one.targets[:, 0].long())


def test_a_limit_keeps_few_samples_of_every_class():
    data = load({"source": "digits", "limit": 30}, (64,), (10,))
    assert (len(data.train_indices), len(data.validation_indices)) == (30, 359)
    assert len(data.inputs) == 389
    counts = torch.bincount(data.targets[data.train_indices]).tolist()
    assert counts == [2, 4, 2, 4, 3, 3, 3, 3, 2, 4]
    whole = load({"source": "digits"}, (64,), (10,))
    assert torch.equal(data.validation()[0], whole.validation()[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert_text", "gpt_text", "lstm_waves"])
def test_a_limit_keeps_few_pieces_of_a_text_or_a_series(name: str):
    project = open_project(TEMPLATES / f"{name}.loom.json")
    report = analyse_project(project)
    few = replace(project, data={**project.data, "limit": 30})
    data = load_project(few, *ends(report.inputs, report.outputs))
    assert len(data.train_indices) == 30
    assert len(data.inputs) == 30 + len(data.validation_indices)


def test_the_content_hash_tells_data_apart_and_not_how_it_is_used():
    plain = load({"source": "digits"}, (64,), (10,))
    other = load({"source": "digits", "validation": 0.3}, (1, 28, 28), (10,), seed=1)
    assert plain.content == other.content
    assert plain.content != load({"source": "iris"}, (4,), (3,)).content


def test_a_share_has_the_exact_count_and_proportion():
    labels = torch.tensor([0] * 70 + [1] * 30)
    rest, chosen = split(labels, 10, seed=0)
    assert torch.bincount(labels[chosen]).tolist() == [7, 3]
    assert len(set(rest.tolist()) | set(chosen.tolist())) == 100


def test_an_epochs_order_is_a_function_of_seed_and_epoch():
    assert order(5, 0, 1) == order(5, 0, 1)
    assert order(5, 0, 1) == torch.randperm(5, generator=seeded(1)).tolist()
    assert order(5, 3, 2) == torch.randperm(5, generator=seeded(3002)).tolist()
    assert sorted(order(100, 2, 3)) == list(range(100))
    assert order(100, 0, 1) != order(100, 0, 2)
    assert order(100, 0, 1) != order(100, 1, 0)


def test_looking_at_an_epochs_batches_changes_nothing_of_them():
    sampler = EpochBatches(10, 3, 0)
    first = [rows.tolist() for rows in sampler]
    assert [rows.tolist() for rows in sampler] == first
    assert len(sampler) == 3


def order(n: int, seed: int, epoch: int) -> list[int]:
    """The samples of an epoch, one after the other."""
    sampler = EpochBatches(n, 2, seed)
    sampler.set_epoch(epoch)
    return torch.cat(list(sampler)).tolist()


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("n", "size", "lengths"),
    [
        (10, 4, [4, 4, 2]),
        (9, 4, [4, 5]),
        (8, 4, [4, 4]),
        (3, 4, [3]),
        (1, 4, [1]),
        (3, 1, [1, 1, 1]),
    ],
)
def test_a_last_batch_of_one_joins_the_one_before(n: int, size: int, lengths: list):
    parts = list(EpochBatches(n, size, seed=0))
    assert sorted(torch.cat(parts).tolist()) == list(range(n))
    assert steps_per_epoch(n, size) == len(parts)
    assert [len(part) for part in parts] == lengths


def test_noise_has_the_given_spread_and_comes_from_the_given_generator():
    batch = torch.zeros(200, 50)
    first, again = (noisy(batch, 2.0, torch.Generator().manual_seed(1)) for _ in range(2))
    assert torch.equal(first, again)
    assert first.std().item() == pytest.approx(2.0, abs=0.05)
    assert noisy(batch, 0.0) is batch
