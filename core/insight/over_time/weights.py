"""A network with the weights that a run had at some time. With torch."""

from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from typing import Any

from torch import nn

from core.engine.load_module import epoch_state
from core.errors import RunError
from core.insight.load_model import NotReady, OpenedNetwork
from core.insight.network_cache import opened
from core.network_ref import Moment, NetworkRef
from core.runs.epoch_weights import LIVE, path_of, read_notes


def at(ref: NetworkRef, moment: Moment | None) -> OpenedNetwork:
    """The network with the weights of a moment; None: with its own. What runs are compared by, its
    source, is not compared: whoever asks knows that the run trained this network.

    One network is lent at a time: the next call changes its weights. Raises NotReady where the
    weights are gone or of another network.
    """
    network = opened(ref)
    if moment is None:
        return network
    lent = _lent(ref)
    if lent.moment != moment:
        lent.load(moment)
    return replace(network, module=lent.module)


class _Lent:
    """A copy of a network, and the moment of the weights that are in it."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module
        self.moment: Moment | None = None

    def load(self, moment: Moment) -> None:
        self.moment = None
        try:
            state = epoch_state(moment.run, "live" if moment.epoch is None else str(moment.epoch))
            self.module.load_state_dict(state)
        except RunError as error:
            raise NotReady(error.message, error.hint) from error
        except RuntimeError as error:
            message = f"{moment.run.name} trained a different network."
            raise NotReady(message, "Train this network.") from error
        self.moment = moment


@lru_cache(maxsize=2)
def _lent(ref: NetworkRef) -> _Lent:
    return _Lent(deepcopy(opened(ref).module))


def notes(moment: Moment | None) -> dict[str, Any]:
    """What the run wrote down beside the weights of a moment: see `epoch_weights.read_notes`."""
    if moment is None:
        return {}
    live = moment.run / LIVE
    return read_notes(live if moment.epoch is None else path_of(moment.run, moment.epoch))
