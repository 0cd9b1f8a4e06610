"""The export formats and what each is for. Imports no torch."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class FormatGroup:
    """What formats are for: a heading, and a sentence that helps to choose."""

    title: str
    about: str


GROUPS = {
    "python": FormatGroup("In Python", "Source code, training scripts and files for PyTorch."),
    "anywhere": FormatGroup(
        "In any language",
        "One file with network and weights, for ONNX Runtime and similar runtimes on any system.",
    ),
    "device": FormatGroup(
        "In a browser, on a phone",
        "Runs on the user's device, without a server and without Python.",
    ),
    "server": FormatGroup("On a server", "Serves predictions to other programs over a network."),
    "cpp": FormatGroup("In C++", "Runs the network inside a C++ program."),
    "beside": FormatGroup(
        "Documentation", "What others should know about a network that they receive."
    ),
    "figure": FormatGroup("As a figure", "The drawing, for reports and slides."),
}
"""In the order in which they are shown; each has at least one format."""


@dataclass(frozen=True)
class Format:
    """One export format: file ending, and its description for a student.

    weights: whether the file carries the learned weights. deprecated: upstream's word on it.
    compared: whether it computes, so that it is compared. converts: whether it has the network in
    another form than its own Python, which then takes batches of every size. figure: whether it is
    a picture of the drawing, with a look to choose. suffix: of its file name, to distinguish files
    with the same ending. group: a key of GROUPS. needs: keys of `core.export.needs.NEEDS`. trains:
    whether it holds the training, so that it needs data. limit_s: how long a page waits.
    takes_files: whether people give it files of their own.
    """

    name: str
    title: str
    ending: str
    media_type: str
    about: str
    weights: bool = True
    deprecated: str = ""
    compared: bool = True
    converts: bool = True
    figure: bool = False
    suffix: str = ""
    group: str = "python"
    needs: tuple[str, ...] = ()
    trains: bool = False
    limit_s: float = 180.0
    takes_files: bool = False


def _figure(name: str, ending: str, media_type: str, about: str) -> Format:
    title = f"Figure, {name.upper()}"
    return Format(
        name,
        title,
        ending,
        media_type,
        about,
        weights=False,
        compared=False,
        figure=True,
        group="figure",
    )


_TORCHSCRIPT = "PyTorch deprecates TorchScript in favour of torch.export."

FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format(
            "python",
            "Python source",
            ".py",
            "text/x-python",
            "The network as a plain nn.Module to read and extend. It needs only torch.",
            weights=False,
        ),
        Format(
            "script",
            "Training script",
            ".py",
            "text/x-python",
            "Network, data, training loop and saving in one self-contained file.",
            weights=False,
            suffix="_train",
            trains=True,
        ),
        Format(
            "script-plain",
            "Training script, plain",
            ".py",
            "text/x-python",
            "The same in the style of tutorials, with DataLoader(shuffle=True). Its results are "
            "close to the run's, not identical.",
            weights=False,
            suffix="_plain",
            trains=True,
        ),
        Format(
            "script-ddp",
            "Training script, several GPUs",
            ".py",
            "text/x-python",
            "The same for torchrun --nproc-per-node N: several GPUs, or processes of a CPU, share "
            "each step. It also runs with python alone.",
            weights=False,
            suffix="_ddp",
            trains=True,
        ),
        Format(
            "notebook",
            "Notebook",
            ".ipynb",
            "application/x-ipynb+json",
            "The same, step by step with explanations, for Jupyter or Colab.",
            weights=False,
            trains=True,
        ),
        Format(
            "lightning",
            "Lightning script",
            ".py",
            "text/x-python",
            "The same training as a LightningModule and a Trainer. Needs the package lightning.",
            weights=False,
            suffix="_lightning",
            trains=True,
        ),
        Format(
            "safetensors",
            "Weights",
            ".safetensors",
            "application/octet-stream",
            "The weights only, no code: safe to share. Load them into the Python source by "
            "block name.",
            converts=False,
        ),
        Format(
            "pt2",
            "torch.export",
            ".pt2",
            "application/octet-stream",
            "PyTorch's own graph format, for torch.export.load and ahead-of-time compilation.",
        ),
        Format(
            "aoti",
            "AOTInductor",
            ".pt2",
            "application/octet-stream",
            "Compiled machine code, for this version of torch and processors like this one. "
            "Compiling takes about a minute.",
            suffix="_aoti",
            needs=("compiler",),
            limit_s=600.0,
        ),
        Format(
            "onnx",
            "ONNX",
            ".onnx",
            "application/octet-stream",
            "Network and weights in one file for other languages, browsers and phones. Any batch.",
            group="anywhere",
        ),
        Format(
            "onnx-int8",
            "ONNX, 8-bit",
            ".onnx",
            "application/octet-stream",
            "About a quarter of the size: weights and values as 8-bit integers. Its accuracy is "
            "compared with the network's.",
            suffix="_int8",
            group="anywhere",
        ),
        Format(
            "onnx-half",
            "ONNX, half precision",
            ".onnx",
            "application/octet-stream",
            "Half the size: weights and values as float16. Inputs and outputs stay float32.",
            suffix="_half",
            group="anywhere",
        ),
        Format(
            "web",
            "Web page",
            ".html",
            "text/html",
            "One file that runs the network in any browser, offline: draw, drop a picture or "
            "fill in a row, and see the prediction. 5 MB plus your weights.",
            group="device",
            takes_files=True,
        ),
        Format(
            "executorch",
            "ExecuTorch",
            ".pte",
            "application/octet-stream",
            "For apps on phones and small boards: a file for the ExecuTorch runtime, written in "
            "C++ and fast through XNNPACK. Takes up to 64 samples at a time.",
            group="device",
            needs=("executorch",),
        ),
        Format(
            "server",
            "Server folder",
            ".zip",
            "application/zip",
            "Network, weights, a short Python server that returns class names and units, its "
            "OpenAPI document and a Dockerfile. Its responses are those of layerloom serve.",
            suffix="_server",
            group="server",
            takes_files=True,
        ),
        Format(
            "triton",
            "Triton repository",
            ".zip",
            "application/zip",
            "ONNX with the configuration of NVIDIA's Triton Inference Server, for many requests "
            "on many machines. It returns the raw outputs.",
            suffix="_triton",
            group="server",
        ),
        Format(
            "cpp-onnx",
            "C++ project, ONNX Runtime",
            ".zip",
            "application/zip",
            "CMake file, program, network, and samples with expected outputs. It builds in "
            "seconds, runs and compares; the library is a small download.",
            group="cpp",
            suffix="_cpp_onnx",
        ),
        Format(
            "cpp",
            "C++ project, libtorch",
            ".zip",
            "application/zip",
            "The same with PyTorch's C++ library, which is part of the package torch. A build "
            "takes a minute and 1 GB of memory.",
            group="cpp",
            suffix="_cpp",
        ),
        Format(
            "torchscript-script",
            "TorchScript, scripted",
            ".pt",
            "application/octet-stream",
            "The compiled source with its weights, for C++ and older tools.",
            deprecated=_TORCHSCRIPT,
            group="cpp",
        ),
        Format(
            "torchscript-trace",
            "TorchScript, traced",
            ".pt",
            "application/octet-stream",
            "One recorded pass with the weights, for C++ and older tools.",
            deprecated=_TORCHSCRIPT,
            suffix="_traced",
            group="cpp",
        ),
        Format(
            "card",
            "Model card",
            ".md",
            "text/markdown",
            "Architecture, training data, metrics and limits of the network, and how to load "
            "each file. Add it to everything you share.",
            weights=False,
            compared=False,
            suffix="_card",
            group="beside",
        ),
        _figure("svg", ".svg", "image/svg+xml", "The drawing for a web page, sharp at any size."),
        _figure("pdf", ".pdf", "application/pdf", "The drawing for a report or a thesis."),
        _figure("png", ".png", "image/png", "The drawing as pixels, for slides and chats."),
        _figure("dot", ".dot", "text/vnd.graphviz", "The drawing as text, for Graphviz's tools."),
    )
}
TRAINED = tuple(name for name, kind in FORMATS.items() if kind.trains)
NOT_OFFERED = {
    "Core ML": "its files run only on Apple systems, so they could not be checked here; "
    "coremltools converts the torch.export file there",
    "LiteRT": "its converter needs 1 GB of packages and older versions of others; litert-torch "
    "converts the torch.export file in a separate environment",
    "OpenVINO": "it reads the ONNX file",
}
"""Often requested targets without a format, each with the reason: every format is checked."""
FIGURES = tuple(name for name, kind in FORMATS.items() if kind.figure)
ALIASES = {"torchscript": "torchscript-script", "source": "python", "torch.export": "pt2"}


def grouped() -> Iterator[tuple[FormatGroup, list[Format]]]:
    """Every group with its formats, in order."""
    for key, group in GROUPS.items():
        yield group, [kind for kind in FORMATS.values() if kind.group == key]
