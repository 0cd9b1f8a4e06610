"""The part of a training file that learns from columns: every loss, whose weights it moves."""

from core.data.terms import Term
from core.source.columns_part import columns
from core.source.layout import WIDTH, wrap
from core.source.literal import literal
from core.source.measured_part import Measured, measured
from core.source.modes_part import trained
from core.source.rates_part import chosen, frozen, train_lines
from core.source.recipe_part import called, weighed
from core.source.step_part import batches_line, shared, step_lines
from core.source.training_part import Learning, after_epoch

DEEP = "        "  # how far the body of the inner loop stands in


def groups(learning: Learning) -> list[str]:
    """The nodes whose weights have losses of their own, in order; [] usually."""
    return list(dict.fromkeys(t.trains for t in learning.info.terms if t.trains))


def names(learning: Learning) -> list[str]:
    """Names of all columns of a batch, what the Inputs receive first."""
    feeds, targets = columns(learning.info)
    return [column.name for column in (*feeds, *targets)]


def loss_function(learning: Learning) -> str:
    """The function `losses`: the loss of a batch, or one for each network that has its own."""
    found, parts = groups(learning), names(learning)
    feeds, _ = columns(learning.info)
    outputs = _outputs(learning)
    head = ["model: nn.Module", *(f"{name}: Tensor" for name in (*_weights(learning), *parts))]
    result = f"tuple[{', '.join(['Tensor'] * len(found))}]" if found else "Tensor"
    call = f"model({', '.join(column.name for column in feeds)})"
    lines = [f"{', '.join(outputs)} = {call}"]
    if found:
        says = f"The losses of {' and '.join(found)} in a batch."
        for group in found:
            lines += _sum(learning, [t for t in learning.info.terms if t.trains == group],
                          f"{group}_loss", outputs)  # fmt: skip
        lines.append(f"return {', '.join(f'{group}_loss' for group in found)}")
    else:
        says = "The loss of a batch."
        lines += _sum(learning, list(learning.info.terms), "loss", outputs)
        lines = _returned(lines)
    whole = f"def compute_loss({', '.join(head)}) -> {result}:"
    first = [whole] if len(whole) <= 88 else _broken(head, result)
    body = [line for text in lines for line in wrap("    ", text)]
    return "\n".join([*first, f'    """{says}"""', *body])


def _returned(lines: list[str]) -> list[str]:
    """Return the last sum at once."""
    return [*lines[:-1], f"return {lines[-1].removeprefix('loss = ')}"]


def _broken(head: list[str], result: str) -> list[str]:
    inner = f"    {', '.join(head)}"
    body = [inner] if len(inner) <= 88 else [f"    {part}," for part in head]
    return ["def compute_loss(", *body, f") -> {result}:"]


def _outputs(learning: Learning) -> list[str]:
    """Names for what the network puts out; `_` for what no loss reads."""
    taken = {*names(learning), "loss", "model"}
    read = {p: n for t in learning.info.terms for p, n in zip(t.outputs, t.names, strict=True)}
    found: list[str] = []
    for place in range(learning.outputs):
        name = read.get(place, "_")
        while name in taken and name != "_":
            name += "_"
        taken.add(name)
        found.append(name)
    return found


def _sum(learning: Learning, terms: list[Term], name: str, outputs: list[str]) -> list[str]:
    lines: list[str] = []
    for index, term in enumerate(terms):
        text = _loss(learning, term, outputs)
        text = text if term.weight == 1.0 else f"{literal(term.weight)} * {text}"
        lines.append(f"{name} = {text if index == 0 else f'{name} + {text}'}")
    return lines


def _loss(learning: Learning, term: Term, outputs: list[str]) -> str:
    read = [outputs[place] for place in term.outputs]
    if term.loss == "mean":
        return f"{read[0]}.mean()"
    given = term.settings if term.loss else learning.training["loss_settings"]
    weight = () if term.loss else weighed(learning)
    made = called(f"nn.{term.loss or learning.training['loss']}", [], given, weight)
    if term.constant is not None:
        like = {0.0: "zeros_like", 1.0: "ones_like"}[term.constant]
        return f"{made}({read[0]}, torch.{like}({read[0]}))"
    if not term.column:
        return f"{made}({', '.join(read)})"
    target = _target(learning, term)
    if term.kind == "tokens":
        return f"{made}({read[0]}.flatten(0, 1), {target}.flatten())"
    return f"{made}({', '.join([*read, target])})"


def _target(learning: Learning, term: Term) -> str:
    _, targets = columns(learning.info)
    place = [t for t in learning.info.terms if t.column].index(term)
    return targets[place].name


def measures(learning: Learning) -> Measured | None:
    """What is measured beside the loss."""
    (term, *_), outputs = learning.info.terms, _outputs(learning)
    target = _target(learning, term) if term.column else ""
    return measured(learning, [outputs[place] for place in term.outputs], target)


def evaluate_function(learning: Learning, random: bool) -> str:
    """The function `evaluate`: the mean loss; what it draws by chance changes nothing else."""
    more, deep = measures(learning), "    " * (2 + random)
    loop = _measured_loop(learning, more, deep) if more else _loss_loop(learning)
    if random:
        loop = ["with torch.random.fork_rng():", *(f"    {line}" for line in loop)]
    note = "; its random numbers are its own" if random else ""
    given = ["model: nn.Module", *(f"{name}: Tensor" for name in _weights(learning))]
    head = f"def evaluate({', '.join([*given, 'columns: list[Tensor]'])}) -> "
    results = ["total / len(columns[0])", *(more.told.values() if more else ())]
    kinds = "float" if not more else f"tuple[{', '.join(['float'] * len(results))}]"
    words = more.words if more else "The mean loss."
    body = [
        f'"""{words.removesuffix(".")}{note}."""',
        "model.eval()",
        f"{' = '.join(['total', *(more.sums if more else ())])} = 0.0",
        *loop,
        f"return {', '.join(results)}",
    ]
    lines = [f"{head}{kinds}:", *(f"    {line}" for line in body)]
    return "\n".join(["@torch.inference_mode()", *lines])


def _loss_loop(learning: Learning) -> list[str]:
    call = f"compute_loss({', '.join(['model', *_weights(learning), '*batch'])})"
    value = f"sum({call})" if groups(learning) else call
    columns = f"(column.split({learning.validated}) for column in columns)"
    return [
        f"for batch in zip(*{columns}, strict=True):",
        f"    total += float({value}) * len(batch[0])",
    ]


def _measured_loop(learning: Learning, more: Measured, deep: str) -> list[str]:
    """The loop where outputs are looked at too, so that the network runs once for both."""
    parts, outputs = names(learning), _outputs(learning)
    feeds, _ = columns(learning.info)
    each = f"({parts[0]},)" if len(parts) == 1 else ", ".join(parts)
    inner = f"*(column.split({learning.validated}) for column in columns), strict=True"
    head = f"for {each} in zip({inner}):"
    term = learning.info.terms[0]
    loss = _loss(learning, term, outputs)
    lines = [
        f"{', '.join(outputs)} = model({', '.join(column.name for column in feeds)})",
        f"loss = {loss if term.weight == 1.0 else f'{literal(term.weight)} * {loss}'}",
        f"total += loss.item() * len({parts[0]})",
        *more.lines,
    ]
    short = len(deep) - 4 + len(head) <= WIDTH
    first = [head] if short else [f"for {each} in zip(", f"    {inner}", "):"]
    body = [line for text in lines for line in wrap(deep, text)]
    return [*first, *(f"    {line.removeprefix(deep)}" for line in body)]


def evaluated(learning: Learning, model: str) -> str:
    """The call that validates a model."""
    return f"evaluate({', '.join([model, *_weights(learning), 'val'])})"


def _weights(learning: Learning) -> list[str]:
    """The name of the weights of classes, where classes are weighed."""
    return ["weight"] if learning.training["class_weights"] else []


def results(learning: Learning, model: str) -> str:
    """The statement that validates a model and names what is measured."""
    more = measures(learning)
    return f"{', '.join(['val_loss', *(more.told if more else ())])} = {evaluated(learning, model)}"


def shown(learning: Learning) -> list[str]:
    """What is printed of a validation, as pieces of one text."""
    more = measures(learning)
    return [
        f"validation loss {{val_loss:.4f}}{', ' if more else ''}",
        *([more.shown] if more else []),
    ]


def epochs_loop(learning: Learning, keep: str = "") -> list[str]:
    """The loop over epochs: train, validate, print, save the best weights."""
    name, newest = learning.names, learning.training["best_by"] == "last"
    patience = learning.training["patience"] if not newest else None
    better, first, told = _best(learning)
    body = [
        *_train_epoch(learning),
        *(line.removeprefix("    ") for line in _validating(learning)),
        *after_epoch(learning),
        *([keep] if keep else []),
        "print(",
        '    f"epoch {epoch + 1}: train loss {train_loss / len(train[0]):.4f}, "',
        *(f'    f"{text}"' for text in shown(learning)),
        ")",
        *_saving(learning, better, patience),
    ]
    return [
        *([] if newest else [f"best = {first}"]),
        *(["best_epoch = 0"] if patience else []),
        f"for epoch in range({name.epochs}):",
        *(f"    {line}" for line in body),
        f'print(f"{told} {{{name.out}}}")',
    ]


def _validating(learning: Learning) -> list[str]:
    return learning.lines(results(learning, learning.judged), "    ")


def _best(learning: Learning) -> tuple[str, str, str]:
    """What must hold of a new best epoch, what `best` begins with, what is said in the end."""
    if learning.training["best_by"] == "last":
        return "", "", "The weights of the last epoch are in"
    if _by_accuracy(learning):
        words = "Best validation accuracy {best[0]:.2%}; its weights are in"
        return "(accuracy, -val_loss) > best", "(-1.0, 0.0)", words
    words = "Best validation loss {best:.4f}; its weights are in"
    return "val_loss < best", 'float("inf")', words


def _by_accuracy(learning: Learning) -> bool:
    more = measures(learning)
    return learning.by_accuracy and more is not None and "accuracy" in more.told


def _saving(learning: Learning, better: str, patience: int | None) -> list[str]:
    """The lines that keep the weights of the best epoch, or of every one."""
    save = f"torch.save({learning.judged}.state_dict(), {learning.names.out})"
    if not better:
        return [save]
    value = "(accuracy, -val_loss)" if _by_accuracy(learning) else "val_loss"
    note = "  # of equals, the surer" if _by_accuracy(learning) else ""
    return [
        f"if {better}:{note}",
        f"    best = {value}",
        *(["    best_epoch = epoch"] if patience else []),
        f"    {save}",
        *([f"if epoch - best_epoch >= {patience}:", "    break"] if patience else []),
    ]


def _weights_of(learning: Learning, group: str) -> list[str]:
    """The statement that lists the weights of a node which learn."""
    every = f"model.{group}.parameters()"
    if not frozen(learning):
        return [f"weights = list({every})"]
    return chosen(learning, "weights", every, "weight.requires_grad", DEEP)


def _train_epoch(learning: Learning) -> list[str]:
    info, found = learning.info, groups(learning)
    feeds, targets = columns(info)
    drawn = [c.name for c, feed in zip(feeds, info.feeds, strict=True) if not feed.noise]
    taken = [*drawn, *(column.name for column in targets)]
    lines: list[str] = []
    for column, feed in zip(feeds, info.feeds, strict=True):
        if feed.noise:
            size = literal(feed.shape)[1:-1].rstrip(",")
            lines.append(f"{column.name} = torch.randn(len({taken[0]}), {size}, device=device)")
        elif info.noise and info.kind != "text":
            noise = f"{literal(info.noise)} * torch.randn_like({column.name})"
            lines.append(f"{column.name} = {column.name} + {noise}")
    network = trained(learning)
    call = f"compute_loss({', '.join([network, *_weights(learning), *names(learning)])})"
    losses = [f"{group}_loss" for group in found]
    lines.append(f"{', '.join(losses) or 'loss'} = {call}")
    backward = [f"{shared(learning, 'loss')}.backward()"]
    if found:
        backward = list[str]()
        for loss, group in zip(losses, found, strict=True):
            more = "" if group == found[-1] else ", retain_graph=True"
            backward += [*_weights_of(learning, group),
                         f"{shared(learning, loss)}.backward(inputs=weights{more})"]  # fmt: skip
    whole = losses[0] if len(losses) == 1 else f"({' + '.join(losses)})" if losses else "loss"
    counted = f"train_loss += {whole}.item() * len({taken[0]})"
    lines = step_lines(learning, lines, backward, counted)
    batch = f"({taken[0]},)" if len(taken) == 1 else ", ".join(taken)
    return [
        *train_lines(learning),
        "train_loss = 0.0",
        batches_line(learning, batch),
        *(line.removeprefix("    ") for text in lines for line in learning.lines(text, DEEP)),
    ]
