"""What an installed Layerloom prints of its lessons."""

from pathlib import Path

CODE = (
    "from core.wings.lessons import list_lessons, picture; "
    "print(len([*map(picture, list_lessons())]))"
)
PRINTED = str(len([*(Path(__file__).parents[3] / "projects" / "lessons").glob("*.json")]))
