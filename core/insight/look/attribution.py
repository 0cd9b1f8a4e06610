"""Explanations and attention as `layerloom look` have them."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.common.network_ref import NetworkRef
from core.insight.attribution.methods import METHODS, passed
from core.insight.look.view import LookRequest, LookResult, View

if TYPE_CHECKING:
    from core.insight.attribution.results import Explained

MOST_LINES = 20


def explanation(ref: NetworkRef, request: LookRequest) -> LookResult:
    """An explanation of a sample by the requested method."""
    from core.insight.attribution import explain

    method = METHODS[request.what]
    arguments = (request.sample, request.what, request.block, request.score_name, request.position)
    explained = explain.explain(ref, *arguments)
    document: dict[str, Any] = {
        "block": explained.node or None,
        "aim": explained.aim.json(),
        "shape": list(explained.values.shape),
        "values": explained.values.tolist(),
        "labels": list(explained.labels),
        "facts": dict(explained.facts),
        "shows": method.shows,
        "does_not_show": method.hides,
    }
    lines = [_headline(explained), f"Shows: {method.shows}", f"Does not show: {method.hides}"]
    lines += [f"{name}: {value:.6g}" for name, value in explained.facts.items()]
    lines += _strongest(explained)
    if request.check:
        stages = explain.check(ref, *arguments)
        document["sanity_check"] = [asdict(stage) for stage in stages]
        lines += [f"random from {s.layer} up: rank correlation {s.correlation:.2f}" for s in stages]
        lines.append(
            passed(stages[-1].correlation) if stages else "The network has no weights to randomise."
        )
    arrays = {"values": explained.values}
    return LookResult(document, tuple(lines), arrays, explained.overlay or explained.picture)


def _headline(explained: "Explained") -> str:
    aim = explained.aim
    at = f" at position {aim.position}" if aim.position >= 0 else ""
    of = f" of {explained.node}" if explained.node else ""
    true = f", target {aim.true}" if aim.true else ""
    return (
        f"{METHODS[explained.method].title}{of} for {aim.what} {aim.name}{at}: score "
        f"{aim.score:.4g} (predicted {aim.predicted}{true})"
    )


def _strongest(explained: "Explained") -> list[str]:
    """Tokens or columns that count most."""
    if not explained.labels or len(explained.labels) != explained.values.size:
        return []
    pairs = sorted(
        zip(
            explained.labels,
            explained.values.reshape(-1).tolist(),
            range(len(explained.labels)),
            strict=True,
        ),
        key=lambda pair: -abs(pair[1]),
    )
    return [f"{place} {label!r}: {value:.4g}" for label, value, place in pairs[:MOST_LINES]]


def attention(ref: NetworkRef, request: LookRequest) -> LookResult:
    """The attention of every head, and its rollout."""
    from core.insight.attribution import explain

    attentions = explain.attention_of(ref, request.sample)
    shown = [h for h in attentions.heads if request.block in ("", h.node)]
    if not shown:
        names = ", ".join(dict.fromkeys(h.node for h in attentions.heads))
        raise explain.NoSuch(
            f"{request.block} has no attention.", f"Blocks with attention: {names}."
        )
    arrays = {f"{h.node}.{h.call}": h.weights for h in shown}
    rolled = attentions.rollout if attentions.rollout is not None and not request.block else None
    document: dict[str, Any] = {
        "attention": [
            {
                "block": h.node,
                "call": h.call,
                "shape": list(h.weights.shape),
                "weights": h.weights.tolist(),
            }
            for h in shown
        ],
        "labels": list(attentions.labels),
        "rollout": None if rolled is None else rolled.tolist(),
    }
    lines = [
        f"{h.node}, attention {h.call}: {len(h.weights)} heads over {h.weights.shape[1:]}"
        for h in shown
    ]
    if rolled is not None:
        arrays["rollout"] = rolled
    picture = shown[0].pictures[0] if len(shown) == 1 else b""
    return LookResult(
        document, (*lines, *([attentions.why_not] if attentions.why_not else [])), arrays, picture
    )


VIEWS = (
    *(
        View(method.name, method.title, explanation, order=10 + place)
        for place, method in enumerate(METHODS.values())
    ),
    View("attention", "what each head attends to", attention, order=60),
)
