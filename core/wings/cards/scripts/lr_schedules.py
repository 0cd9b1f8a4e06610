"""The learning rate of a hundred steps, by torch's own schedules."""

from torch.optim import lr_scheduler as schedules

steps = list(range(100))
makers = {
    "StepLR": lambda optimizer: schedules.StepLR(optimizer, 30, gamma=0.1),
    "CosineAnnealingLR": lambda optimizer: schedules.CosineAnnealingLR(optimizer, 100),
    "OneCycleLR": lambda optimizer: schedules.OneCycleLR(optimizer, 0.1, total_steps=100),
    "LinearLR": lambda optimizer: schedules.LinearLR(optimizer, 0.1, total_iters=20),
}
rates = {}
for name, make in makers.items():
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = make(optimizer)
    rates[name] = []
    for _ in steps:
        rates[name].append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
step, cosine, cycle, linear = rates.values()
half, peak = cosine[50], cycle.index(max(cycle))
print(f"halfway, the cosine is at {half:.4f}; one cycle is highest at step {peak}")
