"""Export every template, and eight networks of one's own, to every format; run each file by its
own runtime in another process.

    python -m tests.bench.exports [--templates lenet_digits ...] [--formats onnx ...]
        [--kept] [--results FILE ...] [--out FILE]

Random weights with noise, so that zeros hide nothing. What is compared: outputs of eight samples
in the other process (`exports_run.py`; a web page in Chromium) against the network here. Compiled
formats are compared by the export itself, which runs them in another process, at 1 to 64 samples.
Cells are kept in the first results file as soon as they are there; what the others have is not
made again. Seconds are those of the export, checks included, of this machine as busy as it was:
nothing is judged by them.
"""
# ruff: noqa: T201

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from core.export import FORMATS, ExportError
from core.export.agreement import EIGHT_BITS, HALF, TIMES
from core.export.parity import draws, run_seeded, tensors
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.project.templates import list_templates, load_template
from tests.chromium import chromium_path
from tests.crossing.own_project import NAMES, own_project, trusted

RUNNER = Path(__file__).with_name("exports_run.py")
COMPUTES = [
    name for name, form in FORMATS.items() if form.compared and (form.weights or name == "python")
]
SAMPLES = 8
EQUAL = 1e-5  # the largest difference of outputs that rounding explains
LIMITS = {
    "onnx-int8": f"{TIMES:.0f} times what 8 bits do, or {EIGHT_BITS.most:g}",
    "onnx-half": f"{HALF.share:.1g} or {TIMES:.0f} times what rounding every value does",
}
SHARES = 4  # networks named with the largest differences
OUTCOMES = (
    f"made and equal to {EQUAL:.0e}", "made in 8 bits or half precision", "made and different",
    "refused with a reason", "faults",
)  # fmt: skip
OUT, KEPT = (Path(__file__).with_suffix(ending) for ending in (".md", ".json"))
Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows that are missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = [*(template.name for template in list_templates()), *NAMES]
    parser.add_argument("--templates", nargs="*", default=every)
    parser.add_argument("--formats", nargs="*", default=COMPUTES, choices=COMPUTES)
    parser.add_argument("--kept", action="store_true", help="only the table of what is kept")
    parser.add_argument("--results", type=Path, nargs="+", default=[KEPT])
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = kept(args.results)
    for name in [] if args.kept else args.templates:
        fill(rows, name, args.formats, args.results[0])
        print(f"{name}: {', '.join(_cell(rows[name][form]) for form in args.formats)}", flush=True)
    text = table({name: rows.get(name, {}) for name in args.templates}, args.formats)
    print(text)
    if args.out:
        args.out.write_text(text + "\n", "utf-8")


def kept(files: Sequence[Path]) -> dict[str, Row]:
    """The rows of results files, cell by cell."""
    rows: dict[str, Row] = {}
    for path in files:
        for name, found in (json.loads(path.read_text("utf-8")) if path.exists() else {}).items():
            rows[name] = rows.get(name, {}) | found
    return rows


def fill(rows: dict[str, Row], name: str, formats: Sequence[str], out: Path) -> None:
    """Make the cells that a row lacks: quick ones together, compiled ones each by itself."""
    lacking = [form for form in formats if form not in rows.get(name, {})]
    quick = [form for form in lacking if not FORMATS[form].needs]
    for some in (quick, *([form] for form in lacking if FORMATS[form].needs)):
        if some:
            rows[name] = rows.get(name, {}) | row(name, some)
            own = kept([out])
            own[name] = own.get(name, {}) | {form: rows[name][form] for form in some}
            out.write_text(json.dumps(own, indent=1), "utf-8")


def row(name: str, formats: Sequence[str]) -> Row:
    """One template: of each format the difference and seconds, or why there is no file."""
    with trusted() as workspace:
        project = own_project(name, workspace) if name in NAMES else load_template(name)
        return _row(subject_of(project), formats)


def _row(subject: Subject, formats: Sequence[str]) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        found = {form: _written(subject, form, Path(folder, form)) for form in formats}
        made = [form for form in formats if "refused" not in found[form]]
        if draws(subject.module, subject.sample):
            for form in made:
                found[form]["note"] = "draws: compared here only, on the same random numbers"
            return found
        apart = [form for form in made if not FORMATS[form].needs]
        differences = _elsewhere(subject, Path(folder), apart) if apart else {}
        for form in apart:
            found[form] |= differences[form]
    return found


def _written(subject: Subject, form: str, out: Path) -> Row:
    began = time.perf_counter()
    try:
        made = export_subject(subject, form, out)
    except ExportError as error:
        return {"refused": f"{error.message} {error.hint}".strip()}
    seconds = round(time.perf_counter() - began, 1)
    return {"seconds": seconds, "bytes": made.path.stat().st_size, "here": made.max_difference}


def _elsewhere(subject: Subject, folder: Path, made: Sequence[str]) -> dict[str, Row]:
    """Run all files in another process and hold their outputs against the network's."""
    inputs = subject.sample(SAMPLES)
    with torch.no_grad():
        expected = [value.float() for value in tensors(run_seeded(subject.module, inputs))]
    torch.save({"inputs": list(inputs), "expected": expected}, folder / "samples.pt")
    facts = {
        "formats": list(made),
        "class": subject.class_name,
        "names": list(subject.inputs),
        "browser": chromium_path(),
    }
    (folder / "facts.json").write_text(json.dumps(facts), "utf-8")
    state = {k: v.detach().clone() for k, v in subject.module.state_dict().items()}
    torch.save(state, folder / "state.pt")
    command = [sys.executable, str(RUNNER), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {form: {"error": f"its process ended: {done.stderr[-300:]}"} for form in made}
    found = json.loads(done.stdout.splitlines()[-1])
    scale = max(float(value.abs().max()) for value in expected if value.numel())
    for cell in found.values():
        if scale and "difference" in cell:
            cell["share"] = cell["difference"] / scale
    return found


def _cell(found: Row | None) -> str:
    if found is None:
        return "not run"
    if "refused" in found:
        return "no"
    if "error" in found:
        return f"FAULT: {found['error']}"
    difference = found.get("difference", found["here"])
    return (
        f"{difference:.0e} {found['seconds']:.0f}s" if difference else f"0 {found['seconds']:.0f}s"
    )


def _outcome(form: str, found: Row) -> str:
    equal, smaller, differs, refused, fault = OUTCOMES
    if "refused" in found or "error" in found:
        return refused if "refused" in found else fault
    if form in LIMITS:
        return smaller
    return equal if found.get("difference", found["here"]) <= EQUAL else differs


def table(rows: dict[str, Row], formats: Sequence[str]) -> str:
    """The table, and under it why there is no file."""
    lines = [
        "# Templates in the formats that compute",
        "",
        "Made by `python -m tests.bench.exports`. A cell: the largest difference between outputs",
        "of eight samples of the file, run by its own runtime in another process, and those of the",
        "network; the seconds that the export took, its checks included. Compiled formats (aoti,",
        "executorch) are compared by the export, in another process, at 1 to 64 samples. 8 bits",
        "and half precision differ by what they leave out: their metric is shown with each export.",
        "",
        f"| template | {' | '.join(formats)} |",
        "|---" * (len(formats) + 1) + "|",
        *(
            f"| {n} | {' | '.join(_cell(found.get(f)) for f in formats)} |"
            for n, found in rows.items()
        ),
    ]
    reasons: dict[str, list[str]] = {}
    for name, found in rows.items():
        for form in formats:
            for why in (found.get(form, {}).get(key) for key in ("refused", "note")):
                if why:
                    reasons.setdefault(f"{why}", []).append(f"{name} ({form})")
    lines += ["", *(f"- {', '.join(places)}: {why}" for why, places in reasons.items())]
    counts = Counter(
        _outcome(form, found[form]) for found in rows.values() for form in formats if form in found
    )
    lines += ["", *shares] if (shares := _shares(rows)) else []
    lines += ["", ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES) + "."]
    return "\n".join(lines)


def _shares(rows: dict[str, Row]) -> list[str]:
    """What 8 bits and half precision leave out, against the limits of an export."""
    lines: list[str] = []
    for form, limit in LIMITS.items():
        cells = {name: found[form]["share"] for name, found in rows.items()
                 if "share" in found.get(form, {})}  # fmt: skip
        if cells:
            most = sorted(cells, key=lambda name: -cells[name])[:SHARES]
            worst = ", ".join(f"{name} {cells[name]:.1g}" for name in most)
            middle = sorted(cells.values())[len(cells) // 2]
            lines.append(
                f"- {form}: difference as a share of the largest output of {len(cells)} networks: "
                f"median {middle:.1g}; largest {worst}; refused above {limit}."
            )
    return lines


if __name__ == "__main__":
    main()
