"""Layers whose weights come in on wires: shared with another layer, or computed."""

from collections.abc import Callable
from typing import Any

from blocks.checks.divide import normalised_groups_divide
from blocks.checks.floats import same_floats, same_or_half
from blocks.checks.products import leading_sizes
from blocks.checks.sizes import statistics_given
from blocks.checks.transposed import bias_fits, filters_fit
from blocks.shared import FN, NEW_SPACE, SPACE, flag, floats, pixels, training_only, whole
from blocks.spec import Block, Port, Setting, Settings, add

Call = Callable[[Settings, frozenset[str]], str]
OPTIONAL_BIAS = Port(
    "bias", rank=(1,), dtype="float", form="(out,)", optional=True, help="Added to every output."
)
SHARED = ("shared weights", "tied", "hypernetwork", "function")
EPS = Setting("eps", "float", "Small number for numerical stability.", default=1e-5, low=0)
MOMENTUM = Setting(
    "momentum",
    "float",
    "Weight of the latest batch in the running values.",
    default=0.1,
    low=0,
    high=1,
)

TRAINING_ONLY = training_only("Use those in training only, and the running ones in evaluation.")


def calls(name: str, first: str, *optional: str) -> Call:
    """Give the way to write a call: what always goes in, then the wires that are connected."""

    def call(settings: Settings, ports: frozenset[str]) -> str:
        more = "".join(f", {n}={{{n}}}" for n in optional if n in ports)
        return f"F.{name}({first}{more}{{settings}})"

    return call


def statistics(name: str, own: str) -> Call:
    """Give the way to write a call whose running mean and variance stand in front.

    own: the flag to use those of the input.
    """

    def call(settings: Settings, ports: frozenset[str]) -> str:
        running = ", ".join(
            f"{{{n}}}" if n in ports else "None" for n in ("running_mean", "running_var")
        )
        more = "".join(f", {n}={{{n}}}" for n in ("weight", "bias") if n in ports)
        by_mode = settings[own] and settings["training_only"]
        more += f", {own}=self.training" * bool(by_mode)
        return f"F.{name}({{input}}, {running}{more}{{settings}})"

    return call


def vectors(*names: str) -> tuple[Port, ...]:
    """Declare optional ports for one number per channel."""
    about = {"weight": "Scale.", "bias": "Shift."}
    return tuple(
        Port(n, dtype="float", optional=True, help=about.get(n, "One number for every channel."))
        for n in names
    )


def wired(name: str, family: str, summary: str, formula: str, forward: Call, **more: Any) -> Block:
    """Declare a function of torch.nn.functional that takes its weights from wires."""
    return Block(
        name,
        family,
        summary,
        forward=forward,
        writes=(f"F.{name}",),
        formula=formula,
        reference=f"{FN}{name}.html",
        **more,
    )


def filtered(name: str, dims: int, form: str, formula: str, **more: Any) -> Block:
    """Declare a convolution. form: the first two sizes of its filters."""
    layer = "".join(part.capitalize() for part in name.split("_"))
    space = SPACE[dims]
    kernel = ", ".join(f"k{letter}" for letter in space.split(", "))
    filters = floats("weight", rank=(dims + 2,), form=f"({form}, {kernel})")
    return wired(
        name,
        "convolution",
        f"A {layer} whose filters come in on wires, to share or to compute them.",
        formula,
        positional(name),
        inputs=(
            floats(rank=(dims + 2,), form=f"(N, C, {space})"),
            filters,
            OPTIONAL_BIAS,
            whole(
                "groups",
                "Groups of channels, as of a whole batch with filters of its own for each sample.",
            ),
        ),
        shape_in=f"(N, C, {space})",
        shape_out=f"(N, out, {NEW_SPACE[dims]})",
        traits=frozenset({"weighted"}),
        network="CNN",
        **more,
    )


def convolution(dims: int) -> Block:
    """Declare conv1d, conv2d or conv3d."""
    size = pixels(dims)
    return filtered(
        f"conv{dims}d",
        dims,
        "out, C / groups",
        r"y_o = b_o + \sum_c w_{o,c} \star x_c",
        settings=(
            size("stride", "Step between positions.", default=1, low=1),
            size(
                "padding",
                "Zeros on every side; 'same' keeps the size.",
                default=0,
                low=0,
                choices=("same", "valid"),
            ),
            size("dilation", "Distance between taps.", default=1, low=1),
            Setting("groups", "int", "Groups of channels.", default=1, low=1),
        ),
        checks=(same_floats, bias_fits),
        keywords=(*SHARED, "weight standardization"),
    )


def transposed(dims: int) -> Block:
    """Declare conv_transpose1d, conv_transpose2d or conv_transpose3d."""
    size = pixels(dims)
    return filtered(
        f"conv_transpose{dims}d",
        dims,
        "C, out / groups",
        r"L' = (L - 1)\,\mathrm{stride} - 2\,\mathrm{padding} + \mathrm{kernel}",
        settings=(
            size("stride", "How many times larger the output becomes.", default=1, low=1),
            size("padding", "Values removed from every side of the output.", default=0, low=0),
            size("output_padding", "Values added to one side of the output.", default=0, low=0),
            Setting("groups", "int", "Groups of channels.", default=1, low=1),
            size("dilation", "Distance between taps.", default=1, low=1),
        ),
        checks=(same_floats, filters_fit),
        keywords=(*SHARED, "deconvolution", "enlarge"),
    )


def positional(name: str) -> Call:
    """Give the way to write a call of input, weight and, if one is connected, bias."""

    def call(settings: Settings, ports: frozenset[str]) -> str:
        bias = ", {bias}" if "bias" in ports else ""
        groups = ", groups={groups}" if "groups" in ports else ""
        return f"F.{name}({{input}}, {{weight}}{bias}{groups}{{settings}})"

    return call


def bilinear_call(settings: Settings, ports: frozenset[str]) -> str:
    """Write a call of both inputs, weight and, if one is connected, bias."""
    return f"F.bilinear({{input1}}, {{input2}}, {{weight}}{', {bias}' * ('bias' in ports)})"


LAST = Setting(
    "normalized_shape", "dims", "Last sizes of the input.", start=(64,), low=1, positional=True
)
CHANNELS = floats(rank=(2, 3, 4, 5), form="(N, C, *)")
SCALED = r"y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}}\,\gamma + \beta"

add(
    wired(
        "linear",
        "linear",
        "A Linear whose weights come in on wires, to share or to compute them.",
        r"y = x W^\mathsf{T} + b",
        positional("linear"),
        inputs=(
            floats(),
            floats("weight", rank=(1, 2), form="(out_features, in_features)"),
            OPTIONAL_BIAS,
        ),
        shape_in="(N, *, in_features) and (out_features, in_features)",
        shape_out="(N, *, out_features)",
        checks=(same_floats,),
        keywords=SHARED,
        traits=frozenset({"weighted"}),
        network="MLP",
    ),
    wired(
        "bilinear",
        "linear",
        "A Bilinear whose weights come in on wires, to share or to compute them.",
        r"y_k = x_1^\mathsf{T} A_k x_2 + b_k",
        bilinear_call,
        inputs=(
            floats("input1", form="(N, *, in1_features)"),
            floats("input2", form="(N, *, in2_features)"),
            floats("weight", rank=(3,), form="(out_features, in1_features, in2_features)"),
            OPTIONAL_BIAS,
        ),
        shape_in="(N, *, in1_features) and (N, *, in2_features)",
        shape_out="(N, *, out_features)",
        checks=(same_floats, leading_sizes),
        keywords=SHARED,
        traits=frozenset({"weighted", "uncounted"}),
    ),
    convolution(1),
    convolution(2),
    convolution(3),
    transposed(1),
    transposed(2),
    transposed(3),
    wired(
        "layer_norm",
        "normalisation",
        "A LayerNorm whose scale and shift, if any, come in on wires.",
        r"y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}}",
        calls("layer_norm", "{input}, {normalized_shape}", "weight", "bias"),
        inputs=(floats(), *vectors("weight", "bias")),
        settings=(LAST, EPS),
        shape_in="(N, *, normalized_shape)",
        shape_out="the same",
        checks=(same_or_half,),
        keywords=("layer normalization", "scale"),
    ),
    wired(
        "rms_norm",
        "normalisation",
        "An RMSNorm whose scale, if any, comes in on a wire.",
        r"y = \frac{x}{\sqrt{\epsilon + \frac{1}{n}\sum_i x_i^2}}\,\gamma",
        calls("rms_norm", "{input}, {normalized_shape}", "weight"),
        inputs=(floats(), *vectors("weight")),
        settings=(
            LAST,
            Setting(
                "eps",
                "float",
                "Small number for numerical stability; leave empty for the smallest one possible.",
                default=None,
                low=0,
                optional=True,
            ),
        ),
        shape_in="(N, *, normalized_shape)",
        shape_out="the same",
        keywords=("root mean square", "scale"),
    ),
    wired(
        "group_norm",
        "normalisation",
        "A GroupNorm whose scale and shift, if any, come in on wires.",
        SCALED,
        calls("group_norm", "{input}, {num_groups}", "weight", "bias"),
        inputs=(CHANNELS, *vectors("weight", "bias")),
        settings=(
            Setting(
                "num_groups",
                "int",
                "Number of groups; it must divide the channels.",
                start=1,
                low=1,
                positional=True,
            ),
            EPS,
        ),
        shape_in="(N, C, *)",
        shape_out="the same",
        checks=(normalised_groups_divide, same_or_half),
        keywords=("group normalization", "scale"),
    ),
    wired(
        "batch_norm",
        "normalisation",
        "A BatchNorm whose running values, scale and shift come in on wires.",
        SCALED,
        statistics("batch_norm", "training"),
        inputs=(CHANNELS, *vectors("running_mean", "running_var", "weight", "bias")),
        settings=(
            flag(
                "training",
                "Use mean and variance of the batch, not the running ones.",
                False,
                start=True,
            ),
            TRAINING_ONLY,
            MOMENTUM,
            EPS,
        ),
        shape_in="(N, C, *)",
        shape_out="the same",
        checks=(statistics_given("training"), same_or_half),
        keywords=("batch normalization", "scale"),
    ),
    wired(
        "instance_norm",
        "normalisation",
        "An InstanceNorm whose scale and shift, if any, come in on wires.",
        SCALED,
        statistics("instance_norm", "use_input_stats"),
        inputs=(
            floats(rank=(3, 4, 5), form="(N, C, *)"),
            *vectors("running_mean", "running_var", "weight", "bias"),
        ),
        settings=(
            flag(
                "use_input_stats",
                "Use mean and variance of every sample, not the running ones.",
                True,
            ),
            TRAINING_ONLY,
            MOMENTUM,
            EPS,
        ),
        shape_in="(N, C, *)",
        shape_out="the same",
        checks=(statistics_given("use_input_stats"), same_or_half),
        keywords=("instance normalization", "style", "scale"),
    ),
    wired(
        "prelu",
        "activation",
        "A PReLU whose slopes for negative values come in on a wire.",
        r"y = \max(0, x) + a \min(0, x)",
        positional("prelu"),
        inputs=(
            floats(rank=(2, 3, 4, 5), form="(N, C, *)"),
            floats("weight", rank=(1,), form="(1,) or (C,)"),
        ),
        shape_in="(N, C, *) and (1,) or (C,)",
        shape_out="the same",
        keywords=(*SHARED, "leaky", "slope"),
    ),
    wired(
        "embedding",
        "embedding",
        "An Embedding whose table comes in on a wire, to share it.",
        r"y = W_{x}",
        positional("embedding"),
        inputs=(
            Port("input", dtype="int", help="Indices of rows."),
            floats("weight", rank=(2,), form="(num_embeddings, embedding_dim)"),
        ),
        settings=(
            Setting(
                "padding_idx",
                "int",
                "Index of the padding token; its vector is not trained.",
                default=None,
                optional=True,
            ),
            Setting(
                "max_norm",
                "float",
                "Rescale vectors that are longer than this; leave empty for no limit.",
                default=None,
                low=0,
                optional=True,
            ),
            Setting("norm_type", "float", "The p of the norm for max_norm.", default=2.0, low=1),
            flag(
                "scale_grad_by_freq",
                "Divide the gradient of a token by how often it is in the batch.",
                False,
            ),
            flag("sparse", "Use sparse gradients, for very large tables.", False),
        ),
        shape_in="(N, *) of integers and (K, D)",
        shape_out="(N, *, D)",
        keywords=(*SHARED, "tokens", "lookup", "weight tying"),
    ),
)
