"""Masks over pictures, and pixels counted: by another way, from the outputs of the network."""

import io
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from core.common.network_ref import ProjectRef
from core.data.facts.class_colours import BASE, class_colours
from core.insight import views
from core.insight.attribution.subject import NoSuch
from core.insight.class_colours import COVER, over
from core.insight.look.catalogue import look
from core.insight.look.view import LookRequest
from core.insight.network_cache import opened
from core.insight.sample_views import detail
from core.project import write_text
from tests.core.data.mask_sets import mask_project, write_masks

PROJECTS = Path(__file__).parents[3] / "projects"


@pytest.fixture
def ref(workspace: Path) -> ProjectRef:
    write_masks(workspace / "data/shapes", 10)
    return ProjectRef(write_text(mask_project()))


def test_figures_and_confusion_are_those_of_the_outputs(ref: ProjectRef):
    found = look(ref, LookRequest("masks"))
    network = opened(ref)
    (inputs,), (columns,) = network.dataset.all_validation()
    with torch.no_grad():
        predicted = network.module.eval()(inputs[:]).argmax(1)
    targets = columns[:]
    known = targets >= 0
    accuracy = float((predicted == targets)[known].double().mean())
    assert found.document["accuracy"] == pytest.approx(accuracy)
    counts = found.document["confusion"]["counts"]
    for true in range(3):
        for said in range(3):
            assert counts[true][said] == int(((targets == true) & (predicted == said)).sum())
    assert set(found.document["colours"].values()) == set(BASE[:3])
    index = found.arrays["index"]
    assert np.array_equal(found.arrays["target"], targets[index].numpy())
    assert np.array_equal(found.arrays["predicted"], predicted[index].numpy())
    assert views.confusion_of(ref) == views.pixel_confusion(ref)
    assert found.picture.startswith(b"\x89PNG")


def test_a_mistake_has_its_prediction_and_target_over_the_picture(ref: ProjectRef):
    first, *_ = views.misses(ref, 2)
    assert len(first.more) == 2
    shown = np.asarray(Image.open(io.BytesIO(first.more[1])).convert("RGB")).astype(int)
    dataset = opened(ref).dataset
    (inputs,), (targets,) = dataset.all_validation()
    index = first.sample.index
    y, x = (int(n) for n in np.argwhere(targets[index].numpy() == 1)[0])
    scale = shown.shape[0] // 8
    pixel = shown[y * scale + scale // 2, x * scale + scale // 2]
    low, high = float(inputs[index].min()), float(inputs[index].max())
    seen = (inputs[index][:, y, x].numpy() - low) / (high - low) * 255
    colour = [int(BASE[1][i : i + 2], 16) for i in (1, 3, 5)]
    expected = [COVER * c + (1 - COVER) * s for c, s in zip(colour, seen, strict=True)]
    assert pixel.tolist() == pytest.approx(expected, abs=2)
    assert detail(ref, index, []).heads[0].pictures == first.more


def test_a_pixel_without_a_class_stays_as_it_is_and_own_colours_are_kept():
    picture = np.full((1, 2, 3), 100, np.uint8)
    shown = over(picture, np.array([[-100, 1]]), ("#000000", "#ff0000"))
    assert shown.tolist() == [[[100, 100, 100], [193, 40, 40]]]
    assert class_colours(2, ["#010203", "#040506"]) == ("#010203", "#040506")
    assert len({*class_colours(60)}) == 60


def test_a_network_of_other_tasks_is_refused_in_words():
    ref = ProjectRef((PROJECTS / "mlp_iris.loom.json").read_text("utf-8"))
    with pytest.raises(NoSuch, match="does not predict the class of each pixel"):
        look(ref, LookRequest("masks"))
