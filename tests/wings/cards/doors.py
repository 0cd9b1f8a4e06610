"""The door of the crossing by which a card answers; cards with their defaults."""

import contextlib
import json

from core.wings.cards.catalogue import CARDS
from core.wings.cards.drawing import Drawing
from core.wings.cards.run import CardError, objection
from core.wings.cards.run import run as run_card
from tests.crossing.door import ROUNDED, Door
from tests.crossing.starts import file_of, said
from tests.crossing.trained_run import TrainedRun
from tests.wings.cards import card_door


def cards(run: TrainedRun) -> None:
    """Three of those that apply, others for each project."""
    file = file_of(run)
    report = json.loads(said(run, "check", file, "--json"))
    drawing = Drawing(run.project, report)
    quick = [c for c in CARDS.values() if not (c.compiler or c.missing_requirement)]
    applying = [card for card in quick if not objection(card, drawing)]
    first = sum(map(ord, run.project.name)) % max(len(applying), 1)
    for card in (applying * 2)[first : first + 3]:
        with contextlib.suppress(CardError):  # a sentence, of one card
            run_card(card, drawing)


DOORS = {"card, its loss": Door(card_door.loss, ROUNDED, card_door.expected, 5)}
STARTS = {"cards": cards}
