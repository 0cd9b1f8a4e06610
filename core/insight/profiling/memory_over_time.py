"""Memory within a training step, by phase: as predicted, on the scale of what was measured."""

from collections.abc import Mapping

from core.insight.profiling.cost import Profile

ORDER = ("data", "forward", "loss", "backward", "optimizer")
Level = tuple[str, float, float, int]


def held(profile: Profile) -> int:
    """Bytes that stay from step to step: weights, gradients and the optimiser's state."""
    return sum(profile.memory[name] for name in ("weights", "gradients", "optimizer"))


def measured(profile: Profile) -> tuple[tuple[float, int], ...]:
    """(milliseconds into the step, bytes held), with what stays from step to step."""
    return tuple((at, held(profile) + more) for at, more in profile.over_time)


def predicted(profile: Profile, predicted_bytes: Mapping[str, int | None]) -> tuple[Level, ...]:
    """(phase, from, to, most bytes that it is predicted to hold), milliseconds of the last step.

    predicted_bytes: of weights, gradients, optimizer and kept. Gradients of the step before go when
    backward begins; what is kept for it goes as the new ones come. () where kept is not known.
    """
    weights, gradients, state, kept = (
        predicted_bytes[name] for name in ("weights", "gradients", "optimizer", "kept")
    )
    if weights is None or gradients is None or state is None or kept is None:
        return ()
    always = weights + state
    most = {
        "data": always + gradients,
        "forward": always + gradients + kept,
        "loss": always + gradients + kept,
        "backward": always + max(gradients, kept),
        "optimizer": always + gradients,
    }
    starts = {name: _start(profile, name) for name in ORDER}
    begun = sorted((at, name) for name, at in starts.items() if at is not None)
    ends = [*(at for at, _ in begun[1:]), profile.over_time[-1][0] if profile.over_time else 0.0]
    return tuple(
        (name, at, max(at, end), most[name]) for (at, name), end in zip(begun, ends, strict=True)
    )


def _start(profile: Profile, phase: str) -> float | None:
    """When a phase begins, None where it was not seen."""
    return min((span.start_ms for span in profile.spans if span.kind == phase), default=None)
