"""The methods that explain an answer, each a declaration: page, command and tests read them.

No torch here: what calculates is imported when it is called.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.insight.attribution.sample_kinds import EVERY, PICTURE, SERIES, TOKENS

if TYPE_CHECKING:
    from core.insight.attribution.subject import Attributions, ScoredSample

    Explain = Callable[[ScoredSample, str], Attributions]


@dataclass(frozen=True)
class Method:
    """A way to explain an answer.

    shows, hides: one sentence each. takes: what samples it works on. signed: whether its values
    say for and against; else only how much. needs: "maps" for a block that puts out maps, ""
    for none. function: takes the sample and the path of a block.
    """

    name: str
    title: str
    shows: str
    hides: str
    function: "Explain"
    takes: tuple[str, ...] = EVERY
    signed: bool = False
    needs: str = ""


def _saliency(subject: "ScoredSample", node: str) -> "Attributions":
    from core.insight.attribution.saliency import saliency

    return saliency(subject, node)


def _smooth_grad(subject: "ScoredSample", node: str) -> "Attributions":
    from core.insight.attribution.smooth_grad import smooth_grad

    return smooth_grad(subject, node)


def _integrated_gradients(subject: "ScoredSample", node: str) -> "Attributions":
    from core.insight.attribution.integrated_gradients import integrated_gradients

    return integrated_gradients(subject, node)


def _grad_cam(subject: "ScoredSample", node: str) -> "Attributions":
    from core.insight.attribution.grad_cam import grad_cam

    return grad_cam(subject, node)


def _occlusion(subject: "ScoredSample", node: str) -> "Attributions":
    from core.insight.attribution.occlusion import occlusion

    return occlusion(subject, node)


METHODS = {
    method.name: method
    for method in (
        Method(
            "saliency",
            "Saliency",
            "How strongly the score reacts to a very small change of each input value: the size "
            "of its gradient (Simonyan et al., 2014).",
            "Not how much each value contributes: where the network is saturated the gradient is "
            "small although the value matters, and it has no sign for or against.",
            _saliency,
        ),
        Method(
            "smooth_grad",
            "SmoothGrad",
            "Saliency averaged over copies of the sample with a little noise added, which smooths "
            "the picture (Smilkov et al., 2017).",
            "Not more than saliency does: it is easier to read, not more faithful, and the "
            "amount of noise is a choice.",
            _smooth_grad,
        ),
        Method(
            "integrated_gradients",
            "Integrated gradients",
            "How much each input value adds to the score on the path from an input of zeros to "
            "this one; the contributions sum to the difference of the scores (Sundararajan et "
            "al., 2017).",
            "Not what would happen without a value: it compares with an input of zeros, and "
            "another baseline gives another picture.",
            _integrated_gradients,
            signed=True,
        ),
        Method(
            "gradcam",
            "Grad-CAM",
            "Which positions of a block's feature maps support the score: the maps, weighted by "
            "the mean gradient of the score for each (Selvaraju et al., 2017).",
            "Not what speaks against the score, and nothing finer than the maps: each position "
            "stands for its whole receptive field.",
            _grad_cam,
            takes=(PICTURE, SERIES, TOKENS),
            needs="maps",
        ),
        Method(
            "occlusion",
            "Occlusion",
            "How far the score falls when a part of the sample is covered with zeros (Zeiler and "
            "Fergus, 2014).",
            "Not how parts act together: one is covered at a time, and covered samples look "
            "unlike all that the network was trained on.",
            _occlusion,
            signed=True,
        ),
    )
}


ALIKE = 0.5
"""Rank correlation from which two explanations count as much the same."""


def passed(last: float) -> str:
    """The result of the sanity check, by the correlation once everything is random."""
    if last < ALIKE:
        return "With random weights the picture changes, so it depends on what was learned."
    return (
        "With random weights the picture hardly changes, so it shows the sample or the "
        "architecture more than what was learned."
    )
