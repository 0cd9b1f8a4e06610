"""A stream read by several workers: each reads all of it, unless they divide it."""

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    """The samples of the batch in order. shared: each worker takes every n-th."""

    def __init__(self, shared):
        self.shared = shared

    def __iter__(self):
        worker = get_worker_info()
        begin, step = (worker.id, worker.num_workers) if worker and self.shared else (0, 1)
        yield from range(begin, len(x), step)


labels, counts, distinct = [], [], []
for workers, shared in ((0, False), (2, False), (2, True)):
    rows = torch.cat(list(DataLoader(Stream(shared), batch_size=4, num_workers=workers))).tolist()
    labels.append(f"{workers} workers" + (", divided" if shared else ""))
    counts.append(len(rows))
    distinct.append(len(set(rows)))
    print(f"{labels[-1]:24} {counts[-1]:3} samples, {distinct[-1]} different")
twice, once = counts[1], counts[2]
