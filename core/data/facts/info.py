"""A project's data and how it fits the network, from metadata alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.common.errors import DataError
from core.data.builtin.downloads import data_root, is_here
from core.data.facts.description import (
    counts,
    fit_of,
    learnable,
    losses_of,
    summary_of,
    task_of,
)
from core.data.facts.input_columns import Feed, feeds
from core.data.facts.loss_terms import LossTermSpec, input_shape, terms
from core.data.facts.metadata import DataFacts, without_damaged
from core.data.facts.rare_classes import has_rare_class
from core.data.facts.row_keys import RowKeys
from core.data.facts.row_split import RowSplit
from core.data.facts.settings import DataSettings, read_settings
from core.data.pictures.transform import AugmentStep
from core.data.sources.custom_source import CustomSource
from core.data.sources.io_spec import Many, as_ends
from core.data.sources.source import Shape, Source
from core.data.sources.split_settings import Parts, proportionate
from core.samples.picture_files import DEEP
from core.tasks.registry import in_unit

OLD = ("label", "input", "mask", "pixels")


@dataclass(frozen=True)
class DataInfo:
    """The data of a project as a page shows it and a script is written from it.

    Shapes leave out the batch. `target_shape` is one target's; `labels` says whether targets are
    class numbers (int64) rather than floats. `losses` are torch's that suit, the usual one first.
    `feeds` say what each Input receives, `terms` what the Outputs are compared with. `transform`
    varies what is learned from; `custom` and `layout` are of own data, `made` of points. `parts`
    says how samples are parted beyond `validation`; `test_size` is 0 without a part to test with.
    `split` and `rows` are those of `DataSettings`; `learnable` counts what could be learned from
    without `limit`, where rows decide the split.
    """

    source: str
    package: str
    kind: Literal["image", "table", "text", "series", "wave"]
    task: str
    target: str
    classes: tuple[str, ...]
    sample_shape: Shape
    input_shape: Shape
    target_shape: Shape | None
    labels: bool
    resize: tuple[int, int] | None
    fit: str
    noise: float
    normalize: bool
    validation: float | None
    limit: int | None
    train_size: int
    validation_size: int
    losses: tuple[str, ...]
    about: str
    summary: str
    here: bool
    download_bytes: int
    feeds: tuple[Feed, ...]
    terms: tuple[LossTermSpec, ...]
    origin: Source
    transform: tuple[AugmentStep, ...] = ()
    custom: CustomSource | None = None
    layout: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    parts: Parts = field(default_factory=Parts)
    test_size: int = 0
    split: RowSplit | None = None
    rows: RowKeys | None = None
    learnable: int = 0

    @property
    def plain(self) -> bool:
        """Whether one Input receives the samples and one loss compares one Output with one target.

        Then a sample is `x` and its target `y`; else columns go by their names.
        """
        (feed, *more), given = self.feeds, any(term.loss for term in self.terms)
        simple = not more and feed.column == "input" and not feed.picks
        return (
            simple and not given and self.target in OLD and self.kind in ("image", "table", "wave")
        )

    @property
    def streamed(self) -> bool:
        """Whether samples to learn from are made batch by batch rather than once."""
        return self.origin.decoded or bool(self.transform)

    @property
    def in_proportion(self) -> bool:
        """Whether its parts have classes, or low and high numbers, in proportion."""
        asked = self.parts.stratify
        return proportionate(self.origin) if asked is None else asked

    @property
    def rare(self) -> bool:
        """Whether one of its classes is rare, as far as is known before the data is read."""
        return has_rare_class(self.layout.get("counts", ()))

    @property
    def standardised_target(self) -> bool:
        """Whether targets are measured in standard deviations from the mean."""
        return in_unit(self.task) and self.normalize


def describe(
    data: Mapping[str, Any],
    inputs: Shape | Many,
    outputs: Shape | Many | None = None,
    losses: Sequence[Any] | None = None,
    seed: int = 0,
) -> DataInfo:
    """Say what the data is, its sizes and how a sample is fitted to the Inputs. Imports no torch.

    inputs, outputs: as `ends` gives them; a bare shape is one of float32. losses: training.losses
    of the project. seed: of the training, which groups are drawn by. Outputs are checked where
    given. Raises DataError naming both shapes when it cannot fit.
    """
    settings = read_settings(data, seed)
    fed = feeds(settings, as_ends(inputs, "The Input"))
    given = None if outputs is None else as_ends(outputs, "The Output")
    loss_terms = terms(settings, fed, given, losses) if given is not None else ()
    found = _info(_without_damaged(settings, input_shape(fed)), fed, loss_terms)
    _check_streamed(found)
    return found


def _info(
    data: DataSettings, fed: tuple[Feed, ...], loss_terms: tuple[LossTermSpec, ...]
) -> DataInfo:
    source, shape, first = data.source, input_shape(fed), loss_terms[0] if loss_terms else None
    resize = next((feed.resize for feed in fed if not feed.noise), None)
    train, validation, test = counts(data, shape)
    fit = fit_of(source, shape, resize)
    return DataInfo(
        source=source.name,
        package=source.package,
        kind=source.kind,
        task=task_of(data, loss_terms),
        target=data.target,
        classes=source.classes,
        sample_shape=source.shape or shape,
        input_shape=shape,
        target_shape=first.shape if first else None,
        labels=first.integer if first else data.target == "label" and bool(source.classes),
        resize=resize,
        fit=fit,
        noise=data.noise,
        normalize=data.normalize,
        validation=data.validation,
        limit=data.limit,
        train_size=train,
        validation_size=validation,
        losses=losses_of(data, first),
        about=source.about,
        summary=summary_of(data, fit, (train, validation, test)),
        here=is_here(source, data_root()),
        download_bytes=source.download_bytes,
        feeds=fed,
        terms=loss_terms,
        origin=source,
        transform=data.transform,
        custom=data.custom,
        layout=data.layout,
        made=data.made,
        parts=data.parts,
        test_size=test,
        split=data.split,
        rows=data.rows,
        learnable=learnable(data, shape),
    )


def _without_damaged(data: DataSettings, shape: Shape) -> DataSettings:
    """Leave out pictures that are known to be damaged, if the settings skip them."""
    if data.custom is None or not data.custom.skip_corrupt or data.source.heard:
        return data
    facts = without_damaged(data.custom, DataFacts(data.source, None, {}, data.rows), shape)
    return replace(data, source=facts.source, rows=facts.rows)


def _check_streamed(info: DataInfo) -> None:
    if info.transform and info.standardised_target:
        raise DataError(
            "data.transform and data.normalize cannot be combined when the target is a number.",
            "Set normalize to false.",
        )
    if info.streamed and info.terms and not info.plain:
        raise DataError(
            f"{'data.transform' if info.transform else info.source} needs a network with one "
            "Input, one Output and one loss.",
            "Remove data.inputs and training.losses, or use other data.",
        )


def sized(
    info: DataInfo, samples: int, validation: int = 0, test: int = 0, gone: tuple[int, ...] = ()
) -> DataInfo:
    """The same data where other numbers of samples turned out to be there. gone: missing rows."""
    origin = replace(info.origin, samples=samples, validation=validation, test=test)
    rows = replace(info.rows, gone=gone) if info.rows else None
    data = DataSettings(
        origin,
        info.target,
        info.noise,
        info.validation,
        info.normalize,
        info.limit,
        custom=info.custom,
        layout=info.layout,
        parts=info.parts,
        split=info.split,
        rows=rows,
    )
    train, validation, test = counts(data, info.input_shape)
    summary = summary_of(data, info.fit, (train, validation, test))
    return replace(
        info,
        origin=origin,
        train_size=train,
        validation_size=validation,
        test_size=test,
        summary=summary,
        rows=rows,
        learnable=learnable(data, info.input_shape),
    )


def bounds_for(info: DataInfo) -> tuple[float, ...]:
    """What becomes black and white in pictures of more than 8 bits; () where it is their depth."""
    bounds = tuple(map(float, info.layout.get("bounds", ()))) if info.origin.decoded else ()
    return () if bounds == DEEP else bounds


def stored_as_is(info: DataInfo) -> bool:
    """Whether picture files are read without their EXIF, as torchvision reads its own sets."""
    return info.origin.decoded and info.custom is None


def describe_project(project: Any, inputs: Any, outputs: Any) -> DataInfo:
    """Describe a project's data for the ends of its network, its losses among them."""
    training = project.training
    losses = training["losses"] or () if "losses" in training else None
    found = describe(project.data, inputs, outputs, losses, seed_of(training))
    _trained(project, found)
    return found


def seed_of(training: Mapping[str, Any]) -> int:
    """The seed of training settings; the default where it is none."""
    seed = training.get("seed", 0)
    return seed if type(seed) is int else 0


def _trained(project: Any, info: DataInfo) -> None:
    """Check that what losses train are nodes of the graph."""
    nodes = project.graph.nodes
    for term in info.terms:
        if term.trains and term.trains not in nodes:
            raise DataError(
                f"In training.losses {term.name} trains {term.trains}, which is not a block.",
                f"Name one of {', '.join(list(nodes)[:12])}.",
            )
