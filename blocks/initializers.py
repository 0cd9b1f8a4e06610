"""What parameters and buffers hold at the start: how it is written, and what it needs."""

from collections.abc import Iterator

from blocks.signature import Dim
from blocks.spec import Fix, Inputs, Problem, Setting, Settings

INITS = {
    "zeros": "torch.zeros({*shape}@)",
    "ones": "torch.ones({*shape}@)",
    "normal": "torch.randn({*shape}) * {std}",
    "uniform": "torch.rand({*shape})",
    "constant": "torch.full({shape}, {value}@)",
}
"""Start values by name; @ is the place of a dtype."""
KNOWN = {
    "tril": "torch.tril(torch.ones({*shape}@))",
    "triu": "torch.triu(torch.ones({*shape}@), 1)",
    "causal": 'torch.triu(torch.full({shape}, float("-inf")@), 1)',
    "count": "torch.cumsum(torch.ones({*shape}), -1@) - 1",
}
"""What tables of numbers that are not learned usually hold: masks, and positions 0, 1, 2, ..."""
FROM_WEIGHTS = "weights"
"""Values that no formula is known for: zeros, until the weights that carry them are read."""
WRITES = ("torch.zeros", "torch.ones", "torch.randn", "torch.rand", "torch.full")
TRIANGLES = ("tril", "triu", "causal")
FLOATS = ("float32", "float64", "float16", "bfloat16")
NORMAL = Setting(
    "std",
    "float",
    "Standard deviation of normally distributed initial values.",
    default=0.02,
    low=0,
)
CONSTANT = Setting("value", "float", "The constant initial value.", default=0.0)


def of_parameter(default: str) -> Setting:
    """Declare init of what is learned."""
    return Setting(
        "init",
        "choice",
        "Initial values; weights are zeros until saved weights are loaded.",
        default=default,
        choices=(*INITS, FROM_WEIGHTS),
        main=True,
    )


def of_buffer() -> Setting:
    """Declare init of what is kept."""
    return Setting(
        "init",
        "choice",
        "Values: tril and triu are ones on and below, or above, the diagonal; causal is minus "
        "infinity above it; count is 0, 1, 2, ... along the last dimension; weights are zeros "
        "until weights that hold the values are read.",
        default="zeros",
        choices=(*INITS, *KNOWN, FROM_WEIGHTS),
        main=True,
    )


def parameter(settings: Settings) -> str:
    """Write a parameter with its start values."""
    frozen = "" if settings["requires_grad"] else ", requires_grad=False"
    return f"nn.Parameter({_start(settings).replace('@', '')}{frozen})"


def buffer(settings: Settings) -> str:
    """Write a buffer with its values, of its dtype."""
    start = _start(settings)
    usual = settings["dtype"] == "float32"
    if not usual and "@" not in start:
        start = f"({start}).to({{dtype}})"
    kept = "" if settings["persistent"] else ", persistent=False"
    return f"nn.Buffer({start.replace('@', '' if usual else ', dtype={dtype}')}{kept})"


def _start(settings: Settings) -> str:
    """Write the start values; those of a single number without dimensions have the shape ()."""
    init = "zeros" if settings["init"] == FROM_WEIGHTS else settings["init"]
    start = (INITS | KNOWN)[init]
    return start if settings["shape"] else start.replace("{*shape}", "{shape}")


def start_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that a tensor can hold its start values: triangles have sides, infinity is a float."""
    init, shape, dtype = settings["init"], settings["shape"], settings["dtype"]
    zeros = Fix("Fill it with zeros", ({"op": "set", "settings": {"init": "zeros"}},))
    if init in TRIANGLES and len(shape) < 2:
        yield Problem(
            "start_values",
            f"fills a triangle ({init}) and needs two dimensions but has the shape {_text(shape)}.",
            "Give it rows and columns.",
            (zeros,),
        )
    elif init == "causal" and dtype not in FLOATS:
        yield Problem(
            "start_values",
            f"holds minus infinity (causal) and needs floats but is {dtype}.",
            "Choose float32, or triu for a mask of true and false.",
            (Fix("Make it float32", ({"op": "set", "settings": {"dtype": "float32"}},)), zeros),
        )
    elif init == "count" and (not shape or dtype == "bool"):
        what = "no dimension" if not shape else "only true and false"
        yield Problem(
            "start_values",
            f"counts 0, 1, 2, ... along its last dimension but has {what}.",
            "Give it a dimension and numbers.",
            (zeros,),
        )


def _text(shape: tuple[Dim, ...]) -> str:
    return f"({', '.join(map(str, shape))})"
