"""Focus of a step on the canvas: blocks to mark, an answer to hide, panels to open."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.wings.lessons.model import Lesson, LessonStep

_NAME = re.compile(r"`([^`]+)`")
_SET = {"set", "replace", "repeat"}


@dataclass(frozen=True)
class Focus:
    """How the canvas helps with a step.

    about: names that the step is about; those of blocks are marked. hidden: pairs of "params" or
    "shape" and a block, and ("total", ""): what the drawing must not show before it is answered.
    palette, settings: whether the step needs the list of blocks, the settings of a block.
    """

    about: tuple[str, ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()
    palette: bool = False
    settings: bool = False


def focus(lesson: Lesson, step: LessonStep, answered: Collection[str]) -> Focus:
    """Say what the canvas does for a step. answered: names of steps whose answer is known."""
    edits = step.solution.edits
    return Focus(
        about=_about(step),
        hidden=tuple(_hidden(lesson.steps[lesson.steps.index(step) :], answered)),
        palette=any(edit["op"] == "insert" for edit in edits),
        settings=any(edit["op"] in _SET or edit.get("settings") for edit in edits),
    )


def _hidden(steps: Iterable[LessonStep], answered: Collection[str]) -> Iterable[tuple[str, str]]:
    """What this and later steps ask about the drawing as it is; skipped questions hide nothing."""
    for step in steps:
        asked = step.predict
        if asked and not asked.edits and step.name not in answered:
            yield asked.what, asked.node


def _about(step: LessonStep) -> tuple[str, ...]:
    """The block of a question, the blocks that a solution changes, else the names in the text."""
    if step.predict and step.predict.node:
        return (step.predict.node,)
    changed = [edit.get("node") or edit.get("target") for edit in step.solution.edits]
    named = [name for name in changed if name] or _NAME.findall(step.text)
    return tuple(dict.fromkeys(named))
