"""Ten thousand sources, each changed somewhere: what passes the audit does only what is listed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CONTROLS = ("call of open", "call of exec", "call of print", "torch.hub", "is replaced")


def tried(*words: str) -> dict:
    command = [sys.executable, "-W", "ignore", "-m", "tests.core.source.audit_fuzz", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.slow
def test_no_mutated_source_that_passes_the_audit_does_what_is_not_listed() -> None:
    found = tried("10000")
    assert found["worst"] == []
    assert sum(found["became"].values()) == 10_000
    assert found["became"]["ran"] > 300
    assert found["became"]["raised"] > 300


@pytest.mark.slow
def test_without_the_audit_the_same_sources_are_caught_in_the_act() -> None:
    seen = [first for first, _ in tried("300", "open")["worst"]]
    assert [control for control in CONTROLS if not any(control in first for first in seen)] == []
