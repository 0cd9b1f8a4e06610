"""Data sets. Describing one imports no torch; `load` and what follows it do."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.data.catalogue import SOURCES, Source
from core.data.counts import steps_per_epoch
from core.data.downloads import data_root
from core.data.info import DataInfo, describe, describe_project
from core.data.io_spec import ends
from core.data.settings import DataSettings, read_settings
from core.errors import DataError, Unread

if TYPE_CHECKING:
    from core.data.batches import EpochBatches, noisy
    from core.data.dataset import Dataset, load, load_project
    from core.data.vision import download

_WITH_TORCH = {
    "Dataset": "core.data.dataset",
    "EpochBatches": "core.data.batches",
    "download": "core.data.vision",
    "load": "core.data.dataset",
    "load_project": "core.data.dataset",
    "noisy": "core.data.batches",
}
__all__ = [
    "SOURCES",
    "DataError",
    "DataInfo",
    "DataSettings",
    "Dataset",
    "EpochBatches",
    "Source",
    "Unread",
    "data_root",
    "describe",
    "describe_project",
    "download",
    "ends",
    "load",
    "load_project",
    "noisy",
    "read_settings",
    "steps_per_epoch",
]


def __getattr__(name: str) -> Any:
    if name in _WITH_TORCH:
        return getattr(import_module(_WITH_TORCH[name]), name)
    raise AttributeError(f"module 'core.data' has no attribute {name!r}")
