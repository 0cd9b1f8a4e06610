"""Looking at a run costs it a small share of its time, however slow the look."""

import time

import pytest

from core.worker import throttle
from core.worker.throttle import ViewThrottle


def test_what_costs_little_is_done_again_after_the_least_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    rest = ViewThrottle(0.5, 0.02)
    assert rest.due
    with rest.timed():
        now[0] += 0.001
    assert not rest.due
    now[0] += 0.5
    assert rest.due


def test_what_costs_much_rests_in_proportion_but_never_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    rest = ViewThrottle(0.5, 0.02)
    with rest.timed():
        now[0] += 0.1
    now[0] += 4.9
    assert not rest.due  # 0.1 s in 5 s are the 2 % it may cost
    now[0] += 0.2
    assert rest.due
    with rest.timed():
        now[0] += 60.0
    now[0] += throttle.LONGEST_REST_S
    assert rest.due
