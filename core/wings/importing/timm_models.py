"""Models of timm, where it is installed: `timm:NAME`, or `timm:NAME:FILE` with weights of a file.

timm fetches trained weights by itself where asked to; it is never asked here, so that no import
downloads anything by surprise (huggingface.co/docs/timm, `create_model`).
"""

import difflib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.common.device import CPU
from core.common.errors import ImportRefused, NoSource
from core.wings.importing.error_messages import error_text

KIND = "timm"
MISSING = "timm is not installed here. Install it: pip install timm"


def installed() -> bool:
    """Whether timm can be imported."""
    return find_spec("timm") is not None


def timm_models() -> list[str]:
    """Names of all models that timm makes; [] where it is not installed."""
    if not installed():
        return []
    import timm

    return list(timm.list_models())


def make_model(text: str, pretrained: bool) -> tuple[nn.Module, str, tuple[int, ...], bool]:
    """Make `NAME` or `NAME:FILE`: the module, its name, its image size, whether weights are read.

    Raises ImportRefused for a name that timm does not have, and for a file that does not fit.
    """
    place = f"{KIND}:{text}"
    name, _, file = text.partition(":")
    if not installed():
        raise NoSource(place, "cannot be created:", MISSING)
    if pretrained:
        raise NoSource(
            place,
            "comes without trained weights: they are never downloaded here.",
            f"Give a weights file: {KIND}:{name}:FILE.safetensors.",
        )
    import timm

    known = timm.list_models()
    if name.partition(".")[0] not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else "timm.list_models() has them."
        raise NoSource(place, f"timm has no model {name!r}.", hint)
    try:
        module = timm.create_model(name, pretrained=False)
    except Exception as error:  # of any of timm's builders
        raise ImportRefused(place, f"cannot be created: {error_text(error)}.") from error
    if file:
        _load(module, Path(file).expanduser(), place)
    configured: Mapping[str, Any] = getattr(module, "pretrained_cfg", {})
    shape = tuple(configured.get("input_size", (3, 224, 224)))
    return module.eval(), name.replace(".", "_"), shape, bool(file)


def _load(module: nn.Module, file: Path, place: str) -> None:
    """Load weights from a file, whole. Raises ImportRefused."""
    if not file.is_file():
        raise NoSource(place, f"There is no file {file}.", "Give an existing weights file.")
    try:
        module.load_state_dict(_read(file))
    except Exception as error:  # of torch, of safetensors, of a file that is neither
        raise ImportRefused(
            place,
            f"{file.name} does not fit: {error_text(error)}.",
            "Use a file with the whole state_dict of this model.",
        ) from error


def _read(file: Path) -> dict[str, Tensor]:
    if file.suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(file)
    found = torch.load(file, map_location=CPU, weights_only=True)
    return found.get("state_dict", found)
