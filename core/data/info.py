"""What a project's data is and how it fits the network, told without reading any of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.data.ends import Many, as_ends
from core.data.errors import DataError
from core.data.facts import Facts, without_damaged
from core.data.feeds import Feed, feeds
from core.data.fit import LOSSES_OF
from core.data.given import Given
from core.data.here import data_root, is_here
from core.data.settings import DataSettings, read_settings
from core.data.source import Shape, Source
from core.data.terms import COLUMN, Term, input_shape, terms
from core.data.transform import Step

TASKS_OF = {
    "classes": "classification",
    "yes_no": "classification",
    "regression": "regression",
    "image": "image",
    "mask": "segmentation",
    "mask_classes": "segmentation",
    "labels": "labels",
    "tokens": "text",
    "series": "series",
    "pair": "pairs",
    "cosine": "pairs",
    "triplet": "triplets",
    "judged": "gan",
    "itself": "image",
}
"""The task of a training, by the kind of its first loss."""
OLD = ("label", "input", "mask")


@dataclass(frozen=True)
class DataInfo:
    """The data of a project as a page shows it and a script is written from it.

    Shapes leave out the batch. `target_shape` is one target's; `labels` says whether targets are
    class numbers (int64) rather than floats. `losses` are torch's that suit, the usual one first.
    `feeds` say what each Input receives, `terms` what the Outputs are compared with. `transform`
    varies what is learned from; `given` and `layout` are of own data.
    """

    source: str
    package: str
    kind: Literal["image", "table", "text", "series"]
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
    terms: tuple[Term, ...]
    origin: Source
    transform: tuple[Step, ...] = ()
    given: Given | None = None
    layout: Mapping[str, Any] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Whether one Input receives the samples and one loss compares one Output with one target.

        Then a sample is `x` and its target `y`; else columns go by their names.
        """
        (feed, *more), given = self.feeds, any(term.loss for term in self.terms)
        simple = not more and feed.column == "input" and not feed.picks
        return simple and not given and self.target in OLD and self.kind in ("image", "table")

    @property
    def streamed(self) -> bool:
        """Whether samples to learn from are made batch by batch rather than once."""
        return self.origin.decoded or bool(self.transform)

    @property
    def standardised_target(self) -> bool:
        """Whether targets are measured in standard deviations from the mean (regression)."""
        return self.task == "regression" and self.normalize


def describe(
    data: Mapping[str, Any],
    inputs: Shape | Many,
    outputs: Shape | Many | None = None,
    losses: Sequence[Any] | None = None,
) -> DataInfo:
    """Say what the data is, its sizes and how a sample is fitted to the Inputs. Imports no torch.

    inputs, outputs: as `ends` gives them; a bare shape is one of float32. losses: training.losses
    of the project. Outputs are checked where given. Raises DataError naming both shapes when it
    cannot fit.
    """
    settings = read_settings(data)
    source = settings.source
    fed = feeds(settings, as_ends(inputs, "The Input"))
    shape = input_shape(fed)
    resize = next((feed.resize for feed in fed if not feed.noise), None)
    told: tuple[Term, ...] = ()
    if outputs is not None:
        told = terms(settings, fed, as_ends(outputs, "The Output"), losses)
    first = told[0] if told else None
    settings = _without_damaged(settings, shape)
    source = settings.source
    train, validation = sizes(settings, shape)
    fit = _fit(source, shape, resize)
    found = DataInfo(
        source=source.name,
        package=source.package,
        kind=source.kind,
        task=_task(settings, told),
        target=settings.target,
        classes=source.classes,
        sample_shape=source.shape or shape,
        input_shape=shape,
        target_shape=first.shape if first else None,
        labels=first.integer if first else settings.target == "label" and bool(source.classes),
        resize=resize,
        fit=fit,
        noise=settings.noise,
        normalize=settings.normalize,
        validation=settings.validation,
        limit=settings.limit,
        train_size=train,
        validation_size=validation,
        losses=_losses(settings, first),
        about=source.about,
        summary=_summary(settings, fit, train, validation),
        here=is_here(source, data_root()),
        download_bytes=source.download_bytes,
        feeds=fed,
        terms=told,
        origin=source,
        transform=settings.transform,
        given=settings.given,
        layout=settings.layout,
    )
    _check_streamed(found)
    return found


def _without_damaged(data: DataSettings, shape: Shape) -> DataSettings:
    """Leave out pictures that are known to be damaged, where that is asked for."""
    if data.given is None or not data.given.skip_corrupt:
        return data
    facts = without_damaged(data.given, Facts(data.source, None), shape)
    return replace(data, source=facts.source)


def _check_streamed(info: DataInfo) -> None:
    if info.transform and info.standardised_target:
        raise DataError("data.transform and data.normalize do not go together where a number is "
                        "to be told.", "Set normalize to false.")  # fmt: skip
    if info.streamed and info.terms and not info.plain:
        raise DataError(
            f"{'data.transform' if info.transform else 'ImageFolder'} needs a network with one "
            "Input, one Output and one loss.",
            "Leave out data.inputs and training.losses, or use other data.",
        )


def sized(info: DataInfo, samples: int) -> DataInfo:
    """The same data where another number of samples turned out to be there."""
    origin = replace(info.origin, samples=samples)
    data = DataSettings(origin, info.target, info.noise, info.validation, info.normalize,
                        info.limit)  # fmt: skip
    train, validation = sizes(data, info.input_shape)
    summary = _summary(data, info.fit, train, validation)
    return replace(info, origin=origin, train_size=train, validation_size=validation,
                   summary=summary)  # fmt: skip


def _losses(data: DataSettings, first: Term | None) -> tuple[str, ...]:
    if first:
        return (first.loss,) if first.loss else LOSSES_OF[first.kind]
    kinds = {"label": "classes", "input": "image", "same": "pair", "": "triplet"}
    column = COLUMN.get(data.target, data.target)
    kinds |= {"next": "series"} if data.source.kind == "series" else {}
    if column == "label" and not data.source.classes:
        return LOSSES_OF["regression"]
    return LOSSES_OF[kinds.get(column, column if column in LOSSES_OF else "tokens")]


def describe_project(project: Any, inputs: Any, outputs: Any) -> DataInfo:
    """Describe a project's data for the ends of its network, its losses among them."""
    found = describe(project.data, inputs, outputs, project.training.get("losses"))
    _trained(project, found)
    return found


def _trained(project: Any, info: DataInfo) -> None:
    """Check that what losses train are nodes of the graph."""
    nodes = project.graph.nodes
    for term in info.terms:
        if term.trains and term.trains not in nodes:
            raise DataError(
                f"training.losses says that {term.name} trains {term.trains}, which is no block.",
                f"Name one of {', '.join(list(nodes)[:12])}.",
            )


def sizes(data: DataSettings, shape: Shape = ()) -> tuple[int, int]:
    """How many samples are learned from, and how many validate."""
    samples = data.source.samples
    if data.source.windows:
        samples = (samples - 1) // shape[0]
    validation = data.source.test
    if data.validation is not None:
        validation = round(samples * data.validation)
        samples -= validation
    if data.limit is not None:
        samples = min(samples, data.limit)
    if data.target in ("pair", "triplet"):
        many = 4 if data.target == "pair" else 2
        samples, validation = samples * many, validation * many
    if not samples or not validation:
        raise DataError(
            f"data.validation leaves {samples} samples to learn from and {validation} to validate.",
            "Choose a share that leaves some of both.",
        )
    return samples, validation


def _task(data: DataSettings, told: tuple[Term, ...]) -> str:
    if any(term.trains for term in told):
        return "gan"
    if told:
        return TASKS_OF[next((t.kind for t in told if t.kind != "itself"), "itself")]
    if data.target == "label":
        return "classification" if data.source.classes else "regression"
    named = {"input": "image", "mask": "segmentation", "labels": "labels"}
    named |= {"pair": "pairs", "triplet": "triplets"}
    return named.get(data.target, "series" if data.source.kind == "series" else "text")


def _fit(source: Source, wanted: Shape, resize: tuple[int, int] | None) -> str:
    if source.shape == wanted or source.kind in ("text", "series"):
        return "as is"
    if resize is None:
        return "reshape"
    return f"resize {source.shape[1]}x{source.shape[2]} -> {resize[0]}x{resize[1]}"


def _summary(data: DataSettings, fit: str, train: int, validation: int) -> str:
    words = {
        "input": "to be drawn again",
        "mask": "to be parted into stroke and paper",
        "label": f"in {len(data.source.classes)} classes",
        "labels": f"with up to {len(data.source.classes)} labels each",
        "next": "to be continued",
        "masked": "to be filled in where 15 of 100 characters are covered",
        "answer": "to be written another way",
        "pair": "in pairs of one class or of two",
        "triplet": "in triplets, two of one class and one of another",
    }
    what = words[data.target]
    if data.target == "label" and not data.source.classes:
        what = f"with their {data.source.target_name}"
    if fit.startswith("resize"):
        sizes = fit.removeprefix("resize ").replace(" -> ", " to ")
        sizes = sizes.partition(" ")[2] if data.source.decoded else f"from {sizes}"
        what += f", resized {sizes} pixels"
    if data.noise:
        what += f", with noise of {data.noise:g}"
    things = "pieces of text" if data.source.windows else data.source.things
    return (
        f"{train + validation:,} {things} {what}: {train:,} to learn from, "
        f"{validation:,} to validate."
    )
