"""Values and gradients of all blocks for one sample, as `layerloom look` has them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View

if TYPE_CHECKING:
    from torch import Tensor

PICTURE_PX = 640


def values(ref: NetworkRef, request: LookRequest) -> LookResult:
    """The outputs of the blocks for a sample, in evaluation mode."""
    from core.insight.features import capture
    from core.insight.network_cache import inputs_of, opened

    network = opened(ref)
    inputs = inputs_of(ref, request.sample, request.sample + 1)
    found = capture(network.module, network.report, inputs, _wanted(ref, request)).values
    return _looked(ref, request, _first_of_each(ref, found))


def gradients(ref: NetworkRef, request: LookRequest) -> LookResult:
    """The gradient of the sample's loss by the blocks' outputs, in evaluation mode."""
    from core.insight.attribution.block_gradients import block_gradients
    from core.insight.network_cache import inputs_of, objective, opened, validation_rows
    from core.tasks.metrics import as_tuple

    network = opened(ref)
    index, wanted = request.sample, _wanted(ref, request)
    targets = [column[index : index + 1] for column in validation_rows(ref)[1]]
    losses = objective(ref)

    def loss(returned: Any) -> "Tensor":
        return losses.total(losses.values(as_tuple(returned), targets))

    _, found = block_gradients(
        network.module,
        network.report,
        inputs_of(ref, index, index + 1),
        loss,
        None if wanted is None else frozenset(wanted),
    )
    return _looked(ref, request, _first_of_each(ref, found))


def _wanted(ref: NetworkRef, request: LookRequest) -> list[str] | None:
    from core.insight.attribution.subject import NoSuch
    from core.insight.network_cache import opened

    names = list(opened(ref).report.nodes)
    if request.block and request.block not in names:
        raise NoSuch(
            f"There is no block called {request.block}.", f"There are: {', '.join(names)}."
        )
    return [request.block] if request.block else None


def _first_of_each(ref: NetworkRef, values: Mapping[str, Any]) -> "dict[str, Tensor]":
    """The first tensor of each block for the sample, in the order of the drawing."""
    from core.insight.eval_context import first_tensor
    from core.insight.network_cache import opened

    shown: dict[str, Tensor] = {}
    for name in opened(ref).report.nodes:
        try:
            shown[name] = first_tensor(values[name])[0]
        except (KeyError, TypeError, IndexError):  # it did not run, or gives a size
            continue
    return shown


def _looked(ref: NetworkRef, request: LookRequest, shown: "Mapping[str, Tensor]") -> LookResult:
    from core.insight.attribution.subject import NoSuch
    from core.tasks.tensor_values import nested

    if request.block and not shown:
        kind = "gradient" if request.what == "gradients" else "value"
        raise NoSuch(
            f"{request.block} has no {kind}.",
            f"Leave out --block to list the blocks with a {kind}.",
        )
    rows = [{"block": name, **figures(value)} for name, value in shown.items()]
    if request.block:
        rows[0]["values"] = nested(shown[request.block])
    lines = [
        f"{row['block']}: {tuple(row['shape'])}, lowest {row['low']:.4g}, mean {row['mean']:.4g}, "
        f"highest {row['high']:.4g}"
        + (f", {row['not_finite']} not finite" if row["not_finite"] else "")
        for row in rows
    ]
    arrays = {name: value.numpy() for name, value in shown.items()}
    return LookResult({"blocks": rows}, tuple(lines), arrays, _picture(ref, request, shown))


def _picture(ref: NetworkRef, request: LookRequest, shown: "Mapping[str, Tensor]") -> bytes:
    from core.insight.network_cache import opened
    from core.insight.thumbnails import shoot

    if not request.block:
        return b""
    block = opened(ref).report.nodes[request.block].block
    return shoot(request.block, block, shown[request.block].numpy(), PICTURE_PX).picture


def figures(value: "Tensor") -> dict[str, Any]:
    """Shape, type and spread of a tensor; what is not finite is counted and left out."""
    import torch

    numbers = value.detach().double().flatten()
    finite = numbers[numbers.isfinite()]
    known = finite if len(finite) else torch.tensor([torch.nan], dtype=torch.float64)
    return {
        "shape": list(value.shape),
        "dtype": str(value.dtype).removeprefix("torch."),
        "low": float(known.min()),
        "mean": float(known.mean()),
        "high": float(known.max()),
        "std": float(known.std(correction=0)),
        "zeros": int((numbers == 0).sum()),
        "not_finite": int(len(numbers) - len(finite)),
    }


VIEWS = (
    View("values", "output of each block", values, order=1),
    View(
        "gradients", "gradient of the loss with respect to each block's output", gradients, order=2
    ),
)
