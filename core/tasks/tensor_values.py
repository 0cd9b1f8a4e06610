"""Values and linear algebra of tensors, with the types that torch's own stubs leave open."""

# pyright: reportUnknownMemberType=false
from typing import Any, cast

import torch
from torch import Tensor


def ints(tensor: Tensor) -> list[int]:
    """A tensor (N,) of whole numbers as a list."""
    return _values(tensor)


def floats(tensor: Tensor) -> list[float]:
    """A tensor (N,) of numbers as a list."""
    return _values(tensor)


def bools(tensor: Tensor) -> list[bool]:
    """A tensor (N,) of booleans as a list."""
    return _values(tensor)


def distance(first: Tensor, second: Tensor, dim: int | None = None) -> Tensor:
    """The Euclidean distance along a dimension; None: of all values."""
    return cast(Tensor, torch.linalg.vector_norm(first - second, dim=dim))


def svd(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The reduced singular value decomposition of a matrix (P, D): U, S and V^H."""
    return cast(tuple[Tensor, Tensor, Tensor], torch.linalg.svd(matrix, full_matrices=False))


def _values(tensor: Tensor) -> list[Any]:
    return cast(list[Any], tensor.tolist())
