"""An input optimised for a channel, as the page shows it and as a script."""

from functools import lru_cache

import numpy as np
from torch import Tensor

from core.common.network_ref import NetworkRef
from core.insight.attribution.pictures import heat
from core.insight.network_cache import opened, validation
from core.insight.representation.excite import Ascent, ascent_of, excite, jitter_of
from core.insight.thumbnails import sample_picture
from core.insight.weight_detail import MadeInput
from core.script.excerpt import excerpt
from core.source.paths import node_paths
from core.tasks.tensor_values import floats

WIDTH_PX, MOST_COLUMNS, FLAT = 150, 64, 1e-3
HEAD = "from collections.abc import Callable\n\nimport torch\nfrom torch import Tensor"


@lru_cache(maxsize=16)
def made(ref: NetworkRef, node: str, channel: int) -> MadeInput:
    """An input that makes a channel of a node large. Raises NotExplained, NoSuch, DataError."""
    network, ascent = opened(ref), ascent_of(ref, node, channel)
    wanted = (ascent.input_index, node, channel, ascent.bounds, ascent.last)
    found, means = excite(network.module, network.report, ascent.given, *wanted)
    row = _row(ref, found[0], ascent.input_index)
    picture = b"" if row else _picture(ref, found[0])
    flat = bool(picture) and float(found.max() - found.min()) < FLAT
    return MadeInput(picture, row, means[0], means[-1], script(ref, node, channel, ascent), flat)


def _row(ref: NetworkRef, value: Tensor, input_index: int) -> tuple[tuple[str, float], ...]:
    """What each column of a table holds; () for what is no row of one."""
    info = validation(ref)[0].info
    if info.kind != "table" or value.ndim != 1:
        return ()
    names, feed = info.origin.columns, info.feeds[input_index]
    places = list(feed.picks) or range(value.numel())
    called = [names[k] if k < len(names) else f"column {k + 1}" for k in places]
    return tuple(zip(called, floats(value), strict=False))[:MOST_COLUMNS]


def _picture(ref: NetworkRef, value: Tensor) -> bytes:
    info = validation(ref)[0].info
    shape = tuple(info.sample_shape) if info.kind == "image" else ()
    array = value.reshape(shape).numpy() if value.numel() == np.prod(shape) else value.numpy()
    return sample_picture(array, WIDTH_PX) or heat(np.atleast_2d(array), False, WIDTH_PX)


def script(ref: NetworkRef, node: str, channel: int, ascent: Ascent) -> str:
    """Plain PyTorch that makes the same input of `model`; `inputs` where there are several."""
    network = opened(ref)
    paths = node_paths(network.module, network.report.lines)
    own = next((name for name, path in paths.items() if path == node), node)
    several = len(ascent.given) > 1
    call = f"model(*inputs[:{ascent.input_index}], made, *inputs[{ascent.input_index + 1}:])"
    shape = tuple(ascent.given[ascent.input_index].shape)
    low, high = ascent.bounds
    return f"""{HEAD}


{excerpt("core.insight.representation.ascent", "ascend")}


def mean_of(made: Tensor) -> Tensor:
    {call if several else "model(made)"}
    return seen["out"][{"..., " if ascent.last else ":, "}{channel}].mean()


seen: dict[str, Tensor] = {{}}


def keep(layer: torch.nn.Module, given: tuple[Tensor, ...], out: Tensor) -> None:
    if out.requires_grad:  # it reads what is made, no other input
        seen["out"] = out


layer = model.eval().requires_grad_(False).get_submodule("{own}")
layer.register_forward_hook(keep)
made, means = ascend(mean_of, {shape}, {low!r}, {high!r}, jitter={jitter_of(shape)})
"""
