"""Boxes around things: where a mask holds, which boxes to keep, what stands inside a box.

How many results there are depends on the data, so their first size is unknown in the drawing.
"""

from blocks.shared import ANY, TENSOR, TORCH, flag, floats, operation
from blocks.spec import Block, Port, Setting, Settings, add

OPS = "https://docs.pytorch.org/vision/stable/generated/torchvision.ops."
BOXES = floats("boxes", rank=(2,), form="(K, 4)", about="Corners x1, y1, x2, y2 of every box.")
SCORES = floats("scores", rank=(1,), form="(K,)", about="Confidence of every box.")
KEPT = (Port("output", help="Indices of the remaining boxes, best first.", unknown=(0,)),)
OVERLAP = Setting(
    "iou_threshold",
    "float",
    "Overlap above which the box with the lower score is removed.",
    start=0.5,
    low=0,
    high=1,
    positional=True,
)
WORDS = ("detection", "boxes", "objects", "region")


def put(settings: Settings, ports: frozenset[str]) -> str:
    """Write the assignment to entries by their numbers."""
    return "{output}[{indices}] = {value}"


def suppression(name: str, summary: str, formula: str, *more: Port) -> Block:
    """Declare nms or batched_nms."""
    wires = ", ".join(f"{{{port.name}}}" for port in (BOXES, SCORES, *more))
    return Block(
        name,
        "indexing",
        summary,
        (BOXES, SCORES, *more),
        KEPT,
        (OVERLAP,),
        forward=f"torchvision.ops.{name}({wires}, {{iou_threshold}})",
        shape_in="boxes (K, 4) and scores (K,)",
        shape_out="one integer for each remaining box",
        formula=formula,
        reference=f"{OPS}{name}.html",
        keywords=(*WORDS, "non-maximum suppression", "duplicates"),
    )


add(
    operation(
        "nonzero",
        "indexing",
        "Lists the indices at which a mask is true, one list per dimension.",
        "torch.nonzero({input}, as_tuple=True)",
        r"\{i : x_i \ne 0\}",
        outputs=(
            Port(
                "output",
                kind="tensors",
                help="Numbers of the entries, one list per dimension.",
                unknown=(0,),
            ),
        ),
        shape_in="a mask",
        shape_out="one integer for each true position",
        keywords=("where", "mask", "select", "find"),
    ),
    suppression(
        "nms", "Keeps only the best of overlapping boxes.", r"\mathrm{IoU}(b_i, b_j) \le t"
    ),
    suppression(
        "batched_nms",
        "Keeps only the best of overlapping boxes of the same class.",
        r"\mathrm{IoU}(b_i, b_j) \le t \text{ in each class}",
        Port("idxs", rank=(1,), dtype="int", form="(K,)", help="The class of every box."),
    ),
    Block(
        "roi_align",
        "indexing",
        "Cuts boxes out of feature maps and resizes them to one size.",
        inputs=(
            floats(rank=(4,), form="(N, C, H, W)"),
            floats(
                "boxes",
                rank=(2,),
                form="(K, 5)",
                about="Index of the image, then corners x1, y1, x2, y2.",
            ),
        ),
        settings=(
            Setting(
                "output_size",
                "size",
                "Height and width of every cut-out.",
                start=7,
                low=1,
                length=2,
                unit="pixels",
                positional=True,
            ),
            Setting(
                "spatial_scale",
                "float",
                "Size of the feature map divided by that of the image.",
                default=1.0,
            ),
            Setting(
                "sampling_ratio",
                "int",
                "Sampling points along each side of a cell; -1: depends on its size.",
                default=-1,
                low=-1,
            ),
            flag("aligned", "Shift boxes by half a pixel to align them with the pixels.", False),
        ),
        forward="torchvision.ops.roi_align({input}, {boxes}, {output_size}{settings})",
        shape_in="(N, C, H, W) and boxes (K, 5)",
        shape_out="(K, C, H', W')",
        formula=r"y_k = \mathrm{interpolate}(x_{n_k}, b_k)",
        reference=f"{OPS}roi_align.html",
        paper="He, Gkioxari, Dollár, Girshick. Mask R-CNN. 2017",
        keywords=(*WORDS, "crop", "pooling"),
    ),
    Block(
        "index_put",
        "indexing",
        "Copies a tensor and writes to the entries at given indices.",
        inputs=(
            ANY,
            Port(
                "indices",
                kind="tensors",
                help="Indices for the first dimension, the second, and so on.",
            ),
            Port("value", help="Values to write."),
        ),
        forward="{input}.clone()",
        after=put,
        shape_in="(K, *)",
        shape_out="the same",
        formula=r"y = x,\quad y_{k} = v",
        reference=TENSOR + "index_put.html",
        keywords=("assign", "write", "scatter"),
    ),
    operation(
        "unique",
        "indexing",
        "Lists the distinct values of a tensor in ascending order.",
        "torch.unique({input})",
        r"\{x_i\}",
        outputs=(Port("output", help="The values, each once.", unknown=(0,)),),
        shape_in="any",
        shape_out="one for each distinct value",
        reference=f"{TORCH}unique.html",
        keywords=("different", "values", "classes"),
    ),
)
