"""Import a random sample of timm's architectures and write what came of it as a table.

    python -m tests.wings.importing.bench.timm_models [--seed 12] [--count 60] [--results FILE]
        [--out FILE]

Architectures below 40 million parameters, in an order drawn with the seed, at their published size,
with random weights, each in a process of its own that has a limit of memory and of time. The
verdicts are those of `layerloom import`: bit for bit, on values of several scales, another batch,
another size, one training step. A row is kept in the results file as soon as it is there, so that
an interrupted run goes on where it was.
"""
# ruff: noqa: T201

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

OUT = Path(__file__).with_suffix(".md")
MOST = 40_000_000
SECONDS, GIGABYTES = 120, 8
PATIENCE = 10  # times as long as on a machine with nothing else to do
VERDICTS = ("the sample", "another batch", "another image size", "one training step")
WORDS = {True: "equal", False: "DIFFERS", None: "-"}
HEADER = ("architecture", "parameters", "image", "lines", "sample", "batch", "image size",
          "training step", "s", "notes")  # fmt: skip
Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows that are missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--count", type=int, default=60, help="architectures below the limit")
    parser.add_argument("--results", type=Path, default=Path("timm_models.json"))
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    parser.add_argument("--models", nargs="*", help="these instead of a sample")
    parser.add_argument("--one", help="make the row of this architecture, in this process")
    args = parser.parse_args(arguments)
    if args.one:
        print(json.dumps(row(args.one)))
        return
    rows: dict[str, Row] = json.loads(args.results.read_text()) if args.results.exists() else {}
    for name in args.models or drawn_by_lot(args.seed):
        if name not in rows:
            rows[name] = apart(name)
            args.results.write_text(json.dumps(rows, indent=1), encoding="utf-8")
            print(name, json.dumps(rows[name]), flush=True)
        if len(chosen(rows)) == args.count:
            break
    text = table(chosen(rows), args.seed)
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")


def chosen(rows: Mapping[str, Row]) -> dict[str, Row]:
    """Those that are not too large."""
    return {name: row for name, row in rows.items() if row.get("params", 0) < MOST}


def drawn_by_lot(seed: int) -> list[str]:
    """All architectures of timm in the order of a seed."""
    import timm

    names = sorted(timm.list_models())
    random.Random(seed).shuffle(names)
    return names


def apart(name: str) -> Row:
    """Make a row in a process of its own."""
    command = [sys.executable, "-m", "tests.wings.importing.bench.timm_models", "--one", name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE * SECONDS, check=True
        )
    except subprocess.TimeoutExpired:
        return {"refused": f"more than {PATIENCE * SECONDS} s"}
    except subprocess.CalledProcessError as error:
        return {"refused": f"FAULT {error.stderr.strip().splitlines()[-1:]}"[:300]}
    return json.loads(done.stdout.splitlines()[-1])


def row(name: str) -> Row:
    """Import one architecture and say what came of it."""
    import resource
    import time
    import warnings

    import timm
    import torch

    resource.setrlimit(resource.RLIMIT_DATA, (GIGABYTES << 30, GIGABYTES << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    begin = time.process_time()
    with torch.device("meta"):
        params = sum(p.numel() for p in timm.create_model(name).parameters())
    found: Row = {"params": params}
    if params < MOST:
        torch.manual_seed(0)
        found |= imported(timm.create_model(name).eval(), name)
    return found | {"seconds": round(time.process_time() - begin, 1)}


def imported(model: Any, name: str) -> Row:
    """Draw a model and judge it."""
    import torch

    from core.analyse import analyse, build
    from core.wings.importing import ImportRefused, import_module
    from core.wings.importing.verify.equivalence import verdicts

    shape = tuple(model.pretrained_cfg["input_size"])
    found: Row = {"shape": shape}
    try:
        drawn = import_module(model, [shape], name)
    except ImportRefused as error:
        return {**found, "refused": str(error)}
    report = analyse(drawn.project.graph, name)
    if report.source is None:
        first = report.errors[0]
        return {**found, "refused": f"{first.node} {first.message} {first.hint}"}
    with torch.device("meta"):
        ours = build(report.source)
    judged = verdicts(model, ours, drawn.keys, [shape], keep=False)
    return {**found, "lines": len(report.source.splitlines()), "left_out": drawn.training,
            "judged": {v.name: [v.equal, v.note] for v in judged}}  # fmt: skip


def table(rows: Mapping[str, Row], seed: int) -> str:
    """Write the rows in Markdown, the totals in front."""
    lines = [
        "# A random sample of timm", "", *totals(rows, seed), "",
        f"| {' | '.join(HEADER)} |", f"|{'---|' * len(HEADER)}",
        *(f"| {' | '.join(cells(name, row))} |" for name, row in sorted(rows.items())),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def totals(rows: Mapping[str, Row], seed: int) -> Sequence[str]:
    """How many are equal."""
    came = [row for row in rows.values() if "judged" in row]
    alike = [r for r in came if r["judged"][VERDICTS[0]][0] and r["judged"][VERDICTS[1]][0]]
    steps = [row["judged"][VERDICTS[3]][0] for row in came]
    tried = [equal for equal in steps if equal is not None]
    sizes = [row["judged"][VERDICTS[2]] for row in came]
    wrong = [note for equal, note in sizes if equal is False and "differs" in note]
    return (
        f"{len(rows)} architectures below 40 million parameters, drawn with seed {seed}.",
        "",
        f"- Equal to the bit in evaluation, at several scales: {len(alike)} of {len(rows)}",
        f"- Equal in one training step: {sum(tried)} of {len(tried)} that can be judged",
        f"- Other numbers at another image size, without a word: {len(wrong)}",
    )


def cells(name: str, row: Row) -> list[str]:
    """The cells of a row."""
    if "judged" not in row:
        side = str(row.get("shape", ("-",))[-1])
        return [name, f"{row.get('params', 0):,}", side, *["-"] * 6, row["refused"]]
    judged = [row["judged"][verdict] for verdict in VERDICTS]
    notes = [note for _, note in judged if note] + [*row["left_out"]]
    text = "; ".join(note.replace("|", "/").replace("\n", " ") for note in notes)
    return [name, f"{row['params']:,}", str(row["shape"][-1]), str(row["lines"]),
            *(WORDS[equal] for equal, _ in judged), f"{row['seconds']:.0f}", text]  # fmt: skip


if __name__ == "__main__":
    main()
