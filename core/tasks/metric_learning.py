"""Distances of pairs and triplets, and embeddings of their samples, as arrays.

first, second, third  (K, ...) the pictures of a pair, or anchor, positive and negative of a triplet
apart        (K, 1) or (K, 2) distances: of a pair, or of the anchor to both others
alike_true   (K,) of pairs: whether they are of one class; alike_said: the prediction
similar      of pairs compared by direction: "apart" are cosines, the highest for the most alike
limit        of pairs: where one class ends
places       (P, 2) the codes of the first samples along their two directions of most variance
shares       (2,) which part of the variance these have
nearest      the share of them whose nearest other one, by their whole codes, is of their class
kinds        (P,) their classes; "classes": the names of these
"""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.tasks.prediction_batch import Arrays, PredictionBatch, plain
from core.tasks.tensor_values import distance, svd

SHOWN, POINTS = 12, 300
PAIR, TRIPLET = ("first", "second"), ("anchor", "positive", "negative")
NAMES = ("first", "second", "third")
COMPARES = (nn.PairwiseDistance, nn.CosineSimilarity)


def pairs(batch: PredictionBatch, apart: Tensor, limit: float, *, cosine: bool) -> Arrays:
    """Of pairs; as many alike as not. apart: their distances, or their cosines."""
    if batch.targets is None:
        return {}
    same = batch.targets.reshape(-1) > 0
    half = SHOWN // 2
    sides = [each.nonzero()[:half, 0] for each in (same, ~same)]
    many = min(len(side) for side in sides)
    rows = torch.stack([side[:many] for side in sides], 1).flatten() if many else torch.cat(sides)
    found = {
        "apart": plain(apart[rows, None].float()),
        "alike_true": plain(same[rows]),
        "alike_said": plain((apart > limit if cosine else apart < limit)[rows]),
        "similar": np.array(cosine),
        "limit": np.array(limit),
    }
    return found | _pictures(batch, PAIR, rows) | _map(batch, directions=cosine)


def triplets(batch: PredictionBatch) -> Arrays:
    """Of triplets: how far the anchor is from both others."""
    anchor, *others = (output[:SHOWN] for output in batch.predictions)
    apart = [distance(anchor, other, dim=1) for other in others]
    rows = torch.arange(len(anchor), device=anchor.device)
    found = {"apart": plain(torch.stack(apart, dim=1).float())}
    return found | _pictures(batch, TRIPLET, rows) | _map(batch)


def _pictures(batch: PredictionBatch, columns: tuple[str, ...], rows: Tensor) -> Arrays:
    fed = [batch.fed(column) for column in columns]
    if batch.info.kind != "image":
        return {}
    inputs = batch.validated.inputs
    return {n: plain(inputs[i][rows]) for n, i in zip(NAMES, fed, strict=False) if i is not None}


def _map(batch: PredictionBatch, directions: bool = False) -> Arrays:
    if batch.kinds is None:
        return {}
    kinds = batch.kinds[:POINTS]
    codes = batch.predictions[0] if len(batch.predictions) > 1 else _compared(batch, len(kinds))
    if codes is None:
        return {}
    codes = codes[: len(kinds)].flatten(1).detach().cpu().double()
    kinds = kinds[: len(codes)].cpu()
    codes = F.normalize(codes, dim=1) if directions else codes
    found = principal(codes)
    if found:
        found |= {"kinds": plain(kinds), "nearest": np.array(nearest(codes, kinds))}
        found |= {"classes": np.array(batch.info.classes)}
    return found


def _compared(batch: PredictionBatch, count: int) -> Tensor | None:
    """What the block that compares both samples of a pair receives of the first; None without."""
    module = batch.validated.module
    block = next((part for part in module.modules() if isinstance(part, COMPARES)), None)
    if block is None:
        return None
    codes: list[Tensor] = []
    hook = block.register_forward_pre_hook(lambda _, inputs: codes.append(inputs[0].clone()))
    size = batch.validated.batch_size
    inputs = batch.validated.inputs
    try:
        for start in range(0, count, size):
            module(*(column[start : min(start + size, count)] for column in inputs))
    finally:
        hook.remove()
    whole = torch.cat(codes)
    return whole if len(whole) == count else None


def nearest(codes: Tensor, kinds: Tensor) -> float:
    """The share of codes (P, D) whose nearest other one is of their kind."""
    apart = torch.cdist(codes, codes).fill_diagonal_(torch.inf)
    return float((kinds[apart.argmin(dim=1)] == kinds).double().mean())


def principal(codes: Tensor) -> Arrays:
    """The first two principal components of codes (P, D); {} where all are the same or no numbers.

    Each direction points to where its largest weight is positive, so that pictures stay upright.
    """
    centred = codes - codes.mean(dim=0)
    if not torch.isfinite(centred).all() or not centred.any():
        return {}
    _, sizes, axes = svd(centred)
    shares = F.pad(sizes.square() / sizes.square().sum(), (0, 1))[:2]
    largest = axes.gather(1, axes.abs().argmax(dim=1, keepdim=True))
    places = F.pad(centred @ (axes * largest.sign()).T, (0, 1))[:, :2]
    return {"places": plain(places), "shares": plain(shares)}
