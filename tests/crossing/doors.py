"""Doors through which a trained network answers. A new door: one function and its row.

The function gives the outputs for the first validation samples of the run, and, where the door
measures the whole validation part, its metric.
"""

from collections.abc import Mapping

from tests.crossing import asked_doors, file_doors, training_doors
from tests.crossing.door import ROUNDED, SHARED, TYPED, Door
from tests.wing_parts import rows

DOORS: Mapping[str, Door] = {
    "validation again": Door(asked_doors.validated, ROUNDED),
    "script": Door(training_doors.script),
    "script, plain": Door(training_doors.plain_script),
    "notebook": Door(training_doors.notebook),
    "Lightning": Door(training_doors.lightning, seconds=5),
    "DDP script, 1": Door(training_doors.shared_script(1)),
    "DDP script, 2": Door(training_doors.shared_script(2), SHARED, seconds=30),
    **rows("training_doors", "DOORS"),
    "resume": Door(training_doors.resumed),
    "branch": Door(training_doors.branched),
    "sweep, alone": Door(training_doors.trial_alone),
    "sweep, together": Door(training_doors.trial_together),
    "safetensors": Door(file_doors.safetensors),
    "source": Door(file_doors.source),
    "TorchScript, scripted": Door(file_doors.torchscript("torchscript-script"), ROUNDED),
    "TorchScript, traced": Door(file_doors.torchscript("torchscript-trace"), ROUNDED),
    "torch.export": Door(file_doors.pt2, ROUNDED, seconds=5),
    "ONNX": Door(file_doors.onnx, ROUNDED, seconds=5),
    "web page": Door(file_doors.web, ROUNDED, seconds=5),
    "canvas, sample": Door(asked_doors.on_canvas, ROUNDED),
    "V, own sample": Door(asked_doors.own_sample, TYPED),
    "look": Door(asked_doors.looked, ROUNDED),
    **rows("doors", "DOORS"),
}
