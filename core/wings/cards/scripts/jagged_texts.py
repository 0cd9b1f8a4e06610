"""Texts of different lengths without padding: a nested tensor beside a padded one."""

import time

embedding = next(part for part in model.modules() if isinstance(part, nn.Embedding))
longest = x.shape[1]
lengths = torch.randint(4, longest + 1, (len(x),), generator=torch.Generator().manual_seed(SEED))
texts = [row[:n] for row, n in zip(x, lengths.tolist(), strict=True)]
jagged = torch.nested.nested_tensor(texts, layout=torch.jagged)
padded = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True)
layer = nn.Linear(embedding.embedding_dim, 256)


def milliseconds(tokens):
    """The fastest of several passes."""
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        layer(embedding(tokens)).relu()
        times.append(1000 * (time.perf_counter() - begin))
    return min(times)


with torch.no_grad():
    times = [milliseconds(padded), milliseconds(jagged)]
    ones = layer(embedding(jagged)).relu().values()
    others = torch.cat([layer(embedding(text)).relu() for text in texts])
    difference = (ones - others).abs().max().item()
kept, places = int(lengths.sum()), padded.numel()
waste = 1 - kept / places
names, sizes = ["padded", "jagged"], [places, kept]
print(f"{kept} tokens in {places} positions: {waste:.1%} of a padded batch is padding")
print(f"{times[0]:.3f} ms padded, {times[1]:.3f} ms jagged; differs by {difference:.1e}")
