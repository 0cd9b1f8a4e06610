"""Recurrent networks, encoders and decoders, graphs: tokens, states, loops over time."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.wings.importing.bench.textbook.pages import page

TOKENS = ("int64",)


@page("Dive into Deep Learning", (7, 5), unrolled=True)
class RNNScratch(nn.Module):
    """A recurrent network from parameters: a loop over the steps, the states in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.num_hiddens = 6
        self.W_xh = nn.Parameter(torch.randn(5, 6) * 0.1)
        self.W_hh = nn.Parameter(torch.randn(6, 6) * 0.1)
        self.b_h = nn.Parameter(torch.zeros(6))

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        inputs = inputs.transpose(0, 1)
        state = torch.zeros((inputs.shape[1], self.num_hiddens), device=inputs.device)
        outputs: list[Tensor] = []
        for X in inputs:
            state = torch.tanh(
                torch.matmul(X, self.W_xh) + torch.matmul(state, self.W_hh) + self.b_h
            )
            outputs.append(state)
        return torch.stack(outputs), state


@page("homework", (9, 4))
class LSTMClassifier(nn.Module):
    """Zeros as the first states, the last step goes to a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden_size, self.num_layers = 8, 2
        self.lstm = nn.LSTM(4, 8, 2, batch_first=True)
        self.fc = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        h0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size).to(x.device)
        c0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size).to(x.device)
        out, _ = self.lstm(x, (h0, c0))
        return self.fc(out[:, -1, :])


@page("homework", (12,), dtypes=TOKENS)
class Sentiment(nn.Module):
    """Tokens to a bidirectional LSTM; the last states of both directions are joined."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 8, padding_idx=0)
        self.rnn = nn.LSTM(8, 6, num_layers=2, bidirectional=True, dropout=0.5, batch_first=True)
        self.dropout = nn.Dropout(0.5)
        self.fc = nn.Linear(12, 1)

    def forward(self, text: Tensor) -> Tensor:
        embedded = self.dropout(self.embedding(text))
        _, (hidden, _) = self.rnn(embedded)
        hidden = self.dropout(torch.cat((hidden[-2, :, :], hidden[-1, :, :]), dim=1))
        return self.fc(hidden).squeeze(1)


@page("Dive into Deep Learning", (12,), dtypes=TOKENS)
class TextCNN(nn.Module):
    """Two embeddings, convolutions in a ModuleList, a list comprehension joined."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.constant_embedding = nn.Embedding(30, 6), nn.Embedding(30, 6)
        self.dropout, self.decoder = nn.Dropout(0.5), nn.Linear(12, 2)
        self.pool, self.relu = nn.AdaptiveAvgPool1d(1), nn.ReLU()
        self.convs = nn.ModuleList(nn.Conv1d(12, 4, k) for k in (3, 4, 5))

    def forward(self, inputs: Tensor) -> Tensor:
        embeddings = torch.cat((self.embedding(inputs), self.constant_embedding(inputs)), dim=2)
        embeddings = embeddings.permute(0, 2, 1)
        encoding = torch.cat(
            [torch.squeeze(self.relu(self.pool(conv(embeddings))), dim=-1) for conv in self.convs],
            dim=1,
        )
        return self.decoder(self.dropout(encoding))


@page("PyTorch tutorials", (20,), dtypes=TOKENS)
class BagOfEmbeddings(nn.Module):
    """The text classification tutorial: EmbeddingBag and a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(40, 8, sparse=False)
        self.fc = nn.Linear(8, 4)
        self.init_weights()

    def init_weights(self) -> None:
        self.embedding.weight.data.uniform_(-0.5, 0.5)
        self.fc.bias.data.zero_()

    def forward(self, text: Tensor) -> Tensor:
        return self.fc(self.embedding(text))


@page("PyTorch examples", (6,), dtypes=TOKENS, batch_dim=1)
class WordRNN(nn.Module):
    """The example word_language_model: tied weights, time first, the states go out."""

    def __init__(self) -> None:
        super().__init__()
        self.ntoken = 30
        self.drop = nn.Dropout(0.2)
        self.encoder = nn.Embedding(30, 8)
        self.rnn = nn.LSTM(8, 8, 2, dropout=0.2)
        self.decoder = nn.Linear(8, 30)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        self.nhid, self.nlayers = 8, 2

    def forward(self, input: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        emb = self.drop(self.encoder(input))
        output, hidden = self.rnn(emb)
        output = self.drop(output)
        decoded = self.decoder(output)
        decoded = decoded.view(-1, self.ntoken)
        return F.log_softmax(decoded, dim=1), hidden


@page("Dive into Deep Learning", (7,), (5,), dtypes=("int64", "int64"))
class Seq2Seq(nn.Module):
    """A GRU encoder, its last state as context for the decoder, time first inside."""

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(20, 6)
            self.rnn = nn.GRU(6, 8, 2, dropout=0.1)

        def forward(self, X: Tensor) -> tuple[Tensor, Tensor]:
            embs = self.embedding(X.t().type(torch.int64))
            outputs, state = self.rnn(embs)
            return outputs, state

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(20, 6)
            self.rnn = nn.GRU(14, 8, 2, dropout=0.1)
            self.dense = nn.LazyLinear(20)

        def forward(self, X: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, list[Tensor]]:
            embs = self.embedding(X.t().type(torch.int32))
            enc_output, hidden_state = state
            context = enc_output[-1]
            context = context.repeat(embs.shape[0], 1, 1)
            embs_and_context = torch.cat((embs, context), -1)
            outputs, hidden_state = self.rnn(embs_and_context, hidden_state)
            outputs = self.dense(outputs).swapaxes(0, 1)
            return outputs, [enc_output, hidden_state]

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = self.Encoder(), self.Decoder()

    def forward(self, enc_X: Tensor, dec_X: Tensor) -> Tensor:
        enc_all_outputs = self.encoder(enc_X)
        return self.decoder(dec_X, enc_all_outputs)[0]


@page("PyTorch tutorials", (7,), dtypes=TOKENS)
class TranslationEncoder(nn.Module):
    """The seq2seq tutorial's encoder: embedding, dropout, GRU."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden_size = 8
        self.embedding = nn.Embedding(20, 8)
        self.gru = nn.GRU(8, 8, batch_first=True)
        self.dropout = nn.Dropout(0.1)

    def forward(self, input: Tensor) -> tuple[Tensor, Tensor]:
        embedded = self.dropout(self.embedding(input))
        output, hidden = self.gru(embedded)
        return output, hidden


class BahdanauAttention(nn.Module):
    """Additive attention of the seq2seq tutorial."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        context = torch.bmm(weights, keys)
        return context, weights


@page("PyTorch tutorials", (6, 8), (8,))
class AttentionDecoder(nn.Module):
    """The seq2seq tutorial's decoder: greedy steps, topk, detach, outputs in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.attention = BahdanauAttention(8)
        self.gru = nn.GRU(16, 8, batch_first=True)
        self.out = nn.Linear(8, 12)

    def forward(self, encoder_outputs: Tensor, last: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        batch_size = encoder_outputs.size(0)
        decoder_input = torch.empty(batch_size, 1, dtype=torch.long).fill_(0)
        decoder_hidden = last.unsqueeze(0)
        decoder_outputs: list[Tensor] = []
        attentions: list[Tensor] = []
        for _ in range(3):
            query = decoder_hidden.permute(1, 0, 2)
            context, weights = self.attention(query, encoder_outputs)
            input_gru = torch.cat((self.embedding(decoder_input), context), dim=2)
            output, decoder_hidden = self.gru(input_gru, decoder_hidden)
            output = self.out(output)
            decoder_outputs.append(output)
            attentions.append(weights)
            _, topi = output.topk(1)
            decoder_input = topi.squeeze(-1).detach()
        outputs = F.log_softmax(torch.cat(decoder_outputs, dim=1), dim=-1)
        return outputs, decoder_hidden, torch.cat(attentions, dim=1)


@page("PyTorch examples", (10,))
class TimeSequence(nn.Module):
    """The example time_sequence_prediction: LSTMCells over split(1, dim=1), then the future."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm1, self.lstm2 = nn.LSTMCell(1, 5), nn.LSTMCell(5, 5)
        self.linear = nn.Linear(5, 1)

    def forward(self, input: Tensor, future: int = 2) -> Tensor:
        outputs: list[Tensor] = []
        h_t = torch.zeros(input.size(0), 5, dtype=input.dtype)
        c_t = torch.zeros(input.size(0), 5, dtype=input.dtype)
        h_t2 = torch.zeros(input.size(0), 5, dtype=input.dtype)
        c_t2 = torch.zeros(input.size(0), 5, dtype=input.dtype)
        output = h_t[:, :1]
        for input_t in input.split(1, dim=1):
            h_t, c_t = self.lstm1(input_t, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        for _ in range(future):
            h_t, c_t = self.lstm1(output, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        return torch.cat(outputs, dim=1)


@page("PyTorch tutorials", (5, 6), unrolled=True)
class NameRNN(nn.Module):
    """The names tutorial: an own cell with i2h and h2o, called for every letter."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden_size = 7
        self.i2h = nn.Linear(13, 7)
        self.h2o = nn.Linear(7, 4)
        self.softmax = nn.LogSoftmax(dim=1)

    def init_hidden(self, size: int) -> Tensor:
        return torch.zeros(size, self.hidden_size)

    def step(self, letter: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        combined = torch.cat((letter, hidden), 1)
        hidden = self.i2h(combined)
        return self.softmax(self.h2o(hidden)), hidden

    def forward(self, line: Tensor) -> Tensor:
        hidden = self.init_hidden(line.size(0))
        output = hidden
        for i in range(line.size(1)):
            output, hidden = self.step(line[:, i], hidden)
        return output


@page("PyTorch tutorials", (4,))
class DQN(nn.Module):
    """The reinforcement learning tutorial's network."""

    def __init__(self, n_observations: int = 4, n_actions: int = 2) -> None:
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 16)
        self.layer2 = nn.Linear(16, 16)
        self.layer3 = nn.Linear(16, n_actions)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


@page("PyTorch examples", (4,))
class ActorCritic(nn.Module):
    """The example reinforcement_learning: two heads, a softmax over the last dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.affine1 = nn.Linear(4, 16)
        self.action_head, self.value_head = nn.Linear(16, 2), nn.Linear(16, 1)
        self.saved_actions: list[float] = []

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = F.relu(self.affine1(x))
        action_prob = F.softmax(self.action_head(x), dim=-1)
        return action_prob, self.value_head(x)


@page("PyTorch examples", (5, 6), (5, 5))
class GCN(nn.Module):
    """The example gcn, dense: features times weights, then the adjacency."""

    class GraphConv(nn.Module):
        def __init__(self, input_dim: int, output_dim: int) -> None:
            super().__init__()
            self.kernel = nn.Parameter(torch.Tensor(input_dim, output_dim))
            nn.init.xavier_normal_(self.kernel)
            self.bias = nn.Parameter(torch.zeros(output_dim))

        def forward(self, input_tensor: Tensor, adj_mat: Tensor) -> Tensor:
            support = torch.matmul(input_tensor, self.kernel)
            output = torch.bmm(adj_mat, support)
            return output + self.bias

    def __init__(self) -> None:
        super().__init__()
        self.gc1, self.gc2 = self.GraphConv(6, 8), self.GraphConv(8, 3)
        self.dropout = nn.Dropout(0.1)

    def forward(self, input_tensor: Tensor, adj_mat: Tensor) -> Tensor:
        x = self.dropout(F.relu(self.gc1(input_tensor, adj_mat)))
        return F.log_softmax(self.gc2(x, adj_mat), dim=-1)


@page("PyTorch examples", (5, 6), (5, 5))
class GAT(nn.Module):
    """The example gat, dense: scores of pairs, -9e16 where there is no edge."""

    def __init__(self) -> None:
        super().__init__()
        self.n_heads, self.n_hidden = 2, 4
        self.W = nn.Parameter(torch.randn(6, 8) * 0.3)
        self.a = nn.Parameter(torch.randn(8, 1) * 0.3)
        self.leakyrelu = nn.LeakyReLU(0.2)

    def forward(self, h: Tensor, adj_mat: Tensor) -> Tensor:
        n_nodes = h.shape[1]
        h_prime = torch.matmul(h, self.W).view(-1, n_nodes, self.n_heads, self.n_hidden)
        h_prime = h_prime.permute(0, 2, 1, 3)
        source_scores = torch.matmul(h_prime, self.a[: self.n_hidden, :])
        target_scores = torch.matmul(h_prime, self.a[self.n_hidden :, :])
        e = self.leakyrelu(source_scores + target_scores.mT)
        connectivity_mask = -9e16 * torch.ones_like(e)
        e = torch.where(adj_mat.unsqueeze(1) > 0.5, e, connectivity_mask)
        attention = F.softmax(e, dim=-1)
        h_prime = torch.matmul(attention, h_prime)
        return h_prime.mean(dim=1)


@page("Dive into Deep Learning", (9,), dtypes=TOKENS)
class PositionalTokens(nn.Module):
    """Embedding times the root of its width, plus sines in a buffer cut to the length."""

    P: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.num_hiddens = 8
        self.embedding, self.dropout = nn.Embedding(20, 8), nn.Dropout(0.1)
        P = torch.zeros((1, 50, 8))
        X = torch.arange(50, dtype=torch.float32).reshape(-1, 1) / torch.pow(
            10000, torch.arange(0, 8, 2, dtype=torch.float32) / 8
        )
        P[:, :, 0::2] = torch.sin(X)
        P[:, :, 1::2] = torch.cos(X)
        self.register_buffer("P", P)

    def forward(self, X: Tensor) -> Tensor:
        X = self.embedding(X) * math.sqrt(self.num_hiddens)
        X = X + self.P[:, : X.shape[1], :].to(X.device)
        return self.dropout(X)
