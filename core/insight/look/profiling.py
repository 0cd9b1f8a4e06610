"""Profile and memory as `layerloom look` has them."""

from dataclasses import asdict

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View


def profile(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Milliseconds of a training step by phase and block; its trace is what is taken home."""
    from core.insight.profiling import api

    profiled = api.profile(ref, request.batch)
    lines = [
        f"{profiled.steps} training steps of {profiled.batch} samples on {profiled.device}, "
        f"{profiled.threads} threads: {profiled.step_ms:.2f} ms each"
    ]
    lines += [f"{name}: {spent:.2f} ms" for name, spent in profiled.phases.items()]
    lines += [
        f"{'  ' * (b.depth - 1)}{b.path}: forward {b.forward_ms:.3f} ms, backward "
        f"{b.backward_ms:.3f} ms"
        for b in profiled.blocks
    ]
    document = {**asdict(profiled), "step_ms": profiled.step_ms}
    return LookResult(document, tuple(lines), text=api.trace(ref, request.batch))


def memory(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Bytes of training by what they hold, as predicted and as measured in a real step."""
    from core.insight.profiling import api

    profiled = api.profile(ref, request.batch)
    predicted_bytes = api.predicted(ref, profiled.batch)
    rows = {
        name: {"predicted_bytes": predicted_bytes[name], "measured_bytes": measured}
        for name, measured in profiled.memory.items()
    }
    lines = [f"Training on batches of {profiled.batch}:"]
    lines += [
        f"{name}: predicted {_bytes(row['predicted_bytes'])}, measured "
        f"{_bytes(row['measured_bytes'])}"
        for name, row in rows.items()
    ]
    lines += [
        f"{'  ' * (b.depth - 1)}{b.path}: keeps {b.kept:,} B" for b in profiled.blocks if b.kept
    ]
    document = {
        "batch": profiled.batch,
        "memory": rows,
        "blocks": [{"block": b.path, "kept_for_backward_bytes": b.kept} for b in profiled.blocks],
        "over_time": [list(point) for point in profiled.over_time],
    }
    return LookResult(document, tuple(lines))


def _bytes(count: int | None) -> str:
    return "not known" if count is None else f"{count:,} B"


VIEWS = (
    View("profile", "time of training steps by block", profile, sample=False, order=20),
    View(
        "memory",
        "training memory by kind: weights, gradients, optimiser, saved tensors",
        memory,
        sample=False,
        order=21,
    ),
)
