"""A partition from a run folder of others: no line of a script, and shown whole."""

from pathlib import Path

import pytest

from core.common.errors import RunError
from core.settings.launcher import Launcher
from core.wings.launch.slurm import sbatch_text
from core.worker.launcher_trust import destination


@pytest.mark.parametrize(
    "name", ["a\nrm -rf ~", "$(x)", "a b", "`x`", "a;x", "a\r#SBATCH --x", "é"]
)
def test_no_script_is_written_for_what_is_no_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(RunError, match="is not the name of a partition"):
        sbatch_text(tmp_path, Launcher("slurm", address=name), 1)


def test_the_question_shows_the_whole_address_and_nothing_invisible() -> None:
    name = "gpu," * 60 + "\n\u202ex"
    shown = destination(Launcher("slurm", address=name))
    assert "gpu," * 60 + "\\n\\u202ex" in shown
