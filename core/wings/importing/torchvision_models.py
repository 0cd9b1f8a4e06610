"""torchvision's registry: model names with family, parameters, published accuracy, image size."""

from typing import Any

from core.wings.importing.published_size import family, published_shapes
from core.wings.importing.sources import has_heads

SCORES = (
    ("ImageNet-1K", "acc@1", "top-1"),
    ("Kinetics-400", "acc@1", "top-1"),
    ("COCO-val2017-VOC-labels", "miou", "mean IoU"),
    ("COCO-val2017", "box_map", "box mAP"),
)
"""Published figures in torchvision's metadata: data set, key, what to call it."""
NAMES = {"quantization": "quantisable", "optical_flow": "optical flow"}


def torchvision_models() -> list[dict[str, Any]]:
    """All models of torchvision's registry, quantisable ones last, from its own metadata.

    name, family, params and score (None if not published), score_of (the metric), trained (whether
    there are weights), side (published image size), heads (whether it has auxiliary classifiers in
    training).
    """
    from torchvision import models

    found = [_entry(models, name) for name in models.list_models()]
    return sorted(found, key=lambda entry: entry["family"] == "quantisable")


def _entry(models: Any, name: str) -> dict[str, Any]:
    weights = models.get_model_weights(name)
    best = getattr(weights, "DEFAULT", None)
    meta = best.meta if best is not None else {}
    kind = family(name)
    score, of = _score(meta.get("_metrics", {}))
    return {
        "name": name,
        "family": NAMES.get(kind, kind),
        "params": meta.get("num_params"),
        "score": score,
        "score_of": of,
        "side": published_shapes(name)[0][-1],
        "trained": best is not None,
        "heads": kind != "detection" and has_heads(name),
    }


def _score(metrics: dict[str, dict[str, float]]) -> tuple[float | None, str]:
    for data, key, title in SCORES:
        if key in metrics.get(data, {}):
            return metrics[data][key], title
    return None, ""
