"""Sources of an import: models of torchvision and timm, of torch.hub on disk, the user's own."""

import importlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor, nn

from core.common.article import an
from core.common.errors import ImportRefused, NoSource
from core.wings.importing import hub, timm_models
from core.wings.importing.error_messages import error_text
from core.wings.importing.published_size import family, published_shapes
from core.wings.importing.tracing.input_search import find_inputs, takes_any_number
from core.wings.importing.tracing.model_call import InputSpec, check_argument_names
from core.wings.importing.tracing.prepare import model_name
from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.torch_compile import calling_uncompiled, uncompiled
from core.wings.importing.tracing.torch_script import refuse_scripted

Shape = tuple[int, ...]
NOTHING = InputSpec()


@dataclass(frozen=True)
class ModelSource:
    """A model to trace. name: of the project. shapes: of one sample per input.

    run: how to call it with a batch, if not module(batch). dtypes: of the inputs, integers with
    their bound. trained: whether its weights are more than random numbers. notes: what was found
    out about its inputs, for people.
    """

    module: nn.Module
    name: str
    shapes: tuple[Shape, ...]
    run: Run | None = None
    dtypes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trained: bool = True


FORMS = "torchvision:NAME, timm:NAME, torch.hub:DIR:entry or python:package.module:expression"


def open_source(text: str, given: InputSpec = NOTHING, pretrained: bool = False) -> ModelSource:
    """Make the model of a source: `torchvision:NAME`, `timm:NAME`, `torch.hub:DIR:entry(...)` or
    `python:package.module:expression`.

    given: what the user states of its inputs; the rest is found by running the model. The last two
    forms run the user's own code. Raises ImportRefused.
    """
    kind, _, rest = text.partition(":")
    if kind == "torchvision":
        return from_torchvision(rest, given, pretrained)
    if kind == "python":
        return from_python(rest, given)
    if kind == hub.KIND:
        return with_inputs(*hub.load_entry(rest), given)
    if kind == timm_models.KIND:
        return from_timm(rest, given, pretrained)
    raise NoSource(text, "is not a source.", f"Write {FORMS}.")


def from_timm(text: str, given: InputSpec = NOTHING, pretrained: bool = False) -> ModelSource:
    """Make `NAME` or `NAME:FILE` of timm. Its sample has the published size, unless given."""
    module, name, shape, trained = timm_models.make_model(text, pretrained)
    check_argument_names(module, given, name)
    shapes = tuple(one.shape for one in given.inputs) or (shape,)
    kinds = tuple(one.kind for one in given.inputs)
    return ModelSource(module, name, shapes, given.call, kinds, trained=trained)


def from_torchvision(
    name: str, given: InputSpec = NOTHING, pretrained: bool = False
) -> ModelSource:
    """Make a model of torchvision's registry, with random weights unless `pretrained`.

    Its sample has the published size, unless given. Raises ImportRefused for an unknown name, and
    for quantised models.
    """
    import difflib

    from torchvision import models

    known = models.list_models()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else "torchvision.models.list_models() has them."
        raise NoSource(f"torchvision:{name}", "is not a model of torchvision.", hint)
    builder = models.get_model_builder(name)
    options: dict[str, object] = {"weights": "DEFAULT" if pretrained else None}
    parameters = inspect.signature(builder).parameters
    if "weights_backbone" in parameters:
        options["weights_backbone"] = None
    if has_heads(name):
        options["init_weights"] = False  # scipy's draws take a minute
    shapes = tuple(one.shape for one in given.inputs) or published_shapes(name)
    if builder.__module__.endswith(".vision_transformer") and not pretrained:
        options["image_size"] = shapes[0][-1]  # its table of positions is made for one size only
    try:
        module = models.get_model(name, **options)
    except AssertionError as error:
        raise ImportRefused(
            f"torchvision:{name}", f"cannot be created: {error_text(error)}"
        ) from error
    check_argument_names(module, given, name)
    run = one_image if family(name) == "detection" else given.call
    kinds = tuple(one.kind for one in given.inputs)
    return ModelSource(module.eval(), name, shapes, run, kinds, trained=pretrained)


def one_image(module: nn.Module, batch: Tensor) -> dict[str, Tensor]:
    """Call a detector, which takes a list of images, with the first image of a batch."""
    return module([batch[0]])[0]


def has_heads(name: str) -> bool:
    """Whether a torchvision model has auxiliary classifiers that run in training only."""
    return "googlenet" in name or "inception" in name


def from_python(text: str, given: InputSpec = NOTHING) -> ModelSource:
    """Evaluate `package.module:expression`: a module, or a class or function that makes one.

    This runs the user's own code, with everything it can do. Raises ImportRefused.
    """
    module_name, _, expression = text.partition(":")
    if not module_name or not expression:
        raise NoSource(
            f"python:{text}", "has no expression.", "Write python:package.module:expression."
        )
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        home = importlib.import_module(module_name)
        made = eval(expression, vars(home))  # the user's own code, run at the user's request
        made = made if isinstance(made, nn.Module) else made()
    except (Exception, SystemExit) as error:
        raise ImportRefused(f"python:{text}", f"cannot be created: {error_text(error)}.") from error
    if not isinstance(made, nn.Module):
        raise ImportRefused(f"python:{text}", f"is {an(type(made).__name__)}, not a module.")
    return with_inputs(made, model_name(uncompiled(made), expression), given)


@calling_uncompiled
def with_inputs(module: nn.Module, name: str, given: InputSpec) -> ModelSource:
    """A model with its inputs: those stated, else those with which the model runs."""
    module = uncompiled(module).eval()
    refuse_scripted(module)
    check_argument_names(module, given, name)
    found = find_inputs(module, given, name)
    shapes, kinds = zip(*((one.shape, one.kind) for one in found.inputs), strict=True)
    return ModelSource(
        module, name, shapes, found.call, kinds, tuple(_found_out(module, given, found))
    )


def _found_out(module: nn.Module, given: InputSpec, found: InputSpec) -> Iterator[str]:
    """Notes on inputs that were not stated but found by trial."""
    if given.inputs != found.inputs:
        yield f"its input was found by trial: {' and '.join(map(str, found.inputs))}"
        if not given.inputs and takes_any_number(module):
            stated = " ".join(f"--input {one}" for one in found.inputs)
            yield (
                f"its forward takes any number of inputs and is drawn with {len(found.inputs)}: "
                f"for another number give one --input for each, as in {stated} for these"
            )
    if found.batch_dim and given.batch_dim is None:
        yield (
            f"the original has the batch in dimension {found.batch_dim} and the drawing in front: "
            "the drawing transposes its input"
        )
