"""Layers that bring values to a common scale."""

from blocks.checks.divide import normalised_groups_divide
from blocks.checks.sizes import batch_of_one, more_than_one_value, trailing_shape
from blocks.shared import FROM_2, NN, SPACE, channels, flag, floats, spatial
from blocks.spec import Block, Infer, Setting, add

BATCH = (
    "Ioffe, Szegedy. Batch normalization: accelerating deep network training "
    "by reducing internal covariate shift. 2015"
)
INSTANCE = (
    "Ulyanov, Vedaldi, Lempitsky. Instance normalization: "
    "the missing ingredient for fast stylization. 2016"
)
SCALE = r"y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}}\,\gamma + \beta"

POSITIVE_EPS = Setting(
    "eps", "float", "Small number added for numerical stability.", 1e-5, low=1e-12
)
EPS = Setting("eps", "float", "Small number added for numerical stability.", default=1e-5, low=0)
BIAS = flag("bias", "Learn a shift too (only with affine).", True, since="2.12")


def affine(default: bool) -> Setting:
    """Declare affine."""
    return flag("affine", "Learn a scale and a shift for every channel.", default)


def running(default: bool, momentum_optional: bool) -> tuple[Setting, Setting]:
    """Declare momentum and track_running_stats."""
    momentum = Setting(
        "momentum",
        "float",
        "Weight of the latest batch in the running mean and variance"
        + ("; leave empty for a plain average over all batches." if momentum_optional else "."),
        default=0.1,
        low=0,
        high=1,
        optional=momentum_optional,
    )
    track = flag(
        "track_running_stats",
        "Keep a running mean and variance in training and use them when the network is evaluated.",
        default,
    )
    return momentum, track


def batch_norm(dims: int) -> Block:
    """Declare BatchNorm1d, BatchNorm2d or BatchNorm3d."""
    form = f"(N, C, {SPACE[dims]})"
    momentum, track = running(True, True)
    port = floats(rank=(2, 3), form="(N, C) or (N, C, L)") if dims == 1 else spatial(dims)
    return Block(
        f"BatchNorm{dims}d",
        family="normalisation",
        summary="Gives every channel mean 0 and variance 1 over the batch, "
        "so that training is faster and more stable.",
        inputs=(port,),
        settings=(
            channels("num_features", "Channels of the input."),
            POSITIVE_EPS,
            momentum,
            affine(True),
            track,
            BIAS,
        ),
        init=f"nn.BatchNorm{dims}d",
        shape_in=port.form or form,
        shape_out="the same",
        formula=SCALE,
        reference=f"{NN}BatchNorm{dims}d.html",
        paper=BATCH,
        warnings=(batch_of_one,),
        keywords=("batch normalization", "bn", "scale", "standardise"),
        traits=frozenset({"learns", "per_channel", "batch_statistics"}),
        stem="bn" if dims < 3 else "",
    )


def instance_norm(dims: int) -> Block:
    """Declare InstanceNorm1d, InstanceNorm2d or InstanceNorm3d."""
    momentum, track = running(False, False)
    return Block(
        f"InstanceNorm{dims}d",
        family="normalisation",
        summary="Gives every channel of every sample mean 0 and variance 1 on its own.",
        inputs=(spatial(dims),),
        settings=(
            channels("num_features", "Channels of the input."),
            POSITIVE_EPS,
            momentum,
            affine(False),
            track,
            BIAS,
        ),
        init=f"nn.InstanceNorm{dims}d",
        shape_in=f"(N, C, {SPACE[dims]})",
        shape_out="the same",
        formula=SCALE,
        reference=f"{NN}InstanceNorm{dims}d.html",
        paper=INSTANCE,
        checks=(more_than_one_value,),
        keywords=("instance normalization", "style transfer", "scale"),
    )


def normalized_shape() -> Setting:
    """Declare normalized_shape."""
    return Setting(
        "normalized_shape",
        "size",
        "Last size of the input, or a list of its last sizes, to normalise over.",
        low=1,
        positional=True,
        infer=Infer("input", -1),
    )


add(
    batch_norm(1),
    batch_norm(2),
    batch_norm(3),
    Block(
        "LayerNorm",
        family="normalisation",
        summary="Gives the features of every sample mean 0 and variance 1, "
        "without using the batch.",
        inputs=(floats(rank=FROM_2, form="(N, *, normalized_shape)"),),
        settings=(
            normalized_shape(),
            EPS,
            flag("elementwise_affine", "Learn a scale and a shift for every feature.", True),
            flag("bias", "Learn a shift too (only with elementwise_affine).", True),
        ),
        init="nn.LayerNorm",
        shape_in="(N, *, normalized_shape)",
        shape_out="the same",
        formula=SCALE,
        reference=NN + "LayerNorm.html",
        paper="Ba, Kiros, Hinton. Layer normalization. 2016",
        checks=(trailing_shape,),
        keywords=("layer normalization", "transformer", "scale"),
        traits=frozenset({"learns"}),
    ),
    Block(
        "RMSNorm",
        family="normalisation",
        summary="Divides the features of every sample by their root mean square.",
        inputs=(floats(rank=FROM_2, form="(N, *, normalized_shape)"),),
        settings=(
            normalized_shape(),
            Setting(
                "eps",
                "float",
                "Small number added for numerical stability; leave empty for the"
                " smallest one possible.",
                default=None,
                low=0,
                optional=True,
            ),
            flag("elementwise_affine", "Learn a scale for every feature.", True),
        ),
        init="nn.RMSNorm",
        shape_in="(N, *, normalized_shape)",
        shape_out="the same",
        formula=r"y = \frac{x}{\sqrt{\epsilon + \frac{1}{n}\sum_i x_i^2}}\,\gamma",
        reference=NN + "RMSNorm.html",
        paper="Zhang, Sennrich. Root mean square layer normalization. 2019",
        checks=(trailing_shape,),
        keywords=("root mean square", "transformer", "scale"),
        traits=frozenset({"learns"}),
    ),
    Block(
        "GroupNorm",
        family="normalisation",
        summary="Gives every group of channels of every sample mean 0 and variance 1.",
        inputs=(floats(rank=FROM_2, form="(N, C, *)"),),
        settings=(
            Setting(
                "num_groups",
                "int",
                "Number of groups; it must divide the channels.",
                start=1,
                low=1,
                positional=True,
            ),
            channels("num_channels", "Channels of the input."),
            EPS,
            affine(True),
            BIAS,
        ),
        init="nn.GroupNorm",
        shape_in="(N, C, *)",
        shape_out="the same",
        formula=SCALE,
        reference=NN + "GroupNorm.html",
        paper="Wu, He. Group normalization. 2018",
        checks=(normalised_groups_divide,),
        keywords=("group normalization", "small batch", "scale"),
        traits=frozenset({"learns"}),
    ),
    instance_norm(1),
    instance_norm(2),
    instance_norm(3),
    Block(
        "LocalResponseNorm",
        family="normalisation",
        summary="Lets neighbouring channels damp each other, as in AlexNet and GoogLeNet.",
        inputs=(floats(rank=(3, 4, 5), form="(N, C, *)"),),
        settings=(
            Setting(
                "size",
                "int",
                "Number of neighbouring channels to include.",
                start=5,
                low=1,
                positional=True,
            ),
            Setting("alpha", "float", "Strength of the damping.", default=1e-4),
            Setting("beta", "float", "Exponent of the damping.", default=0.75),
            Setting("k", "float", "Constant added before the exponent.", default=1.0),
        ),
        init="nn.LocalResponseNorm",
        shape_in="(N, C, *)",
        shape_out="the same",
        formula=r"y_c = x_c \left(k + \frac{\alpha}{n} \sum_{c'} x_{c'}^2\right)^{-\beta}",
        reference=NN + "LocalResponseNorm.html",
        paper="Krizhevsky, Sutskever, Hinton. "
        "ImageNet classification with deep convolutional neural networks. 2012",
        keywords=("lrn", "alexnet", "googlenet", "lateral inhibition"),
    ),
)
