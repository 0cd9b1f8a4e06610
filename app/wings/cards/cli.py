"""`layerloom card`: a small experiment on a drawing, or its standalone script."""

import argparse
import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output

if TYPE_CHECKING:
    from core.wings.cards.card import Card
    from core.wings.cards.drawing import Drawing
    from core.wings.cards.run import CardOutcome


AFTER = "look"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("card", help="a small experiment on a drawing, with its script")
    command.add_argument("name", nargs="?", metavar="NAME", help="name of a card, see --list")
    command.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a project, NAME.loom.json"
    )
    command.add_argument(
        "--block", default="", metavar="ID", help=("the block, for cards about one block")
    )
    command.add_argument(
        "--expression",
        default="",
        metavar="TEXT",
        help="what to calculate, for the tensor bench, such as 'x[0] @ fc1.weight.T'",
    )
    command.add_argument(
        "--run", dest="trained", metavar="RUN", help="use the best weights of this run"
    )
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument(
        "--list", action="store_true", help=("list all cards; with a FILE, show which ones apply")
    )
    command.add_argument(
        "--code", action="store_true", help=("print the card as a standalone script")
    )
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List cards, print the text of one, or run it."""
    from core.common.errors import LayerloomError
    from core.wings.cards.run import CardError, block_of, cost_warning, objection
    from core.wings.cards.run import run as run_card
    from core.wings.cards.text import WEIGHTS, card_text

    if args.list:
        return _list(args)
    card = _card(args)
    drawing = _drawing(args.file)
    try:
        if why := objection(card, drawing):
            raise CardError(f"{card.title}: {why}")
        block = block_of(card, drawing, args.block)
        weights = _weights(args, drawing)
        if args.code:
            text = card_text(card, drawing, block, bool(weights), args.expression).text
            _code(args, text)
            if weights:
                export = f"layerloom export {args.trained} --format safetensors -o {WEIGHTS}"
                output.say(f"The script reads {WEIGHTS}. To create it: {export}")
            return 0
        if before := cost_warning(card, drawing, block):
            output.say(before)
        outcome = run_card(card, drawing, block, weights, args.expression)
    except LayerloomError as error:
        raise output.Failed(error.message, error.hint) from None
    if args.json:
        output.answer({"ok": True, "file": str(args.file), **outcome.json()})
    else:
        output.put("\n".join(_lines(outcome)))
    return 0


def _code(args: argparse.Namespace, text: str) -> None:
    if args.json:
        output.answer({"ok": True, "card": args.name, "file": str(args.file), "code": text})
    else:
        output.put(text, end="")


def _card(args: argparse.Namespace) -> "Card":
    from core.wings.cards.catalogue import CARDS

    if args.name is None or args.file is None:
        raise output.UsageError("A card needs a NAME and a FILE.", "layerloom card --list")
    if args.name not in CARDS:
        near = difflib.get_close_matches(args.name, CARDS, n=1)
        hint = f"Did you mean {near[0]}?" if near else "See layerloom card --list."
        raise output.UsageError(f"There is no card called {args.name}.", hint)
    return CARDS[args.name]


def _drawing(file: Path) -> "Drawing":
    """The drawing of a file, its own data read. Raises Failed for one with errors."""
    from core.analyse import report_json
    from core.data import DataError
    from core.wings.cards.drawing import Drawing

    project, report = files.analysed(file)
    try:
        files.read_data(project, file)
    except DataError as error:  # a card may do without
        output.say(f"warning: {error}")
    return Drawing(project, report_json(report))


def _weights(args: argparse.Namespace, drawing: "Drawing") -> bytes:
    """The best weights of the run that is named, b"" for none."""
    if not args.trained:
        return b""
    from core.insight.load_model import NotReady
    from core.project import write_text
    from core.wings.cards.run import weights_of

    folder = files.run_folder(args.trained, args.runs)

    try:
        return weights_of(write_text(drawing.project), str(folder))
    except NotReady as error:
        raise output.Failed(error.message, error.hint) from None


def _lines(outcome: "CardOutcome") -> list[str]:
    """The result of a card as text: its numbers, then the output of its script."""
    from core.wings.cards.guess import shown

    card = outcome.card
    about = f"{card.title}, {outcome.block}" if outcome.block else card.title
    numbers = [
        f"{number.title}: {shown(outcome.values[number.name])} {number.unit}".rstrip()
        for number in card.numbers
    ]
    return [about, card.why, "", *numbers, "", outcome.printed.rstrip(), *_after(outcome)]


def _after(outcome: "CardOutcome") -> list[str]:
    said = outcome.card.explanation(outcome.values)
    return ["", said] if said else []


def _list(args: argparse.Namespace) -> int:
    """All cards by topic; of a drawing also which of them do not fit, and why."""
    from core.wings.cards.catalogue import CARDS, TOPICS
    from core.wings.cards.run import objection

    file = args.file or (Path(args.name) if args.name else None)
    drawing = _drawing(file) if file else None
    why = {name: objection(card, drawing) if drawing else "" for name, card in CARDS.items()}
    if args.json:
        listed = [
            {
                "name": c.name,
                "topic": c.topic,
                "title": c.title,
                "why": c.why,
                "asks": c.question,
                **({"fits": not why[c.name], "reason": why[c.name]} if drawing else {}),
            }
            for c in CARDS.values()
        ]
        output.answer({"ok": True, "cards": listed})
        return 0
    for topic, cards in TOPICS.items():
        output.put(topic)
        for card in cards:
            description = (
                f"not for this project: {why[card.name]}" if why[card.name] else card.title
            )
            output.put(f"  {card.name:26}{description}")
    return 0
