"""The export formats and what each is for. Imports no torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """One export format: file ending, and its description for a student.

    weights: whether the file carries the learned weights. deprecated: upstream's word on it.
    compared: whether it computes, so that it is compared. figure: whether it is a picture of the
    drawing, with a look of its own to choose. suffix: of the name of its file, which tells it from
    others with the same ending.
    """

    name: str
    title: str
    ending: str
    media_type: str
    about: str
    weights: bool = True
    deprecated: str = ""
    compared: bool = True
    figure: bool = False
    suffix: str = ""


def _figure(name: str, ending: str, media_type: str, about: str) -> Format:
    title = f"Figure, {name.upper()}"
    return Format(name, title, ending, media_type, about, weights=False, compared=False,
                  figure=True)  # fmt: skip


_TORCHSCRIPT = "PyTorch deprecates TorchScript in favour of torch.export."

FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format(
            "python",
            "Python source",
            ".py",
            "text/x-python",
            "The network as a plain nn.Module, to read and to build on. It needs only torch.",
            weights=False,
        ),
        Format(
            "script",
            "Training script",
            ".py",
            "text/x-python",
            "Network, data, training loop and saving in one file that runs by itself.",
            weights=False,
            suffix="_train",
        ),
        Format(
            "script-plain",
            "Training script, plain",
            ".py",
            "text/x-python",
            "The same as tutorials write it, with DataLoader(shuffle=True). It ends near the run, "
            "not with the same numbers.",
            weights=False,
            suffix="_plain",
        ),
        Format(
            "notebook",
            "Notebook",
            ".ipynb",
            "application/x-ipynb+json",
            "The same, step by step with explanations, for Jupyter or Colab.",
            weights=False,
        ),
        Format(
            "lightning",
            "Lightning script",
            ".py",
            "text/x-python",
            "The same training as a LightningModule and a Trainer. Needs the package lightning.",
            weights=False,
            suffix="_lightning",
        ),
        Format(
            "card",
            "Model card",
            ".md",
            "text/markdown",
            "What the network is, what it learned from, its figures and limits, and how to load "
            "each file. Put it beside whatever you pass on.",
            weights=False,
            compared=False,
            suffix="_card",
        ),
        Format(
            "safetensors",
            "Weights",
            ".safetensors",
            "application/octet-stream",
            "Only numbers, no code: safe to share. Load them into the Python source by block name.",
        ),
        Format(
            "onnx",
            "ONNX",
            ".onnx",
            "application/octet-stream",
            "Network and weights in one file for other languages, browsers and phones. Any batch.",
        ),
        Format(
            "onnx-int8",
            "ONNX, 8-bit",
            ".onnx",
            "application/octet-stream",
            "About a quarter of the size: weights and values as 8-bit integers. Its accuracy is "
            "measured beside the network's.",
            suffix="_int8",
        ),
        Format(
            "onnx-half",
            "ONNX, half precision",
            ".onnx",
            "application/octet-stream",
            "Half of the size: weights and values as float16. Inputs and outputs stay float32.",
            suffix="_half",
        ),
        Format(
            "web",
            "Web page",
            ".html",
            "text/html",
            "One file that runs the network in any browser, without a network: draw, drop a "
            "picture or fill in a row, and see the prediction. 5 MB and your weights.",
        ),
        Format(
            "pt2",
            "torch.export",
            ".pt2",
            "application/octet-stream",
            "PyTorch's own graph format, for torch.export.load and ahead-of-time compilation.",
        ),
        Format(
            "torchscript-script",
            "TorchScript, scripted",
            ".pt",
            "application/octet-stream",
            "The compiled source with its weights, for C++ and older tools.",
            deprecated=_TORCHSCRIPT,
        ),
        Format(
            "torchscript-trace",
            "TorchScript, traced",
            ".pt",
            "application/octet-stream",
            "One recorded pass with the weights, for C++ and older tools.",
            deprecated=_TORCHSCRIPT,
            suffix="_traced",
        ),
        _figure("svg", ".svg", "image/svg+xml", "The drawing for a web page, sharp at any size."),
        _figure("pdf", ".pdf", "application/pdf", "The drawing for a report or a thesis."),
        _figure("png", ".png", "image/png", "The drawing as pixels, for slides and chats."),
        _figure("dot", ".dot", "text/vnd.graphviz", "The drawing as text, for Graphviz's tools."),
    )
}
FIGURES = tuple(name for name, kind in FORMATS.items() if kind.figure)
ALIASES = {"torchscript": "torchscript-script", "source": "python", "torch.export": "pt2"}
