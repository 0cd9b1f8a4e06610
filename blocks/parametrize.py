"""Parametrizations: a layer whose weight is computed from what is learned, before each call.

What a way says here is all there is of it: its help, its text in the source, what that text
imports, and its class where torch has none. Every block with a weight of two or more dimensions
has the setting `parametrize`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from blocks.spec import Block, Setting

FUNCTIONS = "torch.nn.utils.parametrizations"
SYMMETRIC = '''\
class SymmetricWeight(nn.Module):
    """A weight that equals its transpose: the upper triangle is learned, the lower mirrors it."""

    def forward(self, weight: Tensor) -> Tensor:
        return weight.triu() + weight.triu(1).transpose(-1, -2)'''


@dataclass(frozen=True)
class Parametrization:
    """One way to compute a weight.

    template: the text around the layer's constructor. imported: module and name of the function.
    class_name, code: the class that the text constructs, where torch has none. says: what a choice
    in the form means. torch_class: of torch's own class, by which an import knows it.
    """

    template: str
    imported: tuple[str, str]
    says: str
    torch_class: str
    class_name: str = ""
    code: str = ""

    def around(self, constructor: str) -> str:
        """The constructor's text with the parametrization around it."""
        return self.template.replace("{layer}", constructor)


PARAMETRIZATIONS: Mapping[str, Parametrization] = {
    "weight_norm": Parametrization(
        "weight_norm({layer})",
        (FUNCTIONS, "weight_norm"),
        "length and direction apart",
        "_WeightNorm",
    ),
    "spectral_norm": Parametrization(
        "spectral_norm({layer})",
        (FUNCTIONS, "spectral_norm"),
        "stretches nothing",
        "_SpectralNorm",
    ),
    "orthogonal": Parametrization(
        'orthogonal({layer}, orthogonal_map="cayley", use_trivialization=False)',
        (FUNCTIONS, "orthogonal"),
        "rows at right angles",
        "_Orthogonal",
    ),
    "symmetric": Parametrization(
        'register_parametrization({layer}, "weight", SymmetricWeight())',
        ("torch.nn.utils.parametrize", "register_parametrization"),
        "equals its transpose",
        "SymmetricWeight",
        "SymmetricWeight",
        SYMMETRIC,
    ),
}
FITTING = frozenset(
    ["nn.Linear", "nn.Bilinear", "nn.Embedding", "nn.EmbeddingBag"]
    + [f"nn.Conv{kind}{dims}d" for kind in ("", "Transpose") for dims in (1, 2, 3)]
)
"""Layers whose `weight` is a matrix or more; scales of norms are vectors, and recurrent and
attention layers keep weights of other names."""
SETTING = Setting(
    "parametrize",
    "choice",
    "How the weight is computed from what is learned: "
    + "; ".join(f"{name}: {way.says}" for name, way in PARAMETRIZATIONS.items())
    + ".",
    default=None,
    choices=tuple(PARAMETRIZATIONS),
    optional=True,
    chooses=True,
)


FUNCTION_NAMES = frozenset(way.imported[1] for way in PARAMETRIZATIONS.values())
CLASSES = {way.class_name: way.code for way in PARAMETRIZATIONS.values() if way.code}
"""Classes that a source brings along for them, by name."""


def with_parametrize(block: Block) -> Block:
    """The block with the setting `parametrize`, if its layer holds a fitting weight."""
    if block.init not in FITTING:
        return block
    return replace(block, settings=(*block.settings, SETTING))


def chosen(block: Block, settings: Mapping[str, Any]) -> Parametrization | None:
    """The parametrization that settings choose; None without one."""
    if block.init not in FITTING:
        return None
    return PARAMETRIZATIONS.get(str(settings.get(SETTING.name)))
