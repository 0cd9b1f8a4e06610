"""Explanations of one sample's prediction. Each function runs in a worker process.

node: of Grad-CAM, "" for the last block with maps. score_name: a class or token, "" for the
predicted one. position: of a token, feed: an Input; both -1 for the usual one.
"""

from typing import TYPE_CHECKING, Any

from core.common.network_ref import NetworkRef

if TYPE_CHECKING:
    from core.insight.attribution.results import Attention, Explained
    from core.insight.attribution.sanity_check import Stage


def choices(ref: NetworkRef, index: int) -> dict[str, Any]:
    """What can be explained of one sample, and by which blocks and Inputs."""
    from core.insight.attribution import explain

    return explain.choices(ref, index)


def explain(
    ref: NetworkRef, index: int, method: str, node: str, score_name: str, position: int, feed: int
) -> "Explained":
    """Explain one sample by a method."""
    from core.insight.attribution import explain

    return explain.explain(ref, index, method, node, score_name, position, feed)


def sanity_check(
    ref: NetworkRef, index: int, method: str, node: str, score_name: str, position: int, feed: int
) -> "list[Stage]":
    """The same explanation with more and more layers of random weights."""
    from core.insight.attribution import explain

    return explain.check(ref, index, method, node, score_name, position, feed)


def attention_of(ref: NetworkRef, index: int) -> "Attention":
    """All attention heads for one sample."""
    from core.insight.attribution import explain

    return explain.attention_of(ref, index)
