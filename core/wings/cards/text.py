"""The text of a card on a drawing: the same file is shown, copied and executed.

The model, the data and the loss are written by what writes the training script; below them stands
the card's script word for word. It imports nothing of Layerloom, and reads nothing but the data
and, with a run, `network.safetensors` beside it.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.data import DataInfo, data_root
from core.data.sources.paths import locate
from core.script import custom_files, data, losses, reading, streamed
from core.script.head import group_imports, packages, quoted
from core.script.learning import Learning, Names
from core.script.model import classes_of, imports_for, rename_clashes
from core.script.program import learning_of
from core.settings.validate import resolve
from core.source.layout import wrap
from core.source.literal import literal, prose
from core.wings.cards.audit import audit_card
from core.wings.cards.card import Card
from core.wings.cards.drawing import Drawing
from core.wings.cards.expression import BenchError, python_of

WEIGHTS = "network.safetensors"
"""The file of a run's weights, beside the text."""
RESULT = "result = "
"""What the line of a typed expression begins with."""
BEGIN = "# The card\n"
"""The line above a card's own script."""
UNSHAPED = "  # fmt: skip"
"""What our formatter reads at the end of a line, and no reader of a card."""
TRAINED = f"With the weights in {WEIGHTS}, which the package safetensors reads."
DRAWN = "rows = torch.randperm(len({}), generator=torch.Generator().manual_seed(SEED))[:BATCH]"
TOKENS = (
    "min((m.num_embeddings for m in model.modules() if isinstance(m, nn.Embedding)), default=2)"
)


@dataclass(frozen=True)
class _Source:
    """A report as the writers of scripts need it."""

    source: str | None
    class_name: str


@dataclass(frozen=True)
class CardText:
    """A text, and which of its lines are the card's own: from `first`, counted from 1, on."""

    text: str
    first: int

    @property
    def own(self) -> str:
        """The lines that are the card's own, without its imports."""
        return "\n".join(self.text.splitlines()[self.first - 1 :]) + "\n"


def card_text(
    card: Card, drawing: Drawing, block: str = "", trained: bool = False, expression: str = ""
) -> CardText:
    """Write a card that fits a drawing, about one block where it is about one.

    trained: with weights from a file beside it. expression: for a card that takes one, instead of
    its own. Raises BenchError for one that is not read, AuditError for what no card could say.
    """
    source = str(drawing.report["source"])
    imports, body = parts_of(card.script)
    typed = _typed(card, drawing, expression)
    learning = None if drawing.without_targets else _learning(drawing)
    constants = _constants(card, drawing, block, learning)
    further = (*(_imports(learning.info) if learning else ()), *imports)
    further += ("from safetensors.torch import load_file",) if trained else ()
    assignments = "\n".join(f"{name} = {literal(value)}" for name, value in constants.items())
    begin = "\n".join(_beginning(drawing, learning, trained))
    functions = [text for text in _functions(learning) if text] if learning else []
    kept = [
        rename_clashes(source, text, constants) for text in (assignments, *functions, begin, body)
    ]
    top = [
        _docstring(card, drawing, learning, trained),
        group_imports(imports_for(source, further)),
    ]
    head = ["\n\n".join([*top, kept[0]]), classes_of(source), *kept[1:-1]]
    above = "\n\n\n".join(head) + f"\n\n{BEGIN}"
    audit_card(above + typed, source, imports)
    return CardText(above + typed + kept[-1], above.count("\n") + 1)


def parts_of(script: str) -> tuple[list[str], str]:
    """The import lines of a script, and what follows them; its docstring is left out."""
    body = ast.parse(script).body[1:]
    imports = [part for part in body if isinstance(part, ast.Import | ast.ImportFrom)]
    first = next(part for part in body if part not in imports)
    decorators = getattr(first, "decorator_list", [])
    line = min(part.lineno for part in (first, *decorators))
    lines = script.splitlines()
    while lines[line - 2].startswith("#"):
        line -= 1
    body_lines = (each.removesuffix(UNSHAPED) for each in lines[line - 1 :])
    return [ast.unparse(part) for part in imports], "\n".join(body_lines) + "\n"


def _typed(card: Card, drawing: Drawing, expression: str) -> str:
    """The lines that calculate what was typed, for a card that takes an expression."""
    if not card.expression:
        if expression:
            raise BenchError(f"{card.title} takes no expression.", "Leave it out.")
        return ""
    python = python_of(expression or card.expression, drawing)
    return f"output = model(x)\n{RESULT}{python}\n\n"


def _learning(drawing: Drawing) -> Learning:
    """What the writers of training scripts work from; classes are not weighed here."""
    assert drawing.info is not None
    info, report = drawing.info, drawing.report
    training = dict(resolve(drawing.project.training, info.task, info.losses, info.rare))
    training |= {"class_weights": False, "teacher": None}
    written = _Source(report["source"], report["class_name"])
    return learning_of(written, info, training, Names("", "", "BATCH", ""), "")


def _constants(
    card: Card, drawing: Drawing, block: str, learning: Learning | None
) -> Mapping[str, Any]:
    seed = drawing.project.training.get("seed", 0)
    part = drawing.parts.get(block)
    return {
        "SEED": seed if isinstance(seed, int) else 0,
        "BATCH": card.batch,
        **(
            {"DATA": _place(learning.info)}
            if learning and custom_files.argument(learning.info)
            else {}
        ),
        **({"BLOCK": block} if card.parts else {}),
        **card.constants(drawing, part),
    }


def _place(info: DataInfo) -> str:
    """Where the data lies on this machine. Raises DataError where it does not."""
    if info.custom:
        return str(locate(info.custom.path, info.custom.key))
    return str(data_root())


def _datasets(lines: tuple[str, ...]) -> str:
    """What of torch's data sets a card needs."""
    several = any("ConcatDataset" in line for line in lines)
    return "ConcatDataset, Dataset" if several else "Dataset"


def _imports(info: DataInfo) -> tuple[str, ...]:
    found = streamed.imports(info) if info.streamed else data.imports(info)
    kept = tuple(line for line in found if "Sampler" not in line and "Iterator" not in line)
    if not info.streamed:
        return kept
    names = "Callable, Iterator" if streamed.measures(info) else "Callable"
    own = f"from collections.abc import {names}", f"from torch.utils.data import {_datasets(found)}"
    return (*kept, *own)


def _functions(learning: Learning) -> list[str]:
    """The functions that read the data, and the loss."""
    read = reading.functions(learning.info)
    return [*read, *losses.classes(learning), _loss_function(learning)]


def _loss_function(learning: Learning) -> str:
    """The function that compares a batch of answers with its targets."""
    term = learning.info.terms[0]
    name = losses.target_of(learning, term)
    spoken = losses.loss_of(learning, term, ["output"])
    lines = wrap("    ", f"return {losses.weighted(term, spoken)}")
    return "\n".join(
        [
            f"def loss_function(output: Tensor, {name}: Tensor) -> Tensor:",
            '    """The loss of a batch, as training has it."""',
            *lines,
        ]
    )


def _beginning(drawing: Drawing, learning: Learning | None, trained: bool) -> list[str]:
    """Lines that make the model, and a batch: drawn from the training samples, or at random."""
    model = [
        "torch.manual_seed(SEED)",
        f"model = {drawing.report['class_name']}()",
        *([f'model.load_state_dict(load_file("{WEIGHTS}"))'] if trained else []),
        "model.eval()",
    ]
    if learning is None:
        return [*model, *_at_random(drawing)]
    info = learning.info
    call = reading.call_of(info, "DATA")
    if info.streamed:
        few = "few = [train[row] for row in rows.tolist()]"
        stacked = "x, y = (torch.stack(column) for column in zip(*few, strict=True))"
        apart = ", _" if info.parts.tests else ""
        return [*model, f"train, _{apart} = {call}", DRAWN.format("train"), few, stacked]
    unit = ", _" if info.standardised_target else ""
    unit += ", _, _" * info.plain + ", _" * (not info.plain) if info.parts.tests else ""
    if info.plain:
        noise = f"x = x + {literal(info.noise)} * torch.randn_like(x)"
        read = [
            f"train_x, train_y, _, _{unit} = {call}",
            DRAWN.format("train_x"),
            "x, y = train_x[rows], train_y[rows]",
        ]
        return [*model, *read, *([noise] if info.noise else [])]
    read = [f"train, _{unit} = {call}", DRAWN.format("train[0]")]
    return [*model, *read, "x, y = train[0][rows], train[-1][rows]"]


def _at_random(drawing: Drawing) -> list[str]:
    shape = ", ".join(map(str, ("BATCH", *(drawing.input_shape or ()))))
    if drawing.dtype == "bool":
        return [f"x = torch.rand({shape}) < 0.5"]
    if drawing.dtype.startswith("float"):
        return [f"x = torch.randn({shape}, dtype=torch.{drawing.dtype})"]
    return [
        f"tokens = {TOKENS}",
        f"x = torch.randint(tokens, ({shape},), dtype=torch.{drawing.dtype})",
    ]


def _docstring(card: Card, drawing: Drawing, learning: Learning | None, trained: bool) -> str:
    title = prose(drawing.project.name) or drawing.report["class_name"]
    package = packages(learning.info) if learning else ""
    paragraphs = [
        f"{card.title}, on {title}.",
        card.why,
        f"Needs torch{package}. Written by Layerloom.",
        *([TRAINED] if trained else []),
    ]
    return quoted(paragraphs)
