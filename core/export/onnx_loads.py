"""Load and run an ONNX file in a separate process, which a crash of ONNX Runtime may end.

    python -P onnx_loads.py FILE SAMPLES.npz

Imports nothing of Layerloom.
"""

import sys


def main(file: str, samples: str) -> None:
    """Run a file on the arrays "0", "1", ... of SAMPLES. An error ends this process."""
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    with numpy.load(samples) as given:
        session.run(None, {each.name: given[str(i)] for i, each in enumerate(session.get_inputs())})


if __name__ == "__main__":
    main(*sys.argv[1:])
