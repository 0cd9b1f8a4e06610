"""Train Quantiles on diabetes: 442 patients whose disease progression after one year
is predicted as quantiles: 354 training samples, 88 validation samples.

Predicts an interval instead of one number. A tenth of the patients lie below its
first output, half below its second, nine tenths below its third. So eight in ten
should come to lie between first and third; the coverage says how many do. The loss
is the pinball loss (Koenker and Bassett, 1978).

Needs torch, lightning and scikit-learn. Written by Layerloom; --help lists the
options.
"""

import argparse
from collections.abc import Iterator

import lightning
import torch
from lightning.pytorch.loggers import CSVLogger
from sklearn.datasets import load_diabetes
from torch import Tensor, nn
from torch.utils.data import DataLoader, Sampler, TensorDataset

SEED = 0


class QuantilesOnDiabetes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 64)
        self.relu1 = nn.ReLU()
        self.drop1 = nn.Dropout(p=0.4)
        self.fc2 = nn.Linear(64, 32)
        self.relu2 = nn.ReLU()
        self.drop2 = nn.Dropout(p=0.4)
        self.fc3 = nn.Linear(32, 3)

    def forward(self, features: Tensor) -> Tensor:
        x = self.fc1(features)  # (N, 64)
        x = self.relu1(x)
        x = self.drop1(x)
        x = self.fc2(x)  # (N, 32)
        x = self.relu2(x)
        x = self.drop2(x)
        x = self.fc3(x)  # (N, 3)
        return x


def load_data() -> tuple[list[Tensor], list[Tensor], float]:
    """Training columns, then validation columns, and the unit."""
    data = load_diabetes(scaled=False)
    inputs = torch.tensor(data.data, dtype=torch.float32)
    targets = torch.tensor(data.target, dtype=torch.float32)
    generator = torch.Generator().manual_seed(SEED)
    order = torch.randperm(len(inputs), generator=generator)
    count = round(len(inputs) * 0.2)
    validation, train = order[:count], order[count:]
    std, mean = torch.std_mean(inputs[train], 0, correction=0)
    std[std == 0] = 1.0  # a value that never changes
    inputs = (inputs - mean) / std
    unit, middle = torch.std_mean(targets[train], correction=0)
    targets = (targets - middle) / unit
    features = inputs
    label = targets.reshape(-1, 1)
    learned = [features, label]
    seen = [features[validation], label[validation]]
    return [column[train] for column in learned], seen, unit.item()


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


class PinballLoss(nn.Module):
    """The mean of max(q e, (q - 1) e) over quantiles q, e being target less output.

    It is least where a share q of the targets lies below the output (Koenker and Bassett,
    1978). Outputs are (N, Q), a value for each quantile; targets are (N, 1).
    """

    levels: Tensor

    def __init__(
        self,
        quantiles: tuple[float, ...] | float = (0.1, 0.5, 0.9),
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        levels = (quantiles,) if isinstance(quantiles, float | int) else quantiles
        if list(levels) != sorted({*levels}) or levels[0] <= 0 or levels[-1] >= 1:
            wanted = "quantiles that rise between 0 and 1"
            raise ValueError(f"PinballLoss needs {wanted} but receives {quantiles}.")
        self.reduction = reduction
        self.register_buffer("levels", torch.tensor(levels))

    def forward(self, outputs: Tensor, target: Tensor) -> Tensor:
        count = len(self.levels)
        if outputs.ndim != 2 or outputs.shape[1] != count:
            hint = "Set out_features to that, or name other quantiles."
            raise ValueError(f"{count} quantiles need outputs of (N, {count}). {hint}")
        levels, errors = self.levels.to(outputs), target.reshape(-1, 1) - outputs
        loss = torch.maximum(levels * errors, (levels - 1) * errors)
        if self.reduction == "none":
            return loss
        return loss.sum() if self.reduction == "sum" else loss.mean()


def compute_loss(model: nn.Module, features: Tensor, label: Tensor) -> Tensor:
    """The loss of a batch."""
    quantiles = model(features)
    return PinballLoss()(quantiles, label)


class LitQuantilesOnDiabetes(lightning.LightningModule):
    """The network with its loss, optimiser and best epoch."""

    def __init__(
        self,
        args: argparse.Namespace,
        loader: DataLoader,
        model: nn.Module,
        train: list[Tensor],
        val: list[Tensor],
        unit: float,
    ) -> None:
        super().__init__()
        self.args = args
        self.loader = loader
        self.model = model
        self.train_data = train
        self.val_data = val
        self.unit = unit
        self.train_loss = 0.0
        self.best = float("inf")

    def on_train_epoch_start(self) -> None:
        model = self.model
        model.train()
        self.train_loss = 0.0

    def training_step(self, batch: list[Tensor], number: int) -> Tensor:
        features, label = batch
        model = self.model
        loss = compute_loss(model, features, label)
        self.train_loss += loss.item() * len(features)
        self.log(
            "train_loss", loss, on_step=False, on_epoch=True, batch_size=len(features)
        )
        return loss

    def on_validation_epoch_start(self) -> None:
        self.sums = [0.0] * 6

    def validation_step(self, batch: list[Tensor], number: int) -> None:
        features, label = batch
        model = self.model
        total = count = misses = covered = spans = crossed = 0.0
        quantiles = model(features)
        loss = PinballLoss()(quantiles, label)
        total += loss.item() * len(features)
        low, high, truth = quantiles[:, 0], quantiles[:, -1], label[:, 0]
        middle = quantiles[:, quantiles.shape[1] // 2]
        count += len(truth)
        misses += (middle - truth).abs().sum().item()
        covered += ((low <= truth) & (truth <= high)).sum().item()
        spans += (high - low).sum().item()
        crossed += (quantiles.diff(dim=1) < 0).any(1).sum().item()
        added = (total, count, misses, covered, spans, crossed)
        self.sums = [a + b for a, b in zip(self.sums, added, strict=True)]

    def on_validation_epoch_end(self) -> None:
        args = self.args
        model = self.model
        train = self.train_data
        val = self.val_data
        unit = self.unit
        epoch = self.current_epoch
        total, count, misses, covered, spans, crossed = self.sums
        val_loss = total / len(val[0])
        mae = misses / count * unit
        coverage = covered / count
        interval_width = spans / count * unit
        crossing = crossed / count
        self.log("val_loss", val_loss)
        self.log("val_mae", mae)
        self.log("val_coverage", coverage)
        self.log("val_interval_width", interval_width)
        self.log("val_crossing", crossing)
        print(
            f"epoch {epoch + 1}: train loss {self.train_loss / len(train[0]):.4f}, "
            f"validation loss {val_loss:.4f}, "
            f"mae {mae:.4g}, coverage {coverage:.4g}, "
            f"interval_width {interval_width:.4g}, crossing {crossing:.4g}"
        )
        if val_loss < self.best:
            self.best = val_loss
            torch.save(model.state_dict(), args.out)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        args, model = self.args, self.model
        optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
        return optimizer


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--lr", type=float, default=0.005)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu"
    )
    parser.add_argument("--out", default="model.pt", help="file for the best weights")
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    device = torch.device(args.device)
    train, val, unit = load_data()
    train = [column.to(device) for column in train]
    val = [column.to(device) for column in val]

    batches = EpochBatches(len(train[0]), args.batch_size, SEED)
    loader = DataLoader(
        TensorDataset(*train),
        batch_size=None,
        sampler=batches,
        generator=torch.Generator(),
    )
    torch.manual_seed(SEED)
    model = QuantilesOnDiabetes().to(device)
    val_loader = DataLoader(
        TensorDataset(*val),
        batch_size=256,
        generator=torch.Generator(),
    )
    module = LitQuantilesOnDiabetes(args, loader, model, train, val, unit)
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
    print(f"Best validation loss {module.best:.4f}; its weights are in {args.out}")


if __name__ == "__main__":
    main()
