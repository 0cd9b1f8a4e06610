"""The part of a training file that learns from a teacher: its classes, its weights, the loss."""

from collections.abc import Mapping
from typing import Any

from core.common.errors import TrainingError
from core.script.excerpt import excerpt
from core.script.learning import Learning
from core.script.model import Written, classes_of
from core.settings.distillation import PLACE, WEIGHTS
from core.source.literal import literal

NOTE = (
    f"It also learns from a teacher with the weights in {WEIGHTS} (needs the package safetensors)."
)
TAUGHT_LOSS = (
    "def taught_loss(",
    "    model: nn.Module, teacher: nn.Module, criterion: nn.Module, x: Tensor, y: Tensor",
    ") -> Tensor:",
    '    """The loss of a batch, mixed with the loss against the teacher\'s predictions."""',
)


def has_teacher(training: Mapping[str, Any]) -> bool:
    """Whether training learns from a teacher."""
    return bool(training.get("distil"))


def require_teacher(training: Mapping[str, Any], teacher: Written | None) -> None:
    """Refuse to write a file without the teacher that its training needs."""
    if has_teacher(training) and (teacher is None or teacher.source is None):
        message = "The training uses a teacher, and a project file does not contain one."
        hint = "Train it, then export the run: its script comes with the teacher's weights."
        raise TrainingError(PLACE, message, hint)


def imports(learning: Learning) -> tuple[str, ...]:
    """The import lines that reading the weights needs, and the teacher's own."""
    if not learning.teacher:
        return ()
    head = learning.teacher_model.partition("\n\n\n")[0].splitlines()
    own = (line for line in head if line.startswith(("import ", "from ")))
    return ("from safetensors.torch import load_file", *own)


def option(training: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The option of a script that names the file."""
    help_ = 'help="weights of the teacher"'
    return [("teacher", f'default="{WEIGHTS}", {help_}')] if has_teacher(training) else []


def classes(learning: Learning) -> str:
    """The classes of the teacher; "" without one."""
    return classes_of(learning.teacher_model) if learning.teacher_model else ""


def functions(learning: Learning) -> list[str]:
    """The functions that compute the loss with a teacher; [] without one."""
    if not has_teacher(learning.training):
        return []
    soft = excerpt("core.engine.distillation", "distillation_loss")
    if not learning.info.plain:
        return [soft]
    *lines, last = loss_lines(learning, "(x)", "outputs", "criterion(outputs, y)")
    body = (f"    {line}" for line in (*lines, f"return {last.removeprefix('loss = ')}"))
    return [soft, "\n".join([*TAUGHT_LOSS, *body])]


def load_lines(learning: Learning) -> list[str]:
    """Lines that make the teacher, before the seed is set."""
    if not has_teacher(learning.training):
        return []
    return [
        f"teacher = {learning.teacher}().to(device).eval()",
        *learning.lines(f"teacher.load_state_dict(load_file({learning.names.teacher}))"),
        "teacher.requires_grad_(False)",
    ]


def loss_lines(learning: Learning, call: str, outputs: str, loss: str) -> list[str]:
    """Lines that compute a batch's loss. call: of the model, without its name: "(x)"."""
    setting = learning.training["distil"]
    alpha, temperature = literal(setting["alpha"]), literal(setting["temperature"])
    soft = f"distillation_loss({outputs}, wanted, {temperature})"
    return [
        f"{outputs} = model{call}",
        "with torch.no_grad():",
        f"    wanted = teacher{call}",
        f"soft = {soft}",
        f"loss = (1 - {alpha}) * {loss} + {alpha} * soft",
    ]
