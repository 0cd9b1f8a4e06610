"""A script reads a folder of sounds as the run does: the same numbers in the same parts."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import soundfile
import torch

from app.services import first_chains
from core.analyse import analyse_project
from core.data import describe_project, ends, load_project
from core.data.facts.metadata import read_own
from core.graph.edits import set_settings
from core.project import Project
from core.project.values import frozen
from core.script.script import write_script
from tests.core.data.sound_sets import write_sounds

VARIANTS: dict[str, dict[str, Any]] = {
    "spectrograms": {},
    "waves": {"form": "wave", "normalize": True},
    "at another rate, cut": {"rate": 6000, "seconds": 0.15, "mels": 20, "normalize": True},
    "damaged ones left out": {"skip_corrupt": True},
    "split by name": {"split": "group", "split_by": "name", "split_until": "_"},
    "split by sub-folder": {"split": "group", "split_by": "folder"},
    "few, and a part to test with": {"limit": 9, "test": 0.2},
}


def project_of(workspace: Path, more: dict[str, Any]) -> Project:
    root = workspace / "data/s"
    write_sounds(root / "inner", each=10, rates=(8000, 11025))
    if more.get("split_by") == "folder":
        for file in sorted(root.rglob("*.*")):
            there = file.parent / f"day{int(file.stem[-3:]) % 4}"
            there.mkdir(exist_ok=True)
            file.rename(there / file.name)
    if more.get("split_by") == "name":
        for file in sorted(root.rglob("*.*")):
            file.rename(file.with_stem(f"{'abcde'[int(file.stem[-3:]) % 5]}_{file.stem}"))
    if more.get("skip_corrupt"):
        (root / "inner/tone/a.wav").write_bytes(b"no sound")
        soundfile.write(root / "inner/tone/b.wav", [float("nan")] * 100, 8000, subtype="FLOAT")
    data = {"source": "SoundFolder", "root": "data/s", **more}
    found = read_own(data)
    assert found is not None
    shape, waves = found.source.shape, found.source.kind == "wave"
    drawn = first_chains.wave_network(shape[1]) if waves else first_chains.spectrogram_network()
    graph = set_settings(drawn.graph, "sound", {"shape": shape})
    graph = set_settings(graph, "fc", {"out_features": 3})
    return replace(drawn, graph=graph, data=frozen(data))


def script_of(made: Project) -> str:
    report = analyse_project(made)
    info = describe_project(made, *ends(report.inputs, report.outputs))
    return write_script(made, report, info)


@pytest.mark.gate
@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_numbers_in_the_same_parts(workspace: Path, name: str):
    made = project_of(workspace, VARIANTS[name])
    report = analyse_project(made)
    data = load_project(made, *ends(report.inputs, report.outputs))
    space: dict[str, Any] = {"__name__": "script"}
    exec(compile(script_of(made), "script.py", "exec"), space)
    found = space["load_data"](str(workspace / "data/s"))
    tested = data.all_test() if VARIANTS[name].get("test") else ((), ())
    expected = [*data.training(), *data.validation(), *tested[0], *tested[1]]
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        assert torch.equal(mine, theirs)


@pytest.mark.gate
def test_scripts_are_formatted_and_free_of_lint(workspace: Path, tmp_path: Path):
    for place, (name, more) in enumerate(VARIANTS.items()):
        home = workspace / str(place)
        home.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LAYERLOOM_WORKSPACE", str(home))
            (tmp_path / f"{name.split()[0]}{place}.py").write_text(
                script_of(project_of(home, more))
            )
    for command in (["format", "--check", "--diff"], ["check", "--select", "F,I,B,UP,SIM,RUF,A"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
