"""Curves, histograms, pictures and the graph of a few steps, as TensorBoard reads them."""

from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter

optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
with SummaryWriter("tensorboard") as writer:
    writer.add_graph(model, x)
    if x.dim() == 4 and x.shape[1] in (1, 3):
        writer.add_images("samples", (x - x.amin()) / (x.amax() - x.amin()))
    for step in range(5):
        optimizer.zero_grad()
        loss = loss_function(model(x), y)
        loss.backward()
        optimizer.step()
        writer.add_scalar("loss", loss, step)
        for name, weight in model.named_parameters():
            writer.add_histogram(name, weight, step)

read = EventAccumulator("tensorboard").Reload()
tags = read.Tags()
steps, curve = zip(*((each.step, each.value) for each in read.Scalars("loss")), strict=True)
kinds = ["scalars", "histograms", "images"]
counts, last = [len(tags[kind]) for kind in kinds], curve[-1]
size = sum(file.stat().st_size for file in Path("tensorboard").iterdir())
histograms = counts[1]
print(f"{histograms} histograms, {counts[2]} pictures, graph: {tags['graph']}; {size:,} bytes")
print(f"the last loss is {last:.4f}; tensorboard --logdir tensorboard opens it")
