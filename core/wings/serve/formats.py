"""Formats that serve a network: a folder with its server, and a repository for Triton."""

from core.export.format import Format


def _folder():
    from core.wings.serve.server import folder

    return folder


def _triton():
    from core.wings.serve.server import triton

    return triton


FORMATS = (
    Format(
        "server",
        "Server folder",
        ".zip",
        "application/zip",
        "Network, weights, a short Python server that returns class names and units, its "
        "OpenAPI document and a Dockerfile. Its responses are those of layerloom serve.",
        maker=lambda *given: _folder().make_server(*given),
        suffix="_server",
        group="server",
        takes_files=True,
    ),
    Format(
        "triton",
        "Triton repository",
        ".zip",
        "application/zip",
        "ONNX with the configuration of NVIDIA's Triton Inference Server, for many requests "
        "on many machines. It returns the raw outputs.",
        maker=lambda *given: _triton().make_triton(*given),
        suffix="_triton",
        group="server",
        after="server",
        experimental="No test runs it in a Triton server.",
    ),
)
