"""Jobs elsewhere that are to be stopped, by stand-ins for ssh and Slurm."""

from pathlib import Path

from core.settings.launcher import Launcher
from tests.wings.launch import fake_slurm, fake_ssh

ELSEWHERE = {
    "job elsewhere (ssh)": Launcher("ssh", address="box"),
    "job elsewhere (Slurm)": Launcher("slurm"),
}


def install(folder: Path) -> None:
    """Make the programs of both, in `bin` of this folder."""
    fake_ssh.install(folder / "bin", folder / "there")
    fake_slurm.install(folder / "bin", folder / "jobs")
