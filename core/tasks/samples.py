"""The facts on a data set that views of single samples read; all are in `core.data.facts.info`."""

from collections.abc import Sequence
from typing import Protocol


class InputColumn(Protocol):
    """One Input and the column of the data that it receives."""

    @property
    def column(self) -> str: ...


class DataOrigin(Protocol):
    """The data set itself."""

    @property
    def alphabet(self) -> str: ...
    @property
    def vocabulary(self) -> tuple[str, ...]: ...
    @property
    def cut_by(self) -> str: ...


class SampleInfo(Protocol):
    """A data set as a network sees it."""

    @property
    def kind(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def classes(self) -> tuple[str, ...]: ...
    @property
    def sample_shape(self) -> tuple[int, ...]: ...
    @property
    def feeds(self) -> Sequence[InputColumn]: ...
    @property
    def origin(self) -> DataOrigin: ...
