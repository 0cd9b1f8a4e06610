"""The export formats, those of the base and those of wings. Imports no torch."""

from collections.abc import Iterable, Iterator

from core.common.wing import parts, placed
from core.export.format import GROUPS as ALL_GROUPS
from core.export.format import Format, FormatGroup, Maker


def _source():
    from core.export import source

    return source


def _safetensors():
    from core.export import safetensors

    return safetensors


def _pt2():
    from core.export import pt2

    return pt2


def _onnx():
    from core.export import onnx

    return onnx


def _onnx_low_precision():
    from core.export import onnx_low_precision

    return onnx_low_precision


def _web_page():
    from core.export.web import page

    return page


def _torchscript():
    from core.export import torchscript

    return torchscript


def _model_card():
    from core.export import model_card

    return model_card


def _drawing():
    from core.export import figure

    return figure


def _figure(name: str, maker: Maker, ending: str, media_type: str, about: str) -> Format:
    title = f"Figure, {name.upper()}"
    return Format(
        name,
        title,
        ending,
        media_type,
        about,
        maker=maker,
        weights=False,
        compared=False,
        figure=True,
        group="figure",
    )


_TORCHSCRIPT = "PyTorch deprecates TorchScript in favour of torch.export."

OWN = (
    Format(
        "python",
        "Python source",
        ".py",
        "text/x-python",
        "The network as a plain nn.Module to read and extend. It needs only torch.",
        maker=lambda *given: _source().make_python(*given),
        weights=False,
    ),
    Format(
        "script",
        "Training script",
        ".py",
        "text/x-python",
        "Network, data, training loop and saving in one self-contained file.",
        first=True,
        maker=lambda *given: _source().make_script(*given),
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
        maker=lambda *given: _source().make_plain_script(*given),
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
        maker=lambda *given: _source().make_shared_script(*given),
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
        maker=lambda *given: _source().make_notebook(*given),
        weights=False,
        trains=True,
    ),
    Format(
        "lightning",
        "Lightning script",
        ".py",
        "text/x-python",
        "The same training as a LightningModule and a Trainer. Needs the package lightning.",
        maker=lambda *given: _source().make_lightning(*given),
        weights=False,
        suffix="_lightning",
        trains=True,
    ),
    Format(
        "safetensors",
        "Weights",
        ".safetensors",
        "application/octet-stream",
        "The weights only, no code: safe to share. Load them into the Python source by block name.",
        maker=lambda *given: _safetensors().make_safetensors(*given),
        converts=False,
    ),
    Format(
        "pt2",
        "torch.export",
        ".pt2",
        "application/octet-stream",
        "PyTorch's own graph format, for torch.export.load and ahead-of-time compilation.",
        maker=lambda *given: _pt2().make_pt2(*given),
        by_name=True,
    ),
    Format(
        "onnx",
        "ONNX",
        ".onnx",
        "application/octet-stream",
        "Network and weights in one file for other languages, browsers and phones. Any batch.",
        first=True,
        maker=lambda *given: _onnx().make_onnx(*given),
        group="anywhere",
    ),
    Format(
        "onnx-int8",
        "ONNX, 8-bit",
        ".onnx",
        "application/octet-stream",
        "About a quarter of the size: weights and values as 8-bit integers. Its accuracy is "
        "compared with the network's.",
        maker=lambda *given: _onnx_low_precision().make_int8(*given),
        suffix="_int8",
        group="anywhere",
    ),
    Format(
        "onnx-half",
        "ONNX, half precision",
        ".onnx",
        "application/octet-stream",
        "Half the size: weights and values as float16. Inputs and outputs stay float32.",
        maker=lambda *given: _onnx_low_precision().make_half(*given),
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
        first=True,
        maker=lambda *given: _web_page().make_web(*given),
        group="device",
        takes_files=True,
    ),
    Format(
        "torchscript-script",
        "TorchScript, scripted",
        ".pt",
        "application/octet-stream",
        "The compiled source with its weights, for C++ and older tools.",
        maker=lambda *given: _torchscript().make_script(*given),
        by_name=True,
        deprecated=_TORCHSCRIPT,
        group="cpp",
    ),
    Format(
        "torchscript-trace",
        "TorchScript, traced",
        ".pt",
        "application/octet-stream",
        "One recorded pass with the weights, for C++ and older tools.",
        maker=lambda *given: _torchscript().make_trace(*given),
        by_name=True,
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
        maker=lambda *given: _model_card().make_card(*given),
        weights=False,
        compared=False,
        suffix="_card",
        group="beside",
    ),
    _figure(
        "svg",
        lambda *given: _drawing().make_svg(*given),
        ".svg",
        "image/svg+xml",
        "The drawing for a web page, sharp at any size.",
    ),
    _figure(
        "pdf",
        lambda *given: _drawing().make_pdf(*given),
        ".pdf",
        "application/pdf",
        "The drawing for a report or a thesis.",
    ),
    _figure(
        "png",
        lambda *given: _drawing().make_png(*given),
        ".png",
        "image/png",
        "The drawing as pixels, for slides and chats.",
    ),
    _figure(
        "dot",
        lambda *given: _drawing().make_dot(*given),
        ".dot",
        "text/vnd.graphviz",
        "The drawing as text, for Graphviz's tools.",
    ),
)
"""Those of the base; `formats` of a wing has more."""


def in_order(own: Iterable[Format], of_wings: Iterable[Format]) -> list[Format]:
    """By groups. In each, those of wings that name no other come first, as they serve the purpose
    of the group itself."""
    named = list(of_wings)
    first = [kind for kind in named if not kind.after]
    behind = [(kind.name, kind.after, kind) for kind in named if kind.after]
    found = placed({kind.name: kind for kind in (*first, *own)}, behind)
    return sorted(found, key=lambda kind: list(ALL_GROUPS).index(kind.group))


_OF_WINGS = [kind for _, wing in parts("formats") for kind in wing.FORMATS]
FORMATS = {kind.name: kind for kind in in_order(OWN, _OF_WINGS)}
_USED = {kind.group for kind in FORMATS.values()}
GROUPS = {key: group for key, group in ALL_GROUPS.items() if key in _USED}
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
