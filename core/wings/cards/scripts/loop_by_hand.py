"""Training without a framework: forward, loss, backward, step."""

model.train()
optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
steps, curve = list(range(STEPS + 1)), []
for _ in range(STEPS):
    optimizer.zero_grad()
    loss = loss_function(model(x), y)
    loss.backward()
    optimizer.step()
    curve.append(loss.item())

with torch.no_grad():  # in training mode, as all before
    curve.append(loss_function(model(x), y).item())
first, last = curve[0], curve[-1]
share = (torch.tensor(last) / first).item()
gain = (first - last) / max(abs(first), 1e-12)  # some losses are negative
print(f"the loss of this batch went from {first:.4f} to {last:.4f} in {STEPS} steps")
print(f"that is {share:.1%} of it")
