"""Blocks whose results depend on the data compute what torchvision's own functions compute."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torchvision import ops
from torchvision.models.detection import roi_heads

from blocks import CATALOGUE, N, Signature
from core.analyse.probe import probe
from tests.blocks.torch_truth import execute

CORNERS = torch.tensor([[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 20, 30, 30], [0, 0, 9, 9.0]])
SCORES = torch.tensor([0.3, 0.9, 0.5, 0.1])
CLASSES = torch.tensor([0, 1, 0, 0])
MAP = torch.arange(128.0).reshape(1, 2, 8, 8)
ROIS = torch.tensor([[0, 1.0, 1, 6, 6], [0, 2, 0, 7, 5]])
HALVES = torch.linspace(0, 1, 100).reshape(4, 1, 5, 5)
MASK = torch.tensor([[True, False], [True, True]])

CASES: dict[str, tuple[dict[str, Any], dict[str, Any], Callable[[], Any]]] = {
    "nonzero": ({"input": MASK}, {}, lambda: torch.where(MASK)),
    "unique": ({"input": CLASSES}, {}, lambda: torch.unique(CLASSES)),
    "nms": ({"boxes": CORNERS, "scores": SCORES}, {"iou_threshold": 0.5},
            lambda: ops.nms(CORNERS, SCORES, 0.5)),
    "batched_nms": ({"boxes": CORNERS, "scores": SCORES, "idxs": CLASSES}, {"iou_threshold": 0.5},
                    lambda: ops.batched_nms(CORNERS, SCORES, CLASSES, 0.5)),
    "roi_align": ({"input": MAP, "boxes": ROIS}, {"output_size": 3, "spatial_scale": 0.5,
                                                  "sampling_ratio": 2, "aligned": True},
                  lambda: ops.roi_align(MAP, ROIS, 3, 0.5, 2, True)),
    "paste_masks_in_image": ({"masks": HALVES, "boxes": CORNERS},
                             {"img_shape": (32, 40), "padding": 1},
                             lambda: roi_heads.paste_masks_in_image(HALVES, CORNERS, (32, 40))),
    "heatmaps_to_keypoints": ({"maps": HALVES, "rois": CORNERS}, {},
                              lambda: roi_heads.heatmaps_to_keypoints(HALVES, CORNERS)),
}  # fmt: skip


def signature(tensor: torch.Tensor) -> Signature:
    return Signature(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))


def together(found: Any) -> list[torch.Tensor]:
    return list(found) if isinstance(found, (tuple, list)) else [found]


@pytest.mark.parametrize("name", CASES)
def test_the_statement_computes_what_the_library_computes(name: str):
    given, settings, expected = CASES[name]
    block = CATALOGUE[name]
    wires = {port: signature(tensor) for port, tensor in given.items()}
    ours = together(execute(block, {**block.defaults, **settings}, wires, given))
    theirs = together(expected())
    assert len(ours) == len(theirs) > 0
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_what_the_data_decide_is_unknown_and_stays_so_behind_it():
    mask = Signature((N, 7), "bool")
    places = dict(probe(CATALOGUE["nonzero"], {}, {"input": mask}).outputs)
    assert {port: s.shape for port, s in places.items()} == {
        "output.0": (None,), "output.1": (None,),
    }  # fmt: skip
    taken = probe(
        CATALOGUE["index"], {"dim": 0},
        {"input": Signature((N, 7, 4)), "indices": (places["output.0"], places["output.1"])},
    )  # fmt: skip
    assert dict(taken.outputs)["output"].shape == (None, 4)


def test_entries_are_written_into_a_copy():
    x, value = torch.zeros(3, 2), torch.ones(2, 2)
    block, indices = CATALOGUE["index_put"], torch.tensor([0, 2])
    outcome = probe(
        block, {}, {"input": Signature((3, 2)), "indices": (signature(indices),),
                    "value": signature(value)},
    )  # fmt: skip
    assert dict(outcome.outputs)["output"].shape == (3, 2)
    assert callable(block.after)
    assert block.after({}, frozenset()) == "{output}[{indices}] = {value}"
    assert x.sum() == 0
