"""Describe a data set: its task, suitable losses, sizes, and a sentence about it."""

from core.data.fit import LOSSES_OF, OUTPUTS
from core.data.loss_terms import COLUMN, Term
from core.data.settings import DataSettings
from core.data.source import Shape, Source
from core.errors import DataError

TASKS_OF = {
    "classes": "classification",
    "yes_no": "classification",
    "regression": "regression",
    "image": "image",
    "mask": "segmentation",
    "mask_classes": "segmentation",
    "labels": "labels",
    "tokens": "text",
    "sequence": "sequence",
    "series": "series",
    "pair": "pairs",
    "cosine": "pairs",
    "triplet": "triplets",
    "judged": "gan",
    "itself": "image",
}
"""The task of a training, by the kind of its first loss."""


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


def task_of(data: DataSettings, told: tuple[Term, ...]) -> str:
    """The task of a training, by its losses where they are known."""
    if any(term.trains for term in told):
        return "gan"
    if told:
        return TASKS_OF[next((t.kind for t in told if t.kind != "itself"), "itself")]
    if data.target == "label":
        return "classification" if data.source.classes else "regression"
    named = {"input": "image", "mask": "segmentation", "labels": "labels"}
    named |= {"pair": "pairs", "triplet": "triplets", "sequence": "sequence"}
    return named.get(data.target, "series" if data.source.kind == "series" else "text")


def losses_of(data: DataSettings, first: Term | None) -> tuple[str, ...]:
    """Names of torch's losses that suit, the usual one first."""
    if first:
        return (first.loss,) if first.loss else _of_one(first.kind)
    kinds = {"label": "classes", "input": "image", "same": "pair", "": "triplet"}
    column = COLUMN.get(data.target, data.target)
    kinds |= {"next": "series"} if data.source.kind == "series" else {}
    if column == "label" and not data.source.classes:
        return _of_one("regression")
    return _of_one(kinds.get(column, column if column in LOSSES_OF else "tokens"))


def _of_one(kind: str) -> tuple[str, ...]:
    """Those that `training.loss` may name: of as many Outputs as the usual one reads."""
    usual, *others = LOSSES_OF[kind]
    return (usual, *(n for n in others if OUTPUTS.get(n, 1) == OUTPUTS.get(usual, 1)))


def fit_of(source: Source, wanted: Shape, resize: tuple[int, int] | None) -> str:
    """How a sample comes to the shape of the Input: as is, by a reshape or a resize."""
    if source.shape == wanted or source.kind in ("text", "series"):
        return "as is"
    if resize is None:
        return "reshape"
    return f"resize {source.shape[1]}x{source.shape[2]} -> {resize[0]}x{resize[1]}"


def summary_of(data: DataSettings, fit: str, train: int, validation: int) -> str:
    """One sentence: how many samples of what, for which task, and how they are parted."""
    what = _asked_of(data)
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


def _asked_of(data: DataSettings) -> str:
    if data.target == "label" and not data.source.classes:
        return f"with their {data.source.target_name}"
    return {
        "input": "to be drawn again",
        "mask": "to be parted into stroke and paper",
        "label": f"in {len(data.source.classes)} classes",
        "labels": f"with up to {len(data.source.classes)} labels each",
        "sequence": "to be read from left to right",
        "next": "to be continued",
        "masked": "to be filled in where 15 of 100 characters are covered",
        "answer": "to be written another way",
        "pair": "in pairs of one class or of two",
        "triplet": "in triplets, two of one class and one of another",
    }[data.target]
