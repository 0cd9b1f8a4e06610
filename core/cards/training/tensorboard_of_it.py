"""What TensorBoard keeps of a training."""

from core.cards.card import Card, Cost, Number, Picture

CARD = Card(
    name="tensorboard-of-it",
    topic="Training, by hand",
    title="What TensorBoard keeps of a training",
    why="A SummaryWriter writes curves, histograms of weights, pictures and the graph into "
    "event files, and TensorBoard shows them while the training goes on.",
    asks="How many histograms are kept of this network?",
    numbers=(
        Number("histograms", "Histograms, one for each weight"),
        Number("last", "Last loss, as read back"),
        Number("size", "Bytes of the event files", "bytes", measured=True),
    ),
    pictures=(
        Picture(
            "lines",
            "The loss, read back from the file",
            ("steps", "curve"),
            "Five steps on one batch.",
            axes=("step", "loss"),
        ),
        Picture(
            "bars", "What is kept", ("kinds", "counts"), "Names of each kind in the event files."
        ),
    ),
    reads=(
        (
            "Visualizing with TensorBoard",
            "https://docs.pytorch.org/tutorials/intermediate/tensorboard_tutorial.html",
        ),
        ("torch.utils.tensorboard", "https://docs.pytorch.org/docs/stable/tensorboard.html"),
    ),
    after="A training of Layerloom keeps such files of its own where the setting tensorboard is"
    " on; the same command opens them.",
    packages=("tensorboard",),
    cost=lambda drawing, part: Cost(passes=24, copies=8, batches=2),
)
