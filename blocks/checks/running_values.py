"""Checks of normalisations that may use running values."""

from collections.abc import Iterator

from blocks.checks.fixes import set_to
from blocks.spec import Check, Inputs, Problem, Settings

RUNNING = ("running_mean", "running_var")


def statistics_given(own: str) -> Check:
    """Make the check that running values come in where the input's own are not used (`own`)."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        missing = [port for port in RUNNING if port not in inputs]
        if settings[own] or not missing:
            return
        yield Problem(
            "unconnected",
            f"needs wires into running_mean and running_var with {own} off but has none into "
            f"{' and '.join(missing)}.",
            f"Wire buffers with one number for every channel there, or turn {own} on.",
            (set_to(**{own: True}),),
        )

    return check
