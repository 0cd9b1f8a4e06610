"""Looking at a run costs it a small share of its time, however slow the look."""

import time

import pytest

from core.worker import throttle
from core.worker.throttle import Eta, ViewThrottle


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


def test_the_time_left_counts_the_steps_still_to_make_at_the_recent_speed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    eta = Eta(step=50)
    assert eta.status_fields(50, 200) == {}
    now[0] += 10.0
    assert eta.status_fields(100, 200) == {
        "steps_per_s": 5.0, "left_s": 20.0, "hang_after_s": throttle.HANG_AFTER_S,
    }  # fmt: skip
    now[0] += throttle.OVER_S + 5
    assert eta.status_fields(150, 200)["left_s"] == 25.0  # 2 steps a second of late


def test_the_first_few_steps_promise_no_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    eta = Eta(step=0)
    now[0] += 2.0  # the first step, with all that is made only once
    assert eta.status_fields(1, 91)["left_s"] is None
    now[0] += 1.0
    assert eta.status_fields(11, 91)["left_s"] == 8.0  # of the ten steps after it alone


def test_a_first_step_among_ten_promises_no_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    eta = Eta(step=0)
    now[0] += 2.5
    assert eta.status_fields(10, 480)["left_s"] is None
    now[0] += 0.5
    assert eta.status_fields(50, 480)["left_s"] == 5.4
