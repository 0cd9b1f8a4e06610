"""What `layerloom look` answers: one sample or one network, looked at in one way.

Each way is a declaration; what calculates is named and imported when it is called. No torch here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.insight.attribution.methods import METHODS
from core.network_ref import NetworkRef

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Asked:
    """What is asked. sample: in the validation part. block: a node path, "" for all or the usual
    one. wanted: a class or the like. position: of a token or step. batch: of a profile, 0 for the
    run's own. check: whether the sanity check is made, too.
    tsne: whether an embedding is t-SNE's. other: a network to be compared with. channel: of a
    block, to be excited. format: of a film, "webp" or "gif".
    """

    what: str
    sample: int = 0
    block: str = ""
    wanted: str = ""
    position: int = -1
    batch: int = 0
    check: bool = False
    tsne: bool = False
    other: NetworkRef | None = None
    channel: int = 0
    format: str = "webp"


@dataclass(frozen=True)
class Looked:
    """An answer. document: plain values for JSON. arrays: for NPZ. lines: for people.

    picture: a PNG, b"" for none. text: what else is taken home (a trace), "" for none. film: an
    animated WebP or GIF, b"" for none.
    """

    document: Mapping[str, Any]
    lines: tuple[str, ...]
    arrays: "Mapping[str, NDArray[Any]]" = field(default_factory=lambda: {})
    picture: bytes = b""
    text: str = ""
    film: bytes = b""


@dataclass(frozen=True)
class Way:
    """A way to look. about: in a few words. function: "module:function" of (NetworkRef, Asked).

    sample: whether it is about one sample.
    """

    about: str
    function: str
    sample: bool = True


WAYS = {
    "values": Way("output of each block", "core.insight.look_values:values"),
    "gradients": Way(
        "gradient of the loss with respect to each block's output",
        "core.insight.look_values:gradients",
    ),
    "autograd": Way(
        "autograd graph of the loss and the tensors it saves",
        "core.insight.look_autograd:autograd",
    ),
    **{
        name: Way(method.title, "core.insight.attribution.look:explanation")
        for name, method in METHODS.items()
    },
    "profile": Way(
        "time of training steps by block",
        "core.insight.profiling.look:profile",
        sample=False,
    ),
    "memory": Way(
        "training memory by kind: weights, gradients, optimiser, saved tensors",
        "core.insight.profiling.look:memory",
        sample=False,
    ),
    "embedding": Way(
        "PCA of all samples at a block", "core.insight.representation.look:embedding", sample=False
    ),
    "probe": Way(
        "linear probe of each block",
        "core.insight.representation.look:probe",
        sample=False,
    ),
    "similarity": Way(
        "linear CKA between blocks", "core.insight.representation.look:similarity", sample=False
    ),
    "excite": Way(
        "input optimised to excite a channel",
        "core.insight.representation.excite:look",
        sample=False,
    ),
    "boundary": Way(
        "decision boundary over two columns; with --block, the activation of each unit",
        "core.insight.one_sample.look_plane:boundary",
        sample=False,
    ),
    "film": Way("block outputs, epoch by epoch", "core.insight.over_time.look:film"),
    "attention": Way("what each head attends to", "core.insight.attribution.look:attention"),
}


def look(ref: NetworkRef, asked: Asked) -> Looked:
    """Look at a network in one way. Raises what the way raises, with a message and a hint."""
    from core.tasks.task import function_of

    return function_of(WAYS[asked.what].function)(ref, asked)
