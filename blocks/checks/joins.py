"""Checks of blocks that join several wires: which sizes must be equal."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect, input_as, insert, set_to
from blocks.signature import Batch, Dim, Signature
from blocks.spec import Fix, Inputs, Problem, Settings


def differ(a: Dim, b: Dim) -> bool:
    """Whether two sizes are both known and unequal."""
    return a is not None and b is not None and a != b


def broadcastable(*signatures: Signature) -> bool:
    """Whether torch repeats sizes of 1 so that all shapes become one."""
    first, *rest = signatures
    return all(
        not differ(x, y) or 1 in (x, y)
        for other in rest
        for x, y in zip(reversed(first.shape), reversed(other.shape), strict=False)
    )


def batched(signature: Signature) -> bool:
    """Whether a size depends on the batch; a parameter's or a constant's does not."""
    return any(not isinstance(d, int) for d in signature.shape)


def same_shape(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check an operation element by element: equal sizes, or a 1 that is repeated on purpose."""
    if not {"input", "other"} <= inputs.keys():
        return  # a number
    a, b = inputs["input"], inputs["other"]
    same_rank = a.rank == b.rank
    if broadcastable(a, b) and (same_rank or not (batched(a) and batched(b))):
        return
    offers = [*adapt("other", b, a), *adapt("input", a, b)]
    simple = [fix for fix in offers if len(fix.edits) == 1] or offers
    yield Problem(
        "unequal_shapes",
        f"needs two tensors of the same shape but receives {a} and {b}.",
        "Bring both wires to one shape; a size of 1 is repeated to fit."
        if same_rank
        else "Give both wires the same number of dimensions.",
        (*simple, disconnect("other")),
    )


def same_in_both_modes(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that training and evaluation go on with tensors of one shape and kind."""
    a, b = inputs["training"], inputs["evaluation"]
    unequal = a.rank != b.rank or any(map(differ, a.shape, b.shape))
    if unequal or a.dtype != b.dtype:
        kinds = f"{a} {a.dtype} and {b} {b.dtype}" if a.dtype != b.dtype else f"{a} and {b}"
        yield Problem(
            "unequal_shapes",
            f"needs two tensors of the same shape and kind but receives {kinds}.",
            "Bring both wires to one shape: what follows is the same in both modes.",
            (*(adapt("training", a, b) if unequal else ()), disconnect("training")),
        )


def adapt(port: str, have: Signature, want: Signature) -> Iterator[Fix]:
    """Offer the block that turns what a port has into the shape it should have."""
    if have.rank != want.rank:
        if have.rank < want.rank and want.shape[want.rank - have.rank :] == have.shape:
            yield insert(port, "unsqueeze", dim=0)
        elif have.rank < want.rank and want.shape[: have.rank] == have.shape:
            yield insert(port, "unsqueeze", dim=-1)
        return
    if differ(have.shape[0], want.shape[0]) or not have.floating:
        return
    if want.rank in (3, 4):
        yield from _project(port, have, want)
    if want.rank in (2, 3) and have.shape[:-1] == want.shape[:-1] and _int(want.shape[-1]):
        yield insert(port, "Linear", out_features=want.shape[-1])


def _int(dim: Dim) -> bool:
    return isinstance(dim, int)


def _project(port: str, have: Signature, want: Signature) -> Iterator[Fix]:
    """A convolution, as on the shortcut of a residual stage, or a change of image size."""
    old = [d for d in have.shape[2:] if isinstance(d, int)]
    new = [d for d in want.shape[2:] if isinstance(d, int)]
    known = len(old) == len(new) == have.rank - 2 and _int(have.shape[1]) and _int(want.shape[1])
    if not known:
        return
    if have.shape[1] == want.shape[1]:
        yield resize(port, old, new)
        return
    shape = _strided(old, new)
    block = f"Conv{have.rank - 2}d"
    convolve = insert(port, block, out_channels=want.shape[1], **(shape or {"kernel_size": 1}))
    if shape:
        yield convolve
    else:
        scale = resize(port, old, new)
        title = f"{convolve.title.removesuffix(' before it')}, then {scale.title[7:]}"
        yield Fix(title, (*convolve.edits, *scale.edits))


def _strided(old: list[int], new: list[int]) -> dict[str, int]:
    """The smallest kernel, then stride, that turn old sizes into new ones; {} if none does."""
    pairs = list(zip(old, new, strict=True))
    for kernel in (1, 2, 3, 5, 7):
        for stride in range(1, 9):
            if all(o >= kernel and (o - kernel) // stride + 1 == n for o, n in pairs):
                return {"kernel_size": kernel} | ({"stride": stride} if stride > 1 else {})
    return {}


def resize(port: str, old: list[int], new: list[int]) -> Fix:
    """Offer to pool an image to a smaller size, or to interpolate it to a larger one."""
    size = new[0] if len(set(new)) == 1 else tuple(new)
    if all(o >= n for o, n in zip(old, new, strict=True)):
        return insert(port, f"AdaptiveAvgPool{len(new)}d", output_size=size)
    return insert(port, "interpolate", size=size)


def joinable(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check cat: every size but that of dim must be equal."""
    signatures: tuple[Signature, ...] = inputs["tensors"]
    first, dim = signatures[0], settings["dim"]
    if not -first.rank <= dim < first.rank:
        return
    along = dim % first.rank
    for index, other in enumerate(signatures[1:], 1):
        if other.rank != first.rank or any(
            differ(x, y)
            for at, (x, y) in enumerate(zip(first.shape, other.shape, strict=True))
            if at != along
        ):
            yield unequal(f"every size but that of dimension {along}", index, first, other, along)


def stackable(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check stack: all shapes must be equal."""
    signatures: tuple[Signature, ...] = inputs["tensors"]
    first = signatures[0]
    for index, other in enumerate(signatures[1:], 1):
        if other.rank != first.rank or any(
            differ(x, y) for x, y in zip(first.shape, other.shape, strict=True)
        ):
            yield unequal("all sizes", index, first, other, None)


def unequal(
    what: str, index: int, first: Signature, other: Signature, along: int | None
) -> Problem:
    """Say which two wires of a list port do not go together."""
    port = f"tensors.{index}"
    target = list(first.shape)
    if along is not None and other.rank == first.rank:
        target[along] = other.shape[along]
    fixes = list(adapt(port, other, Signature(tuple(target), first.dtype)))
    if along is not None and other.rank == first.rank:
        off = [d for d in range(first.rank) if differ(first.shape[d], other.shape[d])]
        if len(off) == 1 and off != [0]:
            fixes.append(set_to(f"Join along dimension {off[0]} instead", dim=off[0]))
    return Problem(
        "unequal_shapes",
        f"needs {what} to be equal but receives {first} and {other} (tensors.0 and {port}).",
        "Bring both wires to one shape before joining them.",
        (*fixes, disconnect(port)),
    )


def no_booleans(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that a subtraction gets numbers, not two masks."""
    for name in ("input", "other"):
        if name in inputs and inputs[name].dtype == "bool":
            yield Problem(
                "needs_floats",
                f"calculates with numbers but receives bool at {name}.",
                "Turn the mask into float32 first.",
                (insert(name, "to", dtype="float32"), input_as(name, "float32")),
            )


def one_tensor(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that not both sides are numbers."""
    if not inputs:
        yield Problem(
            "unconnected",
            "calculates with two numbers but needs a tensor.",
            "Remove one of the numbers and draw a wire into its port.",
            (set_to(input=None),),
        )


def whole_alpha(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that integers are not multiplied by a fraction."""
    fraction = isinstance(settings["alpha"], float)
    if fraction and not any(signature.floating for signature in inputs.values()):
        port, signature = list(inputs.items())[-1]
        yield Problem(
            "needs_floats",
            f"multiplies by alpha={settings['alpha']} but receives {signature.dtype}.",
            "Set alpha to 1, or turn the values into float32 first.",
            (set_to(alpha=1), insert(port, "to", dtype="float32")),
        )


def batch_joined(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Warn when cat puts batches one after another."""
    first = inputs["tensors"][0]
    along = settings["dim"] % first.rank
    other = next((d for d in range(1, first.rank) if d != along), None)
    if isinstance(first.shape[along], Batch):
        fixes = () if other is None else (set_to(dim=other),)
        yield Problem(
            "batch_mixed",
            f"joins along dimension {along}, the batch: two samples become one longer batch.",
            "Set dim to 1 to join channels or features.",
            (*fixes, disconnect("tensors.1")),
        )
