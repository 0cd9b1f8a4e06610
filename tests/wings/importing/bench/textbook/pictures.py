"""Convolutional networks of books and examples."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.wings.importing.bench.textbook.pages import page


@page("PyTorch examples", (1, 28, 28))
class MnistNet(nn.Module):
    """The example mnist: dropouts as layers, pooling and softmax as functions."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = self.dropout1(F.max_pool2d(x, 2))
        x = torch.flatten(x, 1)
        x = self.dropout2(F.relu(self.fc1(x)))
        return F.log_softmax(self.fc2(x), dim=1)


@page("PyTorch tutorials", (3, 32, 32))
class CifarNet(nn.Module):
    """One pool for both convolutions, view(-1, 400)."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = x.view(-1, 16 * 5 * 5)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


@page("PyTorch tutorials", (1, 28, 28))
class FeatureCount(nn.Module):
    """num_flat_features counts the values by a loop over x.size()[1:]."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 3), nn.Conv2d(6, 16, 3)
        self.fc1, self.fc2 = nn.Linear(16 * 5 * 5, 84), nn.Linear(84, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(-1, self.num_flat_features(x))
        return self.fc2(F.relu(self.fc1(x)))

    def num_flat_features(self, x: Tensor) -> int:
        num_features = 1
        for s in x.size()[1:]:
            num_features *= s
        return num_features


@page("Dive into Deep Learning", (1, 28, 28))
def lazy_lenet() -> nn.Module:
    """LeNet from lazy layers and sigmoids."""
    return nn.Sequential(
        nn.LazyConv2d(6, kernel_size=5, padding=2), nn.Sigmoid(),
        nn.AvgPool2d(kernel_size=2, stride=2),
        nn.LazyConv2d(16, kernel_size=5), nn.Sigmoid(), nn.AvgPool2d(kernel_size=2, stride=2),
        nn.Flatten(), nn.LazyLinear(120), nn.Sigmoid(), nn.LazyLinear(84), nn.Sigmoid(),
        nn.LazyLinear(10),
    )  # fmt: skip


class LeNet(nn.Module):
    """The net of a book's class: self.net(X) and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.net = lazy_lenet()

    def forward(self, X: Tensor) -> Tensor:
        return self.net(X)


@page("Dive into Deep Learning", (1, 64, 64))
def vgg_blocks() -> nn.Module:
    """Blocks made by a function, Sequentials in a Sequential, lazy."""

    def vgg_block(num_convs: int, out_channels: int) -> nn.Module:
        layers: list[nn.Module] = []
        for _ in range(num_convs):
            layers += [nn.LazyConv2d(out_channels, kernel_size=3, padding=1), nn.ReLU()]
        layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
        return nn.Sequential(*layers)

    blocks = [vgg_block(n, c) for n, c in ((1, 8), (1, 16), (2, 32), (2, 64), (2, 64))]
    return nn.Sequential(
        *blocks, nn.Flatten(), nn.LazyLinear(64), nn.ReLU(), nn.Dropout(0.5), nn.LazyLinear(10)
    )


@page("Dive into Deep Learning", (1, 64, 64))
def nin() -> nn.Module:
    """NiN: 1x1 convolutions, global average pooling, lazy."""

    def nin_block(out_channels: int, kernel_size: int, strides: int, padding: int) -> nn.Module:
        return nn.Sequential(
            nn.LazyConv2d(out_channels, kernel_size, strides, padding), nn.ReLU(),
            nn.LazyConv2d(out_channels, kernel_size=1), nn.ReLU(),
            nn.LazyConv2d(out_channels, kernel_size=1), nn.ReLU(),
        )  # fmt: skip

    return nn.Sequential(
        nin_block(12, 5, 2, 0), nn.MaxPool2d(3, stride=2), nin_block(16, 5, 1, 2),
        nn.MaxPool2d(3, stride=2), nn.Dropout(0.5), nin_block(10, 3, 1, 1),
        nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(),
    )  # fmt: skip


class Inception(nn.Module):
    """Four paths joined along the channels."""

    def __init__(self, c1: int, c2: tuple[int, int], c3: tuple[int, int], c4: int) -> None:
        super().__init__()
        self.b1_1 = nn.LazyConv2d(c1, kernel_size=1)
        self.b2_1 = nn.LazyConv2d(c2[0], kernel_size=1)
        self.b2_2 = nn.LazyConv2d(c2[1], kernel_size=3, padding=1)
        self.b3_1 = nn.LazyConv2d(c3[0], kernel_size=1)
        self.b3_2 = nn.LazyConv2d(c3[1], kernel_size=5, padding=2)
        self.b4_1 = nn.MaxPool2d(kernel_size=3, stride=1, padding=1)
        self.b4_2 = nn.LazyConv2d(c4, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        b1 = F.relu(self.b1_1(x))
        b2 = F.relu(self.b2_2(F.relu(self.b2_1(x))))
        b3 = F.relu(self.b3_2(F.relu(self.b3_1(x))))
        b4 = F.relu(self.b4_2(self.b4_1(x)))
        return torch.cat((b1, b2, b3, b4), dim=1)


@page("Dive into Deep Learning", (1, 48, 48))
class GoogLeNet(nn.Module):
    """Stages as methods, collected in one Sequential, lazy."""

    def b1(self) -> nn.Module:
        return nn.Sequential(
            nn.LazyConv2d(8, kernel_size=7, stride=2, padding=3), nn.ReLU(),
            nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
        )  # fmt: skip

    def b3(self) -> nn.Module:
        return nn.Sequential(
            Inception(8, (8, 16), (4, 8), 8), Inception(16, (16, 24), (4, 12), 8),
            nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
        )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            self.b1(), self.b3(),
            nn.Sequential(
                Inception(16, (8, 16), (4, 8), 8), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten()
            ),
            nn.LazyLinear(10),
        )  # fmt: skip

    def forward(self, X: Tensor) -> Tensor:
        return self.net(X)


class Residual(nn.Module):
    """A residual block, an optional 1x1 convolution on the way around, Y += X."""

    def __init__(self, num_channels: int, use_1x1conv: bool = False, strides: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.LazyConv2d(num_channels, kernel_size=3, padding=1, stride=strides)
        self.conv2 = nn.LazyConv2d(num_channels, kernel_size=3, padding=1)
        self.conv3 = (
            nn.LazyConv2d(num_channels, kernel_size=1, stride=strides) if use_1x1conv else None
        )
        self.bn1 = nn.LazyBatchNorm2d()
        self.bn2 = nn.LazyBatchNorm2d()

    def forward(self, X: Tensor) -> Tensor:
        Y = F.relu(self.bn1(self.conv1(X)))
        Y = self.bn2(self.conv2(Y))
        if self.conv3:
            X = self.conv3(X)
        Y += X
        return F.relu(Y)


@page("Dive into Deep Learning", (1, 32, 32))
class ResNet(nn.Module):
    """A residual network built by net.add_module(f"b{i}", ...), lazy."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Sequential(
                nn.LazyConv2d(8, kernel_size=7, stride=2, padding=3), nn.LazyBatchNorm2d(),
                nn.ReLU(), nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
            )
        )  # fmt: skip
        for i, (count, channels) in enumerate(((2, 8), (2, 16), (2, 32))):
            self.net.add_module(f"b{i + 2}", self.block(count, channels, first_block=i == 0))
        self.net.add_module(
            "last", nn.Sequential(nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.LazyLinear(10))
        )

    def block(self, num_residuals: int, num_channels: int, first_block: bool) -> nn.Module:
        blk: list[nn.Module] = []
        for i in range(num_residuals):
            if i == 0 and not first_block:
                blk.append(Residual(num_channels, use_1x1conv=True, strides=2))
            else:
                blk.append(Residual(num_channels))
        return nn.Sequential(*blk)

    def forward(self, X: Tensor) -> Tensor:
        return self.net(X)


def conv_block(num_channels: int) -> nn.Module:
    """Norm, activation, convolution."""
    return nn.Sequential(
        nn.LazyBatchNorm2d(), nn.ReLU(), nn.LazyConv2d(num_channels, kernel_size=3, padding=1)
    )


class DenseBlock(nn.Module):
    """Every layer adds channels to what it was given."""

    def __init__(self, num_convs: int, num_channels: int) -> None:
        super().__init__()
        self.net = nn.Sequential(*[conv_block(num_channels) for _ in range(num_convs)])

    def forward(self, X: Tensor) -> Tensor:
        for blk in self.net:
            Y = blk(X)
            X = torch.cat((X, Y), dim=1)
        return X


@page("Dive into Deep Learning", (1, 32, 32))
def densenet() -> nn.Module:
    """Dense blocks with a loop over a Sequential, and transitions, lazy."""

    def transition(num_channels: int) -> nn.Module:
        return nn.Sequential(
            nn.LazyBatchNorm2d(), nn.ReLU(), nn.LazyConv2d(num_channels, kernel_size=1),
            nn.AvgPool2d(kernel_size=2, stride=2),
        )  # fmt: skip

    return nn.Sequential(
        nn.LazyConv2d(8, 3, padding=1), DenseBlock(3, 8), transition(16), DenseBlock(3, 8),
        nn.LazyBatchNorm2d(), nn.ReLU(), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(),
        nn.LazyLinear(10),
    )  # fmt: skip


@page(
    "Dive into Deep Learning",
    (2, 10, 10),
    step="torch.is_grad_enabled() (pictures.py, line ",
)
class BatchNormByHand(nn.Module):
    """Batch normalisation from mean and variance, moving averages as plain attributes."""

    def __init__(self) -> None:
        super().__init__()
        shape = (1, 2, 1, 1)
        self.conv = nn.Conv2d(2, 2, 3)
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))
        self.moving_mean, self.moving_var = torch.zeros(shape), torch.ones(shape)

    def forward(self, X: Tensor) -> Tensor:
        X = self.conv(X)
        if not torch.is_grad_enabled():
            X_hat = (X - self.moving_mean) / torch.sqrt(self.moving_var + 1e-5)
        else:
            mean = X.mean(dim=(0, 2, 3), keepdim=True)
            var = ((X - mean) ** 2).mean(dim=(0, 2, 3), keepdim=True)
            X_hat = (X - mean) / torch.sqrt(var + 1e-5)
            self.moving_mean = 0.9 * self.moving_mean + 0.1 * mean
            self.moving_var = 0.9 * self.moving_var + 0.1 * var
        return self.gamma * X_hat + self.beta


@page("PyTorch examples", (1, 32, 32))
class SuperResolution(nn.Module):
    """The example super_resolution: orthogonal start, pixel shuffle."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 16, (5, 5), (1, 1), (2, 2))
        self.conv2 = nn.Conv2d(16, 16, (3, 3), (1, 1), (1, 1))
        self.conv3 = nn.Conv2d(16, 4, (3, 3), (1, 1), (1, 1))
        self.pixel_shuffle = nn.PixelShuffle(2)
        nn.init.orthogonal_(self.conv1.weight, nn.init.calculate_gain("relu"))

    def forward(self, x: Tensor) -> Tensor:
        x = self.relu(self.conv1(x))
        x = self.relu(self.conv2(x))
        return self.pixel_shuffle(self.conv3(x))


@page("PyTorch examples", (1, 28, 28), (1, 28, 28))
class Siamese(nn.Module):
    """The example siamese_network: two pictures through one net, joined, a similarity."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 7, stride=2), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(3)
        )
        self.fc = nn.Sequential(nn.Linear(144, 16), nn.ReLU(inplace=True), nn.Linear(16, 1))
        self.sigmoid = nn.Sigmoid()
        self.features.apply(self.init_weights)

    def init_weights(self, m: nn.Module) -> None:
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)

    def forward_once(self, x: Tensor) -> Tensor:
        output = self.features(x)
        return output.view(output.size()[0], -1)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        output1 = self.forward_once(input1)
        output2 = self.forward_once(input2)
        output = torch.cat((output1, output2), 1)
        return self.sigmoid(self.fc(output))


@page("PyTorch tutorials", (1, 28, 28))
class SpatialTransformer(nn.Module):
    """A localisation net says where to look: affine_grid and grid_sample."""

    def __init__(self) -> None:
        super().__init__()
        self.localization = nn.Sequential(
            nn.Conv2d(1, 8, kernel_size=7), nn.MaxPool2d(2, stride=2), nn.ReLU(True),
            nn.Conv2d(8, 10, kernel_size=5), nn.MaxPool2d(2, stride=2), nn.ReLU(True),
        )  # fmt: skip
        self.fc_loc = nn.Sequential(nn.Linear(90, 32), nn.ReLU(True), nn.Linear(32, 6))
        self.conv = nn.Conv2d(1, 4, 5)

    def stn(self, x: Tensor) -> Tensor:
        xs = self.localization(x)
        xs = xs.view(-1, 10 * 3 * 3)
        theta = self.fc_loc(xs)
        theta = theta.view(-1, 2, 3)
        grid = F.affine_grid(theta, list(x.size()), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(F.max_pool2d(self.conv(self.stn(x)), 2))


class DoubleConv(nn.Module):
    """Convolution, norm, activation, twice."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels), nn.ReLU(inplace=True),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return self.double_conv(x)


@page("homework", (3, 16, 16))
class UNet(nn.Module):
    """U-Net: skips in a list, reversed, padded by the difference of sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        channels = 3
        for feature in (4, 8):
            self.downs.append(DoubleConv(channels, feature))
            channels = feature
        for feature in (8, 4):
            self.ups.append(nn.ConvTranspose2d(feature * 2, feature, kernel_size=2, stride=2))
            self.ups.append(DoubleConv(feature * 2, feature))
        self.bottleneck = DoubleConv(8, 16)
        self.final_conv = nn.Conv2d(4, 1, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        skips: list[Tensor] = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottleneck(x)
        skips = skips[::-1]
        for i in range(0, len(self.ups), 2):
            x = self.ups[i](x)
            skip = skips[i // 2]
            dy, dx = skip.size()[2] - x.size()[2], skip.size()[3] - x.size()[3]
            x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
            x = self.ups[i + 1](torch.cat((skip, x), dim=1))
        return self.final_conv(x)
