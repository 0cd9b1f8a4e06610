"""Data and exports that are read or written. Each function runs in a worker process."""

from typing import Any

from core.common.network_ref import NetworkRef

Json = dict[str, Any]


def export(ref: NetworkRef, name: str, out: str, runs_dir: str, beside: str) -> Json:
    """Export a network in the format `name` to the file `out`; how that compares."""
    from core.export import run

    return run.export_place(ref, name, out, runs_dir, beside)


def figures(ref: NetworkRef, look: Json) -> tuple[dict[str, bytes], str]:
    """A figure in all its formats, and why some are missing ("" if none is)."""
    from core.export import run

    return run.figures(ref, look)


def download(name: str) -> None:
    """Download a data set."""
    from core.data.builtin import vision

    vision.download(name)


def decode(data: str, shape: tuple[int, int, int]) -> int:
    """Decode the pictures of a project's data, given as JSON; their number. shape: (C, H, W)."""
    from core.data.batches import custom_tensors

    return custom_tensors.decode_project_pictures(data, shape)
