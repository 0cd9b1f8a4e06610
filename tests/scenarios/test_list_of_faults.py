"""Which test shows which fault: a run promises what it does about each, and each is made here.

The letters are those of the list of faults in the design. F4 to F6, F13, F18 and F21 to F24 belong
to the project file and the pages.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FAULTS: dict[str, tuple[str, ...]] = {
    "F1 a trainer is killed at a random step": (
        "tests/scenarios/test_resume.py::"
        "test_a_run_killed_at_random_steps_ends_with_the_weights_of_one_that_never_was",
        "tests/scenarios/test_resume_tasks.py::test_a_run_that_was_cut_off_ends_with_the_same_bits",
    ),
    "F2 a crash while something is saved": (
        "tests/core/project/test_safe_save.py::"
        "test_a_crash_at_any_operation_leaves_the_old_or_the_new_project",
        "tests/core/runs/test_checkpoint.py::"
        "test_a_crash_at_any_moment_of_saving_leaves_a_good_last_checkpoint",
    ),
    "F3 the disk is full": (
        "tests/scenarios/test_faults.py::"
        "test_on_a_disk_that_is_full_for_real_the_old_checkpoint_and_whole_lines_survive",
        "tests/core/runs/test_full_disk.py::"
        "test_whichever_write_is_refused_the_run_ends_with_all_it_has_trained",
        "tests/core/runs/test_full_disk.py::"
        "test_a_run_on_a_full_disk_says_so_goes_on_when_there_is_space_and_loses_no_metric",
        "tests/core/runs/test_full_disk.py::test_stop_works_where_nothing_can_be_written",
        "tests/core/worker/test_error_messages.py::test_a_line_that_does_not_fit_on_the_disk_is_taken_back",
    ),
    "F7 a checkpoint is damaged": (
        "tests/core/runs/test_checkpoint.py::"
        "test_every_flipped_bit_and_every_cut_is_refused_and_the_previous_one_offered",
        "tests/scenarios/test_resume.py::"
        "test_a_damaged_checkpoint_stops_resume_and_the_previous_one_goes_on",
    ),
    "F8 metrics are damaged": (
        "tests/core/worker/test_error_messages.py::test_readers_skip_a_torn_tail_and_a_damaged_line",
        "tests/core/worker/test_error_messages.py::test_going_on_cuts_what_lies_past_the_checkpoint",
    ),
    "F9 data is missing": (
        "tests/core/worker/test_error_messages.py::test_a_data_set_that_vanished_fails_the_run_by_name",
        "tests/core/worker/test_error_messages.py::"
        "test_a_data_set_that_is_not_here_is_refused_before_there_is_a_folder",
        "tests/scenarios/test_data_changed.py::"
        "test_a_file_that_is_gone_fails_the_run_by_name_and_keeps_its_weights",
    ),
    "F9 data changes": (
        "tests/scenarios/test_data_changed.py::"
        "test_a_run_refuses_to_go_on_with_a_table_that_changed_and_goes_on_with_the_old_one",
        "tests/scenarios/test_data_changed.py::"
        "test_a_picture_that_comes_between_stop_and_resume_is_refused",
        "tests/scenarios/test_data_changed.py::"
        "test_pictures_that_go_while_a_run_trains_do_not_disturb_it",
        "tests/scenarios/test_data_changed.py::"
        "test_a_folder_that_changes_while_it_is_decoded_is_never_kept",
    ),
    "F10 a loss is no number": (
        "tests/core/worker/test_error_messages.py::"
        "test_a_loss_that_is_no_number_stops_the_run_at_the_first_bad_step",
        "tests/core/worker/test_error_messages.py::"
        "test_a_run_that_diverged_late_keeps_its_last_finite_checkpoint",
        "tests/core/engine/test_anomaly.py::"
        "test_the_block_that_put_out_the_first_nan_is_named_with_its_numbers",
        "tests/core/settings/test_class_weights.py::"
        "test_a_run_with_a_bad_step_finishes_and_its_curve_has_a_gap",
    ),
    "F11 memory runs out": (
        "tests/scenarios/test_faults.py::"
        "test_a_worker_that_runs_out_of_memory_fails_alone_and_names_the_block",
    ),
    "F12 a GPU's memory runs out": (
        "tests/core/worker/test_error_messages.py::"
        "test_memory_that_runs_out_names_the_block_the_amount_and_a_smaller_batch",
    ),
    "F14 the server is started again": (
        "tests/browser/test_run_controls.py::"
        "test_a_run_outlives_the_server_and_the_next_one_shows_it",
        "tests/scenarios/test_resume.py::test_a_run_outlives_the_process_that_started_it",
    ),
    "F15 the clock jumps": (
        "tests/core/runs/test_run_state.py::test_a_jump_of_the_clock_makes_no_run_dead",
    ),
    "F16 a zombie, or another process of its number": (
        "tests/scenarios/test_faults.py::test_a_worker_that_is_a_zombie_is_dead_at_once",
        "tests/core/runs/test_run_state.py::"
        "test_only_the_process_that_was_written_down_is_ever_signalled",
    ),
    "F17 a trainer is told to end": (
        "tests/scenarios/test_faults.py::"
        "test_a_signal_to_end_is_obeyed_within_ten_seconds_and_loses_no_step",
        "tests/scenarios/test_resume.py::"
        "test_stopping_keeps_a_checkpoint_of_the_very_step_and_resume_goes_on_from_it",
    ),
    "F19 a million points": (
        "tests/app/test_long_curves.py::"
        "test_a_million_points_are_asked_for_as_quickly_as_a_thousand",
        "tests/core/runs/test_history.py::"
        "test_a_hundred_thousand_points_arrive_as_two_thousand_with_first_last_and_the_spike",
    ),
    "F20 buttons are pressed twice": (
        "tests/scenarios/test_faults.py::"
        "test_buttons_pressed_in_any_order_leave_one_run_with_every_step_once",
        "tests/scenarios/test_resume.py::test_a_run_cannot_be_started_twice",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_tests_of_a_fault_are_there(fault: str) -> None:
    for place in FAULTS[fault]:
        file, _, name = place.partition("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        there = [f.name for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == name]
        assert there == [name], place
