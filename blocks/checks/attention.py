"""Checks of attention blocks: widths, lengths and masks."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect, insert, same_as, set_to
from blocks.checks.joins import differ
from blocks.signature import Batch, Dim, Signature, show
from blocks.spec import Check, Inputs, Problem, Settings


def attention_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check keys and values of MultiheadAttention against its settings and each other."""
    query, key, value = (inputs[name] for name in ("query", "key", "value"))
    embed = settings["embed_dim"]
    for name, port, signature in (("kdim", "key", key), ("vdim", "value", value)):
        wanted, received = settings[name] or embed, signature.shape[-1]
        if isinstance(received, int) and wanted != received:
            yield Problem(
                "feature_mismatch",
                f"needs {wanted} features at {port} ({name}) but receives {received} "
                f"in {signature}.",
                f"Set {name} to {received}.",
                (set_to(**{name: received}), insert(port, "Linear", out_features=wanted)),
            )
    batch = 0 if settings["batch_first"] else 1
    yield from equal_sizes("key", "value", key, value, (0, 1))
    yield from equal_sizes("query", "key", query, key, (batch,))


def equal_sizes(
    other: str, port: str, a: Signature, b: Signature, dims: tuple[int, ...]
) -> Iterator[Problem]:
    """Check that two wires agree in some dimensions."""
    what = f"{other} and {port}"
    if any(differ(a.shape[d], b.shape[d]) for d in dims):
        yield Problem(
            "unequal_shapes",
            f"needs {what} with equal {'batches and lengths' if len(dims) > 1 else 'batches'} "
            f"but receives {a} and {b}.",
            f"Connect {what} to wires of the same size.",
            (same_as(port, other), disconnect(port)),
        )


def memory_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that a decoder's memory is as wide as d_model, in the same batch."""
    tgt, memory = inputs["tgt"], inputs["memory"]
    width = settings["d_model"]
    if differ(memory.shape[-1], width):
        yield Problem(
            "feature_mismatch",
            f"needs {width} features at memory (d_model) but receives {memory.shape[-1]} "
            f"in {memory}.",
            f"Bring the memory to {width} features.",
            (insert("memory", "Linear", out_features=width),),
        )
    batch = 0 if settings["batch_first"] else 1
    yield from equal_sizes("tgt", "memory", tgt, memory, (batch,))


def mask_fits(mask: str, query: str, key: str, heads: str) -> Check:
    """Make the check of a mask over pairs: (L, S), or one per sample and head."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        signature = inputs.get(mask)
        if not isinstance(signature, Signature):
            return
        yield from mask_dtype(mask, signature)
        steps = 1 if settings["batch_first"] else 0
        pair = (inputs[query].shape[steps], inputs[key].shape[steps])
        batch = inputs[query].shape[1 - steps]
        expected: tuple[Dim, ...] = pair
        if signature.rank == 3:
            count = settings[heads]
            many = (
                Batch(batch.times * count, batch.plus * count)
                if isinstance(batch, Batch)
                else (None if batch is None else batch * count)
            )
            expected = (many, *pair)
        if any(differ(a, b) for a, b in zip(signature.shape, expected, strict=True)):
            yield wrong_mask(mask, expected, signature)

    return check


def padding_mask_fits(mask: str, port: str) -> Check:
    """Make the check of a mask of padded steps: (N, S)."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        signature = inputs.get(mask)
        if not isinstance(signature, Signature):
            return
        yield from mask_dtype(mask, signature)
        shape = inputs[port].shape
        wanted = shape[:2] if settings["batch_first"] else (shape[1], shape[0])
        if any(differ(a, b) for a, b in zip(signature.shape, wanted, strict=True)):
            yield wrong_mask(mask, wanted, signature)

    return check


def mask_dtype(mask: str, signature: Signature) -> Iterator[Problem]:
    """Check that a mask is boolean or made of floats to add."""
    if signature.dtype != "bool" and not signature.floating:
        yield Problem(
            "needs_floats",
            f"needs a mask of bool or float32 at {mask} but receives {signature.dtype} "
            f"in {signature}.",
            "Turn the mask into bool first.",
            (insert(mask, "to", dtype="bool"),),
        )


def wrong_mask(mask: str, expected: tuple[Dim, ...], received: Signature) -> Problem:
    """Say which shape a mask should have."""
    return Problem(
        "unequal_shapes",
        f"needs {show(expected)} at {mask} but receives {received}.",
        "Make the mask as long as the sequences it masks.",
        (disconnect(mask),),
    )


def causal_needs_mask(flag: str, mask: str) -> Check:
    """Make the check that the hint is_causal comes with its mask."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        if settings[flag] and mask not in inputs:
            yield Problem(
                "unconnected",
                f"has {flag}=True, a hint about a causal mask, but receives no {mask}.",
                f"Connect the mask to {mask}, or set {flag} to false.",
                (set_to(**{flag: False}),),
            )

    return check
