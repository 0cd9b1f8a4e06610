"""A network that is too large for this machine is an error before its run refuses it."""

from dataclasses import replace
from typing import Any

import pytest

from app.canvas.session import DocSession
from app.services import too_large
from core.analyse import analyse_project
from core.analyse.report import report_json
from core.common import memory
from core.project import Project
from core.worker import job_queue
from tests.core.small_runs import project, table_net

REFUSED = (
    "Weights, gradients and the best weights of 131 parameters need at least 1.57 kB of memory,"
    " and 500 bytes are free."
)
"""As in tests/core/common/test_memory.py, where the run says it."""
HINT = "Make fc1 smaller: it has 80 of them."
IRIS = project(table_net(4, 3), {"source": "iris"})


def report_of(project: Project) -> dict[str, Any]:
    return report_json(analyse_project(project))


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 500)
    monkeypatch.setattr(job_queue, "gpus", list)


@pytest.mark.usefixtures("little")
def test_the_canvas_has_an_error_at_the_largest_block_in_the_words_of_the_run() -> None:
    doc = DocSession("d", IRIS, None, report_of, unfit=too_large.errors)
    found = doc.down()["annotations"]["errors"]
    assert found == [
        {"node": "fc1", "code": "memory", "message": REFUSED, "hint": HINT, "fixes": []}
    ]
    assert too_large.problem(IRIS, report_of(IRIS)) == f"{REFUSED} {HINT}"


@pytest.mark.usefixtures("little")
def test_a_network_that_trains_on_a_gpu_is_not_judged_by_the_memory_of_the_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = report_of(IRIS)
    assert too_large.errors(replace(IRIS, training={"device": "cuda"}), report) == []
    monkeypatch.setattr(job_queue, "gpus", lambda: ["0"])
    assert too_large.errors(IRIS, report) == []
    assert too_large.errors(replace(IRIS, training={"device": "cpu"}), report) != []


def test_what_fits_has_no_error() -> None:
    assert too_large.errors(IRIS, report_of(IRIS)) == []
    assert too_large.problem(IRIS, report_of(IRIS)) == ""
