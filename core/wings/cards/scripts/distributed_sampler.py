"""The samples of four ranks in three epochs, with set_epoch and without."""

from itertools import chain

from torch.utils.data import DistributedSampler

data, ranks, epochs = list(range(14)), 4, 3


def shares(announced, **more):
    """The samples of each rank in each epoch; announced: whether set_epoch is called."""
    samplers = [DistributedSampler(data, ranks, rank, seed=SEED, **more) for rank in range(ranks)]
    found = []
    for epoch in range(epochs):
        for sampler in samplers:
            if announced:
                sampler.set_epoch(epoch)  # the seed of the shuffle is seed + epoch
        found.append([list(sampler) for sampler in samplers])
    return found


def ranks_of(epoch):
    """The ranks that read a sample, for each sample."""
    return [{rank for rank in range(ranks) if sample in epoch[rank]} for sample in data]


fresh, same, dropped = shares(True), shares(False), shares(True, drop_last=True)
rows = []
for epoch in range(epochs):
    for rank in range(ranks):
        both = [" ".join(map(str, plan[epoch][rank])) for plan in (fresh, same)]
        rows.append([str(epoch), str(rank), *both])
        print("epoch {} rank {}: {:14} without set_epoch: {}".format(*rows[-1]))
first, samples = list(chain(*fresh[0])), len(data)
slots, twice = len(first), sum(first.count(sample) > 1 for sample in data)
left_out = samples - len({*chain(*dropped[0])})
moved = sum(a != b for a, b in zip(ranks_of(fresh[0]), ranks_of(fresh[1]), strict=True))
stuck = sum(a == b for a, b in zip(chain(*same[0]), chain(*same[1]), strict=True))
print(f"{slots} places for {samples} samples: {twice} come twice; drop_last leaves {left_out} out")
