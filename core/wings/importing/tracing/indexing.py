"""Advanced indexing decomposed: numbers and slices first (a view), then index tensors (a
gather)."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

WHOLE = slice(None)
LONGEST = 32
"""Numbers of a list that is written as it stands."""


def getitem(input: Tensor, index: Any) -> Tensor:
    """Apply the basic part of an index, then index the result with the tensors."""
    view, tensors, places = _split(input, _parts(input, index))
    if not tensors:
        return view
    if not _adjacent(places):  # their dimensions stand in front of the others then
        others = [dim for dim in range(view.dim()) if dim not in places]
        view, places = view.permute(*places, *others), [0]
    return view[(*(WHOLE,) * places[0], *tensors)]


def needs_getitem(input: Tensor, index: Any) -> bool:
    """Whether an index mixes tensors or lists with other parts, so that it must be decomposed."""
    if isinstance(index, Tensor) or not _is_known(index) or _is_literal(index):
        return False
    parts = _listed(index)
    begin = next((i for i, part in enumerate(parts) if not _is_whole(part)), len(parts))
    plain = all(isinstance(part, Tensor) and not _is_mask(part) for part in parts[begin:])
    return _has_tensors(parts) and not plain


def _is_literal(index: Any) -> bool:
    """Whether an index can be written as text: short lists of integers and no tensors."""
    if not isinstance(index, tuple) or any(isinstance(part, Tensor) for part in index):
        return False
    lists = [part for part in index if isinstance(part, list)]
    return bool(lists) and all(0 < len(part) <= LONGEST for part in lists)


def setitem(input: Tensor, index: Any, value: Any) -> None:
    """Assign through the basic part of an index, then through the index tensors."""
    single = not isinstance(value, Tensor) or not value.dim()
    if single and _is_mask(index) and [*map(int, index.shape)] == [*map(int, input.shape)]:
        input.masked_fill_(index, value)
        return
    view, tensors, places = _split(input, _parts(input, index))
    if len(tensors) == 1 and tensors[0].dim() == 1:
        _set_rows(view, places[0], tensors[0], value)
    else:
        values = value if isinstance(value, Tensor) else view.new_full((), value)
        view[tuple(tensors)] = values


def needs_setitem(input: Tensor, index: Any, value: Any) -> bool:
    """Whether an assignment by index tensors must be decomposed."""
    if not _is_known(index):
        return False
    parts = _listed(index)
    by_numbers = all(isinstance(part, Tensor) and not _is_mask(part) for part in parts)
    if not _has_tensors(parts) or (by_numbers and isinstance(value, Tensor)):
        return False
    places = _tensor_dims(input, parts)
    one = len(places) == 1 and all(not isinstance(p, Tensor) or p.dim() == 1 for p in parts)
    return one or places == list(range(len(places)))


def _set_rows(view: Tensor, dim: int, rows: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        view.index_fill_(dim, rows, value)
        return
    size = (*view.shape[:dim], rows.shape[0], *view.shape[dim + 1 :])
    view.index_copy_(dim, rows, value.expand(*size))


def _is_known(index: Any) -> bool:
    """Whether all parts are of supported kinds, without a 0-d tensor among several tensors."""
    parts = _listed(index)
    tensors = [part for part in parts if isinstance(part, (Tensor, list))]
    single = [part for part in tensors if isinstance(part, Tensor) and not part.dim()]
    kinds = (int, slice, list, Tensor, type(None), type(Ellipsis))
    usual = all(isinstance(part, kinds) and not isinstance(part, bool) for part in parts)
    flat = all(type(n) is int for part in parts if isinstance(part, list) for n in part)
    return usual and flat and not (single and len(tensors) > 1)


def _listed(index: Any) -> list[Any]:
    return list(index) if isinstance(index, tuple) else [index]


def _has_tensors(parts: Sequence[Any]) -> bool:
    return any(isinstance(part, (Tensor, list)) for part in parts)


def _is_whole(part: Any) -> bool:
    return isinstance(part, slice) and part == WHOLE


def _is_mask(part: Any) -> bool:
    return isinstance(part, Tensor) and part.dtype in (torch.bool, torch.uint8)


def _width(part: Any) -> int:
    """How many dimensions a part of an index consumes."""
    if part is None or part is Ellipsis:
        return 0
    return part.dim() if _is_mask(part) else 1


def _expand_ellipsis(input: Tensor, parts: Sequence[Any]) -> list[Any]:
    """Replace the ellipsis, or the missing end, by full slices."""
    rest = [WHOLE] * (input.dim() - sum(map(_width, parts)))
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), None)
    return [*parts, *rest] if at is None else [*parts[:at], *rest, *parts[at + 1 :]]


def _parts(input: Tensor, index: Any) -> list[Any]:
    """All parts of an index, with lists as tensors and masks as index tensors."""
    result: list[Any] = []
    for part in _expand_ellipsis(input, _listed(index)):
        if isinstance(part, list):
            result.append(torch.tensor(part, device=input.device))
        elif _is_mask(part):
            result += torch.where(part)
        else:
            result.append(part)
    return result


def _tensor_dims(input: Tensor, parts: Sequence[Any]) -> list[int]:
    """The dimensions of the index tensors after the basic part is applied."""
    result, dim = list[int](), 0
    for part in _expand_ellipsis(input, parts):
        if isinstance(part, (Tensor, list)):
            wide = _width(part)
            result += range(dim, dim + wide)
            dim += wide
        else:
            dim += not isinstance(part, int)
    return result


def _split(
    input: Tensor,
    parts: list[Any],
) -> tuple[Tensor, list[Tensor], list[int]]:
    """The view by the basic part; the index tensors, and their dimensions in that view."""
    basic = [WHOLE if isinstance(part, Tensor) else part for part in parts]
    while basic and _is_whole(basic[-1]):
        basic.pop()
    tensors = [part for part in parts if isinstance(part, Tensor)]
    return input[tuple(basic)] if basic else input, tensors, _tensor_dims(input, parts)


def _adjacent(places: Sequence[int]) -> bool:
    return list(places) == list(range(places[0], places[0] + len(places)))
