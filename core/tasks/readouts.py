"""Outputs read as scores, answers, numbers and pictures: the functions that kinds of targets name.

`core.tasks.readout.Readout` says what each receives. output is of one sample, outputs (N, ...).
"""

from collections.abc import Callable

import torch
from torch import Tensor

from core.tasks.labeler import Labeler
from core.tasks.metrics import Measure
from core.tasks.readout import Score
from core.tasks.tensor_values import floats, ints

Probabilities = Callable[[Measure, Tensor], Tensor]

# ---- one score, to be explained


def flat_score(outputs: Tensor, number: int, _position: int) -> Tensor:
    """A value of each output, counted through all of them."""
    return outputs.reshape(len(outputs), -1)[:, number]


def yes_score(outputs: Tensor, number: int, _position: int) -> Tensor:
    """Of two classes with one output: that value for the second, its negative for the first."""
    yes = outputs.flatten(1)[:, 0] if outputs.ndim > 1 else outputs
    return yes if number else -yes


def token_score(outputs: Tensor, number: int, position: int) -> Tensor:
    """The score of a token at a position, of (N, L, C)."""
    return outputs[:, position, number]


def step_score(outputs: Tensor, _number: int, position: int) -> Tensor:
    """A step of a series, of (N, T, ...)."""
    return outputs.reshape(len(outputs), outputs.shape[1], -1)[:, position, 0]


def mask_score(outputs: Tensor, number: int, _position: int) -> Tensor:
    """The mean over a channel, of (N, C, H, W)."""
    return outputs[:, number].flatten(1).mean(dim=1)


# ---- what scores are called


def numbered_names(_labeler: Labeler, output: Tensor) -> list[str]:
    """The places of all values."""
    return [str(k) for k in range(max(output.numel(), 1))]


def class_names(labeler: Labeler, output: Tensor) -> list[str]:
    """The classes or labels of the data, or places where it names none."""
    return [str(name) for name in labeler.info.classes] or numbered_names(labeler, output)


def character_names(labeler: Labeler, output: Tensor) -> list[str]:
    """The character of each token."""
    tokens = range(output.shape[-1])
    return [labeler.letters(torch.tensor([k])) or f"token {k}" for k in tokens]


def channel_names(labeler: Labeler, output: Tensor) -> list[str]:
    """The classes of a mask (C, ...), or their numbers where the data names others."""
    names = [str(name) for name in labeler.info.classes]
    return names if len(names) == len(output) else [str(k) for k in range(len(output))]


def single_name(_labeler: Labeler, _output: Tensor) -> list[str]:
    """Of the only score there is."""
    return ["0"]


# ---- which score is predicted


def likeliest_class(_measure: Measure, output: Tensor, _position: int) -> int:
    """The highest of all values."""
    return int(output.reshape(-1).argmax())


def yes_or_no(measure: Measure, output: Tensor, _position: int) -> int:
    """1 above the threshold, else 0."""
    return int(float(output.reshape(-1)[0]) > measure.threshold)


def likeliest_token(_measure: Measure, output: Tensor, position: int) -> int:
    """The highest of the scores at a position."""
    return int(output[position].argmax())


def likeliest_mask(_measure: Measure, output: Tensor, _position: int) -> int:
    """The channel with the highest mean."""
    return int(output.flatten(1).mean(dim=1).argmax())


def first_score(_measure: Measure, _output: Tensor, _position: int) -> int:
    """The first, where none is predicted rather than another."""
    return 0


# ---- which position counts


def last_position(output: Tensor, _target: Tensor | None) -> int:
    """The last of all."""
    return len(output) - 1


def last_counted(output: Tensor, target: Tensor | None) -> int:
    """The last with a target that is not below 0, else the last of all."""
    counted = [] if target is None else ints((target.reshape(-1) >= 0).nonzero().flatten())
    return counted[-1] if counted else len(output) - 1


# ---- probabilities


def class_probabilities(_measure: Measure, outputs: Tensor) -> Tensor:
    """Of classes with a score each."""
    return outputs.reshape(len(outputs), -1).softmax(dim=1)


def label_probabilities(measure: Measure, outputs: Tensor) -> Tensor:
    """Of labels, each by itself."""
    return drawn_probabilities(measure, outputs.reshape(len(outputs), -1))


def two_probabilities(measure: Measure, outputs: Tensor) -> Tensor:
    """Of two classes with one output."""
    yes = label_probabilities(measure, outputs)[:, :1]
    return torch.cat([1 - yes, yes], dim=1)


# ---- answers about one sample


def class_scores(labeler: Labeler, output: Tensor, target: Tensor | None) -> tuple[Score, ...]:
    """All classes, of which one is predicted."""
    right = set[int]() if target is None else {int(target.reshape(-1)[0])}
    return _scores(labeler, class_probabilities, output, right, {int(output.reshape(-1).argmax())})


def two_scores(labeler: Labeler, output: Tensor, target: Tensor | None) -> tuple[Score, ...]:
    """Both classes, of which one is predicted."""
    assert labeler.measure is not None
    right = set[int]() if target is None else {int(target.reshape(-1)[0] > 0.5)}
    chosen = {yes_or_no(labeler.measure, output, -1)}
    return _scores(labeler, two_probabilities, output, right, chosen)


def label_scores(labeler: Labeler, output: Tensor, target: Tensor | None) -> tuple[Score, ...]:
    """All labels, of which any are predicted."""
    assert labeler.measure is not None
    right = set[int]() if target is None else _places(target.reshape(-1) > 0.5)
    chosen = _places(output.reshape(-1) > labeler.measure.threshold)
    return _scores(labeler, label_probabilities, output, right, chosen)


def _places(chosen: Tensor) -> set[int]:
    return set(ints(chosen.nonzero().flatten()))


def _scores(
    labeler: Labeler,
    probabilities: Probabilities,
    output: Tensor,
    right: set[int],
    chosen: set[int],
) -> tuple[Score, ...]:
    names = labeler.info.classes
    assert labeler.measure is not None
    values = floats(probabilities(labeler.measure, output.reshape(1, -1))[0])
    if len(names) != len(values):
        return ()
    return tuple(
        Score(str(name), value, k in right, k in chosen)
        for k, (name, value) in enumerate(zip(names, values, strict=True))
    )


def next_characters(
    labeler: Labeler, output: Tensor, target: Tensor | None, count: int
) -> tuple[Score, ...]:
    """Of a text that goes on, the likeliest characters after its end; () for other texts."""
    if labeler.info.target != "next" or output.dim() != 2:
        return ()
    shares = output[-1].softmax(0)
    right = -1 if target is None else int(target.reshape(-1)[-1])
    best = torch.topk(shares, min(count, len(shares)))
    return tuple(
        Score(labeler.visible(torch.tensor([k])), value, k == right, place == 0)
        for place, (value, k) in enumerate(
            zip(floats(best.values), ints(best.indices), strict=True)
        )
    )


# ---- numbers


def own_number(measure: Measure, outputs: Tensor) -> Tensor:
    """The first number of each output, in the target's own unit."""
    numbers = measure.numbers(outputs).reshape(len(outputs), -1)[:, 0]
    return numbers * measure.unit + measure.middle


# ---- pictures


def drawn_probabilities(measure: Measure, outputs: Tensor) -> Tensor:
    """Values from 0 to 1: through a sigmoid where a yes is an output above 0."""
    return outputs if measure.threshold else outputs.sigmoid()


def drawn_classes(_measure: Measure, outputs: Tensor) -> Tensor:
    """The class of each pixel of (N, C, ...), as brightness: 0 for the first, 1 for the last."""
    return outputs.argmax(dim=1) / max(1, outputs.shape[1] - 1)


def drawn_tokens(_measure: Measure, outputs: Tensor) -> Tensor:
    """The likeliest token of each position."""
    return outputs.argmax(dim=-1)


def drawn_values(_measure: Measure, outputs: Tensor) -> Tensor:
    """Values as they are."""
    return outputs


def mask(measure: Measure, output: Tensor) -> Tensor:
    """Which pixels are predicted, 0 or 1."""
    return (output > measure.threshold).float()


def mask_of_classes(_measure: Measure, output: Tensor) -> Tensor:
    """The likeliest class of each pixel of (C, ...), as a number."""
    return output.argmax(0).float()
