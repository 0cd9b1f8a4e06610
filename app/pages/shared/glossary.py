"""The glossary: one explanation per term, and help texts built from them."""

import re
from collections.abc import Callable

WORDS = {
    "Accuracy": "The share of samples whose predicted class is the target.",
    "Augmentation": "Random changes to training samples, so that the network sees more variety.",
    "Batch": "The samples that one step learns from.",
    "Block": "A layer or operation that can be drawn; a use of it on the canvas is a node.",
    "Checkpoint": "A file with a run's weights and optimiser state, to resume from.",
    "Composite": "Blocks grouped into one block of your own; a class in the source.",
    "Confusion matrix": "How many samples of each target (rows) got which prediction (columns).",
    "Epoch": "One pass over the training samples.",
    "Feature map": "The output of a block for one sample, as pictures.",
    "Filter": "The weights that a convolution slides over its input.",
    "Gradient": "How the loss changes with each weight; a step moves against it.",
    "Learning rate": "How far a step moves the weights against the gradient.",
    "Logits": "Scores before softmax; the largest is the predicted class.",
    "Loss": "The number that training minimises: how far predictions are from targets.",
    "Metric": "A number that rates predictions, such as accuracy or R².",
    "One-hot": "A column of words becomes a column of 0 and 1 for each of its words.",
    "Optimiser": "The rule that turns gradients into new weights: SGD, Adam, AdamW.",
    "Overfitting": "The network memorises its training samples: the validation loss rises.",
    "Parameters": "The learnable numbers of a network.",
    "Predictions": "The answer of the network for a sample, such as a class.",
    "R²": "The share of the targets' variance that predictions explain: 1 is perfect.",
    "Run": "One training, with its settings, curves and weights.",
    "Shape": "The sizes of a tensor; (N, 1, 28, 28) is N grey images of 28 by 28 pixels.",
    "Step": "One update of the optimiser.",
    "Target": "The correct answer for a sample, which the network should predict.",
    "Training samples": "The samples that the weights learn from.",
    "Validation samples": "Samples kept apart, to see how well the network does on new ones.",
}
"""Terms of the glossary in the help, and of tooltips on pages."""


def _pattern(word: str) -> re.Pattern[str]:
    """A pattern for the word in any case, singular or plural."""
    stem = re.escape(word if word.endswith("ss") else word.removesuffix("s"))
    return re.compile(rf"(?<![\w-]){stem}(?:e?s)?(?![\w-])", re.IGNORECASE)


_PATTERNS = {word: _pattern(word) for word in WORDS}
EVERYDAY = ("Block", "Run", "Step")
"""Very common words: explained in help and glossary, without tooltips in texts."""
_LONGEST_FIRST = sorted((word for word in WORDS if word not in EVERYDAY), key=len, reverse=True)
_ANY = re.compile("|".join(_PATTERNS[word].pattern for word in _LONGEST_FIRST), re.IGNORECASE)


def words_in(*texts: str) -> list[str]:
    """The words of the glossary that texts use, longer ones before those that they are made of."""
    left, found = "  ".join(texts), []
    for word in sorted(WORDS, key=len, reverse=True):
        left, count = _PATTERNS[word].subn(" ", left)
        if count:
            found.append(word)
    return [word for word in WORDS if word in found]


def mark_first(text: str, mark: Callable[[str, str], str], explained_words: set[str]) -> str:
    """Put `mark(as written, word)` where a text first has a glossary word not yet explained.

    explained_words: those that a page has explained already; those of the text are added.
    """

    def marked(found: re.Match[str]) -> str:
        word = next(word for word in _LONGEST_FIRST if _PATTERNS[word].fullmatch(found[0]))
        if word in explained_words:
            return found[0]
        explained_words.add(word)
        return mark(found[0], word)

    return _ANY.sub(marked, text)


def help_text(*texts: str, first: str = "") -> str | None:
    """Help in Markdown: the text `first`, then the glossary terms that occur in texts."""
    lines = [first] if first else []
    lines += [f"**{word}**: {WORDS[word]}" for word in words_in(*texts)]
    return "\n\n".join(lines) or None
