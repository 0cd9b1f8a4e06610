"""Train LeNet: 1,797 handwritten digits in 10 classes, resized from 8x8 to 28x28
pixels: 1,438 training samples, 359 validation samples.

A network of 1998.

Needs torch and scikit-learn. Written by Layerloom; --help lists the options.
"""

import argparse
from collections.abc import Iterator

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Sampler, TensorDataset

SEED = 0


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5, padding=2)
        self.bn1 = nn.BatchNorm2d(6)
        self.relu = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=5)
        self.pool2 = nn.MaxPool2d(2)
        self.drop1 = nn.Dropout(0.1)
        self.fc1 = nn.Linear(400, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 6, 28, 28)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.pool1(x)  # (N, 6, 14, 14)
        x = self.conv2(x)  # (N, 16, 10, 10)
        x = self.relu(x)
        x = self.pool2(x)  # (N, 16, 5, 5)
        x = torch.flatten(x, 1)  # (N, 400)
        x = self.drop1(x)
        x = self.fc1(x)  # (N, 64)
        x = self.relu(x)
        return self.fc2(x)  # (N, 10)


def split(labels: Tensor, count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Part samples in two by label (S,), `count` in the second, all in proportion."""
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    rank = torch.arange(len(labels)) * count
    chosen = torch.empty(len(labels), dtype=torch.bool)
    by_class = labels[order].argsort(stable=True)
    chosen[by_class] = (rank + count) // len(labels) > rank // len(labels)
    return order[~chosen], order[chosen]


def load_data() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Training inputs and targets, then validation inputs and targets."""
    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32) / 16  # from 0 to 1
    inputs = images.unsqueeze(1)
    labels = torch.tensor(data.target, dtype=torch.int64)
    inputs = F.interpolate(inputs, (28, 28), mode="bilinear", antialias=True)
    train, validation = split(labels, round(len(labels) * 0.2), SEED)
    return inputs[train], labels[train], inputs[validation], labels[validation]


class EpochBatches(Sampler[Tensor]):
    """Batches of an epoch; a last one of one sample joins the one before."""

    def __init__(self, count: int, size: int, seed: int) -> None:
        self.count, self.size, self.seed, self.epoch = count, size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0: the order follows from it and the seed alone."""
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.batches())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.batches())

    def batches(self) -> list[Tensor]:
        """The batches of the epoch."""
        generator = torch.Generator().manual_seed(1000 * self.seed + self.epoch)
        batches = list(torch.randperm(self.count, generator=generator).split(self.size))
        if len(batches[-1]) == 1 < len(batches[0]):  # batch norm needs two samples
            batches[-2:] = [torch.cat(batches[-2:])]
        return batches


@torch.inference_mode()
def evaluate(
    model: nn.Module, criterion: nn.Module, inputs: Tensor, targets: Tensor
) -> tuple[float, float]:
    """Mean loss and accuracy."""
    model.eval()
    loss = total = 0.0
    for x, y in zip(inputs.split(256), targets.split(256), strict=True):
        outputs = model(x)
        loss += criterion(outputs, y).item() * len(y)
        total += (outputs.argmax(1) == y).sum().item()
    return loss / len(targets), total / targets.numel()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu"
    )
    parser.add_argument("--out", default="model.pt", help="file for the best weights")
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    device = torch.device(args.device)
    parts = [part.to(device) for part in load_data()]
    train_x, train_y, val_x, val_y = parts

    batches = EpochBatches(len(train_x), args.batch_size, SEED)
    loader = DataLoader(
        TensorDataset(train_x, train_y),
        batch_size=None,
        sampler=batches,
        generator=torch.Generator(),
    )
    torch.manual_seed(SEED)
    model = LeNet().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)

    best = (-1.0, 0.0)
    for epoch in range(args.epochs):
        batches.set_epoch(epoch)
        model.train()
        train_loss = 0.0
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            train_loss += loss.item() * len(y)
        val_loss, accuracy = evaluate(model, criterion, val_x, val_y)
        print(
            f"epoch {epoch + 1}: train loss {train_loss / len(train_x):.4f}, "
            f"validation loss {val_loss:.4f}, accuracy {accuracy:.2%}"
        )
        if (accuracy, -val_loss) > best:  # of equals, the surer
            best = (accuracy, -val_loss)
            torch.save(model.state_dict(), args.out)
    print(f"Best validation accuracy {best[0]:.2%}; its weights are in {args.out}")


if __name__ == "__main__":
    main()
