"""Import a model as a project: a live torch module, a state_dict with its class, or an ONNX file.

Rooms, each of which imports only those below it: pipeline and job (the whole import), onnx, verify
(equivalence with the original), draw (graph and composites), lower (passes over a trace), matching
(the block of a call), tracing (the recorded run, as torch.fx's Tracer).
"""

from core.common.errors import ImportRefused
from core.wings.importing.from_module import ImportedModel, import_module

__all__ = ["ImportRefused", "ImportedModel", "import_module"]
