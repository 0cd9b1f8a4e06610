"""A DataLoader with work for each sample, with and without worker processes."""

import time

from torch.utils.data import DataLoader, Dataset


class Costly(Dataset):
    """The samples of the batch, each after some work, like decoding an image."""

    def __len__(self):
        return len(x)

    def __getitem__(self, index):
        for _ in range(20):
            torch.rand(128, 128).sort()
        return x[index]


labels, times, seen = [], [], []
for workers in (0, 1, 2):
    loader = DataLoader(Costly(), batch_size=8, num_workers=workers)
    begin = time.perf_counter()
    seen.append(sum(len(batch) for batch in loader))
    times.append(1000 * (time.perf_counter() - begin))
    labels.append(f"{workers} workers")
    print(f"{labels[-1]}: {times[-1]:7.1f} ms for {seen[-1]} samples")
gain, samples = times[0] / min(times[1:]), seen[-1]
print(f"workers: {gain:.2f} times as fast, including their start")
