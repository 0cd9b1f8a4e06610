"""LSTM, GRU and RNN: gates reordered as in torch, one layer per node."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.wings.importing.onnx.call import NodeCall

GATES = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
"""ONNX has input, output, forget, cell and update, reset, new; torch input, forget, cell, output
and reset, update, new."""
KINDS: dict[str, Any] = {"LSTM": nn.LSTM, "GRU": nn.GRU, "RNN": nn.RNN}
USUAL = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


def _recurrent(call: NodeCall) -> Any:
    kind, direction = call.node.op, call.get("direction", "forward")
    _check(call, kind, direction)
    weight, recurrent = call.known(1), call.known(2)
    if weight is None or recurrent is None:
        raise call.node.refuse("calculates its weights from data, but a layer owns them.")
    batch_first = bool(call.get("layout")) or bool(call.get("batch_first"))
    layer = call.layer(lambda: _make(call, weight, recurrent, batch_first), kind.lower())
    x = call.tensor(0)
    time = 1 if batch_first else 0
    x = torch.flip(x, [time]) if direction == "reverse" else x
    found, last = layer(x, _start(call)) if _start(call) is not None else layer(x)
    found = torch.flip(found, [time]) if direction == "reverse" else found
    states = last if kind == "LSTM" else (last,)
    if call.get("plain"):
        return [found, *states]
    if call.get("layout"):
        states = tuple(s.transpose(0, 1) for s in states)
    return [_directions(call, found), *states]


def _directions(call: NodeCall, found: Tensor) -> Tensor:
    """ONNX's layout, with the directions in a dimension of their own."""
    place = 2 if call.get("layout") else 1
    if call.get("direction", "forward") != "bidirectional":
        return found.unsqueeze(place)
    first, second, _ = found.shape
    apart = found.reshape([first, second, 2, call.get("hidden_size")])
    return apart if call.get("layout") else apart.transpose(1, 2)


def _check(call: NodeCall, kind: str, direction: str) -> None:
    ways = 2 if direction == "bidirectional" else 1
    given = call.get("activations")
    relu = kind == "RNN" and given == ["Relu"] * ways
    if given and given != USUAL[kind] * ways and not relu:
        raise call.node.refuse(f"uses the activations {', '.join(given)}, torch its own.")
    if call.get("clip") or call.get("input_forget"):
        raise call.node.refuse(
            "clips its state or couples its gates, which torch's layer does not support."
        )
    if kind == "GRU" and not call.get("linear_before_reset"):
        raise call.node.refuse("resets before the recurrent weights, but torch after them.")
    if call.has(7) and np.any(call.known(7) if call.known(7) is not None else 1):
        raise call.node.refuse("has peephole connections, which torch's layer does not support.")
    if call.has(4):
        lengths = call.known(4)
        steps = int(call.tensor(0).shape[1 if call.get("layout") else 0])
        if lengths is None or any(int(n) != steps for n in lengths.reshape(-1)):
            raise call.node.refuse("reads samples of different lengths.")


def _make(call: NodeCall, weight: Any, recurrent: Any, batch_first: bool) -> nn.Module:
    kind, both = call.node.op, weight.shape[0] == 2
    bias = call.known(3) if call.has(3) else None
    options: dict[str, Any] = {}
    if call.get("activations", [""])[0] == "Relu":
        options["nonlinearity"] = "relu"
    layer = KINDS[kind](
        weight.shape[2],
        recurrent.shape[2],
        bias=bias is not None,
        batch_first=batch_first,
        bidirectional=both,
        **options,
    )
    with torch.no_grad():
        for way in range(weight.shape[0]):
            end = "_reverse" if way else ""
            _copy(layer, f"weight_ih_l0{end}", _ordered(kind, weight[way]))
            _copy(layer, f"weight_hh_l0{end}", _ordered(kind, recurrent[way]))
            if bias is not None:
                half = bias.shape[1] // 2
                _copy(layer, f"bias_ih_l0{end}", _ordered(kind, bias[way, :half]))
                _copy(layer, f"bias_hh_l0{end}", _ordered(kind, bias[way, half:]))
    return layer


def _copy(layer: nn.Module, name: str, value: Any) -> None:
    getattr(layer, name).copy_(torch.from_numpy(np.ascontiguousarray(value)))


def _ordered(kind: str, found: Any) -> Any:
    gates = np.split(found, len(GATES[kind]))
    return np.concatenate([gates[i] for i in GATES[kind]])


def _start(call: NodeCall) -> Any:
    """The initial state; None if the file has none or zeros, torch's default."""
    places = (5, 6) if call.node.op == "LSTM" else (5,)
    if not any(call.has(p) for p in places):
        return None
    if not all(call.has(p) for p in places):
        raise call.node.refuse("has only one of its two initial states.")
    states = [call.tensor(p) for p in places]
    states = [s.transpose(0, 1) for s in states] if call.get("layout") else states
    return tuple(states) if len(states) == 2 else states[0]


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = dict.fromkeys(("LSTM", "GRU", "RNN"), _recurrent)
