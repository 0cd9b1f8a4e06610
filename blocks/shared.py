"""Settings and addresses that several families share; declared here once."""

from collections.abc import Callable
from typing import Any

from blocks.spec import Infer, Port, Setting

NN = "https://docs.pytorch.org/docs/stable/generated/torch.nn."
FN = "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional."
TORCH = "https://docs.pytorch.org/docs/stable/generated/torch."
TENSOR = "https://docs.pytorch.org/docs/stable/generated/torch.Tensor."

ANY_RANK = (1, 2, 3, 4, 5, 6)
FROM_2 = (2, 3, 4, 5, 6)
DIMS = "Dimensions count from 0, the batch; -1 is the last."
UNIT = {1: "steps", 2: "pixels"}
THING = {1: "sequence", 2: "image"}
SPACE = {1: "L", 2: "H, W"}
NEW_SPACE = {1: "L'", 2: "H', W'"}


def floats(
    name: str = "input", rank: tuple[int, ...] = (), form: str = "", about: str = ""
) -> Port:
    """Declare a port that takes float tensors."""
    return Port(name, rank=rank, dtype="float", form=form, help=about)


def spatial(dims: int, name: str = "input") -> Port:
    """Declare a port that takes a batch of sequences (1) or images (2) with channels."""
    return floats(name, rank=(dims + 2,), form=f"(N, C, {SPACE[dims]})")


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


def pixels(dims: int) -> Callable[..., Setting]:
    """Give the way to declare a size along every spatial dimension."""

    def declare(name: str, about: str, **more: Any) -> Setting:
        return Setting(name, "size", about, length=dims, unit=UNIT[dims], **more)

    return declare
