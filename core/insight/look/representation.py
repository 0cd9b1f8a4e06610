"""Maps, probes and similarities as `layerloom look` has them, and inputs that excite a channel."""

from dataclasses import asdict

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View

CELL_PX = 640


def embedding(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Principal components of the validation samples at a block, the last one unless named."""
    import numpy as np

    from core.insight.representation import api

    names = api.blocks(ref)
    node = request.block or (names[-2] if len(names) > 1 else names[0])
    points = api.embedding(ref, node, "tsne" if request.tsne else "pca")
    shares = " and ".join(f"{share:.1%}" for share in points.shares)
    about = f"the first two principal components, {shares} of the variance"
    if request.tsne:
        about = "t-SNE: distances between clusters mean nothing"
    elif not points.shares[0]:
        about = "the same output for all of them"
    lines = [f"{len(points.x)} validation samples at {points.node}: {about}."]
    arrays = {"xy": np.array([points.x, points.y]).T, "labels": np.array(points.labels)}
    return LookResult(asdict(points), tuple(lines), arrays)


def probe(ref: NetworkRef, _asked: LookRequest) -> LookResult:
    """What a linear rule reads from each block."""
    from core.insight.representation import api

    probes = api.probes(ref)
    guess = f"; always the most frequent class: {probes.guess:.1%}" if probes.guess else ""
    lines = [
        f"Linear probes ({probes.rule} fitted on {probes.trained_on} training samples), "
        f"{probes.metric} on {probes.tried_on} validation samples{guess}:"
    ]
    lines += [f"{path} ({block}): {score:.1%}" for path, block, score in probes.by_block]
    document = {
        **asdict(probes),
        "by_block": [
            {"block": path, "kind": block, "score": score} for path, block, score in probes.by_block
        ],
    }
    return LookResult(document, tuple(lines))


def similarity(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Linear CKA between blocks, or with those of another run."""
    import numpy as np

    from core.insight.attribution.pictures import heat
    from core.insight.representation import api

    similarities = api.similarity(ref, request.other)
    values = np.array(similarities.values)
    lines = [f"Linear CKA on {similarities.samples} validation samples:"]
    lines += [
        f"{name}: "
        + "  ".join(
            f"{other} {value:.2f}" for other, value in zip(similarities.columns, row, strict=True)
        )
        for name, row in zip(similarities.rows, similarities.values, strict=True)
    ]
    return LookResult(
        asdict(similarities), tuple(lines), {"cka": values}, heat(values, False, CELL_PX)
    )


def excite(ref: NetworkRef, request: LookRequest) -> LookResult:
    """An input that excites a channel of a block, and how much it does at first and last."""
    import numpy as np

    from core.insight.attribution.pictures import heat
    from core.insight.network_cache import opened
    from core.insight.representation import excite as exciting
    from core.insight.thumbnails import sample_picture
    from core.tasks.tensor_values import nested

    network, node = opened(ref), request.block
    ascent = exciting.ascent_of(ref, node, request.channel)
    wanted = (ascent.input_index, node, request.channel, ascent.bounds, ascent.last)
    made, means = exciting.excite(network.module, network.report, ascent.given, *wanted)
    document = {
        "block": node,
        "channel": request.channel,
        "first": means[0],
        "last": means[-1],
        "bounds": list(ascent.bounds),
        "shape": list(made.shape[1:]),
        "values": nested(made[0]),
    }
    line = f"{node}, channel {request.channel}: mean {means[0]:.4g}, {means[-1]:.4g} at the end."
    array = made[0].numpy()
    picture = sample_picture(array, exciting.WIDTH_PX) or heat(
        np.atleast_2d(array), False, exciting.WIDTH_PX
    )
    return LookResult(document, (line,), {"input": array, "means": np.array(means)}, picture)


VIEWS = (
    View("embedding", "PCA of all samples at a block", embedding, sample=False, order=30),
    View("probe", "linear probe of each block", probe, sample=False, order=31),
    View("similarity", "linear CKA between blocks", similarity, sample=False, order=32),
    View("excite", "input optimised to excite a channel", excite, sample=False, order=33),
)
