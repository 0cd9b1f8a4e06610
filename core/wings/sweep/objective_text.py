"""Values of objectives for people, by the objectives of results.json. No torch, no Optuna."""

from collections.abc import Mapping
from typing import Any

from core.common.json_types import is_array, is_object
from core.tasks.metric_labels import shown

FIELDS = ("name", "words", "direction", "unit", "kind", "note")


def objective_text(about: Mapping[str, Any], value: float | None, decimals: int = 1) -> str:
    """A value with its unit: "97.2%", "1,591", "0.12 ms"; "" without one.

    about: {"name", "kind", "unit"} as `SweepObjective.json` gives them. decimals: of a share.
    """
    if value is None:
        return ""
    if about.get("kind") != "cost":
        return shown(str(about.get("name", "")), value, decimals=decimals)
    unit = str(about.get("unit", ""))
    return f"{value:.3g} {unit}" if unit else f"{value:,.0f}"


def stored_objectives(results: Mapping[str, Any]) -> list[dict[str, str]]:
    """The objectives of results.json, every field a text; of an older one, its goal."""
    found = results.get("objectives")
    if not is_array(found):
        goal = results.get("goal")
        found = [{**goal, "name": goal.get("metric"), "kind": "metric"}] if is_object(goal) else []
    tables = [each for each in found if is_object(each) and each.get("name")]
    return [{field: str(each.get(field, "")) for field in FIELDS} for each in tables]
