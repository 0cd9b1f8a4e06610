"""Metrics of classes of pixels: those of torchmetrics and of sets of pixels, batch by batch."""

import pytest
import torch
from torch import Tensor, nn

from core.engine.feature_maps import losses_per_sample
from core.engine.objective import LossTerm, term_weight
from core.tasks.baselines import Targets, baseline
from core.tasks.readings.pictures import PixelClasses, pixel_counts

CLASSES = 4
Batch = tuple[Tensor, Tensor]


@pytest.fixture
def batch() -> Batch:
    """Scores (N, 4, H, W) and targets (N, H, W); the last class is never there nor predicted."""
    generator = torch.Generator().manual_seed(3)
    outputs = torch.randn(7, CLASSES, 5, 6, generator=generator)
    outputs[:, 3] = -9.0
    targets = torch.randint(0, 3, (7, 5, 6), generator=generator)
    targets[torch.rand(7, 5, 6, generator=generator) < 0.2] = -100
    return outputs, targets


def figures(outputs: Tensor, targets: Tensor) -> dict[str, float]:
    measure = PixelClasses(classes=CLASSES)
    sums = [0.0] * measure.width
    for rows in torch.arange(len(outputs)).split(3):
        added = measure.sums(outputs[rows], targets[rows])
        sums = [a + b for a, b in zip(sums, added, strict=True)]
    return measure.values(sums)


def test_they_are_those_of_the_sets_of_pixels(batch: Batch):
    outputs, targets = batch
    known, predicted = targets >= 0, outputs.argmax(1)
    iou, dice = [], []
    for k in range(3):
        a, b = (targets == k) & known, (predicted == k) & known
        iou.append(float((a & b).sum() / (a | b).sum()))
        dice.append(float(2 * (a & b).sum() / (a.sum() + b.sum())))
    found = figures(outputs, targets)
    assert found["miou"] == pytest.approx(sum(iou) / 3)
    assert found["dice"] == pytest.approx(sum(dice) / 3)
    assert found["accuracy"] == pytest.approx(float((predicted == targets)[known].float().mean()))
    assert [found[f"class{k}_iou"] for k in range(3)] == pytest.approx(iou)
    assert "class3_iou" not in found  # neither there nor predicted


@pytest.mark.slow
def test_they_are_those_of_torchmetrics(batch: Batch):
    classification = pytest.importorskip("torchmetrics.classification")
    outputs, targets = batch
    given = {"num_classes": CLASSES, "ignore_index": -100}
    found = figures(outputs, targets)
    for key, kind, more in (
        ("miou", "MulticlassJaccardIndex", {"average": "macro"}),
        ("dice", "MulticlassF1Score", {"average": "macro"}),
        ("accuracy", "MulticlassAccuracy", {"average": "micro"}),
    ):
        metric = getattr(classification, kind)(**given, **more)
        for rows in torch.arange(len(outputs)).split(3):
            metric.update(outputs[rows], targets[rows])
        assert found[key] == pytest.approx(float(metric.compute()), abs=1e-6), key


def test_pixels_without_a_class_count_nowhere(batch: Batch):
    outputs, targets = batch
    before = figures(outputs, targets)
    outputs = outputs.clone()
    outputs.permute(0, 2, 3, 1)[targets < 0] = torch.tensor([0.0, 0.0, 0.0, 9.0])
    assert figures(outputs, targets) == before
    assert figures(outputs, torch.full_like(targets, -100)) == {}


def test_the_confusion_counts_each_pixel_with_a_class_once(batch: Batch):
    outputs, targets = batch
    counts = pixel_counts(outputs, targets, CLASSES)
    assert int(counts.sum()) == int((targets >= 0).sum())
    both = (targets == 1) & (outputs.argmax(1) == 2)
    assert int(counts[1, 2]) == int(both.sum())


def test_the_loss_of_a_sample_is_the_mean_over_its_pixels_with_a_class(batch: Batch):
    outputs, targets = batch
    term = LossTerm("mask", nn.CrossEntropyLoss(), kind="pixel_classes")
    found = losses_per_sample(term, [outputs], targets)
    alone = [nn.functional.cross_entropy(o[None], t[None]) for o, t in zip(*batch, strict=True)]
    assert torch.allclose(found, torch.stack(alone))


def test_rare_classes_weigh_more_and_pixels_without_one_do_not_weigh():
    targets = torch.tensor([[[0, 0, 0, 1], [0, -100, -100, 2]]])
    weight = term_weight("balanced", targets, 3)
    assert weight is not None
    assert weight.tolist() == pytest.approx([6 / 12, 6 / 3, 6 / 3])


def test_a_network_is_held_against_the_most_frequent_class():
    learned = torch.tensor([[[0, 0, 0, 1]]])
    wanted = torch.tensor([[[0, 0, 1, 2], [0, -100, 2, 2]]])
    names = ("ground", "square", "circle")
    targets = Targets(learned, wanted, None, "pixels", names, PixelClasses(classes=3))
    found = baseline("pixel_classes", targets)
    assert found is not None
    assert (found.metric, found.rule) == ("miou", "always predicting “ground” at each pixel")
    assert found.value == pytest.approx(3 / 7 / 3)
