"""Layers that switch values off at random in training, against overfitting."""

from blocks.shared import NN, floats, inplace, spatial
from blocks.spec import Block, Infer, Port, Setting, Settings, add

DROPOUT = (
    "Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov. "
    "Dropout: a simple way to prevent neural networks from overfitting. 2014"
)
SPATIAL = (
    "Tompson, Goroshin, Jain, LeCun, Bregler. "
    "Efficient object localization using convolutional networks. 2014"
)
DROPS = frozenset({"dropout"})
SELU = "Klambauer, Unterthiner, Mayr, Hochreiter. Self-normalizing neural networks. 2017"


def drop_whole(settings: Settings, ports: frozenset[str]) -> str:
    """Write samples as the channels of one sample (the batch as its only one).

    Dropout3d drops channels whole where a sample has four dimensions, the channels among them.
    """
    if settings["mode"] == "batch":
        return "{module}({input}.flatten()[None, None, :, None, None]).view_as({input})"
    return {
        2: "{module}({input}[None, :, :, None, None])[0, :, :, 0, 0]",
        3: "{module}({input}[None, :, :, :, None])[0, :, :, :, 0]",
        4: "{module}({input}.unsqueeze(0)).squeeze(0)",
        5: "{module}({input}.flatten(3).unsqueeze(0)).view_as({input})",
    }[settings["rank"]]


def dropout(name: str, summary: str, what: str, port: Port, paper: str) -> Block:
    """Declare a block that drops values or channels."""
    return Block(
        name,
        family="dropout",
        summary=summary,
        inputs=(port,),
        settings=(
            Setting(
                "p",
                "float",
                f"Share of {what} to drop, from 0 to 1.",
                default=0.5,
                low=0,
                high=1,
                main=True,
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
        traits=DROPS,
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
        "Dropout3d",
        "Sets whole random channels of a volume to zero in training.",
        "channels",
        spatial(3),
        SPATIAL,
    ),
    dropout(
        "AlphaDropout",
        "Dropout that keeps mean and variance, for networks with SELU.",
        "values",
        floats(),
        SELU,
    ),
    dropout(
        "FeatureAlphaDropout",
        "AlphaDropout of whole channels.",
        "channels",
        floats(rank=(4, 5), form="(N, C, *)"),
        SELU,
    ),
    Block(
        "StochasticDepth",
        family="dropout",
        summary="Drops a whole residual branch in training, for random samples or the batch.",
        inputs=(floats(rank=(2, 3, 4, 5), form="(N, *)"),),
        settings=(
            Setting(
                "p", "float", "Share of samples to drop, from 0 to 1.", start=0.1, low=0, high=1
            ),
            Setting(
                "mode",
                "choice",
                "Drop each sample (row) separately, or the whole batch at once.",
                start="row",
                choices=("batch", "row"),
            ),
            Setting(
                "rank",
                "int",
                "Dimensions of the input, batch included.",
                low=2,
                high=5,
                infer=Infer("input", None),
            ),
        ),
        init="nn.Dropout3d",
        built="nn.Dropout3d({p})",
        forward=drop_whole,
        writes=("view_as", "flatten", "unsqueeze", "squeeze"),
        shape_in="(N, *)",
        shape_out="the same",
        formula=r"y_n = \frac{m_n}{1 - p}\,x_n,\quad m_n \sim \mathrm{Bernoulli}(1 - p)",
        reference="https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout3d.html",
        paper="Huang, Sun, Liu, Sedra, Weinberger. Deep networks with stochastic depth. 2016",
        keywords=("drop path", "regularisation", "residual", "efficientnet", "convnext", "swin"),
        traits=DROPS,
    ),
)
