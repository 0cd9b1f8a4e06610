"""Load an ONNX file in a process of its own: where ONNX Runtime crashes, nobody else does.

    python -P onnx_loads.py < FILE

Imports nothing of Layerloom.
"""

import sys


def main(file: bytes) -> None:
    """Load a file. What refuses it ends this process."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    main(sys.stdin.buffer.read())
