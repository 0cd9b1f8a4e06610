"""Every card on six drawings: does it run, and does each sentence that it says hold?

Run: python -m tests.wings.cards.bench.every_card [CARD ...]; kept in every_card.json, written as
every_card.md. Each text runs alone, as a user would run it. A sentence is right where it is said if
and only if its condition holds for the numbers. CARD: renew the rows of these cards alone. Cards
that need a C++ compiler take minutes each: they run where they are named, on the first drawing.
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.wings.cards.card import Card
from core.wings.cards.catalogue import CARDS
from core.wings.cards.run import objection
from tests.wings.cards.conftest import OWN, Alone, drawing_of

DRAWINGS = {
    "mlp_iris": "MLP",
    "lenet_digits": "CNN",
    "resnet_digits": "residual",
    "lstm_text": "recurrent",
    "gpt_text": "Transformer",
    OWN: "own Python",
}
HERE = Path(__file__).parent
KEPT, TABLE = HERE / "every_card.json", HERE / "every_card.md"
HEAD = """# Every card on six drawings

Written by `python -m tests.wings.cards.bench.every_card`, which says how.

`2/5`: it ran, and said 2 of its 5 sentences, all of those whose condition held and no other. `-`:
it says why it does not suit the drawing. Empty: not run. Texts: how many different explanations
its numbers led to.
"""


def main(names: list[str]) -> None:
    """Run cards, all or the named, and write the table anew after each."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    kept = {name: row for name, row in kept.items() if name in CARDS}
    with tempfile.TemporaryDirectory() as folder:
        alone = Alone(Path(folder))
        for name in names or [name for name, card in CARDS.items() if not card.compiler]:
            kept[name] = measured(CARDS[name], alone)
            KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
            TABLE.write_text(written(kept), "utf-8")
            print(name, kept[name]["cells"], flush=True)  # noqa: T201
        alone.close()


def measured(card: Card, alone: Alone) -> dict[str, Any]:
    """The cell of each drawing, why it does not suit some, and how many texts it said."""
    cells, why, texts = dict[str, str](), dict[str, str](), set[str]()
    for drawing in DRAWINGS:
        if card.compiler and cells and "-" not in cells.values():
            break
        if problem := objection(card, drawing_of(drawing)):
            cells[drawing], why[drawing] = "-", problem
            continue
        output = alone.output(card.name, drawing)
        if "error" in output:
            cells[drawing], why[drawing] = "error", output["error"].strip().splitlines()[-1]
            continue
        cells[drawing] = judged(card, output["values"])
        texts.add(card.explanation(output["values"]))
    return {"cells": cells, "why": why, "texts": len(texts)}


def judged(card: Card, values: Mapping[str, Any]) -> str:
    """How many sentences are said of all; or the first that is said wrongly."""
    said = card.explanation(values)
    held = {each.written(values) for each in card.findings if each.holds(values)} - {""}
    every = {each.written(values) for each in card.findings} - {""}
    wrong = sorted(text for text in every if (text in said) != (text in held))
    wrong += ["a number is missing"] if "{" in said else []
    return f"wrong: {wrong[0]}" if wrong else f"{len(held)}/{len(every)}"


def written(kept: Mapping[str, Any]) -> str:
    """The table, with a row for each card in the order of the page."""
    lines = ["| card | " + " | ".join(DRAWINGS.values()) + " | texts |",
             "|---" * (len(DRAWINGS) + 2) + "|"]  # fmt: skip
    empty = {"cells": {}, "texts": ""}
    for name in CARDS:
        row = kept.get(name, empty)
        cells = [row["cells"].get(drawing, "") for drawing in DRAWINGS]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {row['texts']} |")
    reasons = [
        f"- {name}, {DRAWINGS[drawing]}: {why}"
        for name in CARDS
        if name in kept
        for drawing in DRAWINGS
        if (why := kept[name]["why"].get(drawing))
    ]
    return "\n".join([HEAD, *lines, "", "## Why some do not suit", "", *reasons]) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
