"""Two profiler traces of the same work compared: a batch at once, and one sample at a time."""

from collections import Counter

from torch.profiler import ProfilerActivity, profile, record_function


def traced(run):
    """The events of a profiler while something runs, below an event of ours around it all."""
    with profile(activities=[ProfilerActivity.CPU]) as profiler, record_function("window"):
        run()
    found = list(profiler.events())
    window = next(event for event in found if event.name == "window")
    below, waiting = [], list(window.cpu_children)
    while waiting:
        below.append(waiting.pop())
        waiting += below[-1].cpu_children
    return window, below


def divided(window, below):
    """Milliseconds outside of operators, in those that call no other, and in those that do."""
    idle = window.self_cpu_time_total
    compute = sum(event.self_cpu_time_total for event in below if not event.cpu_children)
    other = sum(event.self_cpu_time_total for event in below if event.cpu_children)
    return [idle / 1000, compute / 1000, other / 1000]


torch.set_grad_enabled(False)
runs = lambda: model(x), lambda: [model(x[row : row + 1]) for row in range(len(x))]
whole, single = (min((traced(run) for _ in range(5)), key=lambda trace: trace[0].cpu_time_total)
                 for run in runs)  # fmt: skip
kinds, at_once, one_by_one = ["idle", "compute", "other"], divided(*whole), divided(*single)
calls, times = [Counter(), Counter()], [Counter(), Counter()]
for count, spent, (_, below) in zip(calls, times, (whole, single), strict=True):
    for event in below:
        count[event.name] += 1
        spent[event.name] += event.self_cpu_time_total / 1000
rows = [[name, str(calls[0][name]), f"{times[0][name]:.3f}", str(calls[1][name]),
         f"{times[1][name]:.3f}", f"{times[1][name] - times[0][name]:+.3f}"]
        for name, _ in (times[0] + times[1]).most_common(20)]  # fmt: skip
operators, calls_single = calls[0].total(), calls[1].total()
windows = [each.cpu_time_total / 1000 for each, _ in (whole, single)]
slower = windows[1] / windows[0]
idle_whole, idle_single = 100 * at_once[0] / windows[0], 100 * one_by_one[0] / windows[1]
most = max(zip(kinds, at_once, one_by_one, strict=True), key=lambda each: abs(each[2] - each[1]))[0]
print(*("{:36} {:>4} {:>9} {:>5} {:>9} {:>9}".format(*row) for row in rows), sep="\n")
print(f"{windows[0]:.3f} ms at once, {windows[1]:.3f} ms one at a time: {slower:.2f} times as long")
