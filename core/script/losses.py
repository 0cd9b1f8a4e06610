"""The lines of a training file for losses of named columns, and the weights that each trains."""

from core.data.facts.loss_terms import LossTermSpec
from core.script.columns import MEASURING, columns
from core.script.distillation import loss_lines
from core.script.excerpt import excerpt_of
from core.script.learning import Learning
from core.script.optim import call_lines, class_weight_arguments, criterion
from core.source.layout import wrap, wrap_def
from core.source.literal import literal
from core.tasks.registry import KINDS, module_of


def groups(learning: Learning) -> list[str]:
    """The nodes whose weights have losses of their own, in order; [] usually."""
    return list(dict.fromkeys(t.trains for t in learning.info.terms if t.trains))


def classes(learning: Learning) -> list[str]:
    """The classes of losses that torch has not, word for word."""
    chosen = dict.fromkeys(term.loss or learning.training["loss"] for term in learning.info.terms)
    return [excerpt_of(written) for loss in chosen if (written := module_of(loss))]


def names(learning: Learning) -> list[str]:
    """Names of all columns of a batch, what the Inputs receive first."""
    feeds, targets = columns(learning.info)
    return [column.name for column in (*feeds, *targets)]


def loss_function(learning: Learning) -> str:
    """The function `losses`: the loss of a batch, or one for each network that has its own."""
    terms, parts = groups(learning), names(learning)
    feeds, _ = columns(learning.info)
    outputs = outputs_of(learning)
    first = ["teacher: nn.Module"] if learning.teacher else []
    tensors = (f"{name}: Tensor" for name in (*class_weight(learning), *parts))
    head = ["model: nn.Module", *first, *tensors]
    result = f"tuple[{', '.join(['Tensor'] * len(terms))}]" if terms else "Tensor"
    call = f"({', '.join(column.name for column in feeds)})"
    lines = [f"{', '.join(outputs)} = model{call}"]
    if learning.teacher:
        says = "The loss of a batch, mixed with the loss against the teacher's predictions."
        loss = loss_of(learning, learning.info.terms[0], outputs)
        lines = _returned(loss_lines(learning, call, outputs[0], loss))
    elif terms:
        says = f"The losses of {' and '.join(terms)} in a batch."
        for group in terms:
            lines += _sum(
                learning,
                [t for t in learning.info.terms if t.trains == group],
                f"{group}_loss",
                outputs,
            )
        lines.append(f"return {', '.join(f'{group}_loss' for group in terms)}")
    else:
        says = "The loss of a batch."
        lines += _sum(learning, list(learning.info.terms), "loss", outputs)
        lines = _returned(lines)
    first = wrap_def("", "def compute_loss", head, result)
    body = [line for text in lines for line in wrap("    ", text)]
    return "\n".join([*first, f'    """{says}"""', *body])


def class_weight(learning: Learning) -> list[str]:
    """The name of the weights of classes, where classes are weighed."""
    return ["weight"] if learning.training["class_weights"] else []


def extra_arguments(learning: Learning) -> list[str]:
    """What the losses of a batch need beside the model and the columns."""
    return [*(["teacher"] if learning.teacher else []), *class_weight(learning)]


def weighted(term: LossTermSpec, text: str) -> str:
    """A loss as it counts in the whole."""
    return text if term.weight == 1.0 else f"{literal(term.weight)} * {text}"


def _returned(lines: list[str]) -> list[str]:
    """Return the last sum at once."""
    return [*lines[:-1], f"return {lines[-1].removeprefix('loss = ')}"]


def outputs_of(learning: Learning) -> list[str]:
    """Names of the network's outputs; `_` for outputs that no loss reads."""
    taken = {*names(learning), *MEASURING, "loss", "losses", "model", "teacher"}
    read = {p: n for t in learning.info.terms for p, n in zip(t.outputs, t.names, strict=True)}
    names_: list[str] = []
    for index in range(learning.outputs):
        name = read.get(index, "_")
        while name in taken and name != "_":
            name += "_"
        taken.add(name)
        names_.append(name)
    return names_


def _sum(learning: Learning, terms: list[LossTermSpec], name: str, outputs: list[str]) -> list[str]:
    lines: list[str] = []
    for index, term in enumerate(terms):
        text = weighted(term, loss_of(learning, term, outputs))
        lines.append(f"{name} = {text if index == 0 else f'{name} + {text}'}")
    return lines


def loss_of(learning: Learning, term: LossTermSpec, outputs: list[str]) -> str:
    """The expression of one loss of a batch."""
    read = [outputs[index] for index in term.outputs]
    if term.loss == "mean":
        return f"{read[0]}.mean()"
    settings = term.settings if term.loss else learning.training["loss_settings"]
    weight = () if term.loss else class_weight_arguments(learning)
    made = call_lines(
        criterion(term.loss or learning.training["loss"]), [], settings, weight, f"{read[0]}.device"
    )
    if term.constant is not None:
        like = {0.0: "zeros_like", 1.0: "ones_like"}[term.constant]
        return f"{made}({read[0]}, torch.{like}({read[0]}))"
    if not term.column:
        return f"{made}({', '.join(read)})"
    target = target_of(learning, term)
    if KINDS[term.kind].per_position:
        return f"{made}({read[0]}.flatten(0, 1), {target}.flatten())"
    if KINDS[term.kind].reads_lengths:
        steps = f"torch.full((len({target}),), {read[0]}.shape[1])"
        return f"{made}({read[0]}.transpose(0, 1), {target}, {steps}, ({target} > 0).sum(1))"
    if made.startswith("nn.GaussianNLLLoss("):
        return f"{made}({read[0]}, {target}, {read[1]})"
    return f"{made}({', '.join([*read, target])})"


def target_of(learning: Learning, term: LossTermSpec) -> str:
    """The name of the column that a loss compares with."""
    _, targets = columns(learning.info)
    index = [t for t in learning.info.terms if t.column].index(term)
    return targets[index].name
