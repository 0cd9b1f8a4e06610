"""The drawings on the cards of popular models.

Run: python -m tests.wings.importing.bench.card_drawings, which imports each model as the command
does, without its trained weights, and keeps the little picture of its drawing beside the page.
Renew them when an import draws a model in another way.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from app.pages.shared import graph_thumbnail
from app.wings.importing.model_search import DRAWINGS, OFTEN
from core.project import open_project

ROOT = Path(__file__).parents[4]


def drawn(name: str) -> str:
    """The picture of a model of torchvision, as its import draws it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{name}.loom.json")
        words = ["import", f"torchvision:{name}", "-o", str(file)]
        command = [sys.executable, "-m", "app.cli", *words]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        return graph_thumbnail.draw(open_project(file).graph) + "\n"


def main() -> None:
    """Draw all of them."""
    for name in OFTEN:
        (DRAWINGS / f"{name}.svg").write_text(drawn(name), "utf-8")
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
