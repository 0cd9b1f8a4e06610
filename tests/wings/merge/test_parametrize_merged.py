"""How a weight is parametrized is merged as any setting is."""

from core.wings.merge import merge
from tests.scenarios.test_parametrize import normed


def test_one_side_is_taken_and_two_are_a_conflict() -> None:
    given = normed()
    spectral, bare = normed(conv1={"parametrize": "spectral_norm"}), normed(fc2={"out_features": 5})
    both = merge(given, spectral, bare)
    assert both.conflicts == ()
    assert both.project.graph.nodes["conv1"].settings["parametrize"] == "spectral_norm"
    assert both.project.graph.nodes["fc2"].settings["out_features"] == 5
    odd = merge(given, spectral, normed(conv1={"parametrize": "orthogonal"}))
    assert [c.place for c in odd.conflicts] == ["conv1.parametrize"]
