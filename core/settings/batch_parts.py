"""What differs where processes divide a batch, as sentences before the start."""

import re

OF_LAYERS = re.compile(r"Batch_?Norm")
"""What `sync_batchnorm` lets see the whole batch."""
BY_FUNCTION = re.compile(r"batch_norm\(")
BY_BATCH = re.compile(r"Batch_?Norm|batch_norm\(")
"""What normalises by the batch in the text of a network."""
RANDOM = re.compile(r"dropout|rand|bernoulli|rrelu|gumbel|multinomial|noise|depth\(", re.IGNORECASE)
"""What draws random numbers in the text of a network."""
OWN_DRAWS = (
    "Each process draws random numbers of its own (dropout, noise, augmentation), so results are "
    "close to those of one process, not the same."
)


def smaller_batches(batch_size: int, part: int, accumulate: int) -> str:
    """Say what batch norm sees of a batch, and what does the same in one process."""
    return (
        f"Batch norm sees {part} samples at a time, not {batch_size}, so results "
        f"differ from those of one process; one process with batch_size {part} and "
        f"accumulate {accumulate} gives the same. With the setting sync_batchnorm it "
        f"sees all {batch_size}."
    )


def sees_part(source: str, syncs: bool) -> bool:
    """Whether something in the text of a network normalises by a part of a divided batch.

    syncs: whether layers see the whole one.
    """
    return bool((BY_FUNCTION if syncs else BY_BATCH).search(source))
