"""A column of images that is read batch by batch, never all at once.

It replaces a tensor of all samples: `len`, `shape`, slices and `index_select` give tensors; `take`
gives a part of the column.
"""

import hashlib
import math
import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Protocol, cast

import numpy as np
import torch
from torch import Tensor

from core.common.device import CPU, has
from core.data.pictures.augment import augment
from core.data.pictures.mask_values import VOID
from core.data.pictures.transform import AugmentStep

KEPT_BYTES = 32 << 20
"""Bytes of the file that may lie in this process's memory before they are let go again."""
HELD_BYTES = 256 << 20
"""Bytes that pictures may take to be held as one tensor."""
UNIT = 1.0 / 255
IGNORED = -100
"""The class of a pixel that has none: what losses of torch ignore unless told otherwise."""
STATISTICS_VALUES = 1 << 21
"""Values whose sums are taken in one go, as eight bytes each."""


class Store(Protocol):
    """Where pictures lie."""

    def gather(self, rows: Tensor) -> Tensor:
        """Pictures (N, C, H, W) from 0 to 1, float32."""
        ...


class InMemoryPixels:
    """Pictures that are a tensor already."""

    def __init__(self, pixels: Tensor) -> None:
        self.pixels = pixels

    def gather(self, rows: Tensor) -> Tensor:
        return self.pixels.index_select(0, rows)


class MappedPixels:
    """Pictures in a file of bytes, mapped into memory: the system keeps what it has room for.

    lock: what keeps the file there as long as this lives.
    """

    def __init__(
        self, path: Path, rows: int, shape: tuple[int, int, int], lock: IO[bytes] | None = None
    ) -> None:
        self.shape, self.lock = shape, lock
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._map.madvise(mmap.MADV_RANDOM)
        self._bytes = np.frombuffer(self._map, np.uint8).reshape(rows, *shape)
        self._touched = 0

    def bytes_of(self, rows: Tensor) -> Tensor:
        """Pictures (N, C, H, W) as they lie there, uint8."""
        found = torch.from_numpy(self._bytes.take(rows.numpy(), axis=0))
        self._touched += found.numel()
        if self._touched > KEPT_BYTES:
            self._map.madvise(mmap.MADV_DONTNEED)
            self._touched = 0
        return found

    def gather(self, rows: Tensor) -> Tensor:
        return self.bytes_of(rows).float().mul_(UNIT)


class Planes:
    """Some planes of the pictures in a file: those of the pictures, or that of their masks."""

    def __init__(self, whole: MappedPixels, start: int, stop: int) -> None:
        self.whole, self.start, self.stop = whole, start, stop
        self.shape = (stop - start, *whole.shape[1:])

    def bytes_of(self, rows: Tensor) -> Tensor:
        """Planes (N, C, H, W) as they lie there, uint8."""
        return self.whole.bytes_of(rows)[:, self.start : self.stop]

    def gather(self, rows: Tensor) -> Tensor:
        return self.bytes_of(rows).float().mul_(UNIT)

    def digest(self, rows: Tensor) -> str:
        """SHA-256 of the planes of these rows, in their order."""
        found = hashlib.sha256()
        for some in rows.split(max(1, STATISTICS_VALUES // math.prod(self.whole.shape))):
            found.update(self.bytes_of(some).contiguous().numpy().data)
        return found.hexdigest()


class Pixels:
    """Rows of a store as an Input receives them: augmented, normalised, in its shape."""

    def __init__(
        self,
        store: Store,
        rows: Tensor,
        shape: Sequence[int],
        normal: tuple[Tensor, Tensor] | None = None,
        steps: Sequence[AugmentStep] = (),
        device: torch.device | str = CPU,
    ) -> None:
        self.store, self.rows, self.normal, self.steps = store, rows, normal, tuple(steps)
        self.sample, self.device = tuple(shape), torch.device(device)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> torch.Size:
        return torch.Size((len(self.rows), *self.sample))

    def size(self, dim: int) -> int:
        """How long the column is that way."""
        return self.shape[dim]

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32

    def is_floating_point(self) -> bool:
        return True

    def take(self, rows: Tensor) -> "Pixels":
        """The part of the column that these rows are."""
        return self._like(self.rows[rows.cpu()], self.device)

    def to(self, device: torch.device | str) -> "Pixels":
        """The same column, its batches brought to a device."""
        return self._like(self.rows, device)

    def _like(self, rows: Tensor, device: torch.device | str) -> "Pixels":
        return Pixels(self.store, rows, self.sample, self.normal, self.steps, device)

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        """The batch of these rows; dim is 0."""
        batch = augment(self.store.gather(self.rows[index.cpu()]), self.steps)
        if self.normal:
            batch = (batch - self.normal[0]).div_(self.normal[1])
        return self._moved(batch)

    def _moved(self, batch: Tensor) -> Tensor:
        """A batch in the shape of a sample, on the device."""
        batch = batch.reshape(-1, *self.sample)
        if not has(self.device, "pinned"):
            return batch.to(self.device)
        # from pinned memory the GPU fetches it, while the processor makes the next batch
        return batch.pin_memory().to(self.device, non_blocking=True)

    def __getitem__(self, key: slice | int | Tensor) -> Tensor:
        rows = torch.arange(len(self.rows))[key.cpu() if isinstance(key, Tensor) else key]
        found = self.index_select(0, rows.reshape(-1))
        return found if rows.dim() else found[0]

    def split(self, size: int) -> Iterator[Tensor]:
        """All batches in order."""
        for start in range(0, len(self), size):
            yield self[start : start + size]


class MaskPixels(Pixels):
    """Rows of masks as a loss compares with: the class of each pixel, (N, H, W) int64; `IGNORED`
    where there is none."""

    def __init__(
        self,
        planes: Planes,
        rows: Tensor,
        shape: Sequence[int],
        device: torch.device | str = CPU,
    ) -> None:
        super().__init__(planes, rows, shape, None, (), device)
        self.planes = planes

    @property
    def dtype(self) -> torch.dtype:
        return torch.int64

    def is_floating_point(self) -> bool:
        return False

    def _like(self, rows: Tensor, device: torch.device | str) -> "MaskPixels":
        return MaskPixels(self.planes, rows, self.sample, device)

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        """The batch of these rows; dim is 0."""
        classes = self.planes.bytes_of(self.rows[index.cpu()])[:, 0].long()
        return self._moved(classes.masked_fill_(classes == VOID, IGNORED))


def column(pixels: Pixels) -> Tensor:
    """Pixels typed as a tensor: they have the methods that a column needs."""
    return cast(Tensor, pixels)


def in_memory(column: Tensor) -> Tensor:
    """The column; pictures without augmentation, if they are few enough, as one tensor: then a step
    needs nothing from the CPU and can be compiled or recorded."""
    pixels: Any = column
    if not isinstance(pixels, Pixels) or pixels.steps:
        return column
    size = math.prod(pixels.shape) * pixels.dtype.itemsize
    return pixels[:] if size <= HELD_BYTES else column


def part(column: Tensor, rows: Tensor) -> Tensor:
    """Some rows of a column."""
    held: Any = column
    return cast(Tensor, held.take(rows)) if isinstance(held, Pixels) else column[rows]


def statistics(batches: Iterator[Tensor]) -> tuple[list[float], list[float]]:
    """Mean and deviation of each channel, from 0 to 1, of bytes (N, C, H, W)."""
    count, sums, squares = 0, torch.tensor(0), torch.tensor(0)
    for batch in batches:
        pixels = batch.long()  # whole numbers add up exactly, in any order
        count += pixels[:, 0].numel()
        sums = sums + pixels.sum((0, 2, 3))
        squares = squares + (pixels * pixels).sum((0, 2, 3))
    pairs = list(zip(sums.tolist(), squares.tolist(), strict=True))
    mean = [s / count / 255 for s, _ in pairs]
    std = [math.sqrt(count * q - s * s) / count / 255 or 1.0 for s, q in pairs]
    return mean, std


def moments_of(store: MappedPixels | Planes, rows: Tensor) -> tuple[Tensor, Tensor]:
    """The statistics of these rows as tensors (C, 1, 1)."""
    batches = rows.split(max(1, STATISTICS_VALUES // math.prod(store.shape)))
    mean, std = statistics(map(store.bytes_of, batches))
    return torch.tensor(mean).view(-1, 1, 1), torch.tensor(std).view(-1, 1, 1)
