"""Export every template to every format, run each file by its own runtime in another process.

    python -m tests.bench.exports [--templates lenet_digits ...] [--formats onnx ...]
        [--results FILE] [--out FILE]

Random weights with noise, so that zeros hide nothing. What is compared: outputs of eight samples
in the other process (`exports_run.py`; a web page in Chromium) against the network here. A row is
kept in the results file as soon as it is there. Seconds are those of the export, checks included,
of this machine as busy as it was: nothing is judged by them.
"""
# ruff: noqa: T201

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from core.export import FORMATS, ExportError
from core.export.parity import draws, seeded, tensors
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.project.templates import list_templates, load_template

RUNNER = Path(__file__).with_name("exports_run.py")
COMPUTES = [
    name for name, form in FORMATS.items() if form.compared and (form.weights or name == "python")
]
SAMPLES = 8
OUT = Path(__file__).with_suffix(".md")
Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows that are missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = [template.name for template in list_templates()]
    parser.add_argument("--templates", nargs="*", default=every)
    parser.add_argument("--formats", nargs="*", default=COMPUTES, choices=COMPUTES)
    parser.add_argument("--results", type=Path, default=Path("exports.json"))
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = json.loads(args.results.read_text("utf-8")) if args.results.exists() else {}
    for name in args.templates:
        if set(args.formats) <= set(rows.get(name, {})):
            continue
        rows[name] = rows.get(name, {}) | row(name, args.formats)
        args.results.write_text(json.dumps(rows, indent=1), "utf-8")
        print(f"{name}: {', '.join(_cell(rows[name][form]) for form in args.formats)}", flush=True)
    text = table({name: rows[name] for name in args.templates}, args.formats)
    print(text)
    if args.out:
        args.out.write_text(text + "\n", "utf-8")


def row(name: str, formats: Sequence[str]) -> Row:
    """One template: of each format the difference and seconds, or why there is no file."""
    subject = subject_of(load_template(name))
    with tempfile.TemporaryDirectory() as folder:
        found = {form: _written(subject, form, Path(folder, form)) for form in formats}
        made = [form for form in formats if "refused" not in found[form]]
        if draws(subject.module, subject.sample):
            for form in made:
                found[form]["note"] = "draws: compared here only, on the same random numbers"
            return found
        differences = _elsewhere(subject, Path(folder), made)
        for form in made:
            found[form] |= differences[form]
    return found


def _written(subject: Subject, form: str, out: Path) -> Row:
    began = time.perf_counter()
    try:
        made = export_subject(subject, form, out)
    except ExportError as error:
        return {"refused": error.message}
    seconds = round(time.perf_counter() - began, 1)
    return {"seconds": seconds, "bytes": made.path.stat().st_size, "here": made.max_difference}


def _elsewhere(subject: Subject, folder: Path, made: Sequence[str]) -> dict[str, Row]:
    """Run all files in another process and hold their outputs against the network's."""
    inputs = subject.sample(SAMPLES)
    with torch.no_grad():
        expected = [value.float() for value in tensors(seeded(subject.module, inputs))]
    torch.save({"inputs": list(inputs), "expected": expected}, folder / "samples.pt")
    facts = {"formats": list(made), "class": subject.class_name, "names": list(subject.inputs)}
    (folder / "facts.json").write_text(json.dumps(facts), "utf-8")
    state = {k: v.detach().clone() for k, v in subject.module.state_dict().items()}
    torch.save(state, folder / "state.pt")
    command = [sys.executable, str(RUNNER), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{RUNNER.name} failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _cell(found: Row) -> str:
    if "refused" in found:
        return "no"
    if "error" in found:
        return f"FAULT: {found['error']}"
    difference = found.get("difference", found["here"])
    return (
        f"{difference:.0e} {found['seconds']:.0f}s" if difference else f"0 {found['seconds']:.0f}s"
    )


def table(rows: dict[str, Row], formats: Sequence[str]) -> str:
    """The table, and under it why there is no file."""
    lines = [
        "# Every template in every format",
        "",
        "Made by `python -m tests.bench.exports`. A cell: the largest difference between outputs",
        "of eight samples of the file, run by its own runtime in another process, and those of the",
        "network; the seconds that the export took, its checks included. 8 bits and half precision",
        "differ by what they leave out: their metric is shown with each export.",
        "",
        f"| template | {' | '.join(formats)} |",
        "|---" * (len(formats) + 1) + "|",
        *(f"| {n} | {' | '.join(_cell(found[f]) for f in formats)} |" for n, found in rows.items()),
    ]
    told: dict[str, list[str]] = {}
    for name, found in rows.items():
        for form in formats:
            for why in (found[form].get("refused"), found[form].get("note")):
                if why:
                    told.setdefault(f"{why}", []).append(f"{name} ({form})")
    lines += ["", *(f"- {', '.join(places)}: {why}" for why, places in told.items())]
    cells = [found[form] for found in rows.values() for form in formats]
    faults = sum("error" in cell for cell in cells)
    refused = sum("refused" in cell for cell in cells)
    made = len(cells) - refused - faults
    lines += ["", f"{made} made and equal, {refused} refused with a reason, {faults} faults."]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
