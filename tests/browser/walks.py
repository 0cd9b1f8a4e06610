"""Ways through the workbench that axe-core looks at, each from its start page."""

from tests.browser.states import (
    after_run_states,
    block_states,
    custom_code,
    error_states,
    open_lenet,
    other_tab,
    over_the_canvas,
    run_states,
    start_states,
    sweep_states,
    train,
)
from tests.wing_parts import rows

WALKS = {
    "start": (start_states,),
    "blocks and errors": (block_states, error_states),
    "over the canvas": (over_the_canvas, other_tab),
    "custom code": (custom_code,),
    "a run": (run_states,),
    "after a run": (train, after_run_states),
    "sweeps": (open_lenet, sweep_states),
    **rows("walks", "WALKS"),
}
