"""Questions about a lesson. Plain JSON; runs in a worker process."""

from typing import Any


def answer(lesson: str, step: str) -> dict[str, Any]:
    """The right answer to the question of a lesson's step."""
    from core.wings.lessons import answers

    return answers.answer(lesson, step)
