"""Formats that serve a network: a folder with its server, and a repository for Triton."""

from core.export.format import Format

FORMATS = (
    Format(
        "server",
        "Server folder",
        ".zip",
        "application/zip",
        "Network, weights, a short Python server that returns class names and units, its "
        "OpenAPI document and a Dockerfile. Its responses are those of layerloom serve.",
        maker="core.wings.serve.server.folder:make_server",
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
        maker="core.wings.serve.server.triton:make_triton",
        suffix="_triton",
        group="server",
        after="server",
        experimental="No test runs it in a Triton server.",
    ),
)
