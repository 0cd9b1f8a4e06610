"""Stages of a Transformer."""

from blocks.attention import BATCH_FIRST, PADDED, PAIRS, PAPER, causal, mask, sequence
from blocks.checks.attention import causal_needs_mask, mask_fits, memory_fits, padding_mask_fits
from blocks.checks.divide import heads_divide
from blocks.checks.sequence import batch_comes_first
from blocks.shared import NN, flag
from blocks.spec import Block, Infer, Setting, add


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
            "layer_norm_eps", "float", "Small number for numerical safety.", default=1e-5, low=0
        ),
        BATCH_FIRST,
        flag("norm_first", "Normalise before attention and linear layers, not behind.", False),
        flag("bias", "Add learned constants in all layers.", True),
    )


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
    ),
    Block(
        "TransformerDecoderLayer",
        family="attention",
        summary="One stage of a Transformer that writes: looks at itself, "
        "then at the memory of an encoder.",
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
    ),
)
