"""What can be wrong with a search, said in one sentence with a hint."""

from core.train.errors import RunError


class SweepError(RunError):
    """A search cannot be begun or continued. subject: the key, or the name of the sweep."""
