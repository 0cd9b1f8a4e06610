"""One sample through a drawing, for the canvas. Plain JSON; runs in a worker process.

sample: as the canvas describes it. moment: of which weights, None for those of `ref`.
"""

from collections.abc import Sequence
from typing import Any

from core.common.network_ref import Moment, NetworkRef

Json = dict[str, Any]


def look(ref: NetworkRef, sample: Json, within: str, moment: Moment | None) -> Json:
    """Values of the blocks that are shown, with pictures. within: an opened composite, or ""."""
    from core.insight.one_sample import api

    return api.look(ref, sample, within, moment)


def probe(
    ref: NetworkRef, sample: Json, path: str, port: str, page: int, moment: Moment | None
) -> Json:
    """Facts and one page of numbers of a wire's value, and of its gradient."""
    from core.insight.one_sample import api

    return api.probe(ref, sample, path, port, page, moment)


def numpy(
    ref: NetworkRef, sample: Json, path: str, port: str, gradient: bool, moment: Moment | None
) -> Json:
    """A wire's value, or its gradient, as {"text"} that NumPy reads."""
    from core.insight.one_sample import api

    return api.numpy(ref, sample, path, port, gradient, moment)


def fits(text: str, run: str) -> Json:
    """{"fits"}: whether a run trained weights of the very names and sizes of a project's."""
    from core.insight.over_time import weights

    return {"fits": weights.fits(text, run)}


def magnitudes(ref: NetworkRef, sample: Json, moment: Moment | None) -> Json:
    """The mean absolute value and gradient on every wire."""
    from core.insight.one_sample import api

    return api.magnitudes(ref, sample, moment)


def step(ref: NetworkRef, sample: Json, moment: Moment | None) -> Json:
    """The events of one training step on the sample."""
    from core.insight.one_sample import api

    return api.step(ref, sample, moment)


def health(ref: NetworkRef, run: str, moment: Moment | None, noted: Moment | None) -> Json:
    """Marks and measures of the blocks. noted: where the run noted the norms of a step."""
    from core.insight.over_time import api

    return api.health(ref, run, moment, noted)


def film(
    ref: NetworkRef, sample: Json, blocks: list[str], kind: str, run: str, epochs: list[int]
) -> Json:
    """A film of the outputs of blocks, epoch by epoch. kind: "webp" or "gif"."""
    from core.insight.over_time import api

    return api.film(ref, sample, blocks, kind, run, epochs)


def calculate_part(
    ref: NetworkRef,
    sample: Json,
    within: str,
    blocks: Sequence[str],
    feed: str,
    moment: Moment | None,
) -> Json:
    """Run the selected blocks by themselves: shape, value and time of each."""
    from core.insight.part import api

    return api.calculate(ref, sample, within, blocks, feed, moment)


def keep_part(
    ref: NetworkRef, within: str, blocks: Sequence[str], moment: Moment | None, weights: str
) -> Json:
    """Write the weights of a part to the file `weights`; its project is the answer's text."""
    from core.insight.part import api

    return api.keep(ref, within, blocks, moment, weights)


def answer(run_dir: str, media: str, content: bytes) -> Json:
    """The prediction of a run's best weights for a file, by its Outputs."""
    from pathlib import Path

    from core.export.answered import answer_of_file

    return answer_of_file(Path(run_dir), media, content)
