"""What a trained network shows about its data, in Look inside: wrong labels, and weak groups."""

from typing import TYPE_CHECKING, Any

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View

if TYPE_CHECKING:
    from core.wings.findings.out_of_sample import JudgedSamples
    from core.wings.findings.weak_groups import GroupAccuracy
    from core.wings.findings.wrong_labels import Suspect

TAB = "Mistakes"
MOST_SHOWN = 200
"""Samples with their pictures; a person looks at fewer."""


def labels(ref: NetworkRef, request: LookRequest) -> LookResult:
    """The samples whose label is likely wrong, the likeliest first.

    Raises NoSuch for an untrained network and where no class is predicted.
    """
    from core.wings.findings.out_of_sample import judged_of
    from core.wings.findings.wrong_labels import likely_wrong

    judged = judged_of(ref)
    found = likely_wrong(judged.given, judged.probabilities)
    heading = _heading(judged, len(found))
    rows = [_row(judged, suspect) for suspect in found]
    pictured = [
        {**_picture(judged, suspect), **_in_percent(row)}
        for suspect, row in zip(found[:MOST_SHOWN], rows, strict=False)
    ]
    document = {
        "samples": len(judged.given),
        "folds": judged.folds,
        "folds_judged": judged.found if judged.folds else 0,
        "likely_wrong": [
            {"index": int(judged.indices[s.number]), "row": _place(judged, s, int),
             "file": _place(judged, s, str), **row}
            for s, row in zip(found, rows, strict=True)
        ],
    }  # fmt: skip
    lines = (
        heading,
        *(
            f"  {row['sample']}: {row['label']}, predicted {row['predicted']} at "
            f"{row['probability']:.1%}, {row['label']} at {row['probability_of_label']:.1%}"
            for row in rows
        ),
    )
    return LookResult(document, lines, table=tuple(pictured), heading=heading)


def _heading(judged: "JudgedSamples", count: int) -> str:
    total = len(judged.given)
    have, them = ("has", "it") if count == 1 else ("have", "them")
    told = f"{count:,} of {total:,} {judged.part} probably {have} a wrong label"
    told = f"{told} ({count / total:.1%}): look at {them}, and correct the file."
    if not count:
        told = f"None of {total:,} {judged.part} has a label that is likely wrong."
    if judged.of_all:
        return told
    if judged.folds:
        return f"{told} {judged.found} of {judged.folds} folds are trained."
    return (
        f"{told} Validation only: labels that a network has learned are not judged. "
        "A sweep on folds (cross-validation) judges all samples."
    )


def _row(judged: "JudgedSamples", suspect: "Suspect") -> dict[str, Any]:
    from core.wings.findings.out_of_sample import where

    return {
        "sample": where(judged, suspect.number),
        "label": judged.classes[suspect.given],
        "predicted": judged.classes[suspect.predicted],
        "probability": suspect.probability,
        "probability_of_label": suspect.of_label,
    }


def _in_percent(row: dict[str, Any]) -> dict[str, Any]:
    """A row as a table shows it."""
    shown = {
        key: f"{value:.1%}" if isinstance(value, float) else value for key, value in row.items()
    }
    return {key.replace("_", " "): value for key, value in shown.items()}


def _place(judged: "JudgedSamples", suspect: "Suspect", kind: type[Any]) -> Any:
    place = judged.places[suspect.number] if judged.places else None
    return place if isinstance(place, kind) else None


def _picture(judged: "JudgedSamples", suspect: "Suspect") -> dict[str, Any]:
    """The sample itself, small: a picture, or the beginning of its text or row."""
    from core.insight.network_cache import sample_of

    sample = sample_of(judged.refs[suspect.number], int(judged.indices[suspect.number]))
    if sample.picture:
        return {"picture": sample.picture}
    return {"values": sample.words[:120] or sample.values(6)}


def groups(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Accuracy by the values of the columns of a table, and which groups are weak.

    Raises NoSuch for an untrained network, where no class is predicted, and for other data.
    """
    from core.insight.attribution.subject import NoSuch
    from core.insight.load_model import seed_of
    from core.insight.network_cache import opened
    from core.wings.findings.out_of_sample import judged_of
    from core.wings.findings.table_view import view_table
    from core.wings.findings.weak_groups import groups_of

    judged = judged_of(ref, every_fold=False)
    project = opened(ref).project
    if project.data.get("source") != "CSV":
        raise NoSuch("Groups are values of columns: this data is not a table of your own.",
                     "See the confusion matrix for the accuracy of each class.")  # fmt: skip
    right = judged.probabilities.argmax(1) == judged.given
    found = groups_of(view_table(project.data, seed_of(project)), judged.places, right)
    return _of_groups(found, len(right))


def _of_groups(found: "list[GroupAccuracy]", samples: int) -> LookResult:
    weak = [group.sentence for group in found if group.weak]
    none = (
        f"No group of {len(found):,} is clearly worse than the other samples."
        if found
        else "No column has values that many validation samples share."
    )
    heading = " ".join(weak) or none
    rows = [
        {"column": g.column, "value": g.value, "samples": g.samples, "right": g.accuracy,
         "right_elsewhere": g.others, "p_value": g.p_value}
        for g in found
    ]  # fmt: skip
    shown = tuple(
        {"column": g.column, "value": g.value, "samples": g.samples,
         "accuracy here": f"{g.accuracy:.1%}", "accuracy of all others": f"{g.others:.1%}",
         "p value": f"{g.p_value:.2g}"}
        for g in found
    )  # fmt: skip
    each = (f"  {g.column} {g.value}: {g.accuracy:.1%} of {g.samples:,}" for g in found)
    document = {"samples": samples, "groups": rows, "weak": weak}
    return LookResult(document, (heading, *each), table=shown, heading=heading)


VIEWS = (
    View(
        "labels",
        "samples whose label is likely wrong, by probabilities of a network that has not learned "
        "from them",
        labels,
        sample=False,
        title=TAB,
        way="Labels",
        order=45,
        endings=(".json",),
    ),
    View(
        "groups",
        "share of correct predictions for each value of a column; groups that are clearly worse",
        groups,
        sample=False,
        title=TAB,
        way="Groups",
        order=46,
        endings=(".json",),
    ),
)
