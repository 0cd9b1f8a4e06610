"""One model of torchvision, imported and compared: the row it gets in the table."""

import datetime
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
import torchvision
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from torchvision import models

from core.analyse import Report, analyse, build
from core.importing import Imported, ImportRefused, import_module
from core.importing.sources import Shape, Source, family, open_source
from core.importing.verdicts import samples, verdicts
from core.project import Project, read_text, write_text
from tests.bench.torchvision_counts import size, why_operations, why_params

SIDES = (96, 128, 224, 256)
WORDS = {True: "equal", False: "DIFFERS", None: "-"}
VERDICTS = ("sample", "batch", "size", "step")
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
    start = time.perf_counter()
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
    return {**found, "all_s": time.perf_counter() - start}


def circumstances() -> Row:
    """When a row was made, with what, and how busy the machine was."""
    return {"made": datetime.datetime.now().isoformat(timespec="minutes"),
            "torch": torch.__version__, "torchvision": torchvision.__version__,
            "load": round(os.getloadavg()[0], 1)}  # fmt: skip


def find_everything(detector: nn.Module) -> None:
    """Let a detector with random weights find boxes, for it is sure of none, in small images."""
    transform: Any = detector.get_submodule("transform")
    if not transform.fixed_size:
        transform.min_size, transform.max_size = (192,), 320
    for part in detector.modules():
        if getattr(part, "score_thresh", None):
            vars(part)["score_thresh"] = 0.0


def first_fitting(source: Source, name: str) -> tuple[tuple[Shape, ...], Imported, float]:
    """Import with the smallest images that the model takes."""
    last: ImportRefused | None = None
    for shapes in sizes(name):
        begin = time.perf_counter()
        try:
            found = import_module(source.module, shapes, name, run=source.run)
        except ImportRefused as error:
            if "cannot be run" not in str(error):
                raise
            last = error
            continue
        return shapes, found, time.perf_counter() - begin
    assert last
    raise last


def drawn(project: Project, report: Report, imported: Imported) -> Row:
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
    source: Source, report: Report, imported: Imported, shapes: tuple[Shape, ...]
) -> Row:  # fmt: skip
    """The four verdicts, on perturbed weights."""
    assert report.source
    ours = build(report.source)
    answers = verdicts(source.module, ours, imported.keys, shapes, keep=False, run=source.run)
    return {short: [a.equal, a.note] for short, a in zip(VERDICTS, answers, strict=True)}


def counted(
    name: str, module: nn.Module, project: Project, report: Report, imported: Imported
) -> Row:  # fmt: skip
    """Parameters against the module's and the published ones; mult-adds against the published."""
    meta: Mapping[str, Any] = published(name).meta
    counts: Row = {
        "params": report.total_params,
        "module_params": size(module),
        "published_params": meta.get("num_params"),
        "published_ops": meta.get("_ops"),
    }
    if counts["params"] != meta.get("num_params"):
        counts["why"] = why_params(name, module, report.total_params, meta["num_params"])
    side = published_side(name)
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
                     "torchinfo": report.mult_adds / 1e9,
                     "why_ops": why_operations(name, native, counts["published_ops"])}  # fmt: skip


def published(name: str) -> Any:
    """Torchvision's own entry about the best trained weights of a model."""
    kind: Any = models.get_model_weights(name)
    return kind.DEFAULT


def published_side(name: str) -> tuple[int, int] | None:
    """The image size for which torchvision publishes operations; None where it is not one."""
    if family(name) in ("detection", "optical_flow"):
        return None
    if family(name) == "segmentation":
        return (520, 520)
    sides = published(name).transforms().crop_size
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
