"""What a step is about on the canvas: blocks to mark, an answer to hide, panels it needs."""

import re
from dataclasses import dataclass

from core.lessons.model import Step

_NAME = re.compile(r"`([^`]+)`")
_SET = {"set", "replace", "repeat"}


@dataclass(frozen=True)
class Focus:
    """How the canvas helps with a step.

    about: names that the step is about; those of blocks are marked. hidden: "params", "shape" or
    "total", what the drawing must not show of the block `asked` before it is answered, "" for
    nothing. palette, settings: whether the step needs the list of blocks, the settings of a block.
    """

    about: tuple[str, ...] = ()
    hidden: str = ""
    asked: str = ""
    palette: bool = False
    settings: bool = False


def focus(step: Step, answered: bool) -> Focus:
    """Say what the canvas does for a step. answered: its question is, or the answer was shown."""
    edits = step.solution.edits
    question = step.predict
    hides = question is not None and not answered and not question.edits
    return Focus(
        about=_about(step),
        hidden=question.what if question and hides else "",
        asked=question.node if question and hides else "",
        palette=any(edit["op"] == "insert" for edit in edits),
        settings=any(edit["op"] in _SET or edit.get("settings") for edit in edits),
    )


def _about(step: Step) -> tuple[str, ...]:
    """The block of a question, the blocks that a solution changes, else the names in the text."""
    if step.predict and step.predict.node:
        return (step.predict.node,)
    changed = [edit.get("node") or edit.get("target") for edit in step.solution.edits]
    named = [name for name in changed if name] or _NAME.findall(step.text)
    return tuple(dict.fromkeys(named))
