"""Layers that read a sequence step by step and carry a state along, and single steps of them."""

from blocks.checks.sequence import (
    batch_comes_first,
    both_states,
    dropout_between_layers,
    projection_is_smaller,
    states_fit,
)
from blocks.shared import NN, flag, floats
from blocks.spec import Block, Infer, Port, Setting, Settings, add

FORM = "(N, L, input_size)"
STATE = "(num_layers, N, hidden_size)"


def settings(*before_bias: Setting) -> tuple[Setting, ...]:
    """Declare what RNN, LSTM and GRU share, in torch's order."""
    return (
        Setting(
            "input_size",
            "int",
            "Number of values at each step: the last size of the input.",
            low=1,
            positional=True,
            infer=Infer("input", -1),
        ),
        Setting(
            "hidden_size",
            "int",
            "Number of values in the state.",
            start=64,
            low=1,
            positional=True,
        ),
        Setting(
            "num_layers", "int", "Number of stacked layers.", default=1, low=1, high=1024, main=True
        ),
        *before_bias,
        flag("bias", "Add learned constants.", True),
        flag(
            "batch_first",
            "The input is (N, L, features) rather than (L, N, features). "
            "Leave it on: here the batch comes first.",
            False,
            start=True,
        ),
        Setting(
            "dropout",
            "float",
            "Share of values to drop between layers, from 0 to 1.",
            default=0.0,
            low=0,
            high=1,
        ),
        flag(
            "bidirectional",
            "Also read the sequence backwards and join both results.",
            False,
            main=True,
        ),
    )


def states(*names: str) -> tuple[Port, ...]:
    """Declare the optional first states."""
    return tuple(
        Port(
            name,
            rank=(3,),
            dtype="float",
            form=STATE,
            optional=True,
            help="State before the first step; zeros if not connected.",
        )
        for name in names
    )


def outputs(*last: str) -> tuple[Port, ...]:
    """Declare the outputs: every step, then the last states."""
    steps = Port("output", form="(N, L, hidden_size)", help="The state after every step.")
    kept = (Port(n, form=STATE, help="The state after the last step of each layer.") for n in last)
    return (steps, *kept)


def call_lstm(given: Settings, ports: frozenset[str]) -> str:
    """Write the call: both first states go in as one pair."""
    return "{module}({input}, ({h_0}, {c_0}))" if {"h_0", "c_0"} <= ports else "{module}({input})"


CHECKS = (batch_comes_first("input"), states_fit)
INPUT = floats(rank=(3,), form="(N, L, features)", about="A sequence of L steps.")
WORDS = ("sequence", "time series", "memory", "recurrent")

add(
    Block(
        "RNN",
        family="recurrent",
        summary="Reads a sequence step by step and updates its state at each step.",
        inputs=(INPUT, *states("hx")),
        outputs=outputs("h_n"),
        settings=settings(
            Setting(
                "nonlinearity",
                "choice",
                "Activation at each step.",
                default="tanh",
                choices=("tanh", "relu"),
            )
        ),
        init="nn.RNN",
        returns="{output}, {h_n}",
        shape_in=FORM,
        shape_out="output (N, L, hidden_size), h_n (num_layers, N, hidden_size)",
        formula=r"h_t = \tanh(W_{ih} x_t + b_{ih} + W_{hh} h_{t-1} + b_{hh})",
        reference=NN + "RNN.html",
        paper="Elman. Finding structure in time. 1990",
        checks=CHECKS,
        warnings=(dropout_between_layers,),
        keywords=(*WORDS, "elman"),
        traits=frozenset({"learns", "weighted", "in_place"}),
        network="RNN",
    ),
    Block(
        "LSTM",
        family="recurrent",
        summary="Reads a sequence with gates that decide what to keep, forget and output.",
        inputs=(INPUT, *states("h_0", "c_0")),
        outputs=outputs("h_n", "c_n"),
        settings=(
            *settings(),
            Setting(
                "proj_size",
                "int",
                "Project the state to this many values after each step; 0 for no projection.",
                default=0,
                low=0,
            ),
        ),
        init="nn.LSTM",
        forward=call_lstm,
        returns="{output}, ({h_n}, {c_n})",
        shape_in=FORM,
        shape_out="output (N, L, hidden_size), h_n and c_n (num_layers, N, hidden_size)",
        formula=r"c_t = f_t \odot c_{t-1} + i_t \odot g_t,\quad h_t = o_t \odot \tanh(c_t)",
        reference=NN + "LSTM.html",
        paper="Hochreiter, Schmidhuber. Long short-term memory. 1997",
        checks=(both_states, projection_is_smaller, *CHECKS),
        warnings=(dropout_between_layers,),
        keywords=(*WORDS, "long short-term memory", "gate"),
        traits=frozenset({"learns", "weighted"}),
        network="LSTM",
    ),
    Block(
        "GRU",
        family="recurrent",
        summary="Reads a sequence with two gates: nearly as capable as an LSTM, with fewer"
        " weights.",
        inputs=(INPUT, *states("hx")),
        outputs=outputs("h_n"),
        settings=settings(),
        init="nn.GRU",
        returns="{output}, {h_n}",
        shape_in=FORM,
        shape_out="output (N, L, hidden_size), h_n (num_layers, N, hidden_size)",
        formula=r"h_t = (1 - z_t) \odot n_t + z_t \odot h_{t-1}",
        reference=NN + "GRU.html",
        paper="Cho et al. Learning phrase representations using RNN encoder-decoder "
        "for statistical machine translation. 2014",
        checks=CHECKS,
        warnings=(dropout_between_layers,),
        keywords=(*WORDS, "gated recurrent unit", "gate"),
        traits=frozenset({"learns", "weighted", "in_place"}),
        network="GRU",
    ),
)


CELL_STATE = "(N, hidden_size)"


def state_port(name: str) -> Port:
    """Declare the state before the step."""
    return Port(
        name,
        rank=(2,),
        dtype="float",
        form=CELL_STATE,
        optional=True,
        help="State before the step; zeros if not connected.",
    )


def call_lstm_cell(given: Settings, ports: frozenset[str]) -> str:
    """Write the call: both states go in as one pair."""
    return "{module}({input}, ({h_0}, {c_0}))" if {"h_0", "c_0"} <= ports else "{module}({input})"


def cell(name: str, summary: str, formula: str, paper: str, *more: Setting) -> Block:
    """Declare RNNCell, LSTMCell or GRUCell."""
    long = name == "LSTMCell"
    return Block(
        name,
        family="recurrent",
        summary=summary,
        inputs=(
            floats(rank=(2,), form="(N, input_size)", about="One step of a sequence."),
            *((state_port("h_0"), state_port("c_0")) if long else (state_port("hx"),)),
        ),
        outputs=(Port("h_1", form=CELL_STATE), Port("c_1", form=CELL_STATE))
        if long
        else (Port("output"),),
        settings=(
            Setting(
                "input_size",
                "int",
                "Number of values of the step.",
                low=1,
                positional=True,
                infer=Infer("input", -1),
            ),
            Setting(
                "hidden_size",
                "int",
                "Number of values in the state.",
                start=64,
                low=1,
                positional=True,
            ),
            flag("bias", "Add learned constants.", True),
            *more,
        ),
        init=f"nn.{name}",
        forward=call_lstm_cell if long else "",
        returns="{h_1}, {c_1}" if long else "{output}",
        shape_in="(N, input_size)",
        shape_out=CELL_STATE,
        formula=formula,
        reference=f"{NN}{name}.html",
        paper=paper,
        keywords=("step", "sequence", "memory", "recurrent", "decoder"),
        traits=frozenset({"learns", "weighted", *(() if long else ("in_place",))}),
        network=name.removesuffix("Cell"),
    )


add(
    cell(
        "RNNCell",
        "Updates a state with one step of a sequence.",
        r"h' = \tanh(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})",
        "Elman. Finding structure in time. 1990",
        Setting(
            "nonlinearity",
            "choice",
            "Activation of the step.",
            default="tanh",
            choices=("tanh", "relu"),
        ),
    ),
    cell(
        "LSTMCell",
        "One step of an LSTM: gates decide what to keep, forget and output.",
        r"c' = f \odot c + i \odot g,\quad h' = o \odot \tanh(c')",
        "Hochreiter, Schmidhuber. Long short-term memory. 1997",
    ),
    cell(
        "GRUCell",
        "One step of a GRU, with two gates.",
        r"h' = (1 - z) \odot n + z \odot h",
        "Cho et al. Learning phrase representations using RNN encoder-decoder "
        "for statistical machine translation. 2014",
    ),
)
