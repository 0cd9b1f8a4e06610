"""Codes of many samples on a plane: principal components, and t-SNE."""

from typing import Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.tasks.tensor_values import svd

PERPLEXITY, SEED = 30.0, 0
ROUNDING = 1e-6  # of the largest code: smaller differences are none


class Embedding(Protocol):
    """A method of scikit-learn that places samples (S, F) on a plane (S, 2)."""

    def fit_transform(self, samples: NDArray[np.float32], /) -> NDArray[np.float32]: ...


def pca(codes: Tensor) -> tuple[Tensor, tuple[float, float]]:
    """The first two principal components of codes (S, F): (S, 2) and the shares of the variance.

    The sign of each is such that its largest coordinate is positive. Where all codes are the same
    but for rounding, all lie at 0 and the shares are 0.
    """
    centred = codes.double() - codes.double().mean(dim=0)
    if centred.abs().max() <= ROUNDING * codes.abs().max():
        return centred.new_zeros(len(codes), 2), (0.0, 0.0)
    left, sizes, _ = svd(centred)
    places = left[:, :2] * sizes[:2]
    if places.shape[1] < 2:  # one number a sample: all lie on a line
        places = torch.cat([places, torch.zeros(len(places), 1, dtype=places.dtype)], dim=1)
    largest = places.gather(0, places.abs().argmax(dim=0, keepdim=True))
    places = places * torch.where(largest < 0, -1.0, 1.0)
    whole = float(sizes.square().sum()) or 1.0
    shares = [float(size**2) / whole for size in sizes[:2]] + [0.0]
    return places, (shares[0], shares[1])


def tsne(codes: Tensor) -> Tensor:
    """t-SNE of codes (S, F) by scikit-learn, always the same: (S, 2).

    Distances between clusters, and their sizes, mean nothing.
    """
    from sklearn.manifold import TSNE  # pyright: ignore[reportMissingTypeStubs] # there are none

    near = min(PERPLEXITY, max(1.0, (len(codes) - 1) / 3))
    made = TSNE(n_components=2, perplexity=near, init="pca", random_state=SEED)
    plane = cast(Embedding, made)
    return torch.as_tensor(plane.fit_transform(codes.float().numpy())).double()
