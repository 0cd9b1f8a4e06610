"""A picture is one module: once it is there, command line and page have it without another line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.gate
def test_a_picture_in_a_module_of_its_own_is_on_the_command_line_and_on_the_page(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "tests.added_picture", str(tmp_path)]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 0, done.stderr
    rows = [{"block": "conv1", "values": 4704}, {"block": "fc3", "values": 10}]
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "help": True,
        "document": {"ok": True, "what": "spread", "sample": 0, "blocks": rows},
        "sections": ["Summary", "Spread"],
        "errors": [],
        "caption": ["How far outputs spread\\."],
        "table": rows,
    }
