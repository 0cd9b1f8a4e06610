"""Two inputs on diabetes: ((N, 4), (N, 6)) -> (N, 1). Written by Layerloom."""

import torch
from torch import Tensor, nn


class TwoInputsOnDiabetes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body_fc = nn.Linear(4, 12)
        self.blood_fc = nn.Linear(6, 12)
        self.relu = nn.ReLU()
        self.fc = nn.Linear(24, 1)

    def forward(self, body: Tensor, blood: Tensor) -> Tensor:
        body_fc = self.body_fc(body)  # (N, 12)
        x = self.blood_fc(blood)  # (N, 12)
        x = torch.cat([body_fc, x], dim=1)  # (N, 24)
        x = self.relu(x)
        x = self.fc(x)  # (N, 1)
        return x
