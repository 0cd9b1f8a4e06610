"""Checks every block gets from its ports: rank, dtype, and settings that contradict the wire."""

from collections.abc import Iterator
from math import isqrt, prod

from blocks.checks.fixes import (
    disconnect,
    follow_wire,
    input_as,
    insert,
    replace_by,
    rewire,
    set_to,
)
from blocks.shared import FROM_2
from blocks.signature import Batch, Signature, show_dim
from blocks.spec import CATALOGUE, Block, Fix, Infer, Inputs, Port, Problem, Settings

CHANNELS = ("in_channels", "num_features", "num_channels", "num_parameters")


def port_problems(block: Block, settings: Settings, inputs: Inputs) -> list[Problem]:
    """Compare the wires with what the ports declare, then with the settings read off them."""
    found: list[Problem] = []
    for port in block.inputs:
        for name, signature in wires(port, inputs):
            if signature.is_size and port.number:
                continue
            if signature.is_size != (port.kind in ("size", "sizes")):
                found.append(wrong_kind(port, name, signature))
                continue
            found += wrong_rank(block, settings, port, name, signature)
            found += wrong_dtype(block, port, name, signature)
            if "groups" not in inputs:  # of the whole batch, which then lies in the channels
                found += batch_elsewhere(port, name, signature)
    for setting in block.settings:
        if setting.infer and not found:
            found += _inferred(setting.name, setting.infer, settings, inputs)
    return found


def wires(port: Port, inputs: Inputs) -> Iterator[tuple[str, Signature]]:
    """Give every connected wire of a port under the name a wire is drawn to."""
    value = inputs.get(port.name)
    if isinstance(value, Signature):
        yield port.name, value
    elif port.kind == "tensors":
        for index, signature in enumerate(value or ()):
            yield f"{port.name}.{index}", signature
    elif port.kind == "sizes":
        for name, signature in inputs.items():
            if name.startswith(f"{port.name}."):
                yield name, signature


def wrong_kind(port: Port, name: str, signature: Signature) -> Problem:
    """Say that an integer goes where a tensor belongs, or the other way round."""
    if signature.is_size:
        message, hint = (
            f"needs a tensor at {name} but receives the integer {signature}.",
            ("Wire a tensor there; integers go to ports for sizes."),
        )
        return Problem("wrong_kind", message, hint, (rewire(name), disconnect(name)))
    message = f"needs an integer at {name} but receives a tensor {signature}."
    hint = "Wire the result of a size block there."
    size = insert(name, "size", dim=-1)
    return Problem("wrong_kind", message, hint, (size, rewire(name), disconnect(name)))


def wrong_rank(
    block: Block, settings: Settings, port: Port, name: str, signature: Signature
) -> Iterator[Problem]:
    """Say that a wire has too many or too few dimensions."""
    if not port.rank or signature.rank in port.rank or _is_vector(port, signature):
        return
    form = port.form or " or ".join(map(str, port.rank)) + " dimensions"
    count = f"{signature.rank} dimension" + ("s" if signature.rank != 1 else "")
    more = signature.rank < min(port.rank)
    twin = tuple(_twin(block, settings, signature.rank - 2))
    arranged = tuple(_arranged(port, name, signature))
    yield Problem(
        "wrong_rank",
        f"needs {form}{_at(block, name)} but receives {signature}, which has {count}.",
        "Add the missing dimension before it." if more else "Flatten or drop a dimension first.",
        (*(arranged if more else ()), *twin, *(() if more else arranged), disconnect(name)),
    )


def _is_vector(port: Port, signature: Signature) -> bool:
    """Whether a wire without a batch, such as a parameter, has the only dimension that is used."""
    return port.rank == FROM_2 and signature.rank == 1 and isinstance(signature.shape[0], int)


def _at(block: Block, name: str) -> str:
    needed = [port for port in block.inputs if not port.optional]
    alone = len(needed) == 1 and needed[0].name == name
    return "" if alone else f" at {name}"


def _twin(block: Block, settings: Settings, dims: int) -> Iterator[Fix]:
    """Conv1d in place of Conv2d, with the settings that both know and that are single values."""
    twin = CATALOGUE.get(f"{block.name[:-2]}{dims}d")
    if twin is None or twin is block or block.name[-2:] not in ("1d", "2d", "3d"):
        return
    kept = {
        s.name: settings[s.name]
        for s in twin.settings
        if not s.infer and isinstance(settings.get(s.name), int | float | str)
    }
    changed = {name: value for name, value in kept.items() if twin.defaults.get(name) != value}
    yield replace_by(twin.name, **{**twin.start, **changed})


def _arranged(port: Port, name: str, signature: Signature) -> Iterator[Fix]:
    """Blocks on the wire that give it the wanted number of dimensions."""
    have, shape = signature.rank, signature.shape
    if have == 2 and 4 in port.rank and isinstance(shape[1], int):
        side = isqrt(shape[1])
        sizes = (1, side, side) if side * side == shape[1] else (shape[1], 1, 1)
        yield insert(name, "unflatten", dim=1, sizes=sizes)
    elif have < min(port.rank):
        steps = port.form.startswith("(N, L")
        yield insert(name, "unsqueeze", dim=have if steps else 1)
    if have > max(port.rank) and have >= 3:
        if shape[1] == 1 and max(port.rank) == have - 1:
            yield insert(name, "squeeze", dim=1)
        yield insert(name, "flatten", start_dim=max(port.rank) - 1)


def wrong_dtype(block: Block, port: Port, name: str, signature: Signature) -> Iterator[Problem]:
    """Say that a wire carries the wrong kind of number."""
    receives = f"but receives {signature.dtype} in {signature}."
    if port.dtype == "float" and not signature.floating:
        tokens = signature.dtype == "int64" and signature.rank == 2
        embed = insert(name, "Embedding", **CATALOGUE["Embedding"].start) if tokens else None
        yield Problem(
            "needs_floats",
            f"needs numbers with a fraction (float32){_at(block, name)} {receives}",
            "Embed the integers first, or turn them into float32."
            if tokens
            else "Turn the values into float32 first.",
            (
                *((embed,) if embed else ()),
                input_as(name, "float32"),
                insert(name, "to", dtype="float32"),
            ),
        )
    if port.dtype == "int" and signature.dtype not in ("int64", "int32"):
        yield Problem(
            "needs_integers",
            f"needs integers (int64){_at(block, name)} {receives}",
            "Feed it token or class numbers: set the dtype of the Input to int64.",
            (input_as(name, "int64"), insert(name, "to", dtype="int64")),
        )


def batch_elsewhere(port: Port, name: str, signature: Signature) -> Iterator[Problem]:
    """Say that channels are where the batch should be; torch would not notice."""
    if not signature.shape or not port.form.startswith("(N, C"):
        return
    if isinstance(signature.shape[0], Batch):
        return
    places = [at for at, size in enumerate(signature.shape) if isinstance(size, Batch)]
    if places:
        yield Problem(
            "batch_dim",
            f"needs the batch first, {port.form}, but receives {signature}.",
            "Move the batch back to dimension 0.",
            (insert(name, "transpose", dim0=0, dim1=places[0]),),
        )


def _inferred(name: str, infer: Infer, settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    signature = inputs.get(infer.port)
    if not isinstance(signature, Signature):
        return
    if infer.dim is None:
        if settings.get(name, signature.rank) != signature.rank:
            yield Problem(
                "inferred_contradicts",
                f"has {name} {settings[name]} but receives {signature.rank} dimensions, "
                f"{signature}.",
                f"Remove {name}; it follows from the wire.",
                (follow_wire(name),),
            )
        return
    if not -signature.rank <= infer.dim < signature.rank:
        return
    received, expected = signature.shape[infer.dim], settings.get(name)
    if isinstance(received, Batch):
        yield not_fixed(name, infer, signature)
    elif isinstance(received, int) and type(expected) is int and expected != received:
        if name == "in_features" and signature.rank > 2:
            yield missing_flatten(expected, signature, infer.port)
        else:
            yield mismatch(name, expected, infer, signature)


def not_fixed(name: str, infer: Infer, signature: Signature) -> Problem:
    """Say that a size the weights need changes with the batch."""
    dim = (infer.dim or 0) % signature.rank
    fixes = (insert(infer.port, "transpose", dim0=0, dim1=dim),) if dim else ()
    return Problem(
        "channel_mismatch" if name in CHANNELS else "feature_mismatch",
        f"needs a fixed size for {name} but receives {show_dim(signature.shape[dim])}, "
        f"the batch, in dimension {dim} of {signature}.",
        "Move the batch back to the first dimension.",
        (*fixes, disconnect(infer.port)),
    )


def mismatch(name: str, expected: int, infer: Infer, signature: Signature) -> Problem:
    """Say that a given setting contradicts the wire."""
    received = signature.shape[infer.dim or 0]
    channels = name in CHANNELS
    word = "channels" if channels else "features"
    if channels and signature.rank in (3, 4):
        block = f"Conv{signature.rank - 2}d"
        adapt = (insert(infer.port, block, out_channels=expected, kernel_size=1),)
    else:
        last = (infer.dim or 0) % signature.rank == signature.rank - 1
        adapt = (insert(infer.port, "Linear", out_features=expected),) if last else ()
    return Problem(
        "channel_mismatch" if channels else "feature_mismatch",
        f"needs {expected} {word} ({name}={expected}) but receives {received} in {signature}.",
        f"Remove {name} so that it follows the wire, or set it to {received}.",
        (follow_wire(name), set_to(**{name: received}), *adapt),
    )


def missing_flatten(expected: int, signature: Signature, port: str) -> Problem:
    """Report that a Linear receives an image where it needs one row of features."""
    sizes = signature.shape[1:]
    total = prod(d for d in sizes if isinstance(d, int))
    flatten = insert(port, "flatten", start_dim=1)
    if total != expected:
        edit = {"op": "set", "settings": {"in_features": None}}
        flatten = Fix(flatten.title + " and let in_features follow it", (*flatten.edits, edit))
    product = "*".join(show_dim(d) for d in sizes)
    return Problem(
        "missing_flatten",
        f"needs {expected} features (in_features={expected}) but receives {signature}, "
        f"whose last dimension is {show_dim(sizes[-1])}.",
        f"Insert a flatten before it: {product} = {total} features.",
        (flatten, follow_wire("in_features")),
    )
