"""Pictures of tensors: normalisation, tiling and PNG bytes."""

import io

import numpy as np
import pytest
from PIL import Image

from core.insight import images


def test_each_map_spans_the_whole_range_by_itself() -> None:
    maps = np.array([[[0.0, 1.0]], [[10.0, 30.0]]])
    assert images.scale(maps).tolist() == [[[0.0, 1.0]], [[0.0, 1.0]]]
    assert images.scale(maps, together=True).tolist() == [[[0.0, 1 / 30]], [[1 / 3, 1.0]]]


def test_a_flat_map_is_dark_and_a_signed_one_keeps_zero_in_the_middle() -> None:
    assert images.scale(np.full((1, 1, 2), 7.0)).tolist() == [[[0.0, 0.0]]]
    assert images.scale(np.array([[[-1.0, 0.0, 0.5]]]), signed=True).tolist() == [[[0, 0.5, 0.75]]]
    assert images.scale(np.zeros((1, 1, 2)), signed=True).tolist() == [[[0.5, 0.5]]]


def test_values_that_are_not_finite_do_not_spoil_a_map() -> None:
    maps = np.array([[[np.nan, np.inf, 2.0]]])
    assert images.scale(maps).tolist() == [[[0.0, 0.0, 1.0]]]


def test_tiles_stand_row_by_row_with_a_gap_between() -> None:
    tiles = np.array([[[0, 255]], [[255, 0]], [[0, 255]]], np.uint8)[..., None]  # three of 1 x 2
    assert images.grid(tiles, columns=2)[..., 0].tolist() == [
        [0, 255, 0, 255, 0],
        [0, 0, 0, 0, 0],
        [0, 255, 0, 0, 0],
    ]


def test_enlarging_repeats_pixels_without_blending_them() -> None:
    picture = np.array([[1, 2]], np.uint8)
    assert images.enlarge(picture, 2).tolist() == [[1, 1, 2, 2], [1, 1, 2, 2]]


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 3), (2, 3, 4)])
def test_a_png_decodes_to_the_same_pixels(shape: tuple[int, ...]) -> None:
    picture = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(images.png(picture)))), picture)


def test_gaps_between_tiles_are_transparent_and_tiles_are_not() -> None:
    picture = images.paint(np.zeros((2, 1, 2)), columns=2, width_px=30)
    assert picture.shape == (6, 26, 4)  # two tiles of 2 x 1, each pixel 6 wide, and a gap of 2
    assert picture[0, :, 3].tolist() == [255] * 12 + [0, 0] + [255] * 12


def test_tiny_tiles_stand_without_gaps_that_would_outshine_them() -> None:
    assert images.paint(np.zeros((3, 1, 1)), columns=3).shape == (1, 3, 4)


def test_a_grid_leaves_few_places_empty() -> None:
    assert [images.columns_for(count, 8, 8) for count in (1, 6, 12, 16, 32)] == [1, 3, 4, 4, 8]


def test_values_of_any_rank_become_maps() -> None:
    shapes = [(), (10,), (7, 5), (4, 8, 8), (2, 3, 8, 8)]
    got = [images.as_maps(np.zeros(shape)).shape for shape in shapes]
    assert got == [(1, 1, 1), (1, 1, 10), (1, 7, 5), (4, 8, 8), (6, 8, 8)]
