"""Explanations and attention as `layerloom look` has them. With torch."""

from dataclasses import asdict
from typing import Any

from core.insight.attribution import explain
from core.insight.attribution.methods import METHODS, passed
from core.insight.attribution.results import Explained
from core.insight.look.ways import LookRequest, LookResult
from core.network_ref import NetworkRef

MOST_LINES = 20


def explanation(ref: NetworkRef, request: LookRequest) -> LookResult:
    """An explanation of a sample by the requested method."""
    method = METHODS[request.what]
    arguments = (request.sample, request.what, request.block, request.score_name, request.position)
    found = explain.explain(ref, *arguments)
    document: dict[str, Any] = {
        "block": found.node or None,
        "aim": found.aim.json(),
        "shape": list(found.values.shape),
        "values": found.values.tolist(),
        "labels": list(found.labels),
        "facts": dict(found.facts),
        "shows": method.shows,
        "does_not_show": method.hides,
    }
    lines = [_headline(found), f"Shows: {method.shows}", f"Does not show: {method.hides}"]
    lines += [f"{name}: {value:.6g}" for name, value in found.facts.items()]
    lines += _strongest(found)
    if request.check:
        stages = explain.check(ref, *arguments)
        document["sanity_check"] = [asdict(stage) for stage in stages]
        lines += [f"random from {s.layer} up: rank correlation {s.correlation:.2f}" for s in stages]
        lines.append(
            passed(stages[-1].correlation) if stages else "The network has no weights to randomise."
        )
    arrays = {"values": found.values}
    return LookResult(document, tuple(lines), arrays, found.overlay or found.picture)


def _headline(found: Explained) -> str:
    aim = found.aim
    at = f" at position {aim.position}" if aim.position >= 0 else ""
    of = f" of {found.node}" if found.node else ""
    true = f", target {aim.true}" if aim.true else ""
    return (
        f"{METHODS[found.method].title}{of} for {aim.what} {aim.name}{at}: score {aim.score:.4g} "
        f"(predicted {aim.predicted}{true})"
    )


def _strongest(found: Explained) -> list[str]:
    """Tokens or columns that count most."""
    if not found.labels or len(found.labels) != found.values.size:
        return []
    pairs = sorted(
        zip(found.labels, found.values.reshape(-1).tolist(), range(len(found.labels)), strict=True),
        key=lambda pair: -abs(pair[1]),
    )
    return [f"{place} {label!r}: {value:.4g}" for label, value, place in pairs[:MOST_LINES]]


def attention(ref: NetworkRef, request: LookRequest) -> LookResult:
    """The attention of every head, and its rollout."""
    found = explain.attention_of(ref, request.sample)
    shown = [h for h in found.heads if request.block in ("", h.node)]
    if not shown:
        names = ", ".join(dict.fromkeys(h.node for h in found.heads))
        raise explain.NoSuch(
            f"{request.block} has no attention.", f"Blocks with attention: {names}."
        )
    arrays = {f"{h.node}.{h.call}": h.weights for h in shown}
    rolled = found.rollout if found.rollout is not None and not request.block else None
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
        "labels": list(found.labels),
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
        document, (*lines, *([found.why_not] if found.why_not else [])), arrays, picture
    )
