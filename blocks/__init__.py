"""The catalogue: every block a graph can use, declared once, importing nothing but Python."""

from blocks import (
    activation,
    arithmetic,
    attention,
    convolution,
    dropout,
    embedding,
    ends,
    linear,
    normalisation,
    pooling,
    recurrent,
    resizing,
    shape,
)
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
    "activation",
    "arithmetic",
    "attention",
    "convolution",
    "dropout",
    "embedding",
    "ends",
    "linear",
    "normalisation",
    "pooling",
    "recurrent",
    "resizing",
    "shape",
]
