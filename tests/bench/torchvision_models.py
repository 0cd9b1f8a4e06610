"""Import every model of torchvision and print what came of it, one line per model.

    python -m tests.bench.torchvision_models [--family classification] [--models resnet18 ...]

Random weights, perturbed so that zero heads hide nothing; eval mode; torch.equal. The image sides
are small where the model allows it. The last two columns are another batch and another image size.
"""
# ruff: noqa: T201

import argparse
import gc
import time
from collections.abc import Iterator

import torch
from torchvision import models

from core.analyse import Report, analyse, build
from core.importing import Imported, ImportRefused, import_module
from core.importing.sources import Source, open_source
from core.importing.verdicts import Verdict, verdicts
from core.project import read_text, write_text

HEADER = ("family", "model", "nodes", "composites", "lines", "keys", "sample", "batch", "size",
          "step", "import s", "all s", "note")  # fmt: skip
SIDES = (96, 128, 224)
WORDS = {True: "equal", False: "DIFFERS", None: "-"}


def family(name: str) -> str:
    """The part of torchvision a model is from."""
    place = models.get_model_builder(name).__module__.removeprefix("torchvision.models.")
    part = place.partition(".")[0]
    known = ("segmentation", "video", "detection", "quantization", "optical_flow")
    return part if part in known else "classification"


def sizes(name: str) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Shapes to try, small ones first; RAFT takes two images."""
    if family(name) == "video":
        yield ((3, 16, 112, 112),)
        yield ((3, 16, 224, 224),)
    elif family(name) == "optical_flow":
        yield ((3, 128, 128),) * 2
    else:
        yield from (((3, side, side),) for side in SIDES)


def row(name: str, step: bool) -> list[str]:
    """Import one model and say what came of it."""
    start, refused = time.perf_counter(), ""
    source = open_source(f"torchvision:{name}")
    for shapes in sizes(name):
        begin = time.perf_counter()
        try:
            found = import_module(source.module, shapes, name)
        except ImportRefused as error:
            refused = str(error)
            if "cannot be run" in refused:
                continue
            break
        spent = time.perf_counter() - begin
        return judged(name, Source(source.module, name, shapes), found, spent, start, step)
    return [family(name), name, *["-"] * (len(HEADER) - 3), refused]


def judged(
    name: str, source: Source, found: Imported, spent: float, start: float, step: bool
) -> list[str]:
    """Open the written project, build its source, compare."""
    project = read_text(write_text(found.project))
    report = analyse(project.graph, project.name)
    if report.source is None:
        return [family(name), name, *["-"] * (len(HEADER) - 3), report.errors[0].message]
    answers = compared(source, report, found, step)
    note = notes(found, answers)
    return [
        family(name), name, str(len(report.nodes)), str(len(project.graph.composites)),
        str(len(report.source.splitlines())), str(len(found.keys)),
        *(WORDS[a.equal] for a in answers), f"{spent:.1f}",
        f"{time.perf_counter() - start:.0f}", note,
    ]  # fmt: skip


def compared(source: Source, report: Report, found: Imported, step: bool) -> list[Verdict]:
    """The verdicts; without the training step unless asked for."""
    assert report.source
    ours = build(report.source)
    return verdicts(
        source.module, ours, found.keys, source.shapes, keep=False, step=step
    )  # fmt: skip


def notes(found: Imported, answers: list[Verdict]) -> str:
    """What else there is to say."""
    said = [f"{a.name}: {a.note}" for a in answers if a.note and a.equal is False]
    if found.specialised:
        said.append(f"specialised to this input ({len(found.specialised)} expressions)")
    if found.idle:
        said.append(f"{len(found.idle)} modules idle in eval left out, such as {found.idle[0]}")
    if found.unused:
        said.append(f"{len(found.unused)} tensors unused in eval")
    return "; ".join(said)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family")
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--step", action="store_true", help="also one training step")
    args = parser.parse_args()
    torch.set_num_threads(1)
    print("\t".join(HEADER))
    for name in args.models or models.list_models():
        if args.family and family(name) != args.family:
            continue
        try:
            print("\t".join(row(name, args.step)), flush=True)
        except Exception as error:  # a fault of the importer is a line of the table, too
            said = f"FAULT {type(error).__name__}: {error}"
            if isinstance(error, ImportRefused):
                said = str(error)
            print("\t".join([family(name), name, *["-"] * 10, said[:300]]), flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
