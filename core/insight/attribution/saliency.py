"""Saliency: the size of the score's gradient by each value of the input."""

from core.insight.attribution.subject import Attributions, ScoredSample, per_place


def saliency(subject: ScoredSample, _node: str = "") -> Attributions:
    """How strongly the score reacts to each value, >= 0 (Simonyan et al., 2014)."""
    return Attributions(per_place(subject, subject.gradients(subject.point).abs(), signed=False))
