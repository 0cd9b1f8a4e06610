"""A network with the weights that a run had at some time. With torch."""

from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from torch import nn

from core.analyse import analyse_project
from core.analyse.report import Report
from core.common.errors import RunError
from core.common.network_ref import Moment, NetworkRef
from core.engine.init_weights import parameter_sizes
from core.engine.load_module import epoch_state, load_network
from core.insight.load_model import NotReady, OpenedNetwork
from core.insight.network_cache import opened
from core.project import ProjectError, read_text
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


def fits(text: str, run: str) -> bool:
    """Whether a run's network has weights of the same names and sizes as a project's.

    So they can be shown in a drawing from which a block without weights was deleted since. False
    for what does not run. Nothing is read of the weights themselves.
    """
    try:
        needed = _sizes(analyse_project(read_text(text)))
        return needed is not None and needed == _sizes(load_network(Path(run)).report)
    except (RunError, ProjectError):
        return False


def _sizes(report: Report) -> dict[str, tuple[int, ...]] | None:
    return parameter_sizes(report.source, report.class_name) if report.source else None


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
