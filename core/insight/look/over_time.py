"""A film of one sample over the epochs of a run, as `layerloom look` has it."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from blocks import has
from core.common.network_ref import Moment, NetworkRef, RunRef
from core.insight.look.view import LookRequest, LookResult, View
from core.runs import epoch_weights

if TYPE_CHECKING:
    from torch import Tensor

MOST_BLOCKS = 8
"""As many as fit a page, where none is named."""


def film(ref: NetworkRef, request: LookRequest) -> LookResult:
    """The output of a block, or of the first ones, for a sample after each kept epoch.

    Raises NotReady where there is no epoch, NoSuch for a block that is not there.
    """
    import numpy as np

    from core.insight.load_model import NotReady
    from core.insight.network_cache import inputs_of
    from core.insight.over_time.film import FORMATS, drawn, maps_of

    epochs = epoch_weights.epochs(ref.folder) if isinstance(ref, RunRef) else []
    if not isinstance(ref, RunRef) or not epochs:
        raise NotReady(
            "There are no epochs to film.", "Choose a run that kept the weights of its epochs."
        )
    inputs = inputs_of(ref, request.sample, request.sample + 1)
    blocks = _blocks(ref, inputs, request.block)
    moments = [Moment(ref.folder, epoch) for epoch in epochs]
    seen = [maps_of(ref, inputs, blocks, moment) for moment in moments]
    written = request.format if request.format in FORMATS else "webp"
    arrays = {block: np.stack([maps[k] for maps in seen]) for k, block in enumerate(blocks)}
    text = f"{len(epochs)} epochs of {', '.join(blocks)}; -o FILE.webp or FILE.gif writes the film."
    return LookResult(
        {"epochs": epochs, "blocks": blocks, "frames": len(epochs)},
        (text,),
        {"epochs": np.array(epochs), **arrays},
        film=drawn(seen, blocks, [str(moment.epoch) for moment in moments], written),
    )


def _blocks(ref: NetworkRef, inputs: "Sequence[Tensor]", block: str) -> list[str]:
    """The requested block, else the first that compute something that is drawn."""
    from torch import Tensor

    from core.insight.attribution.subject import NoSuch
    from core.insight.network_cache import opened
    from core.insight.one_sample.values import forward

    network = opened(ref)
    nodes = network.report.nodes
    if block and block not in nodes:
        there = ", ".join(nodes)
        raise NoSuch(f"There is no block called {block}.", f"There are: {there}.")
    if block:
        return [block]
    wires = forward(network, inputs).wires
    computed = (
        p for p, n in nodes.items() if n.depth == 1 and not has(n.block, "end") and p in wires
    )
    held = (p for p in computed if isinstance(next(iter(wires[p].values()), None), Tensor))
    return list(islice(held, MOST_BLOCKS))


VIEWS = (
    View(
        "film",
        "block outputs, epoch by epoch",
        film,
        order=50,
        endings=(".webp", ".gif", ".json", ".npz"),
        all_epochs=True,
    ),
)
