"""What decides the part of each row of own data, kept beside its facts: group, time or value.

Numbers of samples depend on it, and a page counts them without reading the data again.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # describing data without keys imports no numpy
    import numpy as np
    from numpy.typing import NDArray

ENDING = ".rows.npy"


@dataclass(frozen=True)
class RowKeys:
    """A file of keys. stamp: its size and time of change. gone: rows that are left out, such as
    those of pictures that cannot be read."""

    path: str
    stamp: tuple[int, int]
    gone: tuple[int, ...] = ()

    def read(self) -> tuple[list[float], list[int]]:
        """The key of each row, a number, and its class. Raises OSError, ValueError."""
        import numpy as np

        found = _read(self.path, self.stamp)
        kept = np.delete(found, self.gone, 0) if self.gone else found
        return kept[:, 0].tolist(), kept[:, 1].astype(np.int64).tolist()


@lru_cache(maxsize=4)
def _read(path: str, stamp: tuple[int, int]) -> "NDArray[np.float64]":
    import numpy as np

    found = np.load(path, allow_pickle=False)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype != np.float64:
        raise ValueError(f"{path} has {found.shape} of {found.dtype}")
    return found


def keep(facts: Path, keys: Sequence[object], labels: Sequence[int] | None) -> None:
    """Write keys beside a file of facts; words become numbers in the order in which they come.

    labels: classes, None where samples have none. Raises OSError.
    """
    import numpy as np

    if keys and isinstance(keys[0], str):
        place = {word: i for i, word in enumerate(dict.fromkeys(keys))}
        keys = [place[key] for key in keys]
    columns = [np.asarray(keys, np.float64), np.asarray(labels or np.zeros(len(keys)), np.float64)]
    part = facts.with_name(f".{facts.name}.{os.getpid()}{ENDING}")
    with part.open("wb") as file:
        np.save(file, np.stack(columns, axis=1), allow_pickle=False)
    part.replace(_beside(facts))


def kept(facts: Path) -> RowKeys:
    """The keys beside a file of facts. Raises OSError where there are none."""
    found = _beside(facts).stat()
    return RowKeys(str(_beside(facts)), (found.st_size, found.st_mtime_ns))


def _beside(facts: Path) -> Path:
    return facts.with_name(f"{facts.name}{ENDING}")
