"""Profile and memory as `layerloom look` has them. With torch."""

from dataclasses import asdict

from core.insight.look.ways import LookRequest, LookResult
from core.insight.profiling import api
from core.network_ref import NetworkRef


def profile(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Milliseconds of a training step by phase and block; its trace is what is taken home."""
    found = api.profile(ref, request.batch)
    lines = [
        f"{found.steps} training steps of {found.batch} samples on {found.device}, "
        f"{found.threads} threads: {found.step_ms:.2f} ms each"
    ]
    lines += [f"{name}: {spent:.2f} ms" for name, spent in found.phases.items()]
    lines += [
        f"{'  ' * (b.depth - 1)}{b.path}: forward {b.forward_ms:.3f} ms, backward "
        f"{b.backward_ms:.3f} ms"
        for b in found.blocks
    ]
    document = {**asdict(found), "step_ms": found.step_ms}
    return LookResult(document, tuple(lines), text=api.trace(ref, request.batch))


def memory(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Bytes of training by what they hold, as predicted and as measured in a real step."""
    found = api.profile(ref, request.batch)
    predicted_bytes = api.predicted(ref, found.batch)
    rows = {
        name: {"predicted_bytes": predicted_bytes[name], "measured_bytes": measured}
        for name, measured in found.memory.items()
    }
    lines = [f"Training on batches of {found.batch}:"]
    lines += [
        f"{name}: predicted {_bytes(row['predicted_bytes'])}, measured "
        f"{_bytes(row['measured_bytes'])}"
        for name, row in rows.items()
    ]
    lines += [f"{'  ' * (b.depth - 1)}{b.path}: keeps {b.kept:,} B" for b in found.blocks if b.kept]
    document = {
        "batch": found.batch,
        "memory": rows,
        "blocks": [{"block": b.path, "kept_for_backward_bytes": b.kept} for b in found.blocks],
        "over_time": [list(point) for point in found.over_time],
    }
    return LookResult(document, tuple(lines))


def _bytes(count: int | None) -> str:
    return "not known" if count is None else f"{count:,} B"
