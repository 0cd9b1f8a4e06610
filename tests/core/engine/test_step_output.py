"""StepOutput: skipped steps, and batches of one step joined."""

from torch import tensor

from core.engine.step_output import StepOutput, concatenate


def output(loss: float, size: int) -> StepOutput:
    rows = tensor([[loss]] * size)
    return StepOutput(tensor(loss), [tensor(loss)], (rows,), (rows,), size)


def test_batches_of_a_step_are_joined_with_losses_averaged_by_batch_size() -> None:
    joined = concatenate([output(1.0, 3), output(5.0, 1)])
    assert (joined.loss.item(), [loss.item() for loss in joined.losses]) == (2.0, [2.0])
    assert joined.outputs[0].flatten().tolist() == [1.0, 1.0, 1.0, 5.0]
    assert joined.targets[0].flatten().tolist() == [1.0, 1.0, 1.0, 5.0]
    assert joined.size == 4


def test_a_skipped_step_keeps_its_loss_and_has_no_samples() -> None:
    skipped = output(3.0, 2).without_samples()
    assert skipped.loss.item() == 3.0
    assert [loss.item() for loss in skipped.losses] == [0.0]
    assert (tuple(skipped.outputs[0].shape), tuple(skipped.targets[0].shape)) == ((0, 1), (0, 1))
    assert skipped.size == 0
