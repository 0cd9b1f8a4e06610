"""Check one hand-in, in a process of its own: the answer is a file that grows line by line.

What a hand-in does to this process, such as using up its time, leaves the lines before it.
"""

import json
import os
import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.common.errors import LayerloomError
from core.common.memory import reserve_limit
from core.files.trust import meanwhile
from core.wings.classroom.hand_in import HandIn, fingerprint, open_hand_in, stem
from core.wings.classroom.judge import judge_each
from core.wings.classroom.read import read_key, read_task
from core.wings.classroom.similarity import labels_of

LARGEST_FILE = 300 << 20
"""Bytes of a file that the process may write, such as one of a bundle."""
ANSWER = "answer.json"
Unpack = Callable[[Path, Path], HandIn | None]
"""Reads a file that a project is packed in; None for any other. The folder is for what it holds."""


def main(unpack: Unpack) -> None:
    """Read the request, a file that the command line names, and answer in its folder."""
    request = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    _limit(request["seconds"], request["memory"])
    answer_to(request, unpack)


def _limit(seconds: int, memory: int) -> None:
    """Limit this process, and whatever it starts, before anything of a hand-in is read."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import torch  # noqa: F401 (the memory that it takes is no hand-in's)

    reserve_limit(memory)


def answer_to(request: Mapping[str, Any], unpack: Unpack) -> None:
    """Check the hand-in of a request; whatever goes wrong is in the answer."""
    answer = _Answer(Path(request["folder"]))
    try:
        _check(request, unpack, answer)
    except LayerloomError as error:
        answer.put(problem=str(error).strip())
    except MemoryError:
        answer.put(problem="It needs more memory than a hand-in may take.")
    except Exception as error:  # of any library: it costs this hand-in its row and nothing else
        answer.put(problem=f"It could not be checked: {type(error).__name__}: {error}"[:300])


class _Answer:
    """The answer so far, whole at any moment."""

    def __init__(self, folder: Path) -> None:
        self.file, self.fields = folder / ANSWER, dict[str, Any](lines=[], problem="", done=False)

    def put(self, **fields: Any) -> None:
        """Add to the answer."""
        self.fields |= fields
        temporary = self.file.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.fields), "utf-8")
        os.replace(temporary, self.file)  # noqa: PTH105


def _check(request: Mapping[str, Any], unpack: Unpack, answer: _Answer) -> None:
    """Read the hand-in, then judge it, requirement by requirement."""
    file = Path(request["file"])
    hand_in = unpack(file, Path(request["folder"])) or open_hand_in(file)
    task = read_task(request["task"])
    key = read_key(request["key"]) if request["key"] else None
    graph = hand_in.project.graph
    answer.put(
        student=hand_in.student or stem(file),
        task=hand_in.task,
        fingerprint=fingerprint(file.read_bytes()),
        labels=dict(labels_of(graph)),
        own_python=[name for name, part in graph.composites.items() if part.python],
    )
    own = [part.python for part in graph.composites.values() if part.python]
    with meanwhile(*own) if request["trust"] else nullcontext():
        from core.wings.classroom.evidence import evidence_of

        for line in judge_each(task, evidence_of(hand_in.project, hand_in.run, key)):
            answer.put(lines=[*answer.fields["lines"], asdict(line)])
    answer.put(done=True)
