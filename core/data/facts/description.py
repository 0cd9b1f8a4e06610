"""Describe a data set: its task, suitable losses, sizes, and a sentence about it."""

from core.common.errors import DataError
from core.data.facts import row_split
from core.data.facts.loss_terms import LossTermSpec
from core.data.facts.settings import DataSettings
from core.data.sources.source import Shape, Source
from core.tasks import registry
from core.tasks.registry import KINDS, TASK_OF_KIND, exchangeable, target_of


def sizes(data: DataSettings, shape: Shape = ()) -> tuple[int, int]:
    """How many samples are learned from, and how many validate."""
    return counts(data, shape)[:2]


def counts(data: DataSettings, shape: Shape = ()) -> tuple[int, int, int]:
    """How many samples are learned from, how many validate, and how many test.

    Raises DataError where nothing is left of a part that is needed.
    """
    whole = data.source.samples
    if data.source.windows:
        whole = (whole - 1) // shape[0]
    if data.split:
        return _counts_of_rows(data, whole)
    test = data.source.test if data.parts.makers else round(whole * data.parts.test)
    samples = whole if data.parts.makers else whole - test
    validation = data.source.validation or data.source.test
    if data.parts.folds:
        validation = len(range(data.parts.fold - 1, samples, data.parts.folds))
    elif data.validation is not None:
        validation = round(whole * data.validation)
    if data.parts.folds or data.validation is not None:
        samples -= validation
    if data.limit is not None:
        samples = min(samples, data.limit)
    many = target_of(data.target, data.source).per_sample
    samples, validation, test = samples * many, validation * many, test * many
    if data.parts.tests and not test:
        raise DataError(f"data.test leaves no test samples of {whole}.", "Choose a larger share.")
    if samples < 1 or not validation:
        if data.parts.folds:
            raise DataError(
                f"data.folds leaves {samples} training samples and {validation} "
                "validation samples.",
                "Use fewer folds.",
            )
        raise DataError(
            f"data.validation leaves {samples} training samples and {validation}"
            " validation samples.",
            "Choose a share that leaves some of both.",
        )
    return samples, validation, test


def learnable(data: DataSettings, shape: Shape = ()) -> int:
    """How many samples could be learned from, whatever the limit, where rows decide the split."""
    whole = data.source.samples
    whole = (whole - 1) // shape[0] if data.source.windows else whole
    return row_split.sizes(data.split, data.rows, whole)[0] if data.split else 0


def _counts_of_rows(data: DataSettings, whole: int) -> tuple[int, int, int]:
    """The same where groups, times or a column decide it."""
    assert data.split is not None
    found = row_split.sizes(data.split, data.rows, whole)
    path = data.custom.path if data.custom else data.source.name
    row_split.check_sizes(data.split, found, data.layout.get("split", {}), path)
    many = target_of(data.target, data.source).per_sample
    train = found[0] if data.limit is None else min(found[0], data.limit)
    return train * many, found[1] * many, found[2] * many


def task_of(data: DataSettings, loss_terms: tuple[LossTermSpec, ...]) -> str:
    """The task of a training, by its losses where they are known."""
    if any(term.trains for term in loss_terms):
        return "gan"
    if loss_terms:
        kinds = (t.kind for t in loss_terms)
        return TASK_OF_KIND[next((k for k in kinds if KINDS[k].metrics), "itself")].name
    return registry.task_of(data.target, data.source).name


def losses_of(data: DataSettings, first: LossTermSpec | None) -> tuple[str, ...]:
    """Names of torch's losses that suit, the usual one first."""
    if first and first.loss:
        return (first.loss,)
    usual = registry.task_of(data.target, data.source).kinds[0]
    return exchangeable(KINDS[first.kind] if first else usual)


def fit_of(source: Source, needed: Shape, resize: tuple[int, int] | None) -> str:
    """How a sample comes to the shape of the Input: as is, by a reshape or a resize."""
    if (source.shape == needed and not source.by_file) or source.kind in ("text", "series"):
        return "as is"
    if resize is None:
        return "reshape"
    return f"resize {source.shape[1]}x{source.shape[2]} -> {resize[0]}x{resize[1]}"


def summary_of(data: DataSettings, fit: str, parted: tuple[int, int, int]) -> str:
    """One sentence: how many samples of what, for which task, and how they are parted."""
    train, validation, test = parted
    source, target = data.source, target_of(data.target, data.source)
    what = target.describe.format(classes=len(source.classes), target_name=source.target_name)
    if fit.startswith("resize"):
        sizes = fit.removeprefix("resize ").replace(" -> ", " to ")
        sizes = sizes.partition(" ")[2] if data.source.decoded else f"from {sizes}"
        what += f", resized {sizes} pixels"
    if data.noise:
        what += f", with noise of {data.noise:g}"
    things = "text windows" if data.source.windows else data.source.things
    fold = f" (fold {data.parts.fold} of {data.parts.folds})" if data.parts.folds else ""
    tests = f", {test:,} test samples" if test else ""
    return (
        f"{train + validation + test:,} {things} {what}: {train:,} training samples, "
        f"{validation:,} validation samples{fold}{tests}{words_of_split(data)}."
    )


def words_of_split(data: DataSettings) -> str:
    """What decides the split, for the end of a sentence; "" where chance does."""
    split = data.parts.split
    if split.drawn:
        return ""
    apart = f" with a gap of {split.gap.words}" if split.gap else ""
    if data.source.ahead:
        return f"; split in time{apart}"
    how = {
        "group": f"by group ({split.by})",
        "time": f"in time ({split.by or 'order of the rows'}){apart}",
        "column": f"by column ({split.by})",
    }
    return f"; split {how[split.mode]}"
