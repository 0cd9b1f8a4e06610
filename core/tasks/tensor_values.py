"""Values and linear algebra of tensors, with the types that torch's own stubs leave open."""

# pyright: reportUnknownMemberType=false
from collections.abc import Sequence
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


def nested(tensor: Tensor) -> list[Any]:
    """A tensor of one dimension or more as nested lists."""
    return _values(tensor)


def split(tensor: Tensor, size: int) -> Sequence[Tensor]:
    """A tensor in parts of so many rows, the last one perhaps smaller."""
    return cast(Sequence[Tensor], tensor.split(size))


def norm(tensor: Tensor, dim: int | None = None) -> Tensor:
    """The Euclidean norm along a dimension; None: of all values."""
    return cast(Tensor, torch.linalg.vector_norm(tensor, dim=dim))


def distance(first: Tensor, second: Tensor, dim: int | None = None) -> Tensor:
    """The Euclidean distance along a dimension; None: of all values."""
    return norm(first - second, dim)


def matrix_norm(matrix: Tensor) -> Tensor:
    """The Frobenius norm of a matrix."""
    return cast(Tensor, torch.linalg.matrix_norm(matrix))


def solve(matrix: Tensor, right: Tensor) -> Tensor:
    """X of matrix @ X = right."""
    return cast(Tensor, torch.linalg.solve(matrix, right))


def eigh(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues of a symmetric matrix, the smallest first, and its eigenvectors as columns."""
    return cast(tuple[Tensor, Tensor], torch.linalg.eigh(matrix))


def svd(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The reduced singular value decomposition of a matrix (P, D): U, S and V^H."""
    return cast(tuple[Tensor, Tensor, Tensor], torch.linalg.svd(matrix, full_matrices=False))


def _values(tensor: Tensor) -> list[Any]:
    return cast(list[Any], tensor.tolist())
