"""The part of a training file that learns from columns: every loss, whose weights it moves."""

from core.data.terms import Term
from core.source.columns_part import columns
from core.source.layout import wrap
from core.source.literal import literal
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


def evaluate_function(learning: Learning, random: bool) -> str:
    """The function `evaluate`: the mean loss; what it draws by chance changes nothing else."""
    size = learning.validated
    more = "".join(f", {name}" for name in _weights(learning))
    value = f"compute_loss(model{more}, *batch)"
    value = f"sum({value})" if groups(learning) else value
    loop = [
        f"for batch in zip(*(column.split({size}) for column in columns), strict=True):",
        f"    total += float({value}) * len(batch[0])",
    ]
    if random:
        loop = ["with torch.random.fork_rng():", *(f"    {line}" for line in loop)]
    note = "; its random numbers are its own" if random else ""
    typed = "".join(f", {name}: Tensor" for name in _weights(learning))
    return "\n".join(
        [
            "@torch.inference_mode()",
            f"def evaluate(model: nn.Module{typed}, columns: list[Tensor]) -> float:",
            f'    """The mean loss{note}."""',
            "    model.eval()",
            "    total = 0.0",
            *(f"    {line}" for line in loop),
            "    return total / len(columns[0])",
        ]
    )


def evaluated(learning: Learning, model: str) -> str:
    """The call that validates a model."""
    return f"evaluate({', '.join([model, *_weights(learning), 'val'])})"


def _weights(learning: Learning) -> list[str]:
    """The name of the weights of classes, where classes are weighed."""
    return ["weight"] if learning.training["class_weights"] else []


def epochs_loop(learning: Learning, keep: str = "") -> list[str]:
    """The loop over epochs: train, validate, print, save the best weights."""
    training, name = learning.training, learning.names
    newest = training["best_by"] == "last"
    patience = training["patience"]
    saving = [f"torch.save({learning.judged}.state_dict(), {name.out})"]
    if not newest:
        saving = ["if val_loss < best:", "    best = val_loss",
                  *(["    best_epoch = epoch"] if patience else []),
                  *(f"    {line}" for line in saving)]  # fmt: skip
        saving += [f"if epoch - best_epoch >= {patience}:", "    break"] if patience else []
    body = [
        *_train_epoch(learning),
        f"val_loss = {evaluated(learning, learning.judged)}",
        *after_epoch(learning),
        *([keep] if keep else []),
        "print(",
        '    f"epoch {epoch + 1}: train loss {train_loss / len(train[0]):.4f}, "',
        '    f"validation loss {val_loss:.4f}"',
        ")",
        *saving,
    ]
    told = "The weights of the last epoch are in" if newest else (
        "Best validation loss {best:.4f}; its weights are in"
    )  # fmt: skip
    return [
        *([] if newest else ['best = float("inf")']),
        *(["best_epoch = 0"] if patience and not newest else []),
        f"for epoch in range({name.epochs}):",
        *(f"    {line}" for line in body),
        f'print(f"{told} {{{name.out}}}")',
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
    call = f"compute_loss({', '.join(['model', *_weights(learning), *names(learning)])})"
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
