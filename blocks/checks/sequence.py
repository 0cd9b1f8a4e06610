"""Checks of recurrent and attention blocks: order of dimensions, states, masks, lengths."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect, insert, set_to
from blocks.checks.joins import differ
from blocks.signature import Batch, Dim, Signature, show
from blocks.spec import Check, Inputs, Problem, Settings


def batch_comes_first(port: str) -> Check:
    """Make the check that batch_first says where the batch really is."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        signature = inputs[port]
        first, second = (isinstance(d, Batch) for d in signature.shape[:2])
        if first and not second and not settings["batch_first"]:
            yield _batch_first(True, signature)
        elif second and not first and settings["batch_first"]:
            yield _batch_first(False, signature)

    return check


def _batch_first(wanted: bool, signature: Signature) -> Problem:
    said = "batch_first=True" if wanted else "batch_first=False"
    found = "the batch first" if wanted else "the batch second"
    return Problem(
        "batch_first",
        f"needs {said} but has batch_first={not wanted}: {signature} holds {found}, "
        "so it would read the samples as steps of one sequence.",
        f"Set batch_first to {str(wanted).lower()}.",
        (set_to(batch_first=wanted),),
    )


def projection_is_smaller(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that proj_size is below hidden_size."""
    projected, hidden = settings["proj_size"], settings["hidden_size"]
    if projected >= hidden:
        yield Problem(
            "bad_setting",
            f"needs proj_size below hidden_size={hidden} but has {projected}.",
            "Set proj_size to 0 for no projection, or below hidden_size.",
            (set_to(proj_size=0), set_to(hidden_size=projected + 1)),
        )


def states_fit(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check the first states: h_0 (or hx), and c_0 beside it for an LSTM."""
    signature = inputs["input"]
    batch = signature.shape[0 if settings["batch_first"] else 1]
    layers = settings["num_layers"] * (2 if settings["bidirectional"] else 1)
    hidden = settings["hidden_size"]
    wide: dict[str, int] = {"hx": hidden, "h_0": settings.get("proj_size") or hidden, "c_0": hidden}
    for port, width in wide.items():
        state = inputs.get(port)
        wanted: tuple[Dim, ...] = (layers, batch, width)
        if isinstance(state, Signature) and any(
            differ(a, b) for a, b in zip(state.shape, wanted, strict=True)
        ):
            yield _state(port, wanted, state)


def _state(port: str, wanted: tuple[Dim, ...], state: Signature) -> Problem:
    narrower = differ(state.shape[2], wanted[2])
    only = narrower and not any(differ(a, b) for a, b in zip(state.shape[:2], wanted, strict=False))
    width = (set_to(hidden_size=state.shape[2]),) if only and port != "h_0" else ()
    turned = state.shape[1:2] == wanted[:1] and state.shape[0] == wanted[1]
    turn = (insert(port, "transpose", dim0=0, dim1=1),) if turned else ()
    return Problem(
        "unequal_shapes",
        f"needs {show(wanted)} at {port} but receives {state}.",
        "A first state has one row per layer and direction, then the batch, then hidden_size.",
        (*turn, *width, disconnect(port)),
    )


def both_states(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that an LSTM gets both first states or none."""
    given = [port for port in ("h_0", "c_0") if port in inputs]
    if len(given) == 1:
        missing = "c_0" if given == ["h_0"] else "h_0"
        yield Problem(
            "unconnected",
            f"needs both h_0 and c_0, or neither, but receives only {given[0]}.",
            f"Connect {missing} too, or disconnect {given[0]} to start from zeros.",
            (disconnect(given[0]),),
        )


def dropout_between_layers(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Warn that dropout acts between layers only."""
    if settings["dropout"] and settings["num_layers"] == 1:
        yield Problem(
            "no_effect",
            f"has dropout={settings['dropout']} but one layer; dropout acts between layers only.",
            "Add a layer, or put a Dropout block behind it.",
            (set_to(num_layers=2), set_to(dropout=0.0)),
        )


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
    yield from equal_sizes("key and value", key, value, (0, 1), "value")
    yield from equal_sizes("query and key", query, key, (batch,), "key")


def equal_sizes(
    what: str, a: Signature, b: Signature, dims: tuple[int, ...], port: str
) -> Iterator[Problem]:
    """Check that two wires agree in some dimensions."""
    if any(differ(a.shape[d], b.shape[d]) for d in dims):
        yield Problem(
            "unequal_shapes",
            f"needs {what} with equal {'batches and lengths' if len(dims) > 1 else 'batches'} "
            f"but receives {a} and {b}.",
            f"Connect {what} to wires of the same size.",
            (disconnect(port),),
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
    yield from equal_sizes("tgt and memory", tgt, memory, (batch,), "memory")


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
        wanted: tuple[Dim, ...] = pair
        if signature.rank == 3:
            count = settings[heads]
            many = (
                Batch(batch.times * count, batch.plus * count)
                if isinstance(batch, Batch)
                else (None if batch is None else batch * count)
            )
            wanted = (many, *pair)
        if any(differ(a, b) for a, b in zip(signature.shape, wanted, strict=True)):
            yield _mask(mask, wanted, signature)

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
            yield _mask(mask, wanted, signature)

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


def _mask(mask: str, wanted: tuple[Dim, ...], received: Signature) -> Problem:
    return Problem(
        "unequal_shapes",
        f"needs {show(wanted)} at {mask} but receives {received}.",
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


def products_fit(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check query, key and value of scaled_dot_product_attention."""
    query, key, value = (inputs[name] for name in ("query", "key", "value"))
    if not query.rank == key.rank == value.rank:
        yield Problem(
            "wrong_rank",
            "needs query, key and value with the same number of dimensions "
            f"but receives {query}, {key} and {value}.",
            "Give all three the form (N, heads, L, E) or (N, L, E).",
            (disconnect("value"),),
        )
        return
    if differ(query.shape[-1], key.shape[-1]):
        width = key.shape[-1]
        yield Problem(
            "feature_mismatch",
            f"needs query and key with equal last sizes but receives {query} and {key}.",
            "Bring the query to the features of the key.",
            (insert("query", "Linear", out_features=width), disconnect("key")),
        )
    yield from equal_sizes("query and key", query, key, (0,), "key")
    yield from equal_sizes("key and value", key, value, (0, -2), "value")
    if query.rank == 4:
        yield from heads_fit(settings, query, key, value)


def heads_fit(
    settings: Settings, query: Signature, key: Signature, value: Signature
) -> Iterator[Problem]:
    """Check the head dimension: equal, or a divisor of the query's with enable_gqa."""
    of_query, of_key, of_value = query.shape[1], key.shape[1], value.shape[1]
    fits = not differ(of_query, of_key)
    if settings["enable_gqa"] and isinstance(of_query, int) and isinstance(of_key, int):
        fits = of_query % of_key == 0
    if differ(of_key, of_value) or not fits:
        yield Problem(
            "heads_divide",
            f"has {of_query} query heads but receives {of_key} heads of keys and {of_value} "
            "of values.",
            "Use as many heads everywhere, or a divisor with enable_gqa.",
            (set_to(enable_gqa=True), disconnect("key")),
        )


def product_mask_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check the mask of scaled_dot_product_attention, which may repeat sizes of 1."""
    mask = inputs.get("attn_mask")
    if not isinstance(mask, Signature):
        return
    yield from mask_dtype("attn_mask", mask)
    query, key = inputs["query"], inputs["key"]
    wanted = (*query.shape[:-1], key.shape[-2])
    tail = wanted[len(wanted) - mask.rank :] if mask.rank <= len(wanted) else ()
    if not tail or any(differ(a, b) and a != 1 for a, b in zip(mask.shape, tail, strict=True)):
        yield _mask("attn_mask", wanted, mask)
    if settings["is_causal"]:
        yield Problem(
            "bad_setting",
            "has is_causal=True but receives a mask too.",
            "Use one of the two: is_causal makes its own mask.",
            (set_to(is_causal=False), disconnect("attn_mask")),
        )
