"""The names of torch that the editor completes, as a file of its front end.

`python -m app.code_editor.torch_names` writes it anew; the server, which never imports torch, only
hands out the bundle that was built with it.
"""

import inspect
import json
import math
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "frontend" / "src" / "torch_names.json"


def collect() -> dict[str, list[str]]:
    """The public names by what stands before their dot. Imports torch."""
    import torch
    from torch import nn
    from torch.nn import functional

    layers = [name for name in _public(nn) if _is_layer(getattr(nn, name), nn.Module)]
    own = [n for n in _public(torch) if _is_written(n) and _belongs(getattr(torch, n))]
    return {
        "nn": [*layers, "Parameter", "functional", "init"],
        "F": [name for name in _public(functional) if inspect.isroutine(getattr(functional, name))],
        "torch": own,
        "math": [name for name in _public(math) if callable(getattr(math, name))] + ["inf", "pi"],
    }


def _public(module: Any) -> list[str]:
    return sorted(name for name in dir(module) if not name.startswith("_"))


def _is_layer(value: Any, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


def _belongs(value: Any) -> bool:
    """Whether a name of torch is a function on tensors, or a type of numbers."""
    import torch

    module = str(getattr(value, "__module__", "") or "")
    plain = inspect.isbuiltin(value) or (inspect.isfunction(value) and module == "torch.functional")
    return plain or isinstance(value, torch.dtype)


INTERNAL = (
    "cudnn_",
    "miopen_",
    "mkldnn_",
    "fbgemm_",
    "quantized_",
    "sym_",
    "batch_norm_",
    "fused_",
)
"""Beginnings of names of torch that nobody writes by hand."""


def _is_written(name: str) -> bool:
    return not name.endswith("_") and not name.startswith(INTERNAL)


def main() -> None:
    """Write the file."""
    rows = (f"  {json.dumps(name)}: {json.dumps(names)}" for name, names in collect().items())
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
