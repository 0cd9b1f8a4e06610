"""Whether ONNX Runtime survives a file: loaded and run in another process, where a crash ends
nothing else."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from core.export.parity import Inputs

RUN = """
import sys
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.log_severity_level, options.intra_op_num_threads = 4, 1
file, samples = sys.argv[1:]
session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
with numpy.load(samples) as given:
    session.run(None, {each.name: given[str(i)] for i, each in enumerate(session.get_inputs())})
"""


def crashes(content: bytes, inputs: Inputs) -> bool:
    """Whether the runtime ends its process by a signal as it loads a file or runs a sample.

    What it refuses by an error is no crash: that is raised again where the file is used.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, samples = Path(folder, "network.onnx"), Path(folder, "samples.npz")
        file.write_bytes(content)
        np.savez(samples, **{str(i): t.numpy() for i, t in enumerate(inputs)})  # pyright: ignore[reportArgumentType]
        # -P: no module of the folder it stands in
        command = [sys.executable, "-P", "-c", RUN, str(file), str(samples)]
        return subprocess.run(command, capture_output=True, check=False).returncode < 0
