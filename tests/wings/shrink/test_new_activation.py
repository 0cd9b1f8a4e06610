"""Channels are pruned through an activation that is declared anew."""

from core.analyse import analyse
from core.wings.shrink.channel_pruning import links
from tests.test_new_activation import arctan, network

__all__ = ["arctan"]


def test_pruning_goes_through_it() -> None:
    project = network()
    found, _ = links(project, analyse(project.graph))
    assert ("fc1", "fc2") in [(link.maker, link.reader) for link in found]
