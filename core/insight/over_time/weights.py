"""A network with the weights that a run had at some time. With torch."""

from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from torch import nn

from core.engine.load_module import epoch_state
from core.errors import RunError
from core.insight.load_model import NetworkRef, NotReady, Opened
from core.insight.remembered import opened
from core.runs.epoch_weights import LIVE, path_of, read_notes

Moment = tuple[str, str, str]
"""(run folder, "live" or the number of an epoch, stamp); the stamp changes with live weights."""
NOW: Moment = ("", "", "")
"""The weights that the network itself has."""


def at(ref: NetworkRef, moment: Moment) -> Opened:
    """The network with the weights of a moment. What runs are compared by, its source, is not
    compared: whoever asks knows that the run trained this network.

    One network is lent at a time: the next call changes its weights. Raises NotReady where the
    weights are gone or of another network.
    """
    network = opened(ref)
    if moment == NOW:
        return network
    lent = _lent(ref)
    if lent.moment != moment:
        lent.load(moment)
    return replace(network, module=lent.module)


class _Lent:
    """A copy of a network, and the moment of the weights that are in it."""

    def __init__(self, module: nn.Module) -> None:
        self.module, self.moment = module, NOW

    def load(self, moment: Moment) -> None:
        run, which, _stamp = moment
        self.moment = NOW
        try:
            state = epoch_state(Path(run), which)
            self.module.load_state_dict(state)
        except RunError as error:
            raise NotReady(error.message, error.hint) from error
        except RuntimeError as error:
            name = Path(run).name
            raise NotReady(f"{name} trained another network.", "Train this drawing.") from error
        self.moment = moment


@lru_cache(maxsize=2)
def _lent(ref: NetworkRef) -> _Lent:
    return _Lent(deepcopy(opened(ref).module))


def notes(moment: Moment) -> dict[str, Any]:
    """What the run wrote down beside the weights of a moment: see `epoch_weights.read_notes`."""
    run, which, _stamp = moment
    if moment == NOW:
        return {}
    live = which == "live"
    folder = Path(run)
    return read_notes(folder / LIVE if live else path_of(folder, int(which)))
