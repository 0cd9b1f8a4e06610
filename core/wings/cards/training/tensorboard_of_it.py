"""TensorBoard logs of a training."""

from core.wings.cards.card import Card, CardPicture, Cost, Number

CARD = Card(
    name="tensorboard-of-it",
    topic="Training, by hand",
    title="TensorBoard logs of a training",
    why="A SummaryWriter writes curves, histograms of weights, pictures and the graph into "
    "event files, and TensorBoard shows them while the training goes on.",
    question="How many histograms are logged for this network?",
    numbers=(
        Number("histograms", "Histograms, one for each weight"),
        Number("last", "Last loss, as read back"),
        Number("size", "Size of the event files in bytes", "bytes", measured=True),
    ),
    pictures=(
        CardPicture(
            "lines",
            "The loss, read back from the file",
            ("steps", "curve"),
            "Five steps on one batch.",
            axes=("step", "loss"),
        ),
        CardPicture(
            "bars",
            "Contents of the event files",
            ("kinds", "counts"),
            "Names of the entries, by kind.",
        ),
    ),
    references=(
        (
            "Visualizing with TensorBoard",
            "https://docs.pytorch.org/tutorials/intermediate/tensorboard_tutorial.html",
        ),
        ("torch.utils.tensorboard", "https://docs.pytorch.org/docs/stable/tensorboard.html"),
    ),
    after="Each run of Layerloom writes such files into its folder too, and the same command opens "
    "them; the training setting histograms adds histograms after every epoch.",
    packages=("tensorboard",),
    cost=lambda drawing, part: Cost(passes=24, copies=8, batches=2),
)
