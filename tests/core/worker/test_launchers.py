"""Launchers that are here: without the wing that brings more, a run needs one process here."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from core.common import wing
from core.common.errors import RunError
from core.runs.files import read_json, write_json
from core.settings.launcher import Launcher, is_elsewhere
from core.worker import launch, launchers


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Layerloom without wings."""

    def none(*_: object) -> Iterator[tuple[str, Any]]:
        yield from ()

    monkeypatch.setattr(wing, "parts", none)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("launcher", "place"),
    [
        (Launcher("torchrun", 2), "2 processes"),
        (Launcher("local", 2, sharding="fsdp"), "2 processes, sharded weights"),
        (Launcher("ray"), "ray"),
    ],
)
def test_what_a_wing_would_start_is_refused_in_one_sentence(
    launcher: Launcher, place: str, iris_run: Callable[..., Path]
) -> None:
    run_dir = iris_run()
    spec = read_json(run_dir / "spec.json")
    write_json(run_dir / "spec.json", {**spec, "launcher": launcher.as_spec()})
    said = "This Layerloom trains in one process on this machine only, not by "
    with pytest.raises(RunError) as refused:
        launchers.check_here(launcher)
    assert refused.value.message == f"{said}{place}: the wing launch is not here."
    with pytest.raises(RunError, match=said):
        launchers.check_launcher(launcher, {})
    if not is_elsewhere(launcher.kind):
        with pytest.raises(RunError, match=said):
            launch.start(run_dir)


@pytest.mark.usefixtures("alone")
def test_this_machine_is_always_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert [kind.name for kind in launchers.kinds()] == ["local"]
    launchers.check_launcher(Launcher(), {})
    launchers.check_here(Launcher("torchrun", 1))
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    assert "--defaults" in capsys.readouterr().out
