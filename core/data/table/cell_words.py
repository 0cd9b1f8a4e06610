"""Words that stand for a missing value, and when one of them is a value after all."""

from collections.abc import Collection

SHEET_ERRORS = ("#div/0!", "#ref!", "#value!", "#num!", "#name?", "#null!", "#n/a", "#nv", "#wert!")
"""What a spreadsheet writes for a formula without a result."""
SURE = frozenset(
    ("", "?", "nan", "n/a", "n.a.", "<na>", "-", "--", "\u2014", ".", "\\n", *SHEET_ERRORS)
)
MAYBE = frozenset(("na", "null", "none", "nil", "missing"))
"""Words that may be a category: no risk, no garage, or Namibia."""
MISSING = SURE | MAYBE


def missing_words(cells: Collection[str], given: Collection[str] | None) -> frozenset[str]:
    """Which of a column's different words stand for a missing value.

    given: the words that the project names, beside an empty cell; None where it names none.
    """
    if given is not None:
        return frozenset(cell for cell in cells if cell == "" or cell in given)
    words = [cell for cell in cells if cell.lower() not in MISSING]
    found = {cell for cell in cells if cell.lower() in SURE}
    return frozenset(found | {c for c in cells if c.lower() in MAYBE and not _is_value(c, words)})


def _is_value(word: str, others: Collection[str]) -> bool:
    """Whether None, NA or Null is a word like the others: they are words, written alike."""
    if not others or not all(any(map(str.isalpha, other)) for other in others):
        return False
    if word.lower() in ("none", "nil", "missing"):
        return word.lower() != "missing"
    return all(len(o) == len(word) and o.isupper() == word.isupper() for o in others)
