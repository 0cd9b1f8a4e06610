"""The methods that explain an answer, each a declaration: page, command and tests read them.

No torch here: what calculates is named and imported when it is called.
"""

from dataclasses import dataclass

PICTURE, TOKENS, ROW, SERIES = "picture", "tokens", "row", "series"
EVERY = (PICTURE, TOKENS, ROW, SERIES)


@dataclass(frozen=True)
class Method:
    """A way to explain an answer.

    shows, hides: one sentence each. takes: what samples it works on. signed: whether its values
    say for and against; else only how much. needs: "maps" for a block that puts out maps, ""
    for none. function: "module:function" of (Subject, node path) to a Finding.
    """

    name: str
    title: str
    shows: str
    hides: str
    function: str
    takes: tuple[str, ...] = EVERY
    signed: bool = False
    needs: str = ""


METHODS = {
    method.name: method
    for method in (
        Method(
            "saliency",
            "Saliency",
            "How strongly the score reacts to a very small change of each input value: the size "
            "of its gradient (Simonyan et al., 2014).",
            "Not what the answer is made of: where the network is saturated the gradient is "
            "small although the value matters, and it does not say for or against.",
            "core.insight.attribution.saliency:saliency",
        ),
        Method(
            "smooth_grad",
            "SmoothGrad",
            "Saliency averaged over copies of the sample with a little noise added, which takes "
            "out flicker (Smilkov et al., 2017).",
            "Not more than saliency does: it is easier to look at, not more faithful, and how "
            "much noise is added is a choice.",
            "core.insight.attribution.smooth_grad:smooth_grad",
        ),
        Method(
            "integrated_gradients",
            "Integrated gradients",
            "How much each input value adds to the score on the way from an input of zeros to "
            "this one; the parts sum up to the difference of the scores (Sundararajan et al., "
            "2017).",
            "Not what would happen without a value: it is told against an input of zeros, and "
            "another baseline gives another picture.",
            "core.insight.attribution.integrated_gradients:integrated_gradients",
            signed=True,
        ),
        Method(
            "gradcam",
            "Grad-CAM",
            "Which places of a block's maps speak for the score: the maps, weighed by how the "
            "score depends on each (Selvaraju et al., 2017).",
            "Not what speaks against the score, and nothing finer than the maps: each place "
            "stands for all of the sample that it sees.",
            "core.insight.attribution.grad_cam:grad_cam",
            takes=(PICTURE, SERIES, TOKENS),
            needs="maps",
        ),
        Method(
            "occlusion",
            "Occlusion",
            "How far the score falls when a part of the sample is covered with zeros (Zeiler and "
            "Fergus, 2014).",
            "Not what parts do together: one is covered at a time, and covered samples look like "
            "none that the network has learned from.",
            "core.insight.attribution.occlusion:occlusion",
            signed=True,
        ),
    )
}


def method_of(name: str) -> Method:
    """A method by its name. Raises KeyError."""
    return METHODS[name]


ALIKE = 0.5
"""Rank correlation from which two explanations count as much the same."""


def passed(last: float) -> str:
    """What the sanity check says, by the correlation once everything is random."""
    if last < ALIKE:
        return "With random weights the picture is another: it depends on what was learned."
    return (
        "With random weights the picture is much the same: it shows the sample or the drawing more "
        "than what was learned."
    )
