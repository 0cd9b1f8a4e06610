"""The ways of `layerloom look`, each a declaration for one sample or one network.

The function of a way is named and imported when it is called. No torch here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.insight.attribution.methods import METHODS
from core.network_ref import NetworkRef

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class LookRequest:
    """A way and its options.

    sample: in the validation part. block: a node path, "" for all or the usual one. score_name: a
    class or the like. position: of a token or step. batch: of a profile, 0 for the run's own.
    check: whether the sanity check is made, too. tsne: whether an embedding is t-SNE's. other: a
    network to be compared with. channel: of a block, to be excited. format: of a film, "webp" or
    "gif".
    """

    what: str
    sample: int = 0
    block: str = ""
    score_name: str = ""
    position: int = -1
    batch: int = 0
    check: bool = False
    tsne: bool = False
    other: NetworkRef | None = None
    channel: int = 0
    format: str = "webp"


@dataclass(frozen=True)
class LookResult:
    """A result. document: plain values for JSON. arrays: for NPZ. lines: for people.

    picture: a PNG, b"" for none. text: another file to export (a trace), "" for none. film: an
    animated WebP or GIF, b"" for none.
    """

    document: Mapping[str, Any]
    lines: tuple[str, ...]
    arrays: "Mapping[str, NDArray[Any]]" = field(default_factory=lambda: {})
    picture: bytes = b""
    text: str = ""
    film: bytes = b""


@dataclass(frozen=True)
class LookKind:
    """A way to look.

    about: in a few words. function: "module:function" of (NetworkRef, LookRequest). sample:
    whether it is about one sample.
    """

    about: str
    function: str
    sample: bool = True


LOOKS = {
    "values": LookKind("output of each block", "core.insight.look.values:values"),
    "gradients": LookKind(
        "gradient of the loss with respect to each block's output",
        "core.insight.look.values:gradients",
    ),
    "autograd": LookKind(
        "autograd graph of the loss and the tensors it saves",
        "core.insight.look.autograd:autograd",
    ),
    **{
        name: LookKind(method.title, "core.insight.look.attribution:explanation")
        for name, method in METHODS.items()
    },
    "profile": LookKind(
        "time of training steps by block",
        "core.insight.look.profiling:profile",
        sample=False,
    ),
    "memory": LookKind(
        "training memory by kind: weights, gradients, optimiser, saved tensors",
        "core.insight.look.profiling:memory",
        sample=False,
    ),
    "embedding": LookKind(
        "PCA of all samples at a block", "core.insight.look.representation:embedding", sample=False
    ),
    "probe": LookKind(
        "linear probe of each block",
        "core.insight.look.representation:probe",
        sample=False,
    ),
    "similarity": LookKind(
        "linear CKA between blocks", "core.insight.look.representation:similarity", sample=False
    ),
    "excite": LookKind(
        "input optimised to excite a channel",
        "core.insight.representation.excite:look",
        sample=False,
    ),
    "boundary": LookKind(
        "decision boundary over two columns; with --block, the activation of each unit",
        "core.insight.look.plane:boundary",
        sample=False,
    ),
    "film": LookKind("block outputs, epoch by epoch", "core.insight.look.over_time:film"),
    "attention": LookKind("what each head attends to", "core.insight.look.attribution:attention"),
}


def look(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Look at a network in one way. Raises what the way raises, with a message and a hint."""
    from core.tasks.task import function_of

    return function_of(LOOKS[request.what].function)(ref, request)
