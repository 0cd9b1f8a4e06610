"""A page process of its own, to see what it imports while pages are used."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = ("onnx", "sklearn", "torch")


def heavy_imports(folder: Path, *steps: str) -> list[str]:
    """Do these steps, lines of Python with `Tab` at hand; which of HEAVY are imported then."""
    lines = [
        "import sys",
        "if __name__ == '__main__':",
        "    from tests.app.tab import Tab",
        "    from app.process import pool",
        *(f"    {step}" for step in steps),
        f"    print(*sorted({{m.split('.')[0] for m in sys.modules}} & set({HEAVY})), sep=',')",
        "    pool.close()",
    ]
    file = folder / "light.py"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [name for name in done.stdout.splitlines()[-1].split(",") if name]
