"""Batched transforms give what torchvision's v2 gives picture by picture, from the same chance."""

from typing import Any

import pytest
import torch

from core.data import DataError, read_settings
from core.data.pictures.augment import augment
from core.data.pictures.pixels import InMemoryPixels, Pixels
from core.data.pictures.transform import read_transform

SIZE = (10, 14)
EACH: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "RandomCrop", "padding": 3}, {"size": SIZE, "padding": 3}),
    ({"name": "RandomHorizontalFlip", "p": 0.3}, {"p": 0.3}),
    ({"name": "RandomVerticalFlip"}, {"p": 0.5}),
    ({"name": "RandomRotation", "degrees": 40}, {"degrees": 40}),
    ({"name": "ColorJitter", "brightness": 0.5, "hue": 0.1},
     {"brightness": 0.5, "contrast": 0.2, "saturation": 0.2, "hue": 0.1}),
    ({"name": "RandomErasing", "p": 0.8}, {"p": 0.8}),
    ({"name": "GaussianNoise", "sigma": 0.2}, {"sigma": 0.2}),
]  # fmt: skip


@pytest.mark.slow
def test_every_transform_and_all_together_equal_torchvisions_bit_for_bit():
    v2 = pytest.importorskip("torchvision.transforms.v2")
    theirs = [getattr(v2, given["name"])(**arguments) for given, arguments in EACH]
    ours = [[given] for given, _ in EACH]
    for channels in (3, 1):
        batch = torch.rand(24, channels, *SIZE)
        for given, their in zip([*ours, [g for g, _ in EACH]], [*theirs, v2.Compose(theirs)],
                                strict=True):  # fmt: skip
            torch.manual_seed(7)
            found = augment(batch, read_transform(given))
            torch.manual_seed(7)
            wanted = torch.stack([their(picture) for picture in batch])
            assert torch.equal(found, wanted), given


def test_varying_draws_from_torchs_own_generator_which_checkpoints_hold():
    steps = read_transform([{"name": "RandomCrop"}, {"name": "RandomHorizontalFlip"}])
    column = Pixels(InMemoryPixels(torch.rand(8, 1, 6, 6)), torch.arange(8), (36,), steps=steps)
    torch.manual_seed(3)
    column.index_select(0, torch.arange(4))
    state = torch.get_rng_state()
    second = column.index_select(0, torch.arange(4, 8))
    torch.set_rng_state(state)
    assert torch.equal(column.index_select(0, torch.arange(4, 8)), second)
    assert second.shape == (4, 36)


def test_no_transform_leaves_pictures_as_they_are():
    batch = torch.rand(2, 1, 4, 4)
    assert augment(batch, ()) is batch


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        ("RandomCrop", "data.transform is 'RandomCrop'."),
        ([{"p": 0.5}], "data.transform[0] has no name."),
        ([{"name": "Mixup"}], "data.transform[0] is 'Mixup', which is not a transform."),
        ([{"name": "RandomCrop", "size": 4}],
         "data.transform[0]: RandomCrop has no setting 'size'."),
        ([{"name": "RandomCrop", "padding": 2.5}], "data.transform[0].padding is 2.5."),
        ([{"name": "RandomErasing", "p": 1.5}], "data.transform[0].p is 1.5."),
        ([{"name": "RandomErasing", "p": True}], "data.transform[0].p is True."),
    ],
)  # fmt: skip
def test_a_wrong_transform_is_named(transform: object, message: str):
    with pytest.raises(DataError) as error:
        read_settings({"source": "digits", "transform": transform})
    assert error.value.message == message


def test_tables_and_masks_are_not_varied():
    flip = [{"name": "RandomHorizontalFlip"}]
    for data in ({"source": "iris"}, {"source": "digits", "target": "mask"}):
        with pytest.raises(DataError, match="needs pictures with a class or a number"):
            read_settings(data | {"transform": flip})
