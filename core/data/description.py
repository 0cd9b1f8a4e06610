"""Describe a data set: its task, suitable losses, sizes, and a sentence about it."""

from core.data.loss_terms import LossTermSpec
from core.data.settings import DataSettings
from core.data.source import Shape, Source
from core.errors import DataError
from core.tasks import registry
from core.tasks.registry import KINDS, TASK_OF_KIND, exchangeable, target_of


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
    many = target_of(data.target, data.source).per_sample
    samples, validation = samples * many, validation * many
    if not samples or not validation:
        raise DataError(
            f"data.validation leaves {samples} training samples and {validation} validation ones.",
            "Choose a share that leaves some of both.",
        )
    return samples, validation


def task_of(data: DataSettings, told: tuple[LossTermSpec, ...]) -> str:
    """The task of a training, by its losses where they are known."""
    if any(term.trains for term in told):
        return "gan"
    if told:
        kinds = (t.kind for t in told)
        return TASK_OF_KIND[next((k for k in kinds if KINDS[k].metrics), "itself")].name
    return registry.task_of(data.target, data.source).name


def losses_of(data: DataSettings, first: LossTermSpec | None) -> tuple[str, ...]:
    """Names of torch's losses that suit, the usual one first."""
    if first and first.loss:
        return (first.loss,)
    usual = registry.task_of(data.target, data.source).kinds[0]
    return exchangeable(KINDS[first.kind] if first else usual)


def fit_of(source: Source, wanted: Shape, resize: tuple[int, int] | None) -> str:
    """How a sample comes to the shape of the Input: as is, by a reshape or a resize."""
    if source.shape == wanted or source.kind in ("text", "series"):
        return "as is"
    if resize is None:
        return "reshape"
    return f"resize {source.shape[1]}x{source.shape[2]} -> {resize[0]}x{resize[1]}"


def summary_of(data: DataSettings, fit: str, train: int, validation: int) -> str:
    """One sentence: how many samples of what, for which task, and how they are parted."""
    source, target = data.source, target_of(data.target, data.source)
    what = target.describe.format(classes=len(source.classes), target_name=source.target_name)
    if fit.startswith("resize"):
        sizes = fit.removeprefix("resize ").replace(" -> ", " to ")
        sizes = sizes.partition(" ")[2] if data.source.decoded else f"from {sizes}"
        what += f", resized {sizes} pixels"
    if data.noise:
        what += f", with noise of {data.noise:g}"
    things = "pieces of text" if data.source.windows else data.source.things
    return (
        f"{train + validation:,} {things} {what}: {train:,} training samples, "
        f"{validation:,} validation samples."
    )
