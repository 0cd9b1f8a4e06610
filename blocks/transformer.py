"""The layers of a Transformer, and whole Transformers: stacks of them."""

from dataclasses import replace

from blocks.attention import BATCH_FIRST, PADDED, PAIRS, PAPER, causal, mask, sequence
from blocks.checks.attention import causal_needs_mask, mask_fits, memory_fits, padding_mask_fits
from blocks.checks.divide import heads_divide
from blocks.checks.sequence import batch_comes_first
from blocks.shared import NN, flag
from blocks.spec import Block, Infer, Setting, Settings, add


def layer_settings(extra: str) -> tuple[Setting, ...]:
    """Declare what the encoder and the decoder layer share, in torch's order."""
    port = "src" if extra == "encoder" else "tgt"
    return (
        Setting(
            "d_model",
            "int",
            "Number of features of each step.",
            low=1,
            positional=True,
            infer=Infer(port, -1),
        ),
        Setting(
            "nhead",
            "int",
            "Number of attention heads; it must divide the features.",
            start=4,
            low=1,
            positional=True,
        ),
        Setting(
            "dim_feedforward",
            "int",
            "Number of values inside the two linear layers.",
            default=2048,
            start=128,
            low=1,
        ),
        Setting(
            "dropout",
            "float",
            "Share of values to drop in training, from 0 to 1.",
            default=0.1,
            low=0,
            high=1,
        ),
        Setting(
            "activation",
            "choice",
            "Activation between the two linear layers.",
            default="relu",
            choices=("relu", "gelu"),
        ),
        Setting(
            "layer_norm_eps", "float", "Small number for numerical stability.", default=1e-5, low=0
        ),
        BATCH_FIRST,
        flag("norm_first", "Normalise before attention and linear layers, not after.", False),
        flag("bias", "Add learned constants in all layers.", True),
    )


WHOLE = frozenset({"learns", "weighted", "transformer"})

add(
    Block(
        "TransformerEncoderLayer",
        family="attention",
        summary="One stage of a Transformer: self-attention, then two linear layers, "
        "each with a residual connection and normalisation.",
        inputs=(
            sequence("src", "The sequence."),
            mask("src_mask", PAIRS, 2, 3),
            mask("src_key_padding_mask", PADDED, 2),
        ),
        settings=(*layer_settings("encoder"), causal(which="src_mask")),
        init="nn.TransformerEncoderLayer",
        shape_in="(N, L, d_model)",
        shape_out="(N, L, d_model)",
        formula=r"z = \mathrm{LN}(x + \mathrm{MHA}(x)),\quad y = \mathrm{LN}(z + \mathrm{FF}(z))",
        reference=NN + "TransformerEncoderLayer.html",
        paper=PAPER,
        checks=(
            heads_divide("d_model", "nhead", "src"),
            batch_comes_first("src"),
            mask_fits("src_mask", "src", "src", "nhead"),
            padding_mask_fits("src_key_padding_mask", "src"),
            causal_needs_mask("is_causal", "src_mask"),
        ),
        keywords=("transformer", "bert", "vit", "self-attention", "encoder"),
        traits=WHOLE | {"feed_forward"},
        depth=4,
        network="Transformer",
        stem="encoder",
    ),
    Block(
        "TransformerDecoderLayer",
        family="attention",
        summary="One stage of a Transformer decoder: self-attention, then attention to the "
        "memory of an encoder.",
        inputs=(
            sequence("tgt", "The sequence being written."),
            sequence("memory", "The encoder's result."),
            mask("tgt_mask", PAIRS, 2, 3),
            mask("memory_mask", PAIRS, 2, 3),
            mask("tgt_key_padding_mask", PADDED, 2),
            mask("memory_key_padding_mask", PADDED, 2),
        ),
        settings=(
            *layer_settings("decoder"),
            causal("tgt_is_causal", "tgt_mask"),
            causal("memory_is_causal", "memory_mask"),
        ),
        init="nn.TransformerDecoderLayer",
        shape_in="tgt (N, L, d_model), memory (N, S, d_model)",
        shape_out="(N, L, d_model)",
        formula=r"z = \mathrm{LN}(x + \mathrm{MHA}(x)),\quad u = \mathrm{LN}(z + "
        r"\mathrm{MHA}(z, m, m)),\quad y = \mathrm{LN}(u + \mathrm{FF}(u))",
        reference=NN + "TransformerDecoderLayer.html",
        paper=PAPER,
        checks=(
            heads_divide("d_model", "nhead", "tgt"),
            batch_comes_first("tgt"),
            memory_fits,
            mask_fits("tgt_mask", "tgt", "tgt", "nhead"),
            mask_fits("memory_mask", "tgt", "memory", "nhead"),
            padding_mask_fits("tgt_key_padding_mask", "tgt"),
            padding_mask_fits("memory_key_padding_mask", "memory"),
            causal_needs_mask("tgt_is_causal", "tgt_mask"),
            causal_needs_mask("memory_is_causal", "memory_mask"),
        ),
        keywords=("transformer", "cross-attention", "decoder", "translation"),
        traits=WHOLE | {"feed_forward"},
        depth=6,
        network="Transformer",
    ),
)


FORMULA = r"y = \mathrm{layer}_n(\dots \mathrm{layer}_1(x))"
LAYERS = Setting("num_layers", "int", "Number of stages.", start=2, low=1, high=1024)
NORM = flag("norm", "Normalise once more at the end.", False)
NESTED = (
    flag("enable_nested_tensor", "Skip padding steps in evaluation, with a padding mask.", True),
    flag("mask_check", "Check the padding mask for that.", True),
)


def stack(settings: Settings) -> str:
    """Write the stack around one stage."""
    side = "Encoder" if "enable_nested_tensor" in settings else "Decoder"
    _, _, *rest = layer_settings(side.lower())
    stage = ["{d_model}", "{nhead}"] + [
        f"{s.name}={{{s.name}}}" for s in rest if settings[s.name] != s.default
    ]
    more = [f"{s.name}={{{s.name}}}" for s in NESTED if not settings.get(s.name, True)]
    if settings["norm"]:
        eps = ", eps={layer_norm_eps}" if settings["layer_norm_eps"] != 1e-5 else ""
        bias = "" if settings["bias"] else ", bias={bias}"
        more.insert(0, f"norm=nn.LayerNorm({{d_model}}{eps}{bias})")
    inner = f"nn.Transformer{side}Layer({', '.join(stage)})"
    return f"nn.Transformer{side}({', '.join((inner, '{num_layers}', *more))})"


def whole_settings() -> tuple[Setting, ...]:
    """Declare the settings of Transformer, in torch's order."""
    width, heads, *rest = layer_settings("encoder")
    defaults: tuple[tuple[Setting, int], ...] = ((width, 512), (heads, 8))
    first = tuple(
        replace(setting, default=default, positional=False, start=None if setting.infer else 4)
        for setting, default in defaults
    )
    counts = (
        Setting(
            f"num_{side}_layers",
            "int",
            f"Stages of the {side}.",
            default=6,
            start=2,
            low=1,
            high=1024,
        )
        for side in ("encoder", "decoder")
    )
    hints = tuple(
        Setting(
            f"{name}_is_causal",
            "bool",
            f"State that {name}_mask is causal"
            + ("." if name == "memory" else "; leave empty to check it."),
            default=False if name == "memory" else None,
            optional=name != "memory",
            call=True,
        )
        for name in ("src", "tgt", "memory")
    )
    return (*first, *counts, *rest, *hints)


add(
    Block(
        "TransformerEncoder",
        family="attention",
        summary="A stack of Transformer encoder stages, which read a sequence.",
        inputs=(
            sequence("src", "The sequence."),
            mask("mask", PAIRS, 2, 3),
            mask("src_key_padding_mask", PADDED, 2),
        ),
        settings=(
            *layer_settings("encoder"),
            LAYERS,
            NORM,
            replace(NESTED[0], start=False),
            NESTED[1],
            Setting(
                "is_causal",
                "bool",
                "State that the connected mask is causal; leave empty to check it.",
                default=None,
                optional=True,
                call=True,
            ),
        ),
        init="nn.TransformerEncoder",
        built=stack,
        writes=("nn.LayerNorm",),
        shape_in="(N, L, d_model)",
        shape_out="(N, L, d_model)",
        formula=FORMULA,
        reference=NN + "TransformerEncoder.html",
        paper=PAPER,
        checks=(heads_divide("d_model", "nhead", "src"), batch_comes_first("src")),
        keywords=("transformer", "bert", "vit", "self-attention", "stack"),
        traits=WHOLE,
        depth=4,
        network="Transformer",
    ),
    Block(
        "TransformerDecoder",
        family="attention",
        summary="A stack of Transformer decoder stages, which write a sequence from a memory.",
        inputs=(
            sequence("tgt", "The sequence being written."),
            sequence("memory", "The encoder's result."),
            mask("tgt_mask", PAIRS, 2, 3),
            mask("memory_mask", PAIRS, 2, 3),
            mask("tgt_key_padding_mask", PADDED, 2),
            mask("memory_key_padding_mask", PADDED, 2),
        ),
        settings=(
            *layer_settings("decoder"),
            LAYERS,
            NORM,
            Setting(
                "tgt_is_causal",
                "bool",
                "State that tgt_mask is causal; leave empty to check it.",
                default=None,
                optional=True,
                call=True,
            ),
            causal("memory_is_causal", "memory_mask"),
        ),
        init="nn.TransformerDecoder",
        built=stack,
        shape_in="tgt (N, L, d_model), memory (N, S, d_model)",
        shape_out="(N, L, d_model)",
        formula=FORMULA,
        reference=NN + "TransformerDecoder.html",
        paper=PAPER,
        checks=(heads_divide("d_model", "nhead", "tgt"), batch_comes_first("tgt"), memory_fits),
        keywords=("transformer", "cross-attention", "translation", "stack"),
        traits=WHOLE,
        depth=6,
        network="Transformer",
    ),
    Block(
        "Transformer",
        family="attention",
        summary="An encoder that reads a sequence and a decoder that writes another.",
        inputs=(
            sequence("src", "The sequence that is read."),
            sequence("tgt", "The sequence being written."),
            mask("src_mask", PAIRS, 2, 3),
            mask("tgt_mask", PAIRS, 2, 3),
            mask("memory_mask", PAIRS, 2, 3),
            mask("src_key_padding_mask", PADDED, 2),
            mask("tgt_key_padding_mask", PADDED, 2),
            mask("memory_key_padding_mask", PADDED, 2),
        ),
        settings=whole_settings(),
        init="nn.Transformer",
        shape_in="src (N, S, d_model), tgt (N, L, d_model)",
        shape_out="(N, L, d_model)",
        formula=r"y = \mathrm{decoder}(t, \mathrm{encoder}(s))",
        reference=NN + "Transformer.html",
        paper=PAPER,
        checks=(
            heads_divide("d_model", "nhead", "src"),
            batch_comes_first("src"),
            batch_comes_first("tgt"),
        ),
        keywords=("transformer", "translation", "sequence to sequence", "seq2seq"),
        traits=WHOLE,
        network="Transformer",
    ),
)
