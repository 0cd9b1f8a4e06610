"""Convolutions."""

from blocks.spec import Block, Infer, Port, Setting, add

DOCS = "https://docs.pytorch.org/docs/stable/generated/torch.nn."
PAD_MODES = ("zeros", "reflect", "replicate", "circular")

add(
    Block(
        "Conv2d",
        family="convolution",
        summary="Slides learned filters over an image.",
        inputs=(Port("input", rank=(4,), dtype="float", form="(N, C, H, W)"),),
        settings=(
            Setting(
                "in_channels",
                "int",
                "Channels of the input.",
                low=1,
                positional=True,
                infer=Infer("input", 1),
            ),
            Setting(
                "out_channels", "int", "Number of filters.", start=16, low=1, positional=True
            ),
            Setting(
                "kernel_size", "size", "Side of a filter.", start=3, low=1, length=2, unit="pixels"
            ),
            Setting("stride", "size", "Step.", default=1, low=1, length=2, unit="pixels"),
            Setting(
                "padding",
                "size",
                "Zeros added on every side.",
                default=0,
                low=0,
                length=2,
                unit="pixels",
                choices=("same", "valid"),
            ),
            Setting("dilation", "size", "Gap between taps.", default=1, low=1, length=2),
            Setting("groups", "int", "Groups of channels.", default=1, low=1),
            Setting("bias", "bool", "Add a learned constant.", default=True),
            Setting(
                "padding_mode", "choice", "What fills the border.", "zeros", choices=PAD_MODES
            ),
        ),
        init="nn.Conv2d",
        reference=DOCS + "Conv2d.html",
    ),
)
