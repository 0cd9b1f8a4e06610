"""The part of a Lightning script that learns: the module, its hooks, the trainer.

Its lines are those of the plain script, with what they use taken from the module; so both end with
the same numbers.
"""

import re

from core.common.errors import TrainingError
from core.script import final_test, losses
from core.script import lightning_validation as validating
from core.script.learning import Learning
from core.script.loop import Epoch
from core.script.losses import class_weight
from core.script.optim import optimizer_lines
from core.script.param_groups import frozen_paths, train_lines
from core.script.training import compute_lines, epoch_parts
from core.script.validation import validation_of
from core.settings.lr_schedulers import has_trait
from core.settings.step_settings import StepSettings
from core.source.layout import WIDTH, wrap_inside
from core.source.literal import literal

PLACE = "training"
HINT = "Export the training script instead: it supports this."
DEEP = " " * 8
STOP = "self.trainer.should_stop = True"
LEAST_MINUTES = 1e-6  # with none at all Lightning ends before the first step and keeps nothing


def check_supported(learning: Learning) -> None:
    """Refuse what Lightning's own steps cannot do. Raises TrainingError."""
    training = learning.training
    cannot = {
        f"has losses that move {_listed(losses.groups(learning))} alone": bool(
            losses.groups(learning)
        ),
        f"steps with {training['optimizer']}, which needs a second optimiser": learning.matrices,
        "learns from a teacher": bool(learning.teacher),
        "averages its weights (ema_decay)": bool(training["ema_decay"]),
        "skips steps (on_not_finite: skip)": training["on_not_finite"] == "skip",
        "adds noise to gradients (grad_noise)": bool(training["grad_noise"]),
        "trains in float16": training["precision"] == "float16",
        "compiles the network (compile)": training["compile"] == "on",
    }
    for what, wrong in cannot.items():
        if wrong:
            message = f"A Lightning script is not written for a training that {what}."
            raise TrainingError(PLACE, message, HINT)


def _listed(names: list[str]) -> str:
    return " and ".join(names)


def parts(learning: Learning) -> Epoch:
    """The lines around an epoch's steps."""
    return epoch_parts(learning, stop=STOP)


def module_name(learning: Learning) -> str:
    """What the module is called."""
    return f"Lit{learning.class_name}"


def attributes(learning: Learning) -> dict[str, str]:
    """What the module is made of: names, as in `main`, and their types."""
    plain = learning.info.plain
    tests = learning.info.parts.tests
    columns = {name: "Tensor" for name in ("train_x", "val_y", *(["test_y"] if tests else []))}
    kind = "Samples" if learning.info.streamed else "list[Tensor]"
    whole = {name: kind for name in ("train", "val", *(["test"] if tests else []))}
    weight = {} if plain else dict.fromkeys(class_weight(learning), "Tensor")
    return {
        "args": "argparse.Namespace",
        "loader": "DataLoader",
        "model": "nn.Module",
        **({"criterion": "nn.Module"} if plain else weight),
        **(columns if plain and not learning.info.streamed else whole),
        **({"unit": "float"} if learning.info.standardised_target else {}),
        **({"still": "list[nn.Module]"} if _still(learning) else {}),
    }


def _still(learning: Learning) -> bool:
    return bool(frozen_paths(learning)) and learning.keeps_statistics


def module_class(learning: Learning) -> str:
    """The class that Lightning trains."""
    says = "The network with its loss, optimiser and best epoch."
    methods = [
        _init(learning),
        _epoch_start(learning),
        _step(learning),
        _method("on_validation_epoch_start(self)", validating.start_lines(learning)),
        _validation_step(learning),
        _epoch_end(learning),
        *_test(learning),
        _optimizers(learning),
    ]
    head = f'class {module_name(learning)}(lightning.LightningModule):\n    """{says}"""'
    return "\n\n".join([head, *(_deeper(method) for method in methods)])


def _deeper(lines: list[str]) -> str:
    return "\n".join(f"    {line}".rstrip() for line in lines)


def _init(learning: Learning) -> list[str]:
    members = attributes(learning)
    owned = (line.strip() for line in as_attributes(parts(learning).before, "self"))
    return [
        "def __init__(",
        "    self,",
        *(f"    {name}: {kind}," for name, kind in members.items()),
        ") -> None:",
        "    super().__init__()",
        *(f"    {_attribute(name)} = {name}" for name in members),
        f"    {_zeros(learning)}",
        *(f"    {line}" for line in owned),
    ]


def _attribute(name: str) -> str:
    """What the module calls it: `train` is a method of every module."""
    return f"self.{name}_data" if name in ("train", "val", "test") else f"self.{name}"


def as_attributes(lines: list[str], owner: str) -> list[str]:
    """Lines in which what lasts from epoch to epoch belongs to the module."""
    lasting = re.compile(r"(?<![\w.])(best_epoch|best|reached)\b")
    return [lasting.sub(rf"{owner}.\1", line) for line in lines]


def _comment_above(line: str) -> list[str]:
    """A line whose comment stands above it where both are too long for one."""
    code, mark, comment = line.partition("  # ")
    if not mark or len(DEEP + line) <= WIDTH:
        return [line]
    before = code[: len(code) - len(code.lstrip())]
    return [f"{before}# {comment[0].upper()}{comment[1:]}.", code]


def _with_locals(learning: Learning, lines: list[str], but: tuple[str, ...] = ()) -> list[str]:
    """The statements that name what lines use of the module, and the lines."""
    text = "\n".join(lines)
    used = [
        name
        for name in attributes(learning)
        if name not in but and re.search(rf"(?<![\w.]){name}(?! loss|[\w=])", text)
    ]
    owned = [_attribute(name) for name in used]
    whole = f"{', '.join(used)} = {', '.join(owned)}"
    if len(DEEP + whole) <= WIDTH:
        return [*([whole] if used else []), *lines]
    return [*(f"{name} = {text}" for name, text in zip(used, owned, strict=True)), *lines]


def _zeros(learning: Learning) -> str:
    return learning.zeros.replace("seen", "self.seen").replace("train_loss", "self.train_loss")


def _epoch_start(learning: Learning) -> list[str]:
    drawn = "loader.batch_sampler.set_epoch(self.current_epoch)  # Lightning does not call it"
    order = [drawn] if learning.info.streamed else []
    lines = [*order, *train_lines(learning), _zeros(learning)]
    return [
        "def on_train_epoch_start(self) -> None:",
        *(f"    {line}" for line in _with_locals(learning, lines)),
    ]


def _step(learning: Learning) -> list[str]:
    samples, many = learning.samples, StepSettings.of(learning.training).batches
    compute, first = compute_lines(learning), samples.first
    noted = [f"self.{line}" for line in learning.counted("loss", first)]
    log = f'self.log("train_loss", loss, on_step=False, on_epoch=True, batch_size=len({first}))'
    noted += wrap_inside(DEEP, log)
    lines = [line for text in compute for line in wrap_inside(DEEP, text)]
    if any("device=device" in line for line in compute):
        lines = ["device = self.device", *lines]
    returned = ["return loss"]
    if many > 1:
        count = literal(many)
        returned = [
            f"share = min({count}, len(loader) - number // {count} * {count})",
            f"return loss * ({count} / share)  # Lightning divides it by {count}",
        ]
    body = [
        *validating.unpacking(samples.batch),
        *_with_locals(learning, [*lines, *noted, *returned], samples.batch),
    ]
    return [
        "def training_step(self, batch: list[Tensor], number: int) -> Tensor:",
        *(f"    {line}" for line in body),
    ]


def _optimizers(learning: Learning) -> list[str]:
    lines = optimizer_lines(learning)
    returned = ["return optimizer"]
    if learning.per:
        watches = has_trait(learning.training, "watches_loss")
        monitor = ', "monitor": "val_loss"' if watches else ""
        moves = f'{{"scheduler": scheduler, "interval": "{learning.per}"{monitor}}}'
        returned = [
            f"moves = {moves}",
            'return {"optimizer": optimizer, "lr_scheduler": moves}',
        ]
    body = _with_locals(learning, [*lines, *returned])
    kind = "dict" if learning.per else "torch.optim.Optimizer"
    return [f"def configure_optimizers(self) -> {kind}:", *(f"    {line}" for line in body)]


def _method(head: str, lines: list[str]) -> list[str]:
    return [f"def {head} -> None:", *(f"    {line}" for line in lines)]


def _validation_step(learning: Learning) -> list[str]:
    batch = validation_of(learning).batch
    lines = _with_locals(learning, validating.step_lines(learning), batch)
    body = [*validating.unpacking(batch), *lines]
    return _method("validation_step(self, batch: list[Tensor], number: int)", body)


def _test(learning: Learning) -> list[list[str]]:
    """The methods that test: those of a validation, without choosing anything by it."""
    if not learning.info.parts.tests:
        return []
    lines = final_test.as_test_lines(validating.figure_lines(learning))
    lines += final_test.print_lines_of_test(learning)
    return [
        _method("on_test_epoch_start(self)", ["self.on_validation_epoch_start()"]),
        _method(
            "test_step(self, batch: list[Tensor], number: int)",
            ["self.validation_step(batch, number)"],
        ),
        _method("on_test_epoch_end(self)", _with_locals(learning, lines)),
    ]


def _epoch_end(learning: Learning) -> list[str]:
    epoch_lines = parts(learning)
    after = [
        re.sub(r"\b(train_loss|seen)\b", r"self.\1", line) if "{train_loss" in line else line
        for line in as_attributes(epoch_lines.after, "self")
    ]
    after = [noted for line in after for noted in _comment_above(line)]
    lines = [
        *(["epoch = self.current_epoch"] if "epoch" in "\n".join(after) else []),
        *validating.figure_lines(learning),
        *after,
    ]
    return _method("on_validation_epoch_end(self)", _with_locals(learning, lines))


def trainer_lines(learning: Learning) -> list[str]:
    """Lines that make the module and the trainer, and train."""
    training, members = learning.training, list(attributes(learning))
    made = f"module = {module_name(learning)}({', '.join(members)})"
    minutes, number = training["max_minutes"], training["device"].partition(":")[2]
    longest = None if minutes is None else max(minutes, LEAST_MINUTES)
    options = [
        f"max_epochs={learning.names.epochs}",
        'accelerator="gpu" if device.type == "cuda" else device.type',
        f"devices={f'[{number}]' if number else 1}",
        *(['precision="bf16-mixed"'] if training["precision"] == "bfloat16" else []),
        *_clipping(learning),
        *(
            [f"accumulate_grad_batches={n}"]
            if (n := literal(StepSettings.of(training).batches)) > "1"
            else []
        ),
        *(['sync_batchnorm=device.type == "cuda"'] if training["sync_batchnorm"] else []),
        *([f'max_time={{"minutes": {literal(longest)}}}'] if longest else []),
        "num_sanity_val_steps=0",
        'logger=CSVLogger(".")',
        "enable_checkpointing=False",
        "enable_progress_bar=False",
        "enable_model_summary=False",
    ]
    (result,) = as_attributes([parts(learning).result], "module")
    ends = f"print({result})"
    if len(learning.indent + ends) > WIDTH:
        ends = f"print(\n{learning.indent}    {result}\n{learning.indent})"
    return [
        *validating.loader_lines(learning),
        *learning.lines(made),
        "trainer = lightning.Trainer(",
        *(f"    {option}," for option in options),
        ")",
        "trainer.fit(module, loader, val_loader)",
        ends,
        *_test_run(learning),
    ]


def _test_run(learning: Learning) -> list[str]:
    """Lines that test the best weights, once."""
    if not learning.info.parts.tests:
        return []
    load = f"model.load_state_dict(torch.load({learning.names.out}, weights_only=True))"
    loader = final_test.as_test_lines(validating.loader_lines(learning))
    return [load, *loader, "trainer.test(module, test_loader, verbose=False)"]


def _clipping(learning: Learning) -> list[str]:
    norm, value = learning.training["clip_norm"], learning.training["clip_value"]
    if norm is not None:
        return [f"gradient_clip_val={literal(norm)}"]
    if value is None:
        return []
    return [f"gradient_clip_val={literal(value)}", 'gradient_clip_algorithm="value"']
