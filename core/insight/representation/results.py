"""Maps, probes and similarities of blocks, for display and for the command line. No torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Map:
    """Samples on a plane by the output of one block.

    method: pca or tsne. samples: their indices in the validation part. shares: of the variance, of
    the two components; (0, 0) for t-SNE.
    """

    node: str
    method: str
    samples: tuple[int, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    labels: tuple[int, ...]
    classes: tuple[str, ...]
    shares: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Faces:
    """What samples look like: a sheet of their pictures, and words of each.

    sheet: a PNG with `columns` pictures of size (width, height) in a row, b"" where samples are no
    pictures. words: what each is, with the prediction where there is one.
    """

    words: tuple[str, ...]
    sheet: bytes = b""
    columns: int = 0
    size: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Probes:
    """How much of the answer a linear rule reads from each block.

    metric: accuracy or R². by_block: (path, block, score) in order. guess: what the commonest
    class, or the mean, reaches. trained_on, tried_on: samples.
    """

    metric: str
    by_block: tuple[tuple[str, str, float], ...]
    guess: float
    trained_on: int
    tried_on: int

    @property
    def rule(self) -> str:
        """What reads it, in words."""
        return "logistic regression" if self.metric == "accuracy" else "ridge regression"


@dataclass(frozen=True)
class Similarity:
    """Linear CKA of blocks (rows) with blocks of the same or another network (columns)."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    samples: int
