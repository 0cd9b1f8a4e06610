"""Compile a network, or run a file by its own runtime, in a process of its own.

    python -P process.py FOLDER

FOLDER has job.json ({"do": "compile" or "run", "form": "aoti" or "executorch"}). compile: reads
program.pt2 and samples.pt (lists of inputs), writes network. run: reads network and samples.pt,
writes outputs.pt.
Prints a line of JSON: {"error": ...}, or what was measured; of a compilation also "operators", each
with the paths of the modules that call it. Imports nothing of Layerloom. Ends, with all that it
started, and takes FOLDER with it, when its standard input closes.
"""
# ruff: noqa: T201

import json
import os
import resource
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def main(folder: Path) -> None:
    """Do the job of a folder and say how it went."""
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    job = json.loads((folder / "job.json").read_text("utf-8"))
    began = time.perf_counter()
    try:
        JOBS[job["do"], job["form"]](folder)
        answer: dict[str, Any] = {"seconds": time.perf_counter() - began, "peak_mb": _peak_mb()}
    except Exception as error:  # compilers and runtimes raise every kind
        answer = {"error": f"{type(error).__name__}: {error}"}
    answer["operators"] = OPERATORS
    print(json.dumps(answer), flush=True)


def _end_with_parent(folder: Path) -> None:
    sys.stdin.buffer.read()
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


OPERATORS: dict[str, list[str]] = {}
"""Of the network that is compiled: names of operators without overload, paths of modules."""


def _note_operators(program: Any) -> None:
    """Note which modules call each operator of an exported program, as torch.export recorded."""
    for node in program.graph.nodes:
        stack = list((node.meta.get("nn_module_stack") or {}).values())
        if node.op == "call_function" and stack:
            name, path = operator_name(str(node.target)), stack[-1][0]
            if path not in OPERATORS.setdefault(name, []):
                OPERATORS[name].append(path)


def operator_name(name: str) -> str:
    """A name without library and overload: avg_pool3d of aten::avg_pool3d.out."""
    return name.replace("::", ".").split("aten.")[-1].split(".")[0]


def _peak_mb() -> float:
    """The most memory of this process or of one that it started, such as the compiler."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(who).ru_maxrss for who in whose) / unit


def compile_aoti(folder: Path) -> None:
    """By torch's own compiler and the C++ compiler of this machine."""
    import torch
    from torch import _inductor

    program = torch.export.load(folder / "program.pt2")
    _note_operators(program)
    inputs = torch.load(folder / "samples.pt", weights_only=True)[0]
    program.example_inputs = (tuple(inputs), {})
    # Headers compiled in advance help the second time; here there is none.
    options = {"aot_inductor.precompile_headers": False}
    _inductor.aoti_compile_and_package(
        program, package_path=str(folder / "network.pt2"), inductor_configs=options
    )
    (folder / "network.pt2").rename(folder / "network")


def compile_executorch(folder: Path) -> None:
    """For XNNPACK; what it does not take stays with the portable operations."""
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner  # pyright: ignore[reportMissingImports]
    from executorch.exir import to_edge_transform_and_lower  # pyright: ignore[reportMissingImports]

    for kernels in (torch.backends.mkldnn, torch.backends.nnpack):
        kernels.set_flags(False)  # whether one of them takes a convolution would bind N below 16
    program = torch.export.load(folder / "program.pt2")
    _note_operators(program)
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    _note_operators(lowered.exported_program())
    (folder / "network").write_bytes(lowered.to_executorch().buffer)


def run_aoti(folder: Path) -> None:
    """By the loader of torch, which reads no source."""
    from torch import _inductor

    named = folder / "network.pt2"
    shutil.copyfile(folder / "network", named)
    _run(folder, _inductor.aoti_load_package(str(named)))


def run_executorch(folder: Path) -> None:
    """By ExecuTorch's own runtime."""
    from executorch.runtime import Runtime  # pyright: ignore[reportMissingImports]

    program = Runtime.get().load_program(folder / "network")
    method = program.load_method("forward")
    if method is None:
        raise RuntimeError("the file has no method forward")
    _run(folder, lambda *inputs: [value.clone() for value in method.execute(inputs)])


def _run(folder: Path, network: Callable[..., Any]) -> None:
    import torch

    samples: Sequence[Sequence[Any]] = torch.load(folder / "samples.pt", weights_only=True)
    with torch.no_grad():
        torch.save([_tensors(network(*inputs)) for inputs in samples], folder / "outputs.pt")


def _tensors(value: Any) -> list[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        return [value.clone()]
    return [tensor for part in value for tensor in _tensors(part)]


JOBS: dict[tuple[str, str], Callable[[Path], None]] = {
    ("compile", "aoti"): compile_aoti,
    ("compile", "executorch"): compile_executorch,
    ("run", "aoti"): run_aoti,
    ("run", "executorch"): run_executorch,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]))
