"""The Resume button of a run, and the question before one that would train elsewhere."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import checkpoints, resume_question
from core.common.errors import RunError
from core.runs.listing import RunView
from core.settings.launcher import KEY, Launcher
from core.worker import launch, launcher_trust

Control = Callable[[Callable[[Path], None], Path], None]


def draw(run_dir: Path, view: RunView, control: Control) -> None:
    """Draw the choice of a checkpoint and the button. control: carries out what was pressed.

    A launcher that this user never chose is named first: the run may come from somebody else.
    """
    which = checkpoints.select(run_dir, "last", "resume_from", but=("best",))
    resume = partial(launch.resume, which=which)
    launcher = untrusted_launcher(view)
    if launcher is not None:
        _ask_first(run_dir, view, launcher, resume, control)
    elif st.button("Resume", icon=":material/resume:", key="resume"):
        control(resume, run_dir)


def untrusted_launcher(view: RunView) -> Launcher | None:
    """The launcher of a run where this user never chose it, else None."""
    try:
        launcher = Launcher.read({KEY: view.launcher})
    except RunError:
        return None  # `resume` refuses it with its sentence
    return None if launcher_trust.is_trusted(launcher) else launcher


def _ask_first(
    run_dir: Path,
    view: RunView,
    launcher: Launcher,
    resume: Callable[..., None],
    control: Control,
) -> None:
    """Draw what resuming would do, and a button for each answer."""
    here = Launcher(processes=launcher.world, sharding=launcher.sharding)
    resume_question.draw(
        "resume",
        f"**{escape_markdown(view.name, 60)}**",
        launcher,
        lambda: control(partial(resume, launcher=here), run_dir),
        lambda: control(partial(_resume_there, launcher, resume), run_dir),
    )


def _resume_there(launcher: Launcher, resume: Callable[..., None], run_dir: Path) -> None:
    launcher_trust.trust(launcher)
    resume(run_dir)
