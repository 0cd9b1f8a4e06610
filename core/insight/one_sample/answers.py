"""What a network says of one sample, in words and as probabilities."""

from typing import Any

import torch
from torch import Tensor

from core.engine.objective import LossTerm, Values
from core.insight.one_sample.chosen import Chosen
from core.insight.remembered import aim, labeler
from core.insight.sample_views import class_scores
from core.network_ref import NetworkRef
from core.tasks.labeler import SEEN, Labeler

Json = dict[str, Any]
MOST = 10
"""So many of the likeliest answers are told."""


def prediction(ref: NetworkRef, chosen: Chosen, outputs: Values) -> Json:
    """{"words", "scores"}; the likeliest first, none where there are no classes."""
    term, naming = aim(ref), labeler(ref)
    read = [outputs[k].detach()[0] for k in term.outputs]
    scores = _scores(naming, term, read[0], _goal(term, chosen))
    words = " ".join(s["name"] for s in scores if s["predicted"])
    if not scores:
        words = naming.describe_prediction(read, _goal(term, chosen))
    return {"words": words, "scores": scores}


def target(ref: NetworkRef, chosen: Chosen) -> str:
    """What is right for the sample, in words; "" where that is not known or only a picture."""
    goal = _goal(aim(ref), chosen)
    return "" if goal is None else labeler(ref).describe_target(goal)


def words(ref: NetworkRef, chosen: Chosen) -> str:
    """The text that a sample is; "" for what is none."""
    return labeler(ref).words(labeler(ref).sample(chosen.inputs)[0].reshape(-1))


def main_output(ref: NetworkRef) -> int:
    """The place of the output that the prediction is read from."""
    return aim(ref).outputs[0]


def _goal(term: LossTerm, chosen: Chosen) -> Tensor | None:
    known = chosen.targets is not None and term.target is not None
    return chosen.targets[term.target or 0][0] if known and chosen.targets else None


def _scores(naming: Labeler, term: LossTerm, output: Tensor, goal: Tensor | None) -> list[Json]:
    """The likeliest classes; of a text that goes on, the likeliest letters after its end."""
    if term.kind == "tokens":
        return _letters(naming, output, goal)
    found = class_scores(naming, output, goal)
    order = sorted(range(len(found)), key=lambda k: -found[k].probability)[:MOST]
    return [
        {"name": found[k].name, "value": found[k].probability, "right": found[k].true,
         "predicted": found[k].predicted}
        for k in order
    ]  # fmt: skip


def _letters(naming: Labeler, output: Tensor, goal: Tensor | None) -> list[Json]:
    if naming.info.target != "next" or output.dim() != 2:
        return []
    shares = output[-1].softmax(0)
    right = -1 if goal is None else int(goal.reshape(-1)[-1])
    best = torch.topk(shares, min(MOST, len(shares)))
    return [
        {"name": naming.words(torch.tensor([k])).translate(SEEN), "value": value,
         "right": k == right, "predicted": place == 0}
        for place, (value, k) in enumerate(zip(best.values.tolist(), best.indices.tolist(),
                                               strict=True))
    ]  # fmt: skip
