"""What the table of smaller networks knows of a metric that was just declared."""


def _best() -> dict[str, list[str]]:
    from core.wings.shrink.rows import Row, front

    rows = [
        Row(name, "x", size_bytes=9, metric="val_gini", value=value)
        for name, value in {"a": 0.5, "b": 0.1}.items()
    ]
    return {"shrink": sorted(front(rows, "size_bytes"))}


SAID = {"of_metric": _best}
EXPECTED = {"of_metric": {"shrink": ["b"]}}
