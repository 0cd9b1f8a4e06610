"""A card with the weights of a run: the loss that it shows is the loss of the run.

Of the same samples: those that the card draws from what the run learns from.
"""

import torch

from core.analyse import analyse_project, report_json
from core.engine.load_module import load_module
from core.insight.network_cache import objective_for
from core.project import write_text
from core.tasks.metrics import as_tuple
from core.wings.cards.catalogue import CARDS
from core.wings.cards.drawing import Drawing
from core.wings.cards.run import objection, run, weights_of
from tests.crossing.trained_run import Answers, Outputs, Refused, Stated, TrainedRun

CARD = CARDS["functional-call"]


def loss(trained: TrainedRun) -> Answers:
    """Its own weights, passed as a function's: the loss of a batch."""
    project = trained.project
    drawing = Drawing(project, report_json(analyse_project(project)))
    if why := objection(CARD, drawing):
        raise Refused(why)
    weights = weights_of(write_text(project), str(trained.run_dir))
    found = run(CARD, drawing, weights=weights).values["at_one"]
    if any(trained.dataset.noise_levels):
        raise Stated("The batch of a card has noise of its own, as each batch of a training has.")
    return Answers([torch.tensor([found])])


def expected(trained: TrainedRun) -> Outputs:
    """The same by what trains."""
    inputs, targets = trained.dataset.all_training()
    seed = trained.project.training.get("seed", 0)
    drawn = torch.Generator().manual_seed(seed)
    rows = torch.randperm(len(inputs[0]), generator=drawn)[: CARD.batch]
    chosen = tuple(target[rows] for target in targets)
    with torch.no_grad():
        outputs = as_tuple(load_module(trained.run_dir, "best")(*(x[rows] for x in inputs)))
        objective = objective_for(trained.project, trained.dataset)
        return [objective.total(objective.values(outputs, chosen)).reshape(1)]
