"""Checks of normalisations that may use running values."""

from collections.abc import Iterator

from blocks.checks.fixes import set_to
from blocks.spec import Check, Inputs, Problem, Settings

RUNNING = ("running_mean", "running_var")


def statistics_given(own: str) -> Check:
    """Make the check that running values come in where the input's own are not used (`own`)."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        missing = [port for port in RUNNING if port not in inputs]
        alone = settings[own] and not settings["training_only"]
        if alone or not missing:
            return
        how, turn = f"{own} off", f"{own} on"
        change = {own: True}
        if settings[own]:
            how, turn, change = "training_only on", "it off", {"training_only": False}
        yield Problem(
            "unconnected",
            f"needs wires into running_mean and running_var with {how} but has none into "
            f"{' and '.join(missing)}.",
            f"Wire buffers with one number for every channel there, or turn {turn}.",
            (set_to(**change),),
        )

    return check
