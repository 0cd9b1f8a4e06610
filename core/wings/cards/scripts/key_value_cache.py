"""Attention to all tokens so far, one new token after another: with a cache and without."""

import time

from torch.nn import functional as F

calls, attend = [], F.scaled_dot_product_attention
F.scaled_dot_product_attention = lambda *a, **more: (calls.append((a, more)), attend(*a, **more))[1]
with torch.no_grad():
    model(x)
F.scaled_dot_product_attention = attend
causal = [call for call in calls if call[1].get("is_causal")]
(query, key, value, *_), more = causal[0]
last = more | {"is_causal": False}  # the newest token may look at all that are there

afresh, cached, begin = [], [], time.perf_counter()
for n in range(1, query.shape[-2] + 1):
    answer = attend(query[..., :n, :], key[..., :n, :], value[..., :n, :], **more)
    afresh.append(answer[..., -1:, :])
seconds = time.perf_counter() - begin
keys, values, begin = key[..., :0, :], value[..., :0, :], time.perf_counter()
for n in range(query.shape[-2]):
    now = slice(n, n + 1)
    keys = torch.cat([keys, key[..., now, :]], dim=-2)
    values = torch.cat([values, value[..., now, :]], dim=-2)
    cached.append(attend(query[..., now, :], keys, values, **last))
gain = seconds / (time.perf_counter() - begin)

tokens = [*range(1, query.shape[-2] + 1)]
scores, scores_cached = [n * n for n in tokens], tokens
fewer, sharing = sum(scores) / sum(scores_cached), query.shape[1] // key.shape[1]
cache_bytes = (keys.numel() + values.numel()) * keys.element_size()
difference = (torch.cat(cached, -2) - torch.cat(afresh, -2)).abs().max().item()
each, layers = cache_bytes // len(x), len(causal)
print(f"scores: {sum(scores):,} without, {sum(tokens):,} with the cache; {gain:.2f} times as fast")
print(f"the cache: {each:,} bytes for a text and a layer, {layers} layers; differ {difference:.1e}")
