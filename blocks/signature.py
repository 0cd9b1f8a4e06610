"""What travels on a wire: shape and dtype, with the batch kept as the symbol N."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Batch:
    """A dimension that grows with the batch: `times * N + plus`."""

    times: int = 1
    plus: int = 0

    def __str__(self) -> str:
        product = "N" if self.times == 1 else f"{self.times}*N"
        if not self.plus:
            return product
        return f"{product} {'+' if self.plus > 0 else '-'} {abs(self.plus)}"


Dim = int | Batch | None  # None: the size depends on the data
N = Batch()


@dataclass(frozen=True)
class Signature:
    """Shape (batch included) and dtype name of one tensor, such as (N, 6, 28, 28) float32.

    A wire may carry an integer instead (a size): its dtype is "size", and `value` what it is.
    """

    shape: tuple[Dim, ...]
    dtype: str = "float32"
    value: Dim = None

    @property
    def is_size(self) -> bool:
        """Whether it is an integer, not a tensor."""
        return self.dtype == "size"

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def floating(self) -> bool:
        return self.dtype.startswith(("float", "bfloat"))

    def __str__(self) -> str:
        return show_dim(self.value) if self.is_size else show(self.shape)


def size_of(value: Dim) -> Signature:
    """Make the signature of an integer on a wire."""
    return Signature((), "size", value)


def show_dim(dim: Dim) -> str:
    """Write one dimension as the screen and the source comments do."""
    return "?" if dim is None else str(dim)


def show(shape: tuple[Dim, ...]) -> str:
    """Write a shape as (N, 6, 28, 28)."""
    inner = ", ".join(show_dim(dim) for dim in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"
