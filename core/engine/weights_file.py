"""The weights file beside a project: safetensors with the keys of the source's state_dict.

`build(source).load_state_dict(load_file(path))` works as it stands. Files of earlier versions have
the original's keys, and a map from ours in their header.
"""

import errno
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import nn

from core.common.errors import LayerloomError
from core.files.folder import sync_folder
from core.files.safe_path import discard


def write_weights(
    path: Path, state: Mapping[str, torch.Tensor], original: Mapping[str, str] | None = None
) -> None:
    """Write a state_dict atomically. original: the original's keys where they differ, for people;
    they go into the header.

    Raises OSError.
    """
    tensors: dict[str, torch.Tensor] = {}
    seen: set[int] = set()
    for key, tensor in state.items():
        tensors[key] = _own_storage(tensor.detach(), seen)
    named = {f"original:{ours}": theirs for ours, theirs in (original or {}).items()}
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        save_file(tensors, temporary, metadata={"format": "pt", **named})
        temporary.replace(path)
    except SafetensorError as error:
        raise _of_system(str(error)) from error
    finally:
        discard(temporary)
    sync_folder(path.parent)


def _of_system(text: str) -> OSError:
    """The error of the system that safetensors names at the end of its own words."""
    number = re.search(r"\(os error (\d+)\)", text)
    code = int(number[1]) if number else errno.EIO
    return OSError(code, os.strerror(code) if number else text)


def _own_storage(tensor: torch.Tensor, seen: set[int]) -> torch.Tensor:
    """A tensor that shares storage with no other of the file, as safetensors requires."""
    memory = tensor.untyped_storage()
    shared = memory.data_ptr() in seen or memory.nbytes() != tensor.nbytes
    seen.add(memory.data_ptr())
    return tensor.clone().contiguous() if shared else tensor.contiguous()


class WeightsError(LayerloomError):
    """A weights file that does not fit the module; `hint`: what to do."""


def read_weights(path: Path, module: nn.Module) -> None:
    """Load a weights file into our module, completely or not at all.

    Names and shapes are compared before a value is read. Raises WeightsError.
    """
    from safetensors import safe_open

    try:
        with safe_open(path, "pt") as file:
            header = file.metadata() or {}
            keys = {k.removeprefix("key:"): v for k, v in header.items() if k.startswith("key:")}
            names = file.keys()
            held = {key: tuple(file.get_slice(key).get_shape()) for key in names}
            _mismatch(path.name, held, keys, module)
            state = {key: file.get_tensor(keys.get(key, key)) for key in module.state_dict()}
    except (SafetensorError, OSError) as error:
        raise WeightsError(
            f"{path.name} cannot be read as safetensors: {error}", "Import the model again."
        ) from error
    module.load_state_dict(state)


def _mismatch(
    name: str, held: Mapping[str, tuple[int, ...]], keys: Mapping[str, str], module: nn.Module
) -> None:
    """The first tensor that is missing in the file or has another shape."""
    needed = {key: tuple(tensor.shape) for key, tensor in module.state_dict().items()}
    wrong = [key for key, size in needed.items() if held.get(keys.get(key, key)) != size]
    if not wrong:
        return
    first, more = wrong[0], f", and {len(wrong) - 1} more do not fit" if len(wrong) > 1 else ""
    found = held.get(keys.get(first, first))
    has = "has no such tensor" if found is None else f"holds {found}"
    raise WeightsError(
        f"{first} needs {needed[first]} but {name} {has}{more}.",
        "Undo the changes to the drawing since its import, or train without these weights.",
    )
