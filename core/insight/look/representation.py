"""Maps, probes and similarities as `layerloom look` has them. With torch."""

from dataclasses import asdict

import numpy as np

from core.insight.attribution.pictures import heat
from core.insight.look.ways import LookRequest, LookResult
from core.insight.representation import api
from core.network_ref import NetworkRef

CELL_PX = 640


def embedding(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Principal components of the validation samples at a block, the last one unless named."""
    names = api.blocks(ref)
    node = request.block or (names[-2] if len(names) > 1 else names[0])
    found = api.embedding(ref, node, "tsne" if request.tsne else "pca")
    shares = " and ".join(f"{share:.1%}" for share in found.shares)
    about = (
        "t-SNE: distances between clusters mean nothing"
        if request.tsne
        else (f"the first two principal components, {shares} of the variance")
    )
    lines = [f"{len(found.x)} validation samples at {found.node}: {about}."]
    arrays = {"xy": np.array([found.x, found.y]).T, "labels": np.array(found.labels)}
    return LookResult(asdict(found), tuple(lines), arrays)


def probe(ref: NetworkRef, _asked: LookRequest) -> LookResult:
    """What a linear rule reads from each block."""
    found = api.probes(ref)
    guess = f"; always the most frequent class: {found.guess:.1%}" if found.guess else ""
    lines = [
        f"Linear probes ({found.rule} fitted on {found.trained_on} training samples), "
        f"{found.metric} on {found.tried_on} validation samples{guess}:"
    ]
    lines += [f"{path} ({block}): {score:.1%}" for path, block, score in found.by_block]
    document = {
        **asdict(found),
        "by_block": [
            {"block": path, "kind": block, "score": score} for path, block, score in found.by_block
        ],
    }
    return LookResult(document, tuple(lines))


def similarity(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Linear CKA between blocks, or with those of another run."""
    found = api.similarity(ref, request.other)
    values = np.array(found.values)
    lines = [f"Linear CKA on {found.samples} validation samples:"]
    lines += [
        f"{name}: "
        + "  ".join(f"{other} {value:.2f}" for other, value in zip(found.columns, row, strict=True))
        for name, row in zip(found.rows, found.values, strict=True)
    ]
    return LookResult(asdict(found), tuple(lines), {"cka": values}, heat(values, False, CELL_PX))
