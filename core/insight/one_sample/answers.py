"""The prediction for one sample, in words and as probabilities."""

from typing import Any

from torch import Tensor

from core.common.network_ref import NetworkRef
from core.engine.objective import LossTerm, Values
from core.insight.network_cache import aim, labeler
from core.insight.one_sample.sample import Chosen
from core.insight.sample_views import class_scores, number_error
from core.tasks.labeler import Labeler
from core.tasks.metric_labels import plain

Json = dict[str, Any]
MOST = 10
"""At most so many of the likeliest classes are listed."""


def prediction(ref: NetworkRef, chosen: Chosen, outputs: Values) -> Json:
    """{"words", "scores"}; the likeliest first, none where there are no classes.

    "why" gives the reason where a prediction of its kind has neither; "error" how much too large a
    number is whose target is known, in its unit.
    """
    term, naming = aim(ref), labeler(ref)
    read = [outputs[k].detach()[0] for k in term.outputs]
    if chosen.written and term.declared.per_position:
        read = [each[: chosen.written] for each in read]
    scores = _scores(naming, term, read[0], _goal(term, chosen))
    words = " ".join(s["name"] for s in scores if s["predicted"])
    if not scores:
        words = naming.describe_prediction(read, _goal(term, chosen))
    why = "" if scores or words else term.readout.why("words")
    error = number_error(term.measure, read[0], _goal(term, chosen))
    return {
        "words": words,
        "scores": scores,
        **({"why": why} if why else {}),
        **({} if error is None else {"error": f"{'+' * (error > 0)}{plain(error)}"}),
    }


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
    further = term.measure.next_scores(naming, output, goal, MOST) if term.measure else ()
    found = further or class_scores(naming, output, goal)
    likeliest = sorted(found, key=lambda score: -score.probability)[:MOST]
    return [
        {
            "name": each.name,
            "value": each.probability,
            "right": each.true,
            "predicted": each.predicted,
        }
        for each in likeliest
    ]
