"""The gate before a folded training step is executed."""

import pytest

from core.source.audit import AuditError, audit_step

WRITTEN = "for x in loader:\n    loss.backward()\n    total = min(1, 2)\n"


def checked(body: str) -> None:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    audit_step(f"def train_step(loader):\n{lines}", WRITTEN, frozenset({"loss"}))


def test_what_the_text_of_the_step_holds_passes() -> None:
    checked("for x in loader:\n    loss.backward()\n    more = min(1, 2)")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("import os", "Import"),
        ("loss.__class__", "`.__class__`"),
        ("open(loss)", "the name `open`"),
        ("lambda: loss", "Lambda"),
        ("loss.save()", "`.save`"),
        ("def other(): return loss", "a function other"),
        ("__import__(loss)", "the name `__import__`"),
    ],
)
def test_what_it_does_not_hold_is_refused_by_name(body: str, what: str) -> None:
    with pytest.raises(AuditError, match=f"line 2: .*{what}"):
        checked(body)
