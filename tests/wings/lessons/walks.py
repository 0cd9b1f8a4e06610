"""The course, and the class of a teacher, for axe-core."""

import json
from typing import Any

from playwright.sync_api import FilePayload, expect

from app.wings.lessons import service as lessons
from tests.browser.hand import Hand
from tests.browser.states import Look, go

STUDENTS = {"ada": 3, "ben": 1, "cleo": 0}
"""Students of a class, and how many lessons they have done."""


def learn_states(look: Look, hand: Hand) -> None:
    """The course, and the class as a teacher sees it before there is a student."""
    page = look.page
    page.goto(hand.server.address)
    go(page, "Learn")
    expect(page.get_by_text("lessons done")).to_be_visible()
    look.at("learn")
    page.get_by_role("button", name="For teachers").click()
    expect(page.get_by_role("heading", name="Class", exact=True)).to_be_visible()
    look.at("class, no students")
    page.get_by_role("button", name="Read files that were handed in").click()
    page.locator("input[type=file]").set_input_files(list(map(handed_in, STUDENTS)))
    expect(page.locator(".ll-class tfoot")).to_be_visible()
    page.keyboard.press("Escape")
    look.at("class, with students")
    page.get_by_role("button", name="All lessons").click()
    expect(page.get_by_text("lessons done")).to_be_visible()


def handed_in(name: str) -> FilePayload:
    """The file that a student hands in: the first lessons done, the next one begun."""
    rows: dict[str, Any] = {}
    for lesson in lessons.course()[: STUDENTS[name] + 1]:
        steps = [step.name for step in lesson.steps]
        done = steps if len(rows) < STUDENTS[name] else steps[:1]
        rows[lesson.name] = {"project": "mine.loom.json", "since_s": 1.0, "done": done}
    text = json.dumps({"progress": 1, "lessons": rows})
    return {"name": f"{name}.json", "mimeType": "application/json", "buffer": text.encode()}


WALKS = {"course": (learn_states,)}
