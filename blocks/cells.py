"""One step of a recurrent layer: for loops that a graph draws itself."""

from blocks.shared import NN, flag, floats
from blocks.spec import Block, Infer, Port, Setting, Settings, add

STATE = "(N, hidden_size)"


def state(name: str) -> Port:
    """Declare the state before the step."""
    return Port(
        name, rank=(2,), dtype="float", form=STATE, optional=True,
        help="State before the step; zeros if not connected.",
    )  # fmt: skip


def call_lstm(given: Settings, ports: frozenset[str]) -> str:
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
            *((state("h_0"), state("c_0")) if long else (state("hx"),)),
        ),
        outputs=(Port("h_1", form=STATE), Port("c_1", form=STATE)) if long else (Port("output"),),
        settings=(
            Setting("input_size", "int", "Number of values of the step.", low=1,
                    positional=True, infer=Infer("input", -1)),
            Setting("hidden_size", "int", "Number of values in the state.", start=64, low=1,
                    positional=True),
            flag("bias", "Add learned constants.", True),
            *more,
        ),
        init=f"nn.{name}",
        forward=call_lstm if long else "",
        returns="{h_1}, {c_1}" if long else "{output}",
        shape_in="(N, input_size)",
        shape_out=STATE,
        formula=formula,
        reference=f"{NN}{name}.html",
        paper=paper,
        keywords=("step", "sequence", "memory", "recurrent", "decoder"),
    )  # fmt: skip


add(
    cell(
        "RNNCell",
        "Mixes one step of a sequence into a state.",
        r"h' = \tanh(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})",
        "Elman. Finding structure in time. 1990",
        Setting("nonlinearity", "choice", "Activation of the step.", default="tanh",
                choices=("tanh", "relu")),
    ),
    cell(
        "LSTMCell",
        "One step of an LSTM: gates decide what to keep, forget and show.",
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
)  # fmt: skip
