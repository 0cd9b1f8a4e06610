"""Each kind of error and warning has a fix that, applied, ends with a valid graph."""

import pytest

from core.analyse import analyse
from core.graph.edits import apply
from tests.core.analyse.broken_graphs import CASES, WARNED, Case
from tests.core.analyse.codes import codes
from tests.core.analyse.test_mistakes import CASES as MISTAKES


@pytest.mark.gate
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.code}-{c.node}-{c.fix[:30]}")
def test_the_fix_of_an_error_ends_with_a_valid_graph(case: Case):
    errors = [e for e in analyse(case.graph).errors if (e.code, e.node) == (case.code, case.node)]
    assert len(errors) == 1
    fixes = {fix["title"]: fix["edits"] for fix in errors[0].fixes}
    assert case.fix in fixes
    mended = analyse(apply(case.graph, fixes[case.fix]))
    assert [e.message for e in mended.errors] == []
    assert str(mended.outputs[0][1]) == case.result


@pytest.mark.parametrize("case", WARNED, ids=lambda c: f"{c.code}-{c.node}")
def test_the_fix_of_a_warning_takes_it_away(case: Case):
    report = analyse(case.graph)
    assert report.ok
    found = [w for w in report.warnings if (w.code, w.node) == (case.code, case.node)]
    assert len(found) == 1
    fixes = {fix["title"]: fix["edits"] for fix in found[0].fixes}
    assert case.fix in fixes
    mended = analyse(apply(case.graph, fixes[case.fix]))
    assert mended.ok
    assert mended.warnings == ()
    assert str(mended.outputs[0][1]) == case.result


def test_every_code_of_the_source_has_a_case_here():
    of_old_torch = {"newer_torch"}  # in test_older_torch
    shown = {case.code for case in (*CASES, *WARNED)} | set(MISTAKES) | of_old_torch
    of_own_python = {"bad_python", "untrusted", "own_python"}  # in test_own_python
    elsewhere = {"source_does_not_run"}  # in test_run_once
    elsewhere |= {"output_cut_off", "loss_of_output", "outputs_of_data"}  # in test_output_checks
    elsewhere |= {"constant_softmax"}  # there, too
    elsewhere |= {"decides_by_values"}  # in tests/core/export/test_wrong_files.py
    elsewhere |= {"specialised", "static_shape"}  # in test_data_dependent
    elsewhere |= {"misplaced_setting"}  # in test_misplaced_settings
    assert sorted(codes() - shown - of_own_python - elsewhere) == []
    assert len(codes()) >= 36


def test_every_error_of_the_cases_offers_a_fix_that_can_be_carried_out():
    for case in CASES:
        for error in analyse(case.graph).errors:
            assert error.fixes, (case.fix, error.message)
            for fix in error.fixes:
                apply(case.graph, fix["edits"])
