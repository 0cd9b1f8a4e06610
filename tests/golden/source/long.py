"""Long names Long names Long names Long names Long names Long names Long names Long
names Long names: (N, 3, 64, 64) -> ((N, 12, 64, 64), (N, 4, 32, 60)). Written by
Layerloom.
"""

import torch
from torch import Tensor, nn


class LongNamesLongNamesLongNamesLongNamesLong(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a_name_as_long_as_a_careless_student_may = nn.Conv2d(
            3,
            4,
            kernel_size=(3, 5),
            stride=(2, 1),
            padding=(1, 2),
            dilation=(1, 2),
            bias=False,
            padding_mode="replicate",
        )
        self.another_name_that_is_of_the_same_length1 = nn.Conv2d(
            3, 4, kernel_size=3, padding=1
        )
        self.another_name_that_is_of_the_same_length2 = nn.Conv2d(
            3, 4, kernel_size=3, padding=1
        )
        self.another_name_that_is_of_the_same_length3 = nn.Conv2d(
            3, 4, kernel_size=3, padding=1
        )

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        a_name_as_long_as_a_careless_student_may = (
            self.a_name_as_long_as_a_careless_student_may(image)
        )  # (N, 4, 32, 60)
        another_name_that_is_of_the_same_length1 = (
            self.another_name_that_is_of_the_same_length1(image)
        )  # (N, 4, 64, 64)
        another_name_that_is_of_the_same_length2 = (
            self.another_name_that_is_of_the_same_length2(image)
        )  # (N, 4, 64, 64)
        x = self.another_name_that_is_of_the_same_length3(image)  # (N, 4, 64, 64)
        join = torch.cat(
            [
                another_name_that_is_of_the_same_length1,
                another_name_that_is_of_the_same_length2,
                x,
            ],
            dim=1,
        )  # (N, 12, 64, 64)
        return join, a_name_as_long_as_a_careless_student_may
