"""The catalogue: every block a graph can use, declared once, importing nothing but Python."""

from blocks import arithmetic, convolution, ends, linear
from blocks.signature import Batch, Dim, N, Signature
from blocks.spec import CATALOGUE, Block, Fix, Infer, Port, Problem, Setting

__all__ = [
    "CATALOGUE",
    "Batch",
    "Block",
    "Dim",
    "Fix",
    "Infer",
    "N",
    "Port",
    "Problem",
    "Setting",
    "Signature",
    "arithmetic",
    "convolution",
    "ends",
    "linear",
]
