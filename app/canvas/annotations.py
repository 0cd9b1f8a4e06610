"""Annotations of the canvas: a report cut down to shapes, costs and findings, for each edit."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from app.strict_json import json_safe
from blocks import CATALOGUE
from blocks.catalogue import beginners_json, catalogue_json, suggested_json
from core.graph import names
from core.project.parts import parts_json

Json = dict[str, Any]


@functools.cache
def catalogue() -> Json:
    """The catalogue for palette and forms, with the rules for node ids. Built once."""
    stems = {name: names.default_base(name, block.family) for name, block in CATALOGUE.items()}
    return {
        **catalogue_json(),
        "beginners": beginners_json(),
        "suggested": suggested_json(),
        "parts": parts_json(),
        "reserved": names.reserved(),
        "stems": stems,
        "alone": sorted(names.short_stems()),
    }


def annotations(
    report: Mapping[str, Any],
    failed: str = "",
    before: Mapping[str, Any] | None = None,
    known: Mapping[str, Any] | None = None,
    missing: Sequence[Mapping[str, Any]] = (),
    unfit: Sequence[Mapping[str, Any]] = (),
) -> Json:
    """The annotations on a report (as JSON). failed: why there is no new report.

    Shapes are as the report has them: {"shape": ["N", 6, 28, 28], "dtype": "float32"}.
    known: the annotations on the report `before`; what is the same in both reports is taken over.
    missing, unfit: warnings and errors that no analysis gives: what the project needs and is not
    here, and what this machine has too little for.
    """
    lines, nodes = report.get("lines", {}), report.get("nodes", {})
    old, old_lines, notes = (
        ({}, {}, {})
        if not before or not known
        else (before.get("nodes", {}), before.get("lines", {}), known["nodes"])
    )

    def note(path: str, node: Mapping[str, Any]) -> Json:
        if path in notes and old.get(path) == node and old_lines.get(path) == lines.get(path):
            return notes[path]
        return _node_annotation(node, lines.get(path, ()))

    return {
        "nodes": {path: note(path, node) for path, node in nodes.items()},
        "errors": [_finding(found) for found in (*report.get("errors", ()), *unfit)],
        "warnings": [_finding(found) for found in (*report.get("warnings", ()), *missing)],
        "source": report.get("source"),
        "className": report.get("class_name", ""),
        "params": report.get("total_params", 0),
        "trainable": report.get("trainable_params", 0),
        "multAdds": report.get("mult_adds", 0),
        "failed": failed,
    }


def _node_annotation(node: Mapping[str, Any], lines: Any) -> Json:
    settings = node.get("settings", {})
    inferred = {name: settings.get(name) for name in node.get("inferred", ())}
    full = {
        "state": node.get("state", "ok"),
        "outputs": node.get("outputs", {}),
        "inferred": inferred,
        "params": node.get("params", 0),
        "multAdds": node.get("mult_adds", 0),
        "bytes": node.get("activation_bytes", 0),
        "lines": list(lines),
    }
    return {key: json_safe(value) for key, value in full.items() if value not in (0, {}, [], "ok")}


def _finding(finding: Mapping[str, Any]) -> Json:
    keys = ("node", "code", "message", "hint", "fixes")
    return {key: json_safe(finding.get(key, [] if key == "fixes" else "")) for key in keys}
