"""What a sweep knows of an optimiser and a metric that were just declared."""

from dataclasses import replace


def _searched() -> dict[str, list[str]]:
    from app.wings.sweep.space import searchable
    from core.project.templates import load_template

    project = replace(load_template("mlp_iris"), training={"optimizer": "Halved"})
    return {"searched": [each.title for each in searchable(project) if "momentum" in each.key]}


def _judged() -> dict[str, list[str]]:
    from core.wings.sweep.objectives import read_objectives

    (objective,) = read_objectives(["gini"], ["val_loss", "val_gini"])
    return {"sweep": [objective.name, objective.direction, objective.words]}


SAID = {"of_optimiser": _searched, "of_metric": _judged}
EXPECTED = {
    "of_optimiser": {"searched": ["Momentum (Halved)"]},
    "of_metric": {"sweep": ["val_gini", "minimize", "validation Gini coefficient"]},
}
