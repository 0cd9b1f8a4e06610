"""Attention and Transformers: masks, heads by reshaping, keyword arguments."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.wings.importing.bench.textbook.pages import page

TOKENS = ("int64",)


@page("Dive into Deep Learning", (5, 8), (7, 8), (7, 6))
class DotProductAttention(nn.Module):
    """Scaled products, batched by bmm; the weights are kept as an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = F.softmax(scores, dim=-1)
        return torch.bmm(self.dropout(self.attention_weights), values)


@page("Dive into Deep Learning", (5, 8), (7, 6))
class AdditiveAttention(nn.Module):
    """Queries and keys added over two new dimensions, lazy."""

    def __init__(self) -> None:
        super().__init__()
        self.W_k = nn.LazyLinear(8, bias=False)
        self.W_q = nn.LazyLinear(8, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        queries, k = self.W_q(queries), self.W_k(keys)
        features = queries.unsqueeze(2) + k.unsqueeze(1)
        features = torch.tanh(features)
        scores = self.w_v(features).squeeze(-1)
        return torch.bmm(F.softmax(scores, dim=-1), keys)


@page("Dive into Deep Learning", (6, 8), (), dtypes=("float32", "int64"))
class MaskedAttention(nn.Module):
    """masked_softmax with valid lengths, the masked values overwritten by -1e6."""

    def __init__(self) -> None:
        super().__init__()
        self.proj = nn.Linear(8, 8)

    def masked_softmax(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        shape = X.shape
        valid_lens = torch.repeat_interleave(valid_lens, shape[1])
        X = X.reshape(-1, shape[-1])
        maxlen = X.size(1)
        mask = torch.arange(maxlen, dtype=torch.float32)[None, :] < valid_lens[:, None]
        X[~mask] = -1e6
        return F.softmax(X.reshape(shape), dim=-1)

    def forward(self, x: Tensor, valid_lens: Tensor) -> Tensor:
        x = self.proj(x)
        scores = torch.bmm(x, x.transpose(1, 2)) / math.sqrt(8)
        return torch.bmm(self.masked_softmax(scores, valid_lens + 1), x)


@page("Dive into Deep Learning", (6, 8))
class MultiHead(nn.Module):
    """Heads by reshape, permute, reshape; batches and heads are one dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.num_heads = 2
        self.W_q, self.W_k = nn.LazyLinear(8), nn.LazyLinear(8)
        self.W_v, self.W_o = nn.LazyLinear(8), nn.LazyLinear(8)

    def transpose_qkv(self, X: Tensor) -> Tensor:
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1)
        X = X.permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(self, X: Tensor) -> Tensor:
        X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2])
        X = X.permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, x: Tensor) -> Tensor:
        queries = self.transpose_qkv(self.W_q(x))
        keys = self.transpose_qkv(self.W_k(x))
        values = self.transpose_qkv(self.W_v(x))
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        output = torch.bmm(scores.softmax(-1), values)
        return self.W_o(self.transpose_output(output))


class Head(nn.Module):
    """One head of self-attention with a causal mask in a buffer."""

    tril: Tensor

    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        _, T, C = x.shape
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * C**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = self.dropout(F.softmax(wei, dim=-1))
        return wei @ self.value(x)


class Block(nn.Module):
    """Heads in a ModuleList, then a feed-forward net, each with a norm before it."""

    def __init__(self, n_embd: int, n_head: int, block_size: int) -> None:
        super().__init__()
        size = n_embd // n_head
        self.heads = nn.ModuleList([Head(n_embd, size, block_size) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)
        self.ffwd = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd), nn.Dropout(0.1)
        )
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)

    def forward(self, x: Tensor) -> Tensor:
        y = self.ln1(x)
        x = x + self.proj(torch.cat([h(y) for h in self.heads], dim=-1))
        return x + self.ffwd(self.ln2(x))


@page("lectures", (8,), dtypes=TOKENS)
class TinyGPT(nn.Module):
    """A character model: token and position tables, blocks as nn.Sequential(*[...])."""

    def __init__(self) -> None:
        super().__init__()
        self.token_embedding_table = nn.Embedding(20, 8)
        self.position_embedding_table = nn.Embedding(8, 8)
        self.blocks = nn.Sequential(*[Block(8, 2, 8) for _ in range(2)])
        self.ln_f, self.lm_head = nn.LayerNorm(8), nn.Linear(8, 20)

    def forward(self, idx: Tensor, targets: Tensor | None = None) -> Tensor:
        _, T = idx.shape
        tok_emb = self.token_embedding_table(idx)
        pos_emb = self.position_embedding_table(torch.arange(T, device=idx.device))
        x = self.blocks(tok_emb + pos_emb)
        logits = self.lm_head(self.ln_f(x))
        if targets is not None:
            return F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits


@page("lectures", (8,), dtypes=TOKENS)
class Bigram(nn.Module):
    """The bigram model: a table of logits, a loss only with targets, a tuple with None."""

    def __init__(self) -> None:
        super().__init__()
        self.token_embedding_table = nn.Embedding(20, 20)

    def forward(self, idx: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        logits = self.token_embedding_table(idx)
        if targets is None:
            loss = None
        else:
            B, T, C = logits.shape
            loss = F.cross_entropy(logits.view(B * T, C), targets.view(B * T))
        return logits, loss


@page("PyTorch examples", (6,), dtypes=TOKENS, batch_dim=1)
class WordTransformer(nn.Module):
    """The example word_language_model: an encoder with a mask of its own making, time first."""

    pe: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.ninp = 8
        self.input_emb = nn.Embedding(20, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, 0.1)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.decoder = nn.Linear(8, 20)
        pe = torch.zeros(40, 8)
        position = torch.arange(0, 40, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, 8, 2).float() * (-math.log(10000.0) / 8))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(position * div_term), torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0).transpose(0, 1))

    def forward(self, src: Tensor) -> Tensor:
        mask = torch.log(torch.tril(torch.ones(len(src), len(src))))
        src = self.input_emb(src) * math.sqrt(self.ninp)
        src = src + self.pe[: src.size(0), :]
        output = self.encoder(src, mask=mask)
        return F.log_softmax(self.decoder(output), dim=-1)


@page("Dive into Deep Learning", (3, 16, 16))
class ViT(nn.Module):
    """Patches, a class token expanded to the batch, encoder blocks named by f-strings."""

    class EncoderBlock(nn.Module):
        def __init__(self, num_hiddens: int) -> None:
            super().__init__()
            self.ln1, self.ln2 = nn.LayerNorm(num_hiddens), nn.LayerNorm(num_hiddens)
            self.attention = nn.MultiheadAttention(num_hiddens, 2, batch_first=True)
            self.mlp = nn.Sequential(
                nn.LazyLinear(16), nn.GELU(), nn.Dropout(0.1), nn.LazyLinear(num_hiddens)
            )

        def forward(self, X: Tensor) -> Tensor:
            normed = self.ln1(X)
            X = X + self.attention(normed, normed, normed)[0]
            return X + self.mlp(self.ln2(X))

    def __init__(self) -> None:
        super().__init__()
        self.patch_embedding = nn.LazyConv2d(8, kernel_size=4, stride=4)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, 8))
        self.pos_embedding = nn.Parameter(torch.randn(1, 17, 8))
        self.blks = nn.Sequential()
        for i in range(2):
            self.blks.add_module(f"{i}", self.EncoderBlock(8))
        self.head = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 10))

    def forward(self, X: Tensor) -> Tensor:
        X = self.patch_embedding(X).flatten(2).transpose(1, 2)
        X = torch.cat((self.cls_token.expand(X.shape[0], -1, -1), X), 1)
        X = X + self.pos_embedding
        for blk in self.blks:
            X = blk(X)
        return self.head(X[:, 0])


@page("Dive into Deep Learning", (6,), dtypes=TOKENS)
class BertLike(nn.Module):
    """Segments and positions added, the first token through a tanh, a dict of results."""

    def __init__(self) -> None:
        super().__init__()
        self.token_embedding, self.segment_embedding = nn.Embedding(20, 8), nn.Embedding(2, 8)
        self.pos_embedding = nn.Parameter(torch.randn(1, 50, 8))
        self.blks = nn.ModuleList(
            [nn.TransformerEncoderLayer(8, 2, 16, batch_first=True) for _ in range(2)]
        )
        self.hidden = nn.Sequential(nn.LazyLinear(8), nn.Tanh())

    def forward(self, tokens: Tensor) -> dict[str, Tensor]:
        segments = torch.zeros_like(tokens)
        X = self.token_embedding(tokens) + self.segment_embedding(segments)
        X = X + self.pos_embedding[:, : X.shape[1], :]
        for blk in self.blks:
            X = blk(X)
        return {"encoded": X, "pooled": self.hidden(X[:, 0, :])}


@page("PyTorch tutorials", (6,), (5,), dtypes=("int64", "int64"))
class Translator(nn.Module):
    """nn.Transformer with a target mask by generate_square_subsequent_mask."""

    def __init__(self) -> None:
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
        self.generator = nn.Linear(8, 20)
        self.src_tok_emb, self.tgt_tok_emb = nn.Embedding(20, 8), nn.Embedding(20, 8)

    def forward(self, src: Tensor, trg: Tensor) -> Tensor:
        tgt_mask = nn.Transformer.generate_square_subsequent_mask(trg.shape[1])
        outs = self.transformer(
            self.src_tok_emb(src.long()) * math.sqrt(8),
            self.tgt_tok_emb(trg.long()) * math.sqrt(8), tgt_mask=tgt_mask,
        )  # fmt: skip
        return self.generator(outs)


@page("homework", (5, 12))
class QKVTogether(nn.Module):
    """q, k, v from one layer by reshape to five dimensions and unbind."""

    def __init__(self) -> None:
        super().__init__()
        self.num_heads, self.scale = 3, 4**-0.5
        self.qkv, self.proj = nn.Linear(12, 36), nn.Linear(12, 12)

    def forward(self, x: Tensor) -> Tensor:
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        x = (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)
