"""What a trained network says of one file, as a server answers it."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from core.common.errors import DataError
from core.export.interface import interface_of
from core.export.subject import Subject, subject_of
from core.runs.checkpoint import path_of
from core.samples.inputs import read
from core.samples.outputs import answers
from core.samples.request_error import RequestError
from core.tasks.metrics import as_tuple

BEST = "best"


def answer_of_file(run_dir: Path, media: str, content: bytes) -> dict[str, Any]:
    """The prediction of the best weights of a run for a file, by its Outputs.

    Raises DataError for a file that cannot be read, ExportError for a network that cannot run.
    """
    subject, interface = _opened(run_dir, path_of(run_dir, BEST).stat().st_mtime_ns)
    try:
        request = read(interface, media, content, 1)
    except RequestError as error:
        raise DataError(error.message, error.hint) from error
    with torch.inference_mode():
        outputs = as_tuple(subject.module(*request.columns))
    return answers(interface, request.columns, request.text_lengths, outputs)[0]


@lru_cache(maxsize=2)
def _opened(run_dir: Path, _stamp: int) -> tuple[Subject, dict[str, Any]]:
    """The network of a run, and its inputs and outputs."""
    subject = subject_of(run_dir, which=BEST)
    return subject, interface_of(subject).json()
