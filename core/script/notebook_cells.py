"""Cells of a notebook: samples, curves and results."""

from math import prod

from core.data.facts.info import DataInfo
from core.script.evaluate import call_of, print_lines, shown
from core.script.learning import Learning
from core.script.validation import validation_of
from core.source.literal import literal
from core.tasks.registry import KINDS, TASKS, per_pixel, reads_logits

SHOW = '''\
def show(pictures: Tensor, titles: list[str]) -> None:
    """Draw pictures (N, C, H, W) side by side, each under its title."""
    if plt is None or len(pictures) == 0:
        return
    _, axes = plt.subplots(1, len(pictures), figsize=(9, 1.8), squeeze=False)
    for axis, picture, title in zip(axes[0], pictures.cpu(), titles, strict=True):
        low, high = picture.min(), picture.max()
        bright = (picture - low) / (high - low).clamp_min(1e-6)
        axis.imshow(bright.permute(1, 2, 0), cmap="gray")
        axis.set_title(title, fontsize=8)
        axis.axis("off")
    plt.show()'''
CURVES = """\
if plt is not None:
    train_losses, val_losses, values = zip(*history, strict=True)
    epochs = range(1, len(history) + 1)
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
    left.plot(epochs, train_losses, label="training")
    left.plot(epochs, val_losses, label="validation")
    left.set(xlabel="epoch", ylabel="loss")
    left.legend()
    right.plot(epochs, values)
    right.set(xlabel="epoch", ylabel="{metric}")
    plt.show()"""
LOSSES = """\
if plt is not None:
    train_losses, val_losses = zip(*history, strict=True)
    plt.plot(range(1, len(history) + 1), train_losses, label="training")
    plt.plot(range(1, len(history) + 1), val_losses, label="validation")
    plt.xlabel("epoch")
    plt.ylabel("loss")
    plt.legend()
    plt.show()"""
ANSWERED = """\
model.eval()
with torch.inference_mode():
    found = model(*(column[:8] for column in val[:{count}]))
for output in found if isinstance(found, tuple) else (found,):
    {show}"""
CONFUSION = """\
confusion = torch.zeros({count}, {count}, dtype=torch.int64)
for truth, guess in zip(truths.tolist(), guesses.tolist(), strict=True):
    confusion[truth, guess] += 1
print(confusion)"""
MISTAKES = """\
wrong = (truths != guesses).nonzero().flatten()[:8]
pairs = zip(truths[wrong].tolist(), guesses[wrong].tolist(), strict=True)
show(
    val_x[wrong].reshape{picture},
    [f"{{CLASSES[truth]}} as {{CLASSES[guess]}}" for truth, guess in pairs],
)"""
SCATTER = """\
if plt is not None:
    _, axis = plt.subplots(figsize=(4, 4))
    axis.scatter(val_y.cpu(), outputs.cpu(), s=8)
    axis.axline((0, 0), slope=1, color="gray")
    axis.set(xlabel="target", ylabel="prediction")
    plt.show()"""
OUTPUTS = """\
model.eval()
with torch.inference_mode():
    outputs = torch.cat([model(x) for x in val_x.split(256)])"""
THIRD = '[""] * 8'


def picture_shape(info: DataInfo) -> str:
    """The shape that samples are drawn in, as the argument of reshape."""
    shape = (info.sample_shape[0], *info.resize) if info.resize else info.sample_shape
    return literal((-1, *shape))


def look(info: DataInfo) -> str:
    """The cell that shows a few samples."""
    if not info.plain:
        return "for column in train:\n    print(tuple(column.shape), column[0].flatten()[:12])"
    if info.kind == "table":
        lines = ["print(train_x[:4])"]
        if TASKS[info.task].one_class:
            lines.append("print([CLASSES[int(y)] for y in train_y[:4].flatten()])")
        else:
            lines.append("print(train_y[:4])")
        return "\n".join(lines)
    titles = "[CLASSES[int(y)] for y in train_y[:8]]"
    if not TASKS[info.task].one_class:
        titles = THIRD
    return f"{SHOW}\n\n\nshow(train_x[:8].reshape{picture_shape(info)}, {titles})"


def curve_figures(learning: Learning) -> list[str]:
    """What of a validation is drawn as a curve: the loss; of inputs and targets, the metric too."""
    return list(validation_of(learning).figures)[: 1 + learning.info.plain]


def curves(learning: Learning) -> str:
    """The cell that draws the curves."""
    _, *metric = curve_figures(learning)
    return CURVES.replace("{metric}", metric[0]) if metric else LOSSES


def best(learning: Learning) -> str:
    """The cell that loads the best weights and measures them again."""
    load = "model.load_state_dict(torch.load(OUT, weights_only=True))"
    lines = learning.lines(call_of(learning, "model"))
    return "\n".join([load, *lines, *print_lines(learning, shown(learning), "")])


def predictions(learning: Learning) -> str:
    """The cell that shows what the network answers."""
    if not learning.info.plain:
        return first_predictions(learning.info)
    task = learning.info.task
    if TASKS[task].one_class:
        return "\n".join([OUTPUTS, *_answers(learning)])
    return "\n".join(
        [
            OUTPUTS,
            SCATTER.replace("outputs", learning.prediction)
            if task == "regression"
            else _pictures(learning),
        ]
    )


def _answers(learning: Learning) -> list[str]:
    info = learning.info
    lines = ["truths, guesses = val_y.cpu(), outputs.argmax(1).cpu()"]
    if not info.labels:
        lines = [
            "truths = val_y.long().flatten().cpu()",
            f"guesses = (outputs > {_threshold(learning)}).long().flatten().cpu()",
        ]
    lines.append(CONFUSION.replace("{count}", literal(len(info.classes))))
    if info.kind == "image":
        lines += ["", MISTAKES.format(picture=picture_shape(info))]
    return lines


def _pictures(learning: Learning) -> str:
    """Inputs, predictions and targets, one above the other."""
    info = learning.info
    if prod(info.target_shape or ()) not in (prod(info.input_shape), 0) or info.kind == "table":
        return "print(outputs[:4])\nprint(val_y[:4])"
    answers, shape = "outputs[:8]", picture_shape(info)
    if per_pixel(info.task):
        one = "outputs[:8].argmax(1)" if info.labels else f"(outputs[:8] > {_threshold(learning)})"
        answers = f"{one}.float()"
    wanted = "val_y[:8].float()" if info.labels else "val_y[:8]"
    return "\n".join(
        [
            f'show(val_x[:8].reshape{shape}, ["input"] * 8)',
            f'show({answers}.reshape{shape}, ["answer"] * 8)',
            f'show({wanted}.reshape{shape}, ["target"] * 8)',
        ]
    )


def _threshold(learning: Learning) -> str:
    return "0" if reads_logits(learning.training["loss"]) else "0.5"


def first_predictions(info: DataInfo) -> str:
    """Predictions for the first validation samples."""
    show = "print(tuple(output.shape), output[0].flatten()[:12])"
    if [KINDS[term.kind].reads_lengths for term in info.terms] == [True]:
        show = "for predicted, row in zip(greedy_decode(output), val[-1], strict=False):\n        "
        show += "print([number - 1 for number in predicted], (row[row > 0] - 1).tolist())"
    return ANSWERED.format(count=len(info.feeds), show=show)
