"""The other trainers of the benchmark, each as its own documentation writes it.

A contender is `fit(task, module, epochs)`: train the module in place, validate after each epoch,
one process, one thread. Those whose package is missing are left out and named
(`pip install -e .[bench]`).
"""

import importlib.util
import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from core.data.batches.epochs import EpochBatches

Fit = Callable[[Any, nn.Module, int], None]


class Resident:
    """A loader without workers or collation: index batches of tensors that lie in memory."""

    def __init__(self, task: Any, part: int, shuffle: bool) -> None:
        self.part, self.shuffle, self.epoch = task.parts[part], shuffle, 0
        self.seed, self.size = task.training["seed"], task.training["batch_size"]

    def __len__(self) -> int:
        return -(-len(self.part) // self.size)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        batches = list(torch.arange(len(self.part)).split(self.size))
        if self.shuffle:
            sampler = EpochBatches(len(self.part), self.size, self.seed)
            sampler.set_epoch(self.epoch)
            batches, self.epoch = list(sampler), self.epoch + 1
        for indices in batches:
            yield self.part.inputs[indices], self.part.targets[indices]


def stock(task: Any, part: int, shuffle: bool) -> DataLoader:
    """The DataLoader of the tutorials."""
    data = TensorDataset(task.parts[part].inputs, task.parts[part].targets)
    return DataLoader(data, batch_size=task.training["batch_size"], shuffle=shuffle)


def optimiser(task: Any, module: nn.Module, fused: bool) -> torch.optim.Optimizer:
    """The task's optimiser; `fused` where a careful person asks for it."""
    settings = {"lr": task.training["lr"], **task.training["optimizer_settings"]}
    more = {"fused": True} if fused else {}
    return getattr(torch.optim, task.training["optimizer"])(module.parameters(), **settings, **more)


def criterion(task: Any) -> nn.Module:
    return getattr(nn, task.training["loss"])(**task.training["loss_settings"])


def tutorial(task: Any, module: nn.Module, epochs: int) -> None:
    """PyTorch's own quickstart: DataLoader, `.item()` at every step."""
    step, loss_of = optimiser(task, module, fused=False), criterion(task)
    train, validation = stock(task, 0, True), stock(task, 1, False)
    for _ in range(epochs):
        module.train()
        total = 0.0
        for x, y in train:
            loss = loss_of(module(x), y)
            step.zero_grad()
            loss.backward()
            step.step()
            total += loss.item()
        module.eval()
        right = 0
        with torch.no_grad():
            for x, y in validation:
                outputs = module(x)
                total += loss_of(outputs, y).item()
                right += int((outputs.argmax(1) == y).sum().item())


def lightning_module(task: Any, module: nn.Module, fused: bool, log: bool) -> Any:
    import lightning

    class Lit(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.module, self.loss_of = module, criterion(task)

        def training_step(self, batch: Any, _: int) -> Tensor:
            loss = self.loss_of(self.module(batch[0]), batch[1])
            if log:
                self.log("train_loss", loss)
            return loss

        def validation_step(self, batch: Any, _: int) -> None:
            outputs = self.module(batch[0])
            loss = self.loss_of(outputs, batch[1])
            right = (outputs.argmax(1) == batch[1]).float().mean()
            if log:
                self.log_dict({"val_loss": loss, "val_accuracy": right})

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return optimiser(task, self.module, fused)

    return Lit()


LEAN = {
    "logger": False,
    "enable_checkpointing": False,
    "enable_progress_bar": False,
    "enable_model_summary": False,
    "num_sanity_val_steps": 0,
}


def lightning(loader: Callable[..., Any], fused: bool, log: bool, **options: Any) -> Fit:
    """A Lightning trainer with these options."""

    def fit(task: Any, module: nn.Module, epochs: int) -> None:
        from lightning import Trainer

        with tempfile.TemporaryDirectory() as folder:
            trainer = Trainer(
                max_epochs=epochs, accelerator="cpu", devices=1, default_root_dir=folder, **options
            )
            made = lightning_module(task, module, fused, log)
            trainer.fit(made, loader(task, 0, True), loader(task, 1, False))

    return fit


def fabric(task: Any, module: nn.Module, epochs: int) -> None:
    """Lightning Fabric around the well-written loop: our loader, fused optimiser."""
    from lightning import Fabric

    tool = Fabric(accelerator="cpu", devices=1)
    wrapped, step = tool.setup(module, optimiser(task, module, fused=True))
    loss_of, train, validation = criterion(task), Resident(task, 0, True), Resident(task, 1, False)
    for _ in range(epochs):
        wrapped.train()
        losses = []
        for x, y in train:
            loss = loss_of(wrapped(x), y)
            step.zero_grad()
            tool.backward(loss)
            step.step()
            losses.append(loss.detach())
        torch.stack(losses).mean().item()
        judge(wrapped, loss_of, validation)


def accelerate(task: Any, module: nn.Module, epochs: int) -> None:
    """Hugging Face Accelerate as in its quick tour: its prepared DataLoaders."""
    from accelerate import Accelerator

    tool = Accelerator(cpu=True)
    loaders = stock(task, 0, True), stock(task, 1, False)
    wrapped, step, train, validation = tool.prepare(
        module, optimiser(task, module, fused=False), *loaders
    )
    loss_of = criterion(task)
    for _ in range(epochs):
        wrapped.train()
        total = 0.0
        for x, y in train:
            loss = loss_of(wrapped(x), y)
            step.zero_grad()
            tool.backward(loss)
            step.step()
            total += loss.item()
        judge(wrapped, loss_of, validation)


def judge(module: nn.Module, loss_of: nn.Module, validation: Any) -> None:
    module.eval()
    with torch.no_grad():
        for x, y in validation:
            outputs = module(x)
            loss_of(outputs, y).item()
            (outputs.argmax(1) == y).sum().item()


def skorch(task: Any, module: nn.Module, epochs: int) -> None:
    """skorch's NeuralNetClassifier with its defaults, silent."""
    from skorch import NeuralNetClassifier
    from skorch.dataset import Dataset
    from skorch.helper import predefined_split

    train, validation = task.parts
    net = NeuralNetClassifier(
        module,
        criterion=criterion(task),
        optimizer=getattr(torch.optim, task.training["optimizer"]),
        lr=task.training["lr"],
        max_epochs=epochs,
        batch_size=task.training["batch_size"],
        iterator_train__shuffle=True,
        train_split=predefined_split(Dataset(validation.inputs, validation.targets)),
        classes=list(range(int(train.targets.max()) + 1)),
        verbose=0,
        **{f"optimizer__{k}": v for k, v in task.training["optimizer_settings"].items()},
    )
    net.fit(train.inputs, train.targets)


def fastai(task: Any, module: nn.Module, epochs: int) -> None:
    """fastai's Learner.fit with its own Adam, no bar, no printing."""
    import fastai.callback.progress  # noqa: F401  gives Learner its no_bar
    from fastai.data.core import DataLoaders
    from fastai.learner import Learner
    from fastai.metrics import accuracy

    data = [TensorDataset(part.inputs, part.targets) for part in task.parts]
    size = task.training["batch_size"]
    loaders = DataLoaders.from_dsets(*data, bs=size, shuffle=True, num_workers=0, device="cpu")
    learner = Learner(loaders, module, loss_func=criterion(task), metrics=accuracy)
    with learner.no_bar(), learner.no_logging():
        learner.fit(epochs, task.training["lr"])


PEERS: dict[str, tuple[str, Fit]] = {
    "tutorial loop": ("torch", tutorial),
    "Fabric, tuned": ("lightning", fabric),
    "Accelerate": ("accelerate", accelerate),
    "skorch": ("skorch", skorch),
    "fastai": ("fastai", fastai),
    "Lightning": ("lightning", lightning(stock, fused=False, log=True)),
    "Lightning, tuned": ("lightning", lightning(Resident, fused=True, log=True, **LEAN)),
    "Lightning, barebones": ("lightning", lightning(Resident, True, False, barebones=True)),
}
"""Name: the package it needs, and how it trains."""


def installed() -> dict[str, Fit]:
    """The contenders that can run here; the others are named on the screen by `missing`."""
    return {name: fit for name, (package, fit) in PEERS.items() if present(package)}


def missing() -> list[str]:
    return sorted({package for package, _ in PEERS.values() if not present(package)})


def present(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def hush() -> None:
    """Their warnings, tips and log lines would drown the table."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("ACCELERATE_USE_CPU", "true")
    for name in ("lightning", "lightning.pytorch", "lightning.fabric", "accelerate"):
        logging.getLogger(name).setLevel(logging.ERROR)
