"""The two ends of a network that data meets: what its Input takes and its Output puts out."""

from collections.abc import Sequence

from blocks.signature import N, Signature
from core.data.catalogue import Shape
from core.data.errors import DataError

Ends = Sequence[tuple[str, Signature]]


def ends(inputs: Ends, outputs: Ends) -> tuple[Shape, Shape]:
    """Shapes of one sample at the Input and at the Output of a report, batch left out.

    Raises DataError for several Inputs or Outputs, for inputs that are not floats, and for sizes
    that are not known before the data is.
    """
    _only(inputs, "Input")
    _only(outputs, "Output")
    name, signature = inputs[0]
    if signature.dtype != "float32":
        raise DataError(
            f"{name} needs {signature.dtype} but receives float32 from the data.",
            f"Set the dtype of {name} to float32.",
        )
    return _sample(*inputs[0]), _sample(*outputs[0])


def _only(found: Ends, block: str) -> None:
    if len(found) != 1:
        names = f" ({', '.join(name for name, _ in found)})" if found else ""
        raise DataError(
            f"Training needs one {block} but the network has {len(found)}{names}.",
            f"Keep one {block} in a network that is to be trained.",
        )


def _sample(name: str, signature: Signature) -> Shape:
    first, *rest = signature.shape or (None,)
    sizes = tuple(size for size in rest if isinstance(size, int))
    if first != N or len(sizes) != len(rest):
        raise DataError(
            f"{name} has the shape {signature}, which is not one result for each sample.",
            "Keep the batch, N, as the first dimension.",
        )
    return sizes
