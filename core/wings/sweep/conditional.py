"""Conditional parameters: keys that exist only for some values of another, as momentum for SGD.

A block that a trial leaves out has no settings there, and no other one stands in for it. Such a key
is drawn in those trials alone. Optuna samples a trial key by key, so it comes after the one it
depends on.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from blocks import CATALOGUE
from core.common.errors import SweepError
from core.project import Project
from core.settings.literal import text_of
from core.settings.lr_schedulers import SCHEDULES
from core.settings.override import OF_NODE, of_block, put
from core.settings.schema import GROUPS
from core.settings.validate import OWNERS
from core.wings.sweep.search_space import Choices, Searched, Tie

ALWAYS = {setting.name for setting in OF_NODE}
"""Settings that every block has, whichever it is."""
KEPT = ".kept"


def tied(project: Project, space: Sequence[Searched]) -> list[Searched]:
    """What is searched, each key behind the one it exists beside. Raises SweepError."""
    space_tied = [replace(each, tie=tie_of(project, each.key, space)) for each in space]
    tie_at = {each.key: each.tie for each in space_tied}

    def depth(tie: Tie | None) -> int:
        return 0 if tie is None else 1 + depth(tie_at[tie.key])

    return sorted(space_tied, key=lambda each: depth(each.tie))


def tie_of(project: Project, key: str, space: Sequence[Searched]) -> Tie | None:
    """What a key exists beside; None where nothing searched decides it.

    Raises SweepError where it exists beside none of the values.
    """
    owners = _owners(project, key)
    choices = {each.key: each for each in space if isinstance(each, Choices)}
    owner = next((choices[name] for name in owners if name in choices), None)
    if owner is None:
        return None
    if owner.key.endswith(KEPT):
        return Tie(owner.key, (True,))
    inner = key.partition(".")[2]
    names_of = {text_of(value): _names(project, owner.key, value) for value in owner.ends}
    values = tuple(value for value in owner.ends if inner in names_of[text_of(value)])
    if not values:
        names = {name for each in names_of.values() for name in each}
        near = difflib.get_close_matches(inner, names, n=1)
        head = key.partition(".")[0]
        hint = (
            f"Did you mean {head}.{near[0]}?" if near else f"There is {', '.join(sorted(names))}."
        )
        raise SweepError(key, f"{key} exists for none of {owner}.", hint)
    return Tie(owner.key, values)


def _owners(project: Project, key: str) -> tuple[str, ...]:
    """Keys that decide whether a key exists."""
    head, _, inner = key.partition(".")
    if head == "scheduler" and inner not in ("", "name"):
        return ("scheduler.name", "scheduler")
    if head in GROUPS and inner:
        return (GROUPS[head],)
    if not of_block(key, project.graph) or key.endswith(KEPT):
        return ()
    kept = f"{head}{KEPT}"
    return (kept,) if inner in ALWAYS else (f"{head}.block", kept)


def _names(project: Project, owner: str, value: Any) -> set[str]:
    """The settings that exist beside a value of a key; none beside what that cannot be."""
    if not isinstance(value, str):
        return set()
    if owner.endswith(".block"):
        composite = project.graph.composites.get(value)
        if composite:
            return set(composite.settings)
        owners: Mapping[str, Any] = CATALOGUE
    else:
        owners = OWNERS.get(owner, SCHEDULES)
    return {setting.name for setting in owners[value].settings} if value in owners else set()


def besides(project: Project, searched: Searched) -> list[tuple[str, Project]]:
    """The projects in which a key exists, each with the words that say so."""
    tie = searched.tie
    if tie is None:
        return [("", project)]
    return [(f" beside {tie.key}={text_of(v)}", put(project, {tie.key: v})) for v in tie.values]


def only(space: Sequence[Searched]) -> dict[str, dict[str, list[Any]]]:
    """Keys that are not in every trial: {key: {other key: values of it that they exist beside}}."""
    values_of = {each.key: each.ends for each in space}
    return {
        each.key: {each.tie.key: list(each.tie.values)}
        for each in space
        if each.tie and len(each.tie.values) < len(values_of[each.tie.key])
    }


def fixed_beside(project: Project, fixed: Mapping[str, Any], space: Sequence[Searched]) -> None:
    """Raises SweepError for what is fixed although trials differ in whether it exists."""
    for key in fixed:
        tie = tie_of(project, key, space)
        owner = next((each for each in space if tie and each.key == tie.key), None)
        if tie and owner and not tie.key.endswith(KEPT) and len(tie.values) < len(owner.ends):
            values = ",".join(text_of(value) for value in tie.values)
            message = f"{key} is fixed but exists only for {tie.key}={values}."
            hint = "Search it instead; it is then used only with that value."
            raise SweepError(key, message, hint)
