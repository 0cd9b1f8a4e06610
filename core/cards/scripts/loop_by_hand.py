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

model.eval()
with torch.no_grad():
    curve.append(loss_function(model(x), y).item())
first, last = curve[0], curve[-1]
share = (torch.tensor(last) / first).item()
print(f"the loss of this batch fell from {first:.4f} to {last:.4f} in {STEPS} steps")
print(f"that is {share:.1%} of it")
