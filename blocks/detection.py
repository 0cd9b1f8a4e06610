"""What torchvision's detectors do with their last maps: masks and key points in the image."""

from blocks.shared import floats, wholes
from blocks.spec import Block, Port, Setting, add

HOME = "torchvision.models.detection.roi_heads"
WORDS = ("detection", "mask r-cnn", "keypoint r-cnn", "objects", "image")
BOXES = floats("boxes", rank=(2,), form="(K, 4)", about="Corners x1, y1, x2, y2 of every box.")
PAPER = "He, Gkioxari, Dollár, Girshick. Mask R-CNN. 2017"

add(
    Block(
        "paste_masks_in_image",
        "indexing",
        "Resizes the mask of every box and pastes it into an image at the box.",
        inputs=(floats("masks", rank=(4,), form="(K, 1, M, M)"), BOXES, wholes("img_shape")),
        outputs=(Port("output", help="One mask of the image's size per box.", unknown=(0,)),),
        settings=(
            Setting(
                "img_shape",
                "dims",
                "Height and width of the image.",
                start=(224, 224),
                low=1,
                unit="pixels",
                positional=True,
            ),
            Setting(
                "padding",
                "int",
                "Border of zeros around a mask before it is resized.",
                default=1,
                low=0,
            ),
        ),
        forward=f"{HOME}.paste_masks_in_image({{masks}}, {{boxes}}, {{img_shape}}{{settings}})",
        shape_in="(K, 1, M, M) and boxes (K, 4)",
        shape_out="(K, 1, H, W)",
        formula=r"y_k = \mathrm{resize}(m_k, b_k)",
        reference="https://docs.pytorch.org/vision/stable/models/mask_rcnn.html",
        paper=PAPER,
        keywords=WORDS,
    ),
    Block(
        "heatmaps_to_keypoints",
        "indexing",
        "Finds the maximum of every heat map: its position in the image and its value.",
        inputs=(
            floats("maps", rank=(4,), form="(K, P, M, M)"),
            floats("rois", rank=(2,), form="(K, 4)", about=BOXES.help),
        ),
        outputs=(
            Port("xy_preds", help="x, y and 1 of every point.", unknown=(0,)),
            Port("end_scores", help="Value at every point.", unknown=(0,)),
        ),
        forward=f"{HOME}.heatmaps_to_keypoints({{maps}}, {{rois}})",
        returns="{xy_preds}, {end_scores}",
        shape_in="(K, P, M, M) and boxes (K, 4)",
        shape_out="(K, P, 3) and (K, P)",
        formula=r"(x, y)_{kp} = \arg\max h_{kp}",
        reference="https://docs.pytorch.org/vision/stable/models/keypoint_rcnn.html",
        paper=PAPER,
        keywords=WORDS,
    ),
)
