"""The Train form offers every launcher with its cost, and starts runs by the chosen one."""

from typing import Any

import pytest

from app.pages.shared import runs
from app.services import paths, training
from core.runs.files import write_json
from core.runs.listing import view_run
from core.settings.launcher import Launcher
from core.wings.launch import launchers as catalogue
from core.worker import launch
from core.worker.launcher_trust import is_trusted
from tests.app.tab import Tab
from tests.core.small_runs import CHANCY_NET
from tests.core.small_runs import project as small_project


@pytest.fixture
def bare(lenet: Tab, monkeypatch: pytest.MonkeyPatch) -> Tab:
    """The Train page of a machine without Slurm and Ray."""

    def none(_: str) -> str:
        raise catalogue.PackageNotFoundError

    monkeypatch.setattr(catalogue.shutil, "which", lambda name: "ssh" if name == "ssh" else None)
    monkeypatch.setattr(catalogue, "version", none)
    return lenet.go("train")


def offered(tab: Tab, name: str) -> Any:
    """The button of a launcher."""
    return tab.at.button(key=f"choose_launcher_{name}")


def captions(tab: Tab) -> str:
    """All small texts, without what keeps Markdown from reading signs in them."""
    texts = [box.value.replace("\\", "").replace("\u2060", "") for box in tab.at.caption]
    return "\n".join(texts)


def test_what_is_not_here_is_offered_disabled_with_the_reason(bare: Tab) -> None:
    names = ("local", "torchrun", "ssh", "slurm", "ray")
    assert [offered(bare, name).disabled for name in names] == [False, False, False, True, True]
    assert "Here: sbatch, squeue, scancel were not found. Start Layerloom on a login" in (
        captions(bare)
    )
    assert "Here: Ray is not installed. Install it: pip install 'layerloom[ray]'." in captions(bare)


def test_a_choice_shows_its_numbers_and_how_a_step_is_shared(bare: Tab) -> None:
    bare.document.change(training={**bare.document.project.training, "batch_size": 64})
    offered(bare, "torchrun").click().run()
    assert "Each step: 2 batches of 32 samples, shared by 2 processes." in captions(bare)
    bare.at.number_input(key="launcher_nproc_torchrun").set_value(3).run()
    assert "A batch of 64 samples cannot be divided among 3 processes." in captions(bare)
    offered(bare, "local").click().run()
    assert "Each step" not in captions(bare)


def test_what_batch_norm_sees_is_said_before_the_start(bare: Tab) -> None:
    said = (
        "Batch norm sees 32 samples at a time, not 64, so results differ from those of one "
        "process; one process with batch_size 32 and accumulate 2 gives the same. With the "
        "setting sync_batchnorm it sees all 64."
    )
    bare.document.replace(small_project(CHANCY_NET, {"source": "digits"}, batch_size=64))
    bare.at.run()
    offered(bare, "torchrun").click().run()
    assert said in captions(bare)
    more = {"batch_size": 64, "accumulate": 2}
    bare.document.change(training={**bare.document.project.training, **more})
    bare.at.run()
    assert "Batch norm sees" not in captions(bare)


def test_the_next_run_starts_by_the_chosen_launcher(
    bare: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    def start(*given: Any) -> str:
        started.append(given[2])
        return "none"

    monkeypatch.setattr(training, "start", start)
    offered(bare, "ssh").click().run()
    bare.at.text_input(key="launcher_address_ssh").set_value(" ada@box ").run()
    bare.press("train")
    assert started == [Launcher("ssh", address="ada@box")]


def test_a_run_elsewhere_says_where_in_every_list(bare: Tab) -> None:
    folder = paths.runs_dir() / "lenet-001"
    folder.mkdir(parents=True)
    launcher = Launcher("slurm", 4, 2).as_spec()
    project = bare.document.project.name
    write_json(folder / "spec.json", {"project": project, "launcher": launcher})
    write_json(folder / "launch.json", {"kind": "slurm", "job": "17", "attempt": 1})
    assert view_run(folder).launcher == launcher
    bare.at.run()
    shown = " ".join(str(each.value) for each in bare.at.markdown)
    assert "Slurm, 8 processes, job 17" in shown.replace("\\", "")


def test_resume_elsewhere_names_the_address_and_needs_a_click(
    bare: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = paths.runs_dir() / "lenet-001"
    folder.mkdir(parents=True)
    launcher = Launcher("ssh", 2, address="eve@far").as_spec()
    project = bare.document.project.name
    write_json(folder / "spec.json", {"project": project, "launcher": launcher})
    write_json(folder / "status.json", {"attempt": 1, "state": "stopped"})
    resumed: list[Any] = []
    monkeypatch.setattr(launch, "resume", lambda *given, **more: resumed.append((given, more)))
    bare.at.run()
    assert "resume" not in [each.key for each in bare.at.button]
    shown = " ".join(str(each.value) for each in bare.at.markdown).replace("\\", "")
    assert 'would send its data to "eve@far" by ssh. You have not trained there yet' in (
        shown.replace("\u2060", "")
    )
    bare.press("resume_here")
    assert resumed.pop()[1]["launcher"] == Launcher(processes=2)
    bare.press("resume_there")
    assert "launcher" not in resumed.pop()[1]
    assert is_trusted(Launcher("ssh", address="eve@far"))
    bare.at.run()
    assert "resume" in [each.key for each in bare.at.button]


def test_without_a_choice_it_is_this_machine(bare: Tab) -> None:
    assert "Where it runs: This machine" in [each.label for each in bare.at.expander]


def test_a_check_says_why_a_machine_cannot_be_used(bare: Tab) -> None:
    offered(bare, "ssh").click().run()
    bare.at.text_input(key="launcher_address_ssh").set_value("-oProxyCommand=x").run()
    bare.press("launcher_check_ssh")
    shown = [each.value.replace("\\", "").replace("\u2060", "") for each in bare.at.error]
    assert shown == ['"-oProxyCommand=x" is not the address of a machine. Give HOST or USER@HOST.']


def test_sharded_weights_are_offered_to_several_processes_only(bare: Tab) -> None:
    bare.document.change(training={**bare.document.project.training, "batch_size": 64})
    offered(bare, "ssh").click().run()
    assert "keeps all weights" not in captions(bare)
    offered(bare, "torchrun").click().run()
    assert "Each process keeps all weights, gradients and the state of the" in captions(bare)
    bare.at.segmented_control(key="launcher_sharding_torchrun").set_value("fsdp").run()
    assert "Each process keeps its share of weights, gradients and the state" in captions(bare)
    assert Launcher.read({"launcher": bare.at.session_state[runs.LAUNCHER]}).shards
    bare.document.change(training={**bare.document.project.training, "grad_noise": 0.1})
    bare.at.run()
    assert "Sharded weights (fsdp) need grad_noise 0." in captions(bare)
    bare.at.number_input(key="launcher_nproc_torchrun").set_value(1).run()
    assert "keeps its share" not in captions(bare)
    assert not Launcher.read({"launcher": bare.at.session_state[runs.LAUNCHER]}).shards
