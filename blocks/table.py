"""The table of what the catalogue covers, as Markdown, and what is left out on purpose, with why.

`python -m blocks.table` writes assets/catalogue.md; a test compares the file with the catalogue.
"""

from pathlib import Path

from blocks.catalogue import FAMILIES
from blocks.spec import CATALOGUE, REQUIRED, TRAITS, Block, Port, Setting
from blocks.traits import having

PLACE = Path(__file__).resolve().parents[1] / "assets" / "catalogue.md"

LEFT_OUT = {
    "Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict": "they hold modules and "
    "compute nothing: a graph and its composites take their place.",
    "Lazy modules (LazyConv2d, LazyLinear, ...)": "they find their sizes at the first call; here "
    "the wire decides sizes, and the source names the concrete class.",
    "SyncBatchNorm": "it needs a GPU and a process group; convert a trained network with "
    "`SyncBatchNorm.convert_sync_batchnorm`.",
    "DataParallel": "a way to train, not a layer; training on several devices is a launcher.",
    "AdaptiveLogSoftmaxWithLoss": "a layer and a loss in one; draw the "
    "layer, and choose the loss in the training settings.",
    "TripletMarginWithDistanceLoss": "its distance is a function of the user's own.",
    "NLLLoss2d, CrossMapLRN2d, Container, RNNBase, RNNCellBase, Module": "old names and base "
    "classes, which nobody constructs.",
    "masked_select, bincount, histc, indexing with a mask": "the size of their result depends on "
    "the data; `where` and `masked_fill` do the same with fixed sizes, `nonzero` with `index` does "
    "it with an unknown one.",
    "item, tolist, comparisons that steer the program": "a drawing has no branches that depend on "
    "values.",
    "bernoulli, multinomial, normal, randint, randperm, gumbel_softmax": "they draw random numbers "
    "in ways of their own; `rand_like` and `randn_like`, with a comparison or arithmetic behind "
    "them, draw the same distributions.",
    "embedding_bag as a function": "`EmbeddingBag` holds the weights.",
    "tensordot, kron, inner, block_diag": "`einsum`, `reshape` and `cat` do the same; an import "
    "draws them so, equal to the last bit.",
    "inv, svd, solve, det and further decompositions": "no usual network computes them; their "
    "gradients break down at singular matrices.",
    "addmv, addr, pdist, renorm, cov, corrcoef, trapezoid, nanmedian, nanquantile, vander, "
    "cartesian_prod, combinations, select_scatter, slice_scatter, diagonal_scatter, index_reduce, "
    "logaddexp2, ldexp, frexp, nextafter, i0, entr, ndtr, polygamma, mvlgamma": "rare in networks; "
    "an import refuses them by name and line.",
    "bitwise operations and shifts of integers": "masks have `logical_and` and similar blocks.",
    "isclose, signbit, masked_scatter, take, put": "comparisons, `where` and `gather` do the same.",
    "heaviside, rot90": "`where`, `flip` and `transpose` do the same; an import draws them so.",
    "Functions that a layer is too (relu, softmax, dropout, max_pool2d, ...)": "the layer is the "
    "block: it can be hooked, named and frozen.",
    "In-place functions (add_, relu_, ...)": "the block without the underscore computes the same; "
    "layers have torch's `inplace`.",
    "fft, stft, complex numbers, sparse and nested tensors": "no model of torchvision needs them.",
    "Quantised modules": "packed weights cannot be trained; export quantises instead.",
    "torchvision's further operators (deform_conv2d, ps_roi_align, ...)": "no model of its own "
    "uses them; the source of a detector imports torchvision for those that are.",
}
"""What a reader may look for in vain, and the reason."""


def table() -> str:
    """Write the whole page: the count, a section for every family, and what is left out."""
    lines = [
        "# Catalogue of blocks",
        "",
        f"{len(CATALOGUE)} blocks in {len(FAMILIES)} families. Written from the declarations in "
        "`blocks/` by `python -m blocks.table`; never edited by hand.",
        "",
        "A setting without a value must be given or follows the wire (marked *wire*). A port in "
        "parentheses may stay open; `…` marks a list of ports.",
    ]
    for family, title in FAMILIES.items():
        mine = [b for b in CATALOGUE.values() if b.family == family]
        lines += ["", f"## {title}", "", "| block | inputs | outputs | settings | |"]
        lines += ["|---|---|---|---|---|", *(_row(block) for block in mine)]
    lines += ["", "## Traits", "", "What the program knows about blocks besides their family."]
    lines += ["", "| trait | what such a block does | blocks |", "|---|---|---|"]
    lines += [_traits_row(trait, text) for trait, text in TRAITS.items()]
    lines += ["", "## Left out, and why", ""]
    lines += [f"- **{_safe(what)}**: {_safe(why)}" for what, why in LEFT_OUT.items()]
    return "\n".join([*lines, ""])


def _row(block: Block) -> str:
    ports = [", ".join(_port(p) for p in side) or "none" for side in (block.inputs, block.outputs)]
    settings = ", ".join(_setting(s) for s in block.settings) or "none"
    cells = [f"[{_safe(block.name)}]({block.reference})", *ports, settings, _safe(block.summary)]
    return f"| {' | '.join(cells)} |"


def _traits_row(trait: str, text: str) -> str:
    mine = [_safe(name) for name in CATALOGUE if name in having(trait)]
    return f"| {_safe(trait)} | {_safe(text)} | {', '.join(mine)} |"


def _port(port: Port) -> str:
    name = f"{port.name}…" if port.listed else port.name
    return f"({_safe(name)})" if port.optional else _safe(name)


def _setting(setting: Setting) -> str:
    if setting.infer:
        return f"{_safe(setting.name)} *wire*"
    if setting.default is REQUIRED:
        return _safe(setting.name)
    since = f" (torch {setting.since})" if setting.since else ""
    return f"{_safe(setting.name)}={_safe(repr(setting.default))}{since}"


def _safe(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*").replace("_", r"\_")


if __name__ == "__main__":
    PLACE.write_text(table(), "utf-8")
