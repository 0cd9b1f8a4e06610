"""Storages of tensors: which tensors share one, and how many bytes they take."""

from collections.abc import Iterable

from torch import Tensor


def storage_key(tensor: Tensor) -> int:
    """A number that tensors on one storage share, also those without data."""
    return tensor.untyped_storage()._cdata  # pyright: ignore[reportPrivateUsage] # fake tensors have no data_ptr


def storage_bytes(tensor: Tensor) -> int:
    """Bytes of the whole storage of a tensor."""
    return tensor.untyped_storage().nbytes()


def storages_bytes(tensors: Iterable[Tensor]) -> int:
    """Bytes of tensors, each storage once."""
    return sum({storage_key(t): storage_bytes(t) for t in tensors}.values())
