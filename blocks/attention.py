"""Attention: every step of a sequence looks at all others and takes what it needs."""

from blocks.checks.attention import (
    attention_fits,
    causal_needs_mask,
    mask_fits,
    padding_mask_fits,
)
from blocks.checks.divide import heads_divide
from blocks.checks.product import product_mask_fits, products_fit
from blocks.checks.sequence import batch_comes_first
from blocks.shared import FN, FROM_2, NN, flag, floats, training_only
from blocks.spec import Block, Infer, Port, Setting, Settings, add

PAPER = (
    "Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser, Polosukhin. "
    "Attention is all you need. 2017"
)
SOFTMAX = r"\mathrm{softmax}\!\left(\frac{Q K^\mathsf{T}}{\sqrt{d}}\right) V"
BATCH_FIRST = flag(
    "batch_first",
    "The input is (N, L, features) rather than (L, N, features). "
    "Leave it on: here the batch comes first.",
    False,
    start=True,
)


def sequence(name: str, about: str) -> Port:
    """Declare a port that takes a sequence of features."""
    return floats(name, rank=(3,), form="(N, L, features)", about=about)


def mask(name: str, about: str, *ranks: int) -> Port:
    """Declare an optional mask."""
    form = "(N, S)" if ranks == (2,) else "(L, S) or (N*heads, L, S)"
    return Port(name, rank=ranks, form=form, optional=True, help=about)


PAIRS = "True (or minus infinity) where a step must not attend."
PADDED = "True where a step is padding to ignore."


def causal(name: str = "is_causal", which: str = "mask") -> Setting:
    """Declare the hint that a mask is causal."""
    about = f"State that the connected {which} is causal, so that torch may run faster."
    return flag(name, about, False, call=True)


def call_product(given: Settings, ports: frozenset[str]) -> str:
    """Write the call, with the mask if one is connected, and with dropout by the mode."""
    masked = ", attn_mask={attn_mask}" if "attn_mask" in ports else ""
    drops = given["training_only"] and given["dropout_p"] != 0
    dropped = ", dropout_p={dropout_p} if self.training else 0.0" if drops else ""
    both = masked + dropped
    return "F.scaled_dot_product_attention({query}, {key}, {value}" + both + "{settings})"


def heads(name: str) -> Port:
    """Declare a port that takes a sequence, split into heads or not."""
    return floats(name, rank=FROM_2[1:], form="(N, L, E) or (N, heads, L, E)")


add(
    Block(
        "MultiheadAttention",
        family="attention",
        summary="Lets every step of the query gather what it needs from keys and values, "
        "with several heads at once.",
        inputs=(
            sequence("query", "The steps that gather information."),
            sequence("key", "The steps to attend to; the query again for self-attention."),
            sequence("value", "The values to gather; usually the same as the key."),
            mask("key_padding_mask", PADDED, 2),
            mask("attn_mask", PAIRS, 2, 3),
        ),
        outputs=(
            Port("attn_output", form="(N, L, embed_dim)", help="The result for each step."),
            Port(
                "attn_output_weights",
                form="(N, L, S)",
                help="How much each step attended to each other step; only with need_weights.",
            ),
        ),
        settings=(
            Setting(
                "embed_dim",
                "int",
                "Number of features of the query.",
                low=1,
                positional=True,
                infer=Infer("query", -1),
            ),
            Setting(
                "num_heads",
                "int",
                "Number of heads; it must divide the features.",
                start=4,
                low=1,
                positional=True,
            ),
            Setting(
                "dropout",
                "float",
                "Share of attention weights to drop in training, from 0 to 1.",
                default=0.0,
                low=0,
                high=1,
            ),
            flag("bias", "Add learned constants to the projections.", True),
            flag("add_bias_kv", "Add one learned step to keys and values.", False),
            flag("add_zero_attn", "Add one step of zeros to keys and values.", False),
            Setting(
                "kdim",
                "int",
                "Number of features of the key; leave empty for embed_dim.",
                default=None,
                low=1,
                optional=True,
            ),
            Setting(
                "vdim",
                "int",
                "Number of features of the value; leave empty for embed_dim.",
                default=None,
                low=1,
                optional=True,
            ),
            BATCH_FIRST,
            flag(
                "need_weights",
                "Also output attn_output_weights; off is faster.",
                True,
                call=True,
            ),
            flag("average_attn_weights", "Average the weights over the heads.", True, call=True),
            causal(which="attn_mask"),
        ),
        init="nn.MultiheadAttention",
        returns="{attn_output}, {attn_output_weights}",
        shape_in="query (N, L, embed_dim), key (N, S, kdim), value (N, S, vdim)",
        shape_out="attn_output (N, L, embed_dim), attn_output_weights (N, L, S)",
        formula=r"\mathrm{concat}(h_1, \dots, h_n) W^O,\quad h_i = " + SOFTMAX,
        reference=NN + "MultiheadAttention.html",
        paper=PAPER,
        checks=(
            heads_divide("embed_dim", "num_heads"),
            batch_comes_first("query"),
            attention_fits,
            mask_fits("attn_mask", "query", "key", "num_heads"),
            padding_mask_fits("key_padding_mask", "key"),
            causal_needs_mask("is_causal", "attn_mask"),
        ),
        keywords=("self-attention", "cross-attention", "transformer", "heads"),
        traits=frozenset({"learns", "weighted"}),
        network="Attention network",
        stem="attention",
    ),
    Block(
        "scaled_dot_product_attention",
        family="attention",
        summary="Attention without learned weights: averages values by how well "
        "their keys match the query.",
        inputs=(
            heads("query"),
            heads("key"),
            heads("value"),
            Port(
                "attn_mask",
                rank=FROM_2,
                form="(L, S) or (N, heads, L, S)",
                optional=True,
                help="True where a step may attend, or numbers to add to the scores.",
            ),
        ),
        settings=(
            Setting(
                "dropout_p",
                "float",
                "Share of attention weights to drop, from 0 to 1, in training and evaluation.",
                default=0.0,
                low=0,
                high=1,
            ),
            training_only("Drop attention weights in training only, as dropout does elsewhere."),
            flag("is_causal", "Let every step attend only to itself and earlier steps.", False),
            Setting(
                "scale",
                "float",
                "Factor on the scores; leave empty for 1 / sqrt(last size).",
                default=None,
                optional=True,
            ),
            flag("enable_gqa", "Let several query heads share a head of keys and values.", False),
        ),
        forward=call_product,
        shape_in="query (N, *, L, E), key (N, *, S, E), value (N, *, S, Ev)",
        shape_out="(N, *, L, Ev)",
        formula=SOFTMAX,
        reference=FN + "scaled_dot_product_attention.html",
        paper=PAPER,
        checks=(products_fit, product_mask_fits),
        keywords=("self-attention", "softmax", "transformer"),
        traits=frozenset({"weighted"}),
        network="Attention network",
    ),
)
