"""One model of torchvision, imported and compared: the row it gets in the table."""

import datetime
import functools
import os
import subprocess
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import torchvision
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from torchvision import models

from core.analyse import Report, analyse, build
from core.insight.summary import summary
from core.project import Project, read_text, write_text
from core.wings.importing import ImportedModel, ImportRefused, import_module
from core.wings.importing.published_size import family
from core.wings.importing.sources import ModelSource, Shape, open_source
from core.wings.importing.tracing.sample_inputs import samples
from core.wings.importing.verify.equivalence import verdicts
from tests.wings.importing.bench.torchvision_counts import size, why_operations, why_params

SIDES = (96, 128, 224, 256)
WORDS = {True: "equal", False: "DIFFERS", None: "-"}
VERDICTS = ("sample", "batch", "size", "step")
QUANTISED = tuple(n for n in models.list_models() if n.startswith("quantized_"))
Row = dict[str, Any]


def sizes(name: str) -> Iterator[tuple[Shape, ...]]:
    """Shapes to try, small ones first; RAFT takes two images."""
    kind = family(name)
    if kind == "video":
        yield ((3, 16, 64, 64),)
        yield ((3, 16, 224, 224),)
    elif kind == "optical_flow":
        yield ((3, 128, 128),) * 2
    elif "inception" in name:
        yield ((3, 299, 299),)
    elif kind == "detection":
        yield ((3, 128, 160),)
    else:
        yield from (((3, side, side),) for side in SIDES)


def row(name: str) -> Row:
    """Import one model and say what came of it."""
    start, worked = time.perf_counter(), time.process_time()
    found: Row = {"family": family(name), "model": name, **circumstances()}
    try:
        source = open_source(f"torchvision:{name}")
        if family(name) == "detection":
            find_everything(source.module)
        made = first_fitting(source, name)
    except ImportRefused as error:
        return {**found, "refused": str(error)}
    except Exception as error:  # a fault of the importer is a line of the table, too
        return {**found, "refused": f"FAULT {type(error).__name__}: {error}"[:300]}
    shapes, imported, spent = made
    begin = time.perf_counter()
    project = read_text(write_text(imported.project))
    report = analyse(project.graph, project.name)
    found |= {"shape": list(shapes[0]), "import_s": spent,
              "analyse_s": time.perf_counter() - begin}  # fmt: skip
    if report.source is None:
        return {**found, "refused": report.errors[0].message}
    found |= drawn(project, report, imported)
    found |= counted(name, source.module, project, report, imported)
    found |= judged(source, report, imported, shapes)
    if "used in training only" in found["step"][1]:
        found["heads"] = with_heads(source, shapes, name)
    return {**found, "all_s": time.perf_counter() - start,
            "cpu_s": time.process_time() - worked}  # fmt: skip


def circumstances() -> Row:
    """When a row was made, of which commit, with what, and how busy the machine was."""
    return {"made": datetime.datetime.now().isoformat(timespec="minutes"), "commit": commit(),
            "torch": torch.__version__, "torchvision": torchvision.__version__,
            "load": round(os.getloadavg()[0], 1)}  # fmt: skip


@functools.cache
def commit() -> str:
    """The commit that the code is of, with a mark where files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    return subprocess.run(
        command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    ).stdout.strip()


def find_everything(detector: nn.Module) -> None:
    """Let a detector with random weights find boxes, for it is sure of none, in small images."""
    transform: Any = detector.get_submodule("transform")
    if not transform.fixed_size:
        transform.min_size, transform.max_size = (192,), 320
    for part in detector.modules():
        if getattr(part, "score_thresh", None):
            vars(part)["score_thresh"] = 0.0


def first_fitting(source: ModelSource, name: str) -> tuple[tuple[Shape, ...], ImportedModel, float]:
    """Import with the smallest images that the model takes."""
    last: ImportRefused | None = None
    for shapes in sizes(name):
        begin = time.perf_counter()
        try:
            special = family(name) == "detection"  # how many boxes there are decides what follows
            found = import_module(source.module, shapes, name, run=source.run, specialise=special)
        except ImportRefused as error:
            if "cannot be run" not in str(error):
                raise
            last = error
            continue
        return shapes, found, time.perf_counter() - begin
    assert last
    raise last


def drawn(project: Project, report: Report, imported: ImportedModel) -> Row:
    """What the drawing and its source are like."""
    assert report.source
    return {
        "nodes": len(report.nodes),
        "composites": len(project.graph.composites),
        "lines": len(report.source.splitlines()),
        "keys": len(imported.keys),
        "unused": len(imported.unused),
        "idle": list(imported.idle),
        "specialised": list(imported.specialised),
    }


def judged(
    source: ModelSource, report: Report, imported: ImportedModel, shapes: tuple[Shape, ...]
) -> Row:  # fmt: skip
    """The four verdicts, on perturbed weights."""
    assert report.source
    with torch.device("meta"):
        ours = build(report.source)
    answers = verdicts(source.module, ours, imported.keys, shapes, keep=False, run=source.run)
    return {short: [a.equal, a.note] for short, a in zip(VERDICTS, answers, strict=True)}


def with_heads(source: ModelSource, shapes: tuple[Shape, ...], name: str) -> Row:
    """The verdicts on the drawing that has also what the model gives in training only."""
    source.module.eval().zero_grad()
    found = import_module(source.module, shapes, name, run=source.run, heads=True)
    report = analyse(found.project.graph, name)
    assert report.source, report.errors
    answers = verdicts(
        source.module, build(report.source), found.keys, shapes, keep=False, run=source.run,
        heads=len(found.heads),
    )  # fmt: skip
    verdict_row: Row = {s: [a.equal, a.note] for s, a in zip(VERDICTS, answers, strict=True)}
    return verdict_row | {"names": list(found.heads), "params": report.total_params,
                          "unused": len(found.unused)}  # fmt: skip


def counted(
    name: str, module: nn.Module, project: Project, report: Report, imported: ImportedModel
) -> Row:  # fmt: skip
    """Parameters against the module's and the published ones; mult-adds against the published."""
    entry = published(name, module)
    meta: Mapping[str, Any] = entry.meta
    counts: Row = {
        "params": report.total_params,
        "module_params": size(module),
        "published_params": meta.get("num_params"),
        "published_ops": meta.get("_ops"),
    }
    if counts["params"] != meta.get("num_params"):
        counts["why"] = why_params(name, module, report.total_params, meta["num_params"])
    side = published_side(name, entry)
    if side is None:
        return counts
    shape: Any = project.graph.nodes[project.graph.of_block("Input")[0]].settings["shape"]
    native = (*shape[:-2], *side)
    report = report if native == shape else at(project, native)
    if native != shape and imported.specialised:  # what was decided at the sample's size
        again = import_module(module, [native], name).project
        report = analyse(again.graph, again.name)
    if report.source is None:
        return counts
    return counts | {"ops_shape": list(native), "ops": operations(report, native),
                     "torchinfo": summary(report).torchinfo_mult_adds / 1e9,
                     "why_ops": why_operations(name, native, counts["published_ops"])}  # fmt: skip


def published(name: str, module: nn.Module) -> Any:
    """Torchvision's own entry about the best trained weights of a model, of its own image size
    where it has one: the best of vit_h_14 are of another model, for 518 pixels."""
    kind: Any = models.get_model_weights(name)
    side = getattr(module, "image_size", None)
    if side is None:
        return kind.DEFAULT
    fits = [entry for entry in kind if entry.transforms().crop_size == [side]]
    return kind.DEFAULT if kind.DEFAULT in fits else fits[0]


def published_side(name: str, entry: Any) -> tuple[int, int] | None:
    """The image size for which torchvision publishes operations; None where it is not one."""
    if family(name) in ("detection", "optical_flow"):
        return None
    if family(name) == "segmentation":
        return (520, 520)
    sides = entry.transforms().crop_size
    return (sides[0], sides[-1])


def at(project: Project, shape: Shape) -> Report:
    """Analyse the drawing for images of another size."""
    nodes = dict(project.graph.nodes)
    first = project.graph.of_block("Input")[0]
    nodes[first] = replace(nodes[first], settings={"shape": shape})
    return analyse(replace(project.graph, nodes=nodes), project.name)


def operations(report: Report, shape: Shape) -> float:
    """Billions of multiplications with addition in one run of the built module, as torch counts.

    Torch's counter takes a multiplication and an addition for two; torchvision publishes one.
    """
    assert report.source
    with torch.device("meta"):
        ours = build(report.source).eval()
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        ours(*samples([shape], ["float32"], 1, "meta"))
    return counter.get_total_flops() / 2e9


def refusal(name: str) -> str:
    """What is said of a model after its quantisation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = models.get_model(name, quantize=True).eval()
    try:
        import_module(module, next(sizes(name)), name)
    except ImportRefused as error:
        return str(error)
    return "FAULT: it was imported"
