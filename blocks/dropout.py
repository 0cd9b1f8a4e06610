"""Layers that switch values off at random in training, against overfitting."""

from blocks.shared import NN, floats, inplace, spatial
from blocks.spec import Block, Port, Setting, add

DROPOUT = (
    "Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov. "
    "Dropout: a simple way to prevent neural networks from overfitting. 2014"
)
SPATIAL = (
    "Tompson, Goroshin, Jain, LeCun, Bregler. "
    "Efficient object localization using convolutional networks. 2014"
)
SELU = "Klambauer, Unterthiner, Mayr, Hochreiter. Self-normalizing neural networks. 2017"


def dropout(name: str, summary: str, what: str, port: Port, paper: str) -> Block:
    """Declare a block that drops values or channels."""
    return Block(
        name,
        family="dropout",
        summary=summary,
        inputs=(port,),
        settings=(
            Setting(
                "p", "float", f"Share of {what} to drop, from 0 to 1.", default=0.5, low=0, high=1
            ),
            inplace(),
        ),
        init=f"nn.{name}",
        shape_in=port.form or "any",
        shape_out="the same",
        formula=r"y = \frac{m \odot x}{1 - p},\quad m \sim \mathrm{Bernoulli}(1 - p)",
        reference=f"{NN}{name}.html",
        paper=paper,
        keywords=("regularisation", "overfitting", "random", "noise"),
    )


add(
    dropout(
        "Dropout",
        "Sets random values to zero in training; does nothing when the network is evaluated.",
        "values",
        floats(),
        DROPOUT,
    ),
    dropout(
        "Dropout1d",
        "Sets whole random channels of a sequence to zero in training.",
        "channels",
        spatial(1),
        SPATIAL,
    ),
    dropout(
        "Dropout2d",
        "Sets whole random channels of an image to zero in training.",
        "channels",
        spatial(2),
        SPATIAL,
    ),
    dropout(
        "AlphaDropout",
        "Dropout that keeps mean and variance, for networks with SELU.",
        "values",
        floats(),
        SELU,
    ),
)
