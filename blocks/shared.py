"""Settings and addresses that several families share; declared here once."""

from collections.abc import Callable
from typing import Any

from blocks.spec import Block, Infer, Port, Setting

NN = "https://docs.pytorch.org/docs/stable/generated/torch.nn."
FN = "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional."
TORCH = "https://docs.pytorch.org/docs/stable/generated/torch."
TENSOR = "https://docs.pytorch.org/docs/stable/generated/torch.Tensor."

ANY_RANK = (1, 2, 3, 4, 5, 6, 7, 8)
FROM_2 = (2, 3, 4, 5, 6, 7, 8)
DIMS = "Dimensions count from 0, the batch; -1 is the last."
UNIT = {1: "steps", 2: "pixels", 3: "voxels"}
THING = {1: "sequence", 2: "image", 3: "volume"}
SPACE = {1: "L", 2: "H, W", 3: "D, H, W"}
NEW_SPACE = {1: "L'", 2: "H', W'", 3: "D', H', W'"}
ANY = Port("input", rank=ANY_RANK, form="a tensor with at least one dimension")
POSITIVE = "needs numbers above 0"
DIVISOR = "needs a divisor that is not 0"
VALUES_AND_INDICES = (
    Port("values", help="The values."),
    Port("indices", help="Their indices."),
)


def floats(
    name: str = "input", rank: tuple[int, ...] = (), form: str = "", about: str = ""
) -> Port:
    """Declare a port that takes float tensors."""
    return Port(name, rank=rank, dtype="float", form=form, help=about)


def spatial(dims: int, name: str = "input") -> Port:
    """Declare a port that takes a batch of sequences (1) or images (2) with channels."""
    return floats(name, rank=(dims + 2,), form=f"(N, C, {SPACE[dims]})")


def operation(
    name: str, family: str, summary: str, forward: Any, formula: str, **more: Any
) -> Block:
    """Declare a torch function of one tensor; without `shape_out` it keeps the shape."""
    declared: dict[str, Any] = {
        "inputs": (ANY,),
        "shape_in": "(N, *)",
        "shape_out": "the same",
        "reference": f"{TORCH}{name}.html",
        **more,
    }
    return Block(name, family, summary, forward=forward, formula=formula, **declared)


def operand(name: str) -> Setting:
    """Declare the number that may stand where a port of the same name has no wire."""
    about = f"Number to use if no wire is connected to {name}."
    return Setting(name, "float", about, default=None, optional=True)


def dimension(about: str = "Dimension to run along.", default: Any = -1, **more: Any) -> Setting:
    """Declare a setting `dim` that names one dimension."""
    return Setting("dim", "int", f"{about} {DIMS}", default=default, **more)


def whole(name: str, about: str = "An integer, as from a size block.") -> Port:
    """Declare an optional port for an integer that stands in for the setting of its name."""
    return Port(name, kind="size", optional=True, help=about)


def wholes(name: str) -> Port:
    """Declare a port for integers that stand in for single numbers of the setting of its name."""
    about = f"Integers, as from size blocks, in place of single numbers of {name}."
    return Port(name, kind="sizes", optional=True, help=about)


def channels(name: str, about: str, dim: int = 1) -> Setting:
    """Declare a number of channels that the wire decides."""
    return Setting(name, "int", about, low=1, positional=True, infer=Infer("input", dim))


def inplace() -> Setting:
    """Declare inplace."""
    return Setting(
        "inplace",
        "bool",
        "Overwrite the input to save memory. Leave it off if another block reads the input too.",
        default=False,
    )


def flag(name: str, about: str, default: bool, **more: Any) -> Setting:
    """Declare a setting that is on or off."""
    return Setting(name, "bool", about, default=default, **more)


def training_only(about: str) -> Setting:
    """Declare that something happens in training and not in evaluation."""
    return flag("training_only", about, False, chooses=True)


def pixels(dims: int) -> Callable[..., Setting]:
    """Give the way to declare a size along every spatial dimension."""

    def declare(name: str, about: str, **more: Any) -> Setting:
        return Setting(name, "size", about, length=dims, unit=UNIT[dims], **more)

    return declare
