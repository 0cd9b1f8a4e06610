"""Similarity of representations: linear CKA (Kornblith et al., 2019)."""

from collections.abc import Mapping

from torch import Tensor

from core.tasks.tensor_values import matrix_norm


def centred_gram(codes: Tensor) -> Tensor:
    """Inner products of all pairs of samples (S, S), of codes moved to mean 0."""
    moved = codes.double() - codes.double().mean(dim=0)
    return moved @ moved.T


def cka(one: Tensor, other: Tensor) -> float:
    """Linear CKA of two centred Gram matrices, from 0 to 1; 0 where one is all zeros."""
    scale = matrix_norm(one) * matrix_norm(other)
    return float((one * other).sum() / scale) if scale > 0 else 0.0


def cka_matrix(rows: Mapping[str, Tensor], columns: Mapping[str, Tensor]) -> list[list[float]]:
    """Linear CKA of codes (S, F) of some blocks against those of others, of the same samples."""
    down, across = (
        {name: centred_gram(codes) for name, codes in each.items()} for each in (rows, columns)
    )
    return [[cka(a, b) for b in across.values()] for a in down.values()]
