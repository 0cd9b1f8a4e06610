"""The time of a forward pass for all combinations of memory layout, precision and threads."""

import copy
import time


def milliseconds(network, batch):
    """The fastest of several passes."""
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        network(batch)
        times.append(1000 * (time.perf_counter() - begin))
    return min(times)


layouts = {"contiguous": torch.contiguous_format}
layouts |= {"channels last": torch.channels_last} if x.dim() == 4 else {}
precisions = {"float32": torch.float32, "bfloat16": torch.bfloat16}
rows, labels, times = [], [], []
with torch.no_grad():
    expected = model(x)
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for layout, form in layouts.items():
            for precision, kind in precisions.items():
                network = copy.deepcopy(model).to(kind).to(memory_format=form)
                batch = x.to(kind) if x.is_floating_point() else x
                batch = batch.contiguous(memory_format=form)
                times.append(milliseconds(network, batch))
                lies = (network(batch).float() - expected).abs().max().item()
                labels.append(f"{layout}, {precision}, {threads} threads")
                rows.append([layout, precision, str(threads), f"{times[-1]:.3f}", f"{lies:.1e}"])
                print(f"{labels[-1]:40} {times[-1]:8.3f} ms, differs by {lies:.1e}")
torch.set_num_threads(1)
gain, combinations = times[0] / min(times), len(times)
best = labels[times.index(min(times))]
difference = max(float(row[4]) for row in rows if row[1] == "bfloat16")
print(f"the best is {gain:.2f} times as fast as the first")
