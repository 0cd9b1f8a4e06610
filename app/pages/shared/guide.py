"""Help in one place: first steps, keys, words, what is new; a button in the bar of every page."""

import re
from pathlib import Path

import streamlit as st

_ROOT = Path(__file__).parents[3]
_NEWEST = 12
STEPS = (
    ("Begin", "The name at the left of the bar leads to the start page: templates, an empty "
     "project, a file of yours. **My work** keeps all that you ever drew, saved or not."),
    ("Data", "**Data** says what the network learns from: a data set that comes along, or your "
     "own table, pictures, arrays or text. It shows samples before anything is trained."),
    ("Draw", "On **Build**, type / and the name of a block; Enter adds it. Shapes stand on the "
     "wires; what does not fit is marked, with fixes to choose from."),
    ("Train", "**Train** shows curves while the network learns. A run goes on when you leave the "
     "page, and is kept."),
    ("Look inside", "**Look inside** shows what every block makes of a sample, the mistakes and "
     "the filters; **Compare** lays runs beside each other."),
    ("Take it along", "**Export** gives you the PyTorch source, a training script or ONNX. "
     "**Learn** has lessons that check what you draw."),
)  # fmt: skip
"""The first steps: what to do, and where."""
WORDS = {
    "Batch": "The samples that one step learns from.",
    "Block": "A layer or operation that can be drawn; a use of it on the canvas is a node.",
    "Checkpoint": "A file of a run's weights and optimiser state, from which it can go on.",
    "Composite": "Blocks grouped into one of your own; a class in the source.",
    "Epoch": "One pass over the training samples.",
    "Feature map": "What a block puts out for one sample, as pictures.",
    "Learning rate": "How far a step moves the weights along the gradient.",
    "Logits": "Scores before softmax; the largest is the predicted class.",
    "Loss": "The number that training makes small: how far predictions are from targets.",
    "Metric": "A number about predictions that people read, such as accuracy or R².",
    "Optimiser": "The rule that turns gradients into new weights: SGD, Adam, AdamW.",
    "Overfitting": "The network learns its training samples by heart: the validation loss rises.",
    "Parameters": "The learnable numbers of a network, counted.",
    "Predictions": "What the network says of samples.",
    "R²": "The share of the targets' variance that predictions explain: 1 is perfect.",
    "Run": "One training, with its settings, curves and weights.",
    "Shape": "The sizes of a tensor; (N, 1, 28, 28) is N grey images of 28 by 28 pixels.",
    "Step": "One update of the optimiser.",
    "Target": "What the network should say of a sample.",
    "Training samples": "The samples that the weights learn from.",
    "Validation samples": "Samples kept apart, to see how well the network does on new ones.",
}
"""The glossary: one declaration of each word."""


def button() -> None:
    """Draw the button that opens the help."""
    with st.container(key="help_bar"):
        if st.button("Help", icon=":material/help:", key="help", type="tertiary"):
            _show()


@st.dialog("Help", width="large")
def _show() -> None:
    names = ["First steps", "Keys", "Glossary"]
    news = _news()
    first, keys, words, *new = st.tabs([*names, "What is new"] if news else names)
    with first:
        for number, (name, text) in enumerate(STEPS, 1):
            st.markdown(f"**{number}. {name}.** {text}")
    with keys:
        st.markdown(
            "On **Build**, **?** lists every key of the canvas, **/** searches blocks, **Ctrl+K** "
            "searches everything, **Ctrl+Z** takes anything back, **Ctrl+S** saves."
        )
    with words:
        for word, text in WORDS.items():
            st.markdown(f"**{word}** — {text}")
    if new:
        with new[0]:
            st.markdown("\n".join(f"- {line}" for line in news))


def _news() -> list[str]:
    """The newest lines of the changelog; none where it is not installed beside the program."""
    file = _ROOT / "CHANGELOG.md"
    if not file.is_file():
        return []
    lines = re.findall(r"^- (.*(?:\n  .*)*)", file.read_text("utf-8"), re.MULTILINE)
    return [" ".join(line.split()) for line in lines[:_NEWEST]]
