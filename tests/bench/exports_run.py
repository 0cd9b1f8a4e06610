"""Run exported files by their own runtimes alone: nothing of Layerloom is imported here.

    python exports_run.py FOLDER

FOLDER holds a file for each format and samples.pt, state.pt, facts.json of `exports.py`. Prints a
line of JSON: by format the largest difference, or the error.
"""
# ruff: noqa: T201

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

Outputs = Callable[..., Any]


def main(folder: Path) -> None:
    """Compare every format."""
    warnings.simplefilter("ignore")
    facts = json.loads((folder / "facts.json").read_text("utf-8"))
    samples = torch.load(folder / "samples.pt", weights_only=True)
    found: dict[str, dict[str, Any]] = {}
    for form in facts["formats"]:
        try:
            if form == "web":
                found[form] = {"difference": page_difference(folder / form, facts["browser"])}
                continue
            if form in PROGRAMS:
                found[form] = {"difference": program_difference(folder / form, PROGRAMS[form])}
                continue
            run = RUNTIMES[form](folder / form, facts, folder)
            with torch.no_grad():
                got = list(tensors(run(*(value.clone() for value in samples["inputs"]))))
            found[form] = {"difference": largest(samples["expected"], got)}
        except Exception as error:  # whatever a runtime says of a file is the result
            found[form] = {"error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(found))


def tensors(value: Any) -> Iterator[Tensor]:
    """All tensors of an output, in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from tensors(part)


def largest(expected: list[Tensor], got: list[Tensor]) -> float:
    """The largest difference. Raises ValueError where shapes differ."""
    if [t.shape for t in expected] != [t.shape for t in got]:
        raise ValueError(f"shapes are {[tuple(t.shape) for t in got]}")
    pairs = zip(expected, got, strict=True)
    return max(float((a - b.float()).abs().max()) for a, b in pairs if a.numel())


def network(source: Path, cls: str) -> torch.nn.Module:
    """The class of a file of source."""
    path = source.with_name("network.py")
    path.write_bytes(source.read_bytes())
    spec = importlib.util.spec_from_file_location("network", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["network"] = module
    spec.loader.exec_module(module)
    return getattr(module, cls)().eval()


def python(path: Path, facts: dict[str, Any], folder: Path) -> Outputs:
    made = network(path, facts["class"])
    made.load_state_dict(torch.load(folder / "state.pt", weights_only=True))
    return made


def safetensors(path: Path, facts: dict[str, Any], folder: Path) -> Outputs:
    from safetensors.torch import load_file

    made = network(folder / "python", facts["class"])
    made.load_state_dict(load_file(path))
    return made


def onnx(path: Path, facts: dict[str, Any], _folder: Path) -> Outputs:
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def run(*inputs: Tensor) -> list[Tensor]:
        fed = {n: t.numpy() for n, t in zip(facts["names"], inputs, strict=True)}
        return [torch.from_numpy(value) for value in session.run(None, fed)]

    return run


def pt2(path: Path, _facts: dict[str, Any], _folder: Path) -> Outputs:
    return torch.export.load(path).module()


def torchscript(path: Path, _facts: dict[str, Any], _folder: Path) -> Outputs:
    return torch.jit.load(path)


def server(path: Path, facts: dict[str, Any], folder: Path) -> Outputs:
    """The folder's own network and weights; a test runs its server."""
    from safetensors.torch import load_file

    home = unpacked(path)
    made = network(home / "model.py", facts["class"])
    made.load_state_dict(load_file(home / "weights.safetensors"))
    return made


def triton(path: Path, facts: dict[str, Any], folder: Path) -> Outputs:
    (model,) = unpacked(path).glob("models/*/1/model.onnx")
    return onnx(model, facts, folder)


def unpacked(path: Path) -> Path:
    """The folder in an archive."""
    out = path.with_suffix(".folder")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(out)
    (home,) = out.iterdir()
    return home


def aoti(path: Path, _facts: dict[str, Any], _folder: Path) -> Outputs:
    package = path.with_suffix(".pt2")
    package.write_bytes(path.read_bytes())
    return torch._inductor.aoti_load_package(str(package))


def executorch(path: Path, _facts: dict[str, Any], _folder: Path) -> Outputs:
    from executorch.runtime import Runtime

    method = Runtime.get().load_program(path).load_method("forward")
    assert method is not None
    return lambda *inputs: [value.clone() for value in method.execute(inputs)]


def program_difference(path: Path, build: Path) -> float:
    """What the program of a C++ project says; one build serves all networks, as it is generic."""
    project = unpacked(path)
    program = build / "network"
    if not program.exists():
        command = ["cmake", "-S", str(project), "-B", str(build)]
        root = os.environ.get("ONNXRUNTIME_ROOT", "")
        roots = {"TORCH_ROOT": str(Path(torch.__file__).parent), "ONNXRUNTIME_ROOT": root}
        command += [f"-D{name}={value}" for name, value in roots.items()]
        subprocess.run(command, check=True, capture_output=True)
        subprocess.run(["cmake", "--build", str(build)], check=True, capture_output=True)
    done = subprocess.run([str(program), str(project)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return float(done.stdout.split("from PyTorch ")[1].split(",")[0])


def page_difference(path: Path, browser_file: str) -> float:
    """What the page found when it checked itself, in the Chromium of a path."""
    from playwright.sync_api import sync_playwright

    page_file = path.with_suffix(".html")
    page_file.write_bytes(path.read_bytes())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_file, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(page_file.as_uri())
        page.wait_for_selector("#main[aria-busy=false]", timeout=120_000)
        difference = page.get_attribute("#check", "data-difference")
        if difference is None:
            raise RuntimeError(page.inner_text("#answers"))
        browser.close()
    return float(difference)


BUILT_WITH = hashlib.sha256(f"{torch.__file__} {torch.__version__}".encode()).hexdigest()[:8]
BUILDS = Path(tempfile.gettempdir(), f"layerloom-cpp-{os.getuid()}-{BUILT_WITH}")
"""Programs that were built, for this torch where it lies: they find its libraries by their path."""
PROGRAMS = {"cpp": BUILDS / "libtorch", "cpp-onnx": BUILDS / "onnxruntime"}
RUNTIMES: dict[str, Callable[[Path, dict[str, Any], Path], Outputs]] = {
    "python": python,
    "safetensors": safetensors,
    "onnx": onnx,
    "onnx-int8": onnx,
    "onnx-half": onnx,
    "server": server,
    "triton": triton,
    "pt2": pt2,
    "aoti": aoti,
    "executorch": executorch,
    "torchscript-script": torchscript,
    "torchscript-trace": torchscript,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]))
