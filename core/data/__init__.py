"""Data sets. Describing one imports no torch; `load` and what follows it do."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.common.errors import DataError, Unread
from core.data.builtin.catalogue import SOURCES, Source
from core.data.builtin.downloads import data_root
from core.data.facts.info import DataInfo, describe, describe_project
from core.data.facts.settings import DataSettings, read_settings
from core.data.sources.counts import steps_per_epoch
from core.data.sources.io_spec import ends

if TYPE_CHECKING:
    from core.data.batches.dataset import Dataset, load, load_project
    from core.data.batches.epochs import EpochBatches, noisy
    from core.data.builtin.vision import download

_WITH_TORCH = {
    "Dataset": "core.data.batches.dataset",
    "EpochBatches": "core.data.batches.epochs",
    "download": "core.data.builtin.vision",
    "load": "core.data.batches.dataset",
    "load_project": "core.data.batches.dataset",
    "noisy": "core.data.batches.epochs",
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
