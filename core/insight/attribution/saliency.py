"""Saliency: the size of the score's gradient by each value of the input."""

from core.insight.attribution.subject import Finding, Subject, per_place


def saliency(subject: Subject, _node: str = "") -> Finding:
    """How strongly the score reacts to each value, >= 0 (Simonyan et al., 2014)."""
    return Finding(per_place(subject, subject.gradients(subject.point).abs(), signed=False))
