"""Checks of recurrent and attention blocks: order of dimensions, states, masks, lengths."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect, insert, set_to
from blocks.checks.joins import differ
from blocks.signature import Batch, Dim, Signature, show
from blocks.spec import Check, Inputs, Problem, Settings


def batch_comes_first(port: str) -> Check:
    """Make the check that batch_first agrees with where the batch is."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        signature = inputs[port]
        first, second = (isinstance(d, Batch) for d in signature.shape[:2])
        if first and not second and not settings["batch_first"]:
            yield _batch_first(True, signature)
        elif second and not first and settings["batch_first"]:
            yield _batch_first(False, signature)

    return check


def _batch_first(expected: bool, signature: Signature) -> Problem:
    setting = "batch_first=True" if expected else "batch_first=False"
    found = "the batch first" if expected else "the batch second"
    return Problem(
        "batch_first",
        f"needs {setting} but has batch_first={not expected}: {signature} holds {found}, "
        "so it would read the samples as steps of one sequence.",
        f"Set batch_first to {str(expected).lower()}.",
        (set_to(batch_first=expected),),
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


def _state(port: str, expected: tuple[Dim, ...], state: Signature) -> Problem:
    narrower = differ(state.shape[2], expected[2])
    only = narrower and not any(
        differ(a, b) for a, b in zip(state.shape[:2], expected, strict=False)
    )
    width = (set_to(hidden_size=state.shape[2]),) if only and port != "h_0" else ()
    turned = state.shape[1:2] == expected[:1] and state.shape[0] == expected[1]
    turn = (insert(port, "transpose", dim0=0, dim1=1),) if turned else ()
    return Problem(
        "unequal_shapes",
        f"needs {show(expected)} at {port} but receives {state}.",
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
