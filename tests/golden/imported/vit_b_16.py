"""vit_b_16: (N, 3, 224, 224) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Heads(nn.Sequential):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(768, 1000)


class EncoderBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(768, eps=1e-06)
        self.self_attention = nn.MultiheadAttention(768, 12, batch_first=True)
        self.dropout = nn.Dropout(p=0.0)
        self.ln_2 = nn.LayerNorm(768, eps=1e-06)
        self.mlp = nn.Sequential(
            nn.Linear(768, 3072),
            nn.GELU(),
            nn.Dropout(p=0.0),
            nn.Linear(3072, 768),
            nn.Dropout(p=0.0),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.ln_1(input)
        x, _ = self.self_attention(x, x, x, need_weights=False)
        x = self.dropout(x)
        join1 = x + input
        x = self.ln_2(join1)
        x = self.mlp(x)
        x = join1 + x
        return x


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.randn(1, 197, 768) * 0.02)
        self.dropout = nn.Dropout(p=0.0)
        self.layers = nn.Sequential(*[EncoderBlock() for _ in range(12)])
        self.ln = nn.LayerNorm(768, eps=1e-06)

    def forward(self, input: Tensor) -> Tensor:
        x = input + self.pos_embedding
        x = self.dropout(x)
        x = self.layers(x)
        x = self.ln(x)
        return x


class VitB16(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv_proj = nn.Conv2d(3, 768, kernel_size=16, stride=16)
        self.class_token = nn.Parameter(torch.zeros(1, 1, 768))
        self.encoder = Encoder()
        self.heads = Heads()

    def forward(self, image: Tensor) -> Tensor:
        if image.size(2) != 224 or image.size(3) != 224:
            raise ValueError(
                "image needs to be (N, any, 224, 224), the size it was drawn for"
            )
        x = self.conv_proj(image)  # (N, 768, 14, 14)
        # (N, 768, 196)
        x = torch.reshape(x, (-1, 768, (image.size(2) // 16) * (image.size(3) // 16)))
        permute1 = torch.permute(x, (0, 2, 1))  # (N, 196, 768)
        x = self.class_token.expand(permute1.size(0), -1, -1)  # (N, 1, 768)
        x = torch.cat([x, permute1], dim=1)  # (N, 197, 768)
        x = self.encoder(x)
        x = x[:, 0]  # (N, 768)
        x = self.heads(x)  # (N, 1000)
        return x
