"""Import every model of torchvision and write what came of it as a table.

    python -m tests.wings.importing.bench.torchvision_models [--models resnet18 ...]
        [--results FILE] [--out FILE]

Random weights, perturbed so that zero heads hide nothing; eval mode; torch.equal; images as small
as the model allows. A row is kept in the results file as soon as it is there, and made again only
with `--again`, so that an interrupted run goes on where it was.
"""
# ruff: noqa: T201

import argparse
import gc
import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import torch
from torchvision import models

from tests.wings.importing.bench.torchvision_row import QUANTISED, refusal, row
from tests.wings.importing.bench.torchvision_table import cells, table

OUT = Path(__file__).with_suffix(".md")


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows that are missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=models.list_models())
    parser.add_argument("--results", type=Path, default=Path("torchvision_models.json"))
    parser.add_argument("--again", action="store_true", help="make rows again that are there")
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = json.loads(args.results.read_text("utf-8")) if args.results.exists() else {}
    for name in args.models:
        if name in rows and not args.again:
            continue
        rows[name] = row(name)
        args.results.write_text(json.dumps(rows, indent=1), encoding="utf-8")
        print(" | ".join(cells(rows[name])), flush=True)
        gc.collect()
    refused = {name: refusal(name) for name in QUANTISED if name in rows}
    text = table([rows[name] for name in models.list_models() if name in rows], refused)
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
