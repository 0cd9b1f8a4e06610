"""Export a network: source, TorchScript, ONNX, torch.export, weights; each is checked."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.export.format import Format
from core.export.result import ExportError, ExportResult

if TYPE_CHECKING:
    from core.export.formats import FORMATS
    from core.export.run import export
    from core.export.subject import Subject, subject_of

_LATER = {
    "FORMATS": "core.export.formats",
    "Subject": "core.export.subject",
    "export": "core.export.run",
    "subject_of": "core.export.subject",
}
__all__ = [
    "FORMATS",
    "ExportError",
    "ExportResult",
    "Format",
    "Subject",
    "export",
    "subject_of",
]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'core.export' has no attribute {name!r}")
