"""Import tiny models of transformers' families and write what came of it as a table.

    python -m tests.wings.importing.bench.transformers_models [--models BERT ...] [--out FILE]

Configurations are tiny, weights random and perturbed; nothing is fetched. torch.equal throughout.
"""
# ruff: noqa: T201

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path

import torch
import transformers

from tests.wings.importing.bench.transformers_row import MORE, NINE, Row, row

OUT = Path(__file__).with_suffix(".md")
WORDS = {True: "equal", False: "DIFFERS", None: "-"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=[*NINE, *MORE])
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    rows: list[Row] = []
    for name in args.models:
        rows.append(row(name))
        print(" | ".join(cells(rows[-1])), flush=True)
    if args.out:
        args.out.write_text(table(rows), encoding="utf-8")


def cells(found: Row) -> list[str]:
    """The cells of a row."""
    begin = [found["family"], found["class"]]
    if "refused" in found:
        return [*begin, *["-"] * 7, found["refused"].replace("|", "\\|")]
    judged = found["verdicts"]
    notes = "; ".join(f"{name}: {note}" for name, (_, note) in judged.items() if note)
    return [
        *begin, " and ".join(found["inputs"]), str(found["lines"]),
        *(WORDS[judged[name][0]] for name in found["order"]), f"{found['cpu_s']:.1f}",
        notes.replace("|", "\\|"),
    ]  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """The whole page."""
    done = [found for found in rows if "refused" not in found]
    order = done[0]["order"]
    head = ["family", "class", "inputs", "lines", *order, "processor s", "notes"]
    equal = {n: sum(found["verdicts"][n][0] is True for found in done) for n in order}
    tried = {n: sum(found["verdicts"][n][0] is not None for found in done) for n in order}
    counts = ", ".join(f"{name} {equal[name]} of {tried[name]}" for name in order)
    return "\n".join([
        "# transformers' families, imported", "",
        "Written by `python -m tests.wings.importing.bench.transformers_models --out "
        "tests/wings/importing/bench/transformers_models.md`, one thread: torch "
        f"{torch.__version__}, transformers {transformers.__version__}. Tiny configurations, "
        "random weights, nothing fetched.", "",
        f"- {len(done)} of {len(rows)} came in. Equal bit for bit, of those tried: {counts}.", "",
        f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |",
        *(f"| {' | '.join(cells(found))} |" for found in rows), "",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
