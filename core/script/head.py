"""The head of a training file: its docstring, what it needs, the order of its imports."""

from textwrap import wrap as fold

from core.data.builtin.picture_sets import PICTURE_SETS
from core.data.facts.info import DataInfo
from core.project.model import Project
from core.script import custom_dataset, distillation, init_weights, ranks
from core.script.learning import Learning
from core.script.row_parts import RANDOM
from core.source.layout import WIDTH
from core.source.literal import prose

SHUFFLED = (
    "DataLoader shuffles in its own order, so the results are close to the run's, not identical."
)
STANDARD = (
    "argparse",
    "collections",
    "contextlib",
    "csv",
    "datetime",
    "hashlib",
    "itertools",
    "math",
    "os",
    "pathlib",
    "pydoc_data",
    "re",
    "sys",
    "time",
    "typing",
    "unicodedata",
)


def docstring(project: Project, learning: Learning, also: str = "") -> str:
    """The first lines of a file: what it trains on what, and what it needs.

    also: a package that it needs beside torch.
    """
    info, training = learning.info, learning.training
    title = prose(project.name) or "the network"
    about = prose(project.about)
    package = packages(info)
    package = f", {also}{package}" if also and package else f" and {also}" if also else package
    needs = f"Needs torch{package}. Written by Layerloom; --help lists the options."
    paragraphs = [f"Train {title}: {info.summary}", *([about] if about else []), needs]
    paragraphs += [SHUFFLED] if learning.shuffled else []
    paragraphs += ranks.notes(learning)
    paragraphs += [init_weights.NOTE] if init_weights.has_init_weights(training) else []
    paragraphs += [distillation.NOTE] if distillation.has_teacher(training) else []
    return quoted(paragraphs)


def quoted(paragraphs: list[str]) -> str:
    """Paragraphs as a docstring, folded."""
    folded = ["\n".join(fold(text, WIDTH - 4)) for text in paragraphs]
    return '"""' + "\n\n".join(folded) + '\n"""'


def packages(info: DataInfo) -> str:
    """The packages that a file needs beside torch."""
    package = "torchvision" if info.streamed else info.package
    package = "numpy" if package == "files" and info.source == "NPZ" else package
    package = custom_dataset.packages(info) if custom_dataset.has_custom_dataset(info) else package
    if info.origin.by_file and PICTURE_SETS[info.source].requires:
        return f", {PICTURE_SETS[info.source].requires} and {package}"
    if info.origin.heard:
        return f", {'torchvision, ' * info.streamed}soundfile and scipy"
    return "" if package in ("", "Python", "files") else f" and {package}"


def group_imports(imports: str) -> str:
    """Put an empty line after the imports of the standard library."""
    own = [
        line
        for line in imports.splitlines()
        if line.split()[1].split(".")[0] in STANDARD or line == RANDOM
    ]
    rest = [line for line in imports.splitlines() if line not in own]
    return "\n".join([*own, "", *rest])
