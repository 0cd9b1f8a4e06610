"""Operations that are not defined for every number: what each needs, for the runs that met one."""

POSITIVE = "needs numbers above 0"
NOT_ZERO = "needs a divisor that is not 0"
DOMAINS = {
    "log": POSITIVE,
    "log2": POSITIVE,
    "log10": POSITIVE,
    "rsqrt": POSITIVE,
    "log1p": "needs numbers above -1",
    "sqrt": "needs numbers above 0 (at 0 its slope is infinite)",
    "div": NOT_ZERO,
    "reciprocal": "needs numbers that are not 0",
    "pow": "needs numbers above 0 for an exponent that is not whole",
    "asin": "needs numbers from -1 to 1",
    "acos": "needs numbers from -1 to 1",
    "atanh": "needs numbers between -1 and 1",
    "logit": "needs numbers between 0 and 1",
    "exp": "needs numbers below 88",
}
"""In a sentence after the block's name."""
ONE_INPUT = tuple(name for name in DOMAINS if name not in ("div", "pow"))
"""Those that a wire can pass by."""
ROOTS = ("log", "log2", "log10", "rsqrt", "sqrt", "pow")


def advice(node: str, block: str) -> str:
    """What to do about a block that made the first number that is not finite."""
    needed = f"{node} ({block}) {DOMAINS[block]}. " if block in DOMAINS else ""
    before = "a Softplus" if block in ROOTS else "a clamp"
    way = f"Put {before} before it, or leave it out" if needed else "Look at what it receives"
    return f"{needed}{way}; no learning rate mends it."
