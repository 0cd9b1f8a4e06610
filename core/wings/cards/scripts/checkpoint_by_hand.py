"""A checkpoint is a dict of everything a training needs to resume, in one file."""

import copy
from pathlib import Path


def train(network, optimizer, steps):
    """Some steps; the loss of each."""
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_function(network(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


other, blank = copy.deepcopy(model), copy.deepcopy(model)
steps = list(range(6))
whole = train(model, torch.optim.AdamW(model.parameters()), 6)

optimizer = torch.optim.AdamW(other.parameters())
losses = train(other, optimizer, 3)
torch.save(
    {
        "epoch": 3,
        "model": other.state_dict(),
        "optimizer": optimizer.state_dict(),
        "loss": losses[-1],
    },
    "checkpoint.pt",
)
size = Path("checkpoint.pt").stat().st_size

found = torch.load("checkpoint.pt", weights_only=True)
blank.load_state_dict(found["model"])
optimizer = torch.optim.AdamW(blank.parameters())
optimizer.load_state_dict(found["optimizer"])
resumed = losses + train(blank, optimizer, 3)
forgetful = losses + train(other, torch.optim.AdamW(other.parameters()), 3)
difference = max(abs(a - b) for a, b in zip(whole, resumed, strict=True))
lost = abs(whole[-1] - forgetful[-1])
entries = len(found)
print(f"{size:,} bytes, {entries} entries; resumed after 3 of 6 steps it differs by {difference}")
print(f"without the optimiser's state the last loss differs by {lost:.1e}")
