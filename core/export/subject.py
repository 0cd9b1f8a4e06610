"""The input of an export: a module with weights, its source, and samples to compare on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from blocks import Signature
from core.analyse.report import Report, size
from core.common.errors import RunError
from core.common.network_ref import (
    CheckpointRef,
    DrawnRef,
    ImportedRef,
    NetworkRef,
    PartRef,
    ProjectRef,
    RunRef,
)
from core.engine.parametrized import with_fixed_weights
from core.export.batch_failures import failure
from core.export.parity import BATCHES, Inputs
from core.export.result import ExportError
from core.graph.python_sizes import KEPT_SIZES, SizeBranch, named_sizes, size_branches
from core.graph.value_branches import KEPT, ValueBranch, value_branches
from core.insight.load_model import (
    NotReady,
    OpenedNetwork,
    data_of,
    open_imported,
    open_run,
    open_untrained,
)
from core.project import Project, read_text

Source = Path | Project
"""A run folder, or a project that has not been trained."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A module in evaluation mode with its source.

    inputs: signatures by argument name, in order; outputs: names of the results.
    sample: gives inputs for a batch of the requested size. note: whose weights these are.
    opened: where it came from, needed for the training script and the notebook. where: folders of
    the runs and of the project's file, for weights that training begins with.
    """

    module: nn.Module
    source: str
    class_name: str
    inputs: Mapping[str, Signature]
    outputs: tuple[str, ...]
    sample: Callable[[int], Inputs]
    note: str = ""
    opened: OpenedNetwork | None = None
    where: tuple[Path, Path | None] | None = None

    @cached_property
    def fixed(self) -> nn.Module:
        """The module that formats convert, its computed weights held as evaluation computes them:
        what they are computed from is of no use where nothing is trained."""
        return with_fixed_weights(self.module)

    @cached_property
    def value_branches(self) -> tuple[ValueBranch, ...]:
        """The lines of own Python that decide by values; () for a bare network."""
        return value_branches(self.opened.project.graph) if self.opened else ()

    @cached_property
    def size_branches(self) -> tuple[SizeBranch, ...]:
        """The lines of own Python that decide by sizes; () for a bare network."""
        return size_branches(self.opened.project.graph) if self.opened else ()

    @cached_property
    def batches(self) -> tuple[int, ...]:
        """Sizes of the batches that a file is compared on: those that own Python names, too, and
        none on which the network itself fails."""
        sizes = named_sizes(self.size_branches, self.received)
        found = dict.fromkeys((*BATCHES, *sizes))
        return tuple(size for size in found if not failure(self.module, self.sample(size)))

    @cached_property
    def received(self) -> dict[str, int]:
        """How many values each block receives of one sample, where its sizes are known."""
        nodes = self.opened.report.nodes if self.opened else {}
        return {path: max((1, *map(_values, node.inputs.values()))) for path, node in nodes.items()}

    def own_blocks(self) -> dict[str, str]:
        """Nodes of own Python by path, with their class."""
        if self.opened is None:
            return {}
        parts = self.opened.project.graph.composites
        nodes = self.opened.report.nodes
        return {p: n.block for p, n in nodes.items() if n.block in parts and parts[n.block].python}

    def refuse_decisions(self, what: str) -> None:
        """Raise ExportError where own Python branches by values: `what` keeps one branch only."""
        if found := next((d for d in self.value_branches if d.decision.branches), None):
            raise ExportError(
                f"{what} cannot hold this network: {found.path} {found.what}, and a recorded file "
                "has only one of its branches.",
                KEPT,
            )

    def refuse_size(self, what: str) -> None:
        """Raise ExportError where own Python decides by sizes and `what` has one way for all."""
        if self.size_branches:
            found = " or ".join(f"{each.path} {each.what}" for each in self.size_branches[:3])
            raise ExportError(
                f"{what} cannot hold this network: {found}, and it has one way for all batches.",
                KEPT_SIZES,
            )

    def parts(self) -> tuple[Project, Report, Any]:
        """Project, report and data, as the training script is written from.

        Raises ExportError without a project, DataError when the data does not suit it.
        """
        if self.opened is None:
            raise ExportError("A training script needs a project but received a single network.")
        return self.opened.project, self.opened.report, self.opened.info


def _values(signature: Signature | tuple[Signature, ...]) -> int:
    """Of one sample; the most of several inputs."""
    if isinstance(signature, tuple):
        return max(map(_values, signature), default=1)
    return prod(size for size in signature.shape[1:] if isinstance(size, int))


def subject_of(source: Source, weights: Path | None = None, which: str = "best") -> Subject:
    """Load a run with its best weights, or those of another checkpoint, or build a project: with
    the weights that were imported with it, or with those that V shows and training begins with.

    Raises ExportError.
    """
    try:
        if not isinstance(source, Project):
            return subject(open_run(source, which), f"{which} weights of the run")
        if weights is not None:
            return subject(open_imported(source, weights), f"weights of {weights.name}")
        opened = open_untrained(source)
    except (NotReady, RunError) as error:
        raise ExportError(error.message, error.hint) from error
    return subject(opened, "random weights: not trained yet")


def subject_at(ref: NetworkRef) -> Subject:
    """The network that a `NetworkRef` names, as a subject of exports. Raises ExportError."""
    match ref:
        case RunRef(folder):
            return subject_of(folder)
        case CheckpointRef(folder, which):
            return subject_of(folder, which=which)
        case ImportedRef(text, weights):
            return subject_of(read_text(text), weights)
        case ProjectRef(text) | PartRef(text) | DrawnRef(text):
            return subject_of(read_text(text))


def subject(opened: OpenedNetwork, note: str) -> Subject:
    """What there is to export of an opened network."""
    report = opened.report
    if report.source is None:
        raise ExportError("The network needs to be free of errors.", "Open it and fix them.")
    inputs = dict(report.inputs)
    return Subject(
        module=opened.module,
        source=report.source,
        class_name=report.class_name,
        inputs=inputs,
        outputs=tuple(name for name, _ in report.outputs),
        sample=sampler(opened, inputs),
        note=note,
        opened=opened,
    )


def sampler(opened: OpenedNetwork, inputs: Mapping[str, Signature]) -> Callable[[int], Inputs]:
    """Real validation samples, slightly moved, where the data is here; else random values."""
    dataset = data_of(opened)
    if dataset is None:
        return random_sampler(opened.module, inputs)
    columns, _ = dataset.all_validation()

    def moved(samples: Tensor, generator: torch.Generator) -> Tensor:
        if not samples.is_floating_point():
            return samples
        return samples + 0.01 * torch.randn(samples.shape, generator=generator)

    def sample(batch: int) -> Inputs:
        generator = torch.Generator().manual_seed(batch)
        chosen = torch.randint(len(columns[0]), (batch,), generator=generator)
        return tuple(moved(column[chosen], generator) for column in columns)

    return sample


def random_sampler(module: nn.Module, inputs: Mapping[str, Signature]) -> Callable[[int], Inputs]:
    """Normal values; for integer inputs, tokens within the range of every Embedding."""
    known = [m.num_embeddings for m in module.modules() if isinstance(m, nn.Embedding)]
    top = min(known, default=2)

    def one(signature: Signature, batch: int, generator: torch.Generator) -> Tensor:
        shape = size(signature, batch)
        if signature.dtype == "bool":
            return torch.rand(shape, generator=generator) < 0.5
        if not signature.floating:
            dtype = getattr(torch, signature.dtype)
            return torch.randint(top, shape, generator=generator, dtype=dtype)
        return torch.randn(shape, generator=generator)

    def sample(batch: int) -> Inputs:
        generator = torch.Generator().manual_seed(batch)
        return tuple(one(s, batch, generator) for s in inputs.values())

    return sample
