"""The part of a training file that validates on columns, and tells what a run tells."""

from collections.abc import Mapping

from core.data.loss_terms import LossTermSpec, aims_of
from core.script.columns import columns
from core.script.learning import Learning
from core.script.losses import class_weight, groups, loss_of, names, outputs_of, target_of, weighted
from core.script.metrics import Measured, measured
from core.source.layout import WIDTH, wrap
from core.tasks.metric_labels import quantity

SHOWN = 68  # characters of metrics in a line that is printed
MANY = '    + ", ".join(f"{name} {value:.4g}" for name, value in measured.items())'


def several(learning: Learning) -> bool:
    """Whether there are several losses, each of which is told."""
    return len(learning.info.terms) > 1


def measures(learning: Learning) -> Measured | None:
    """What is measured beside the loss; None for nothing."""
    outputs, parts = outputs_of(learning), list[Measured]()
    plain = not groups(learning)
    for term in learning.info.terms:
        one = _measured(learning, term, outputs)
        if one and several(learning):
            one = one.apart(len(parts) + 1, "" if plain else f"{term.name}_")
        if one:
            parts.append(one)
            plain = False
    if not parts:
        return None
    return Measured(
        tuple(line for one in parts for line in one.lines),
        tuple(name for one in parts for name in one.sums),
        {name: text for one in parts for name, text in one.metrics.items()},
    )


def _measured(learning: Learning, term: LossTermSpec, outputs: list[str]) -> Measured | None:
    target = target_of(learning, term) if term.column else ""
    return measured(learning, term, [outputs[index] for index in term.outputs], target)


def evaluate_function(learning: Learning, random: bool) -> str:
    """The function `evaluate`: the mean loss and what is measured.

    random: whether the network draws by chance, which then changes nothing else.
    """
    more, deep = measures(learning), "    " * (2 + random)
    loop = _loop(learning, deep) if more or several(learning) else _loss_loop(learning)
    if random:
        loop = ["with torch.random.fork_rng():", *(f"    {line}" for line in loop)]
    note = "; its random numbers are its own" if random else ""
    body = [
        f'"""{_words(learning, more).removesuffix(".")}{note}."""',
        "model.eval()",
        *beginning(learning, "    "),
        *loop,
        *_returned(learning, more),
    ]
    head = _head(learning, more)
    return "\n".join(["@torch.inference_mode()", *head, *(f"    {line}" for line in body)])


def _words(learning: Learning, more: Measured | None) -> str:
    if several(learning):
        return "The mean loss, and what else is measured by its name."
    return more.words if more else "The mean loss."


def _head(learning: Learning, more: Measured | None) -> list[str]:
    tensors = [f"{name}: Tensor" for name in class_weight(learning)]
    unit = ["unit: float"] if _unit(learning) else []
    parameters = ["model: nn.Module", *tensors, "columns: list[Tensor]", *unit]
    kinds = ["float"] * (1 + len(more.metrics if more else ()))
    kinds = ["float", "dict[str, float]"] if several(learning) else kinds
    result = kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
    whole = f"def evaluate({', '.join(parameters)}) -> {result}:"
    if len(whole) <= WIDTH:
        return [whole]
    return ["def evaluate(", f"    {', '.join(parameters)}", f") -> {result}:"]


def beginning(learning: Learning, deep: str) -> list[str]:
    """Lines that set the sums to zero. deep: how far they stand in."""
    added = [name for name in sums(learning) if not name.startswith("*")]
    lines = [" = ".join([*added, "0.0"])]
    if len(deep + lines[0]) > WIDTH:
        lines = [f"{name} = 0.0" for name in added]
    zeros = ", ".join(["0.0"] * len(learning.info.terms))
    return [*lines, *([f"each = [{zeros}]"] if several(learning) else [])]


def _returned(learning: Learning, more: Measured | None) -> list[str]:
    total, metrics = "total / len(columns[0])", dict(more.metrics) if more else {}
    if not several(learning):
        parts = [total, *metrics.values()]
        line = f"return {', '.join(parts)}"
        if len(line) + 4 <= WIDTH:
            return [line]
        return ["return (", *(f"    {part}," for part in parts), ")"]
    return [f"return {total}, {{", *_entries(learning, metrics), "}"]


def _entries(learning: Learning, metrics: Mapping[str, str]) -> list[str]:
    """Of several losses: what is measured by its name, in words, as lines of a dict."""
    aims = aims_of(learning.info.terms)
    entries = {quantity(name, aims): text for name, text in metrics.items()}
    for index, term in enumerate(learning.info.terms):
        entries[quantity(f"{term.name}_loss", aims)] = f"each[{index}] / len(columns[0])"
    return [f'    "{name}": {text},' for name, text in entries.items()]


def figures(learning: Learning) -> list[str]:
    """Statements that make figures of the sums over `columns`, each under its name."""
    more, total = measures(learning), "val_loss = total / len(columns[0])"
    metrics = dict(more.metrics) if more else {}
    if several(learning):
        return [total, "measured = {", *_entries(learning, metrics), "}"]
    return [total, *(f"{name} = {text}" for name, text in metrics.items())]


def _loss_loop(learning: Learning) -> list[str]:
    split = f"(column.split({learning.validated}) for column in columns)"
    body = (f"    {line}" for line in batch_lines(learning, ""))
    return [f"for batch in zip(*{split}, strict=True):", *body]


def unpacked(learning: Learning) -> list[str]:
    """Names of the columns of a batch; none where the batch is handed on whole."""
    return names(learning) if measures(learning) or several(learning) else []


def batch_lines(learning: Learning, deep: str) -> list[str]:
    """Lines that add a batch to the sums. deep: how far they stand in, for breaking long ones."""
    more = measures(learning)
    if not unpacked(learning):
        call = f"compute_loss({', '.join(['model', *class_weight(learning), '*batch'])})"
        return [f"total += float({call}) * len(batch[0])"]
    outputs, (feeds, _) = outputs_of(learning), columns(learning.info)
    lines = [
        f"{', '.join(outputs)} = model({', '.join(column.name for column in feeds)})",
        *_losses(learning, outputs, names(learning)[0]),
        *(more.lines if more else ()),
    ]
    return [line.removeprefix(deep) for text in lines for line in wrap(deep, text)]


def sums(learning: Learning) -> list[str]:
    """What a validation adds up: names, and lists of them with a star."""
    more = measures(learning)
    return ["total", *(more.sums if more else ()), *(["*each"] if several(learning) else [])]


def _loop(learning: Learning, deep: str) -> list[str]:
    """The loop where outputs are looked at too, so that the network runs once for both."""
    parts = names(learning)
    each = f"({parts[0]},)" if len(parts) == 1 else ", ".join(parts)
    inner = f"*(column.split({learning.validated}) for column in columns), strict=True"
    head = f"for {each} in zip({inner}):"
    short = len(deep) - 4 + len(head) <= WIDTH
    first = [head] if short else [f"for {each} in zip(", f"    {inner}", "):"]
    return [*first, *(f"    {line}" for line in batch_lines(learning, deep))]


def _losses(learning: Learning, outputs: list[str], first: str) -> list[str]:
    """Lines that add up the losses of a batch, `first` of which counts its samples."""
    terms = learning.info.terms
    if not several(learning):
        loss = weighted(terms[0], loss_of(learning, terms[0], outputs))
        return [f"loss = {loss}", f"total += loss.item() * len({first})"]
    listed = ", ".join(loss_of(learning, term, outputs) for term in terms)
    whole = " + ".join(weighted(term, f"losses[{i}]") for i, term in enumerate(terms))
    return [
        f"losses = [{listed}]",
        f"total += ({whole}).item() * len({first})",
        "for i, loss in enumerate(losses):",
        f"    each[i] += loss.item() * len({first})",
    ]


def _unit(learning: Learning) -> bool:
    return learning.info.standardised_target


def results(learning: Learning, model: str) -> str:
    """The statement that validates a model and names what is measured."""
    more = measures(learning)
    arguments = [model, *class_weight(learning), "val", *(["unit"] if _unit(learning) else [])]
    metrics = ["measured"] if several(learning) else list(more.metrics) if more else []
    return f"{', '.join(['val_loss', *metrics])} = evaluate({', '.join(arguments)})"


def shown(learning: Learning) -> list[str]:
    """What is printed of a validation, as lines of one expression."""
    more = measures(learning)
    if several(learning):
        return ['f"validation loss {val_loss:.4f}, "', MANY.strip()]
    if more is None:
        return ['f"validation loss {val_loss:.4f}"']
    lines = [""]
    for metric in more.shown.split(", "):
        if lines[-1] and len(lines[-1]) + len(metric) > SHOWN:
            lines.append("")
        lines[-1] += f"{metric}, "
    lines[-1] = lines[-1].removesuffix(", ")
    return ['f"validation loss {val_loss:.4f}, "', *(f'f"{line}"' for line in lines)]


def accuracy(learning: Learning) -> str:
    """What the best epoch is known by: the share of right answers, "" where by the loss."""
    more = measures(learning)
    if not learning.by_accuracy or more is None or "accuracy" not in more.metrics:
        return ""
    words = quantity("accuracy", aims_of(learning.info.terms))
    return f'measured["{words}"]' if several(learning) else "accuracy"
