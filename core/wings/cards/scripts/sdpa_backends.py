"""The network's attention by each of torch's implementations."""

import time

from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

calls, attend = [], F.scaled_dot_product_attention
F.scaled_dot_product_attention = lambda *a, **more: (calls.append((a, more)), attend(*a, **more))[1]
with torch.no_grad():
    model(x)
F.scaled_dot_product_attention = attend
(query, key, value, *_), more = calls[0]
score_bytes = query.shape[:-1].numel() * key.shape[-2] * query.element_size()

ways = {
    "math": SDPBackend.MATH,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
}
rows, names, times, answers = [], [], [], []
for name, way in ways.items():
    best = 1e9
    try:
        with torch.no_grad(), sdpa_kernel(way):
            for _ in range(9):
                begin = time.perf_counter()
                answer = attend(query, key, value, **more)
                best = min(best, 1000 * (time.perf_counter() - begin))
    except RuntimeError as error:
        rows.append([name, "does not run here", str(error).splitlines()[0][:60]])
        continue
    answers.append(answer)
    names.append(name)
    times.append(best)
    rows.append([name, f"{times[-1]:.3f} ms", f"{(answer - answers[0]).abs().max():.1e}"])
difference = max((answer - answers[0]).abs().max().item() for answer in answers)
there, gain = len(names), times[0] / min(times)
print(*("  ".join(row) for row in rows), sep="\n")
print(f"scores that flash never stores: {score_bytes:,} bytes; outputs differ by {difference:.1e}")
print(f"the fastest of {there} is {gain:.2f} times as fast as math")
