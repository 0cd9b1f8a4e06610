"""Variational autoencoder: (N, 1, 8, 8) -> ((N, 1, 8, 8), (N,)). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(64, 128)
        self.relu = nn.ReLU()
        self.mu = nn.Linear(128, 8)
        self.log_var = nn.Linear(128, 8)

    def forward(self, input: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.flatten(input, start_dim=1)  # (N, 64)
        x = self.fc1(x)  # (N, 128)
        relu = self.relu(x)
        mu = self.mu(relu)  # (N, 8)
        log_var = self.log_var(relu)  # (N, 8)
        return mu, log_var


class Reparameterize(nn.Module):
    def forward(self, mu: Tensor, log_var: Tensor) -> Tensor:
        x = log_var * 0.5
        deviation = torch.exp(x)
        x = torch.randn_like(deviation)
        x = deviation * x
        x = mu + x
        return x


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(8, 128)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(128, 64)

    def forward(self, input: Tensor) -> Tensor:
        x = self.fc1(input)  # (N, 128)
        x = self.relu(x)
        x = self.fc2(x)  # (N, 64)
        x = torch.unflatten(x, 1, (1, 8, 8))  # (N, 1, 8, 8)
        return x


class KLDivergence(nn.Module):
    def forward(self, mu: Tensor, log_var: Tensor) -> Tensor:
        squared = torch.square(mu)
        x = torch.exp(log_var)
        x = squared + x
        x = x - log_var
        x = x - 1.0
        x = torch.sum(x, dim=(1,))  # (N,)
        x = x * 0.5
        return x


class VariationalAutoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.code = Reparameterize()
        self.decoder = Decoder()
        self.divergence = KLDivergence()

    def forward(self, digit: Tensor) -> tuple[Tensor, Tensor]:
        encoder, encoder_log_var_out = self.encoder(digit)  # (N, 8), (N, 8)
        x = self.code(encoder, encoder_log_var_out)
        decoder = self.decoder(x)  # (N, 1, 8, 8)
        divergence = self.divergence(encoder, encoder_log_var_out)  # (N,)
        return decoder, divergence
