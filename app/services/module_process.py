"""Processes of Layerloom that a page starts: its commands, and TensorBoard."""

import threading
from collections.abc import Sequence
from pathlib import Path

from core.worker import child_process, force, supervisor

TENSORBOARD = "app.process.tensorboard_process"


def start_tensorboard(folder: Path) -> "child_process.Process[str]":
    """Start TensorBoard on a folder; it prints its address. Raises OSError."""
    pipe, command = child_process.PIPE, child_process.module(TENSORBOARD, str(folder.absolute()))
    return child_process.start(command, stdin=pipe, stdout=pipe, text=True, own_session=True)


def start_layerloom(words: Sequence[str], log: Path) -> "child_process.Process[bytes]":
    """Start `layerloom WORDS`, which outlives the server; it prints to `log`. Raises OSError."""
    with log.open("wb") as file:
        process = child_process.start(
            child_process.module("app.cli", *words),
            more=child_process.places(),
            stdout=file,
            stderr=file,
            own_session=True,
        )
    threading.Thread(target=process.wait, daemon=True).start()
    return process


def end(process: "child_process.Process[bytes]") -> None:
    """End a command that a page has started, whatever it does, and wait until it is gone."""
    force.end(
        supervisor.identity(process.pid),
        lambda seconds: force.within(seconds, lambda: process.poll() is not None),
    )
