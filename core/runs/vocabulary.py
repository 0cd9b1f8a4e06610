"""The vocabulary of a run: the tokens of its texts by their numbers, as its training part had them.

Whatever reads the run later takes it from here, so that the numbers mean the same though the file
with the texts has changed; and weights of another vocabulary are told apart.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from core.common.json_types import is_array
from core.runs.files import read_json, write_json

VOCABULARY = "vocabulary.json"


def write_vocabulary(run_dir: Path, tokens: Sequence[str]) -> None:
    """Store it once; nothing for data without one. Raises OSError."""
    if tokens and not (run_dir / VOCABULARY).exists():
        write_json(run_dir / VOCABULARY, {"tokens": list(tokens)})


def read_vocabulary(run_dir: Path) -> tuple[str, ...]:
    """The tokens by their numbers; () of a run without them."""
    found = read_json(run_dir / VOCABULARY).get("tokens")
    return tuple(str(token) for token in found) if is_array(found) else ()


def digest_of(tokens: Sequence[str]) -> str:
    """What tells vocabularies apart; "" for none."""
    return hashlib.sha256(json.dumps(list(tokens)).encode()).hexdigest() if tokens else ""
