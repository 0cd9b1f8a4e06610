"""Compare what 8 bits do to each network with the limit that an export allows.

    python -m tests.bench.eight_bits [--templates mlp_iris ...] [--results FILE] [--out FILE]

Random weights with noise. Each way of ONNX Runtime (values quantised at run time, or between the
borders of training samples) is compared on the samples that an export compares. A row is kept in
the results file as soon as it is there.
"""
# ruff: noqa: T201

import argparse
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from core.export import ExportError
from core.export import onnx_low_precision as low
from core.export.agreement import (
    EIGHT_BITS,
    TIMES,
    FilePrecision,
    calibrated,
    comparison_inputs,
    limits_of,
)
from core.export.onnx import session
from core.export.parity import run_seeded, tensors
from core.export.subject import Subject, subject_of
from core.project.templates import list_templates, load_template
from tests.bench.exports_own import NAMES, own_project, trusted

OUT, KEPT = (Path(__file__).with_suffix(ending) for ending in (".md", ".json"))
Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows that are missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = [*(template.name for template in list_templates()), *NAMES]
    parser.add_argument("--templates", nargs="*", default=every)
    parser.add_argument("--results", type=Path, default=KEPT)
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = json.loads(args.results.read_text("utf-8")) if args.results.exists() else {}
    for name in args.templates:
        if name not in rows:
            rows[name] = row(name)
            args.results.write_text(json.dumps(rows, indent=1), "utf-8")
            print(f"{name}: {rows[name]}", flush=True)
    text = table({name: rows[name] for name in args.templates})
    print(text)
    if args.out:
        args.out.write_text(text + "\n", "utf-8")


def row(name: str) -> Row:
    """By way: the difference nearest to its limit, that limit, and the largest output."""
    with trusted() as workspace:
        project = own_project(name, workspace) if name in NAMES else load_template(name)
        subject = subject_of(project)
        try:
            low._refuse_draws(subject)
            whole, samples = low._whole(subject), low.calibration(subject)
            found = {"dynamic": nearest(subject, low._dynamic(whole), EIGHT_BITS)}
            if samples:
                content = low._static(whole, subject, samples)
                found["static"] = nearest(subject, content, calibrated(samples))
            return found
        except ExportError as error:
            return {"refused": error.message}


def nearest(subject: Subject, content: bytes, precision: FilePrecision) -> Row:
    """The difference that is nearest to its limit, over all outputs and samples."""
    run, tried = session(content), comparison_inputs(subject.sample, probes=False)
    with torch.no_grad():
        right = [list(tensors(run_seeded(subject.module, each.inputs))) for each in tried]
        made = [list(tensors(run_seeded(run, each.inputs))) for each in tried]
        limits = limits_of(subject.module, tried, right, precision)
    found = [
        ((a.double() - b.double()).abs().max().item(), limit, a.double().abs().max().item())
        for row in zip(right, made, limits, strict=True)
        for a, b, limit in zip(*row, strict=True)
        if a.numel()
    ]
    difference, limit, largest = max(found, key=lambda each: each[0] / each[1])
    return {"difference": difference, "limit": limit, "largest": largest}


def table(rows: dict[str, Row]) -> str:
    """The table, and how many are refused."""
    lines = [
        "# Networks in 8 bits",
        "",
        "Made by `python -m tests.bench.eight_bits --out tests/bench/eight_bits.md`. Difference of",
        "a file's outputs from the network's, and the limit of an export, both as shares of the",
        f"largest output: {TIMES:.0f} times what 8 bits do to the network itself, at most",
        f"{EIGHT_BITS.most:g} of the largest output on any sample. The pair nearest to its limit.",
        "",
        "| network | at run time | limit | by calibration | limit |",
        "|---|---|---|---|---|",
    ]
    for name, found in rows.items():
        cells = [found.get("refused", "")[:60], "", "", ""]
        if "refused" not in found:
            cells = [*_cells(found["dynamic"]), *_cells(found.get("static"))]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    ways = [way for found in rows.values() for way in found.values() if isinstance(way, dict)]
    over = sum(way["difference"] > way["limit"] for way in ways)
    return "\n".join([*lines, "", f"{len(ways)} files, {over} of them refused."])


def _cells(way: Row | None) -> list[str]:
    if way is None:
        return ["no samples", ""]
    scale = way["largest"] or 1.0
    word = " (refused)" if way["difference"] > way["limit"] else ""
    return [f"{way['difference'] / scale:.1g}{word}", f"{way['limit'] / scale:.1g}"]


if __name__ == "__main__":
    main()
