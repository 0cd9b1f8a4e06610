"""Train LeNet: 1,797 handwritten digits in 10 classes, resized from 8x8 to 28x28
pixels: 1,438 training samples, 359 validation samples.

A network of 1998.

Needs torch, lightning and scikit-learn. Written by Layerloom; --help lists the
options.
"""

import argparse
from collections.abc import Iterator

import lightning
import torch
from lightning.pytorch.loggers import CSVLogger
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


class LitLeNet(lightning.LightningModule):
    """The network with its loss, optimiser and best epoch."""

    def __init__(
        self,
        args: argparse.Namespace,
        loader: DataLoader,
        model: nn.Module,
        criterion: nn.Module,
        train_x: Tensor,
        val_y: Tensor,
    ) -> None:
        super().__init__()
        self.args = args
        self.loader = loader
        self.model = model
        self.criterion = criterion
        self.train_x = train_x
        self.val_y = val_y
        self.train_loss = 0.0
        self.best = (-1.0, 0.0)

    def on_train_epoch_start(self) -> None:
        model = self.model
        model.train()
        self.train_loss = 0.0

    def training_step(self, batch: list[Tensor], number: int) -> Tensor:
        x, y = batch
        model, criterion = self.model, self.criterion
        loss = criterion(model(x), y)
        self.train_loss += loss.item() * len(y)
        self.log("train_loss", loss, on_step=False, on_epoch=True, batch_size=len(y))
        return loss

    def on_validation_epoch_start(self) -> None:
        self.sums = [0.0] * 2

    def validation_step(self, batch: list[Tensor], number: int) -> None:
        x, y = batch
        model, criterion = self.model, self.criterion
        loss = total = 0.0
        outputs = model(x)
        loss += criterion(outputs, y).item() * len(y)
        total += (outputs.argmax(1) == y).sum().item()
        self.sums = [a + b for a, b in zip(self.sums, (loss, total), strict=True)]

    def on_validation_epoch_end(self) -> None:
        args, model, train_x, val_y = self.args, self.model, self.train_x, self.val_y
        epoch = self.current_epoch
        loss, total = self.sums
        val_loss = loss / len(val_y)
        accuracy = total / val_y.numel()
        self.log("val_loss", val_loss)
        self.log("val_accuracy", accuracy)
        print(
            f"epoch {epoch + 1}: train loss {self.train_loss / len(train_x):.4f}, "
            f"validation loss {val_loss:.4f}, accuracy {accuracy:.2%}"
        )
        if (accuracy, -val_loss) > self.best:  # of equals, the surer
            self.best = (accuracy, -val_loss)
            torch.save(model.state_dict(), args.out)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        args, model = self.args, self.model
        optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
        return optimizer


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
    val_loader = DataLoader(
        TensorDataset(val_x, val_y),
        batch_size=256,
        generator=torch.Generator(),
    )
    module = LitLeNet(args, loader, model, criterion, train_x, val_y)
    trainer = lightning.Trainer(
        max_epochs=args.epochs,
        accelerator="gpu" if device.type == "cuda" else device.type,
        devices=1,
        num_sanity_val_steps=0,
        logger=CSVLogger("."),
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(module, loader, val_loader)
    print(
        f"Best validation accuracy {module.best[0]:.2%}; its weights are in {args.out}"
    )


if __name__ == "__main__":
    main()
