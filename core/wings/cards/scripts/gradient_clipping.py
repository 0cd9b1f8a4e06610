"""Clipping makes a gradient shorter and keeps its direction."""

loss_function(model(x), y).backward()
weights = [(name, w) for name, w in model.named_parameters() if w.grad is not None]
before = torch.cat([weight.grad.flatten() for _, weight in weights]).clone()
names = [name for name, _ in weights]
long = [weight.grad.norm().item() for _, weight in weights]

norm = before.norm().item()
limit = norm / 4
torch.nn.utils.clip_grad_norm_([weight for _, weight in weights], limit)
after = torch.cat([weight.grad.flatten() for _, weight in weights])
short = [weight.grad.norm().item() for _, weight in weights]
clipped = after.norm().item()
cosine = torch.nn.functional.cosine_similarity(before, after, dim=0).item()
print(f"norm of the gradient: {norm:.4g}; clipped at {limit:.4g}: {clipped:.4g}")
print(f"cosine of the angle between the two: {cosine:.6f}")
