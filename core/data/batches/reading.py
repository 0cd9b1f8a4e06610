"""Reading data that needs no file, and what is made of samples: pairs, triplets, masked texts.

Training scripts hold these functions word for word, so that a script and a run read the same. Each
needs torch and the standard library only.
"""

import datetime
import pydoc_data.topics
import unicodedata

import torch
from torch import Tensor


def python_docs(count: int, alphabet: str) -> Tensor:
    """The start of Python's language reference as tokens: places in the alphabet."""
    topics = pydoc_data.topics.topics
    text = "\n\n".join(topics[name] for name in sorted(topics))
    tokens = [alphabet.find(character) for character in text]
    return torch.tensor([token for token in tokens if token >= 0][:count])


def letter_names(scripts: list[str], size: int, alphabet: str) -> tuple[Tensor, Tensor]:
    """Names of letters as tokens (S, size), 0 after their end, and their scripts (S,)."""
    common = ["capital", "small", "letter", "syllable", "ligature", "form", "with"]
    common += ["and", "isolated", "final", "initial", "medial"]
    database = unicodedata.ucd_3_2_0  # the same in every Python
    found: set[tuple[int, str]] = set()
    for character in map(chr, range(0x10000)):
        script, *words = database.name(character, "-").lower().split(" ")
        if script in scripts and database.category(character)[0] == "L":
            name = " ".join(word for word in words if word not in common).upper()
            if set(name) <= set(alphabet):
                found.add((scripts.index(script), name[:size]))
    names = [name.ljust(size, "\0") for _, name in sorted(found)]
    rows = [[alphabet.index(character) for character in name] for name in names]
    return torch.tensor(rows), torch.tensor([script for script, _ in sorted(found)])


def dates(count: int, alphabet: str) -> Tensor:
    """Days as tokens (count, 20 + 10): as people write them, then as 1998-06-03."""
    forms = ("{1} {0}, {2}", "{0} {1} {2}", "{0}/{3}/{2}", "{4}, {0} {1} {2}")
    months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct"]
    months += ["nov", "dec"]
    weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    generator = torch.Generator().manual_seed(0)
    first = datetime.date(1950, 1, 1)
    rows: list[list[int]] = []
    for offset in torch.randperm(36524, generator=generator)[:count].tolist():
        day = first + datetime.timedelta(days=offset)
        month, weekday = months[day.month - 1], weekdays[day.weekday()]
        text = forms[offset % 4].format(day.day, month, day.year, day.month, weekday)
        text = text.ljust(20, "\0") + day.isoformat()
        rows.append([alphabet.index(character) for character in text])
    return torch.tensor(rows)


def waves(count: int, length: int) -> Tensor:
    """Sums of two sines with noise of 0.05 (count, length)."""
    generator = torch.Generator().manual_seed(0)
    turns = torch.rand(4, count, 1, generator=generator, dtype=torch.float64)
    time = torch.arange(length, dtype=torch.float64)
    slow = torch.sin(6.283185307179586 * (time / (16 + 16 * turns[0]) + turns[1]))
    fast = torch.sin(6.283185307179586 * (time / (5 + 5 * turns[2]) + turns[3]))
    noise = torch.randn(count, length, generator=generator, dtype=torch.float64)
    return (0.6 * slow + 0.4 * fast + 0.05 * noise).float()


def rides(days: int) -> Tensor:
    """Temperature and bicycle rides of each day, (days, 2), from a Monday on."""
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(2, days + 8, generator=generator, dtype=torch.float64)
    weather = noise[0].unfold(0, 8, 1).mean(1)[:days] * 8**0.5  # changes within a week
    day = torch.arange(days, dtype=torch.float64)
    warm = 12 - 10 * torch.cos(6.283185307179586 * (day - 20) / 365.25) + 3 * weather
    often = torch.where(day % 7 < 5, 1.0, 0.55) * (60 + 7 * warm.clamp_min(0))
    counts = (often + 8 * noise[1, :days]).clamp_min(0).round()
    return torch.stack([warm, counts], dim=1).float()


def spirals(count: int, classes: int, noise: float, seed: int) -> tuple[Tensor, Tensor]:
    """Points (count, 2) on spirals of one and a half turns, and which (count,)."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(count) % classes
    along = torch.rand(count, generator=generator).sqrt()
    angle = 6.2831855 * (1.5 * along + labels / classes)
    points = torch.stack([along * torch.sin(angle), along * torch.cos(angle)], dim=1)
    return points + noise * torch.randn(count, 2, generator=generator), labels


def xor(count: int, noise: float, seed: int) -> tuple[Tensor, Tensor]:
    """Points (count, 2) of a square: 0 where both numbers have the same sign."""
    generator = torch.Generator().manual_seed(seed)
    points = 2 * torch.rand(count, 2, generator=generator) - 1
    labels = (points[:, 0] * points[:, 1] < 0).long()
    return points + noise * torch.randn(count, 2, generator=generator), labels


def two_digits(images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Pictures of two digits (S, 1, 8, 16), and which digits they are (S, 10)."""
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    left, right = order[: len(order) // 2], order[len(order) // 2 : len(order) // 2 * 2]
    present = torch.zeros(len(left), 10)
    rows = torch.arange(len(left))
    present[rows, labels[left]] = 1.0
    present[rows, labels[right]] = 1.0
    return torch.cat([images[left], images[right]], dim=3), present


def digit_rows(images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Pictures of 3 to 5 digits (S, 1, 8, 48) and these from the left, (S, 5).

    A digit is its number plus 1; 0 stands after the last one, and for the blank of CTC.
    """
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(len(images), generator=generator)
    rows, digits = [], []
    while len(order) >= 5:
        count = int(torch.randint(3, 6, (1,), generator=generator))
        chosen, order = order[:count], order[count:]
        places = torch.randint(0, count + 1, (48 - 8 * count,), generator=generator)
        gaps = places.bincount(minlength=count + 1).cumsum(0)
        row = torch.zeros(1, 8, 48)
        for place, index in enumerate(chosen.tolist()):
            start = int(gaps[place]) + 8 * place
            row[:, :, start : start + 8] = images[index]
        rows.append(row)
        digits.append(torch.cat([labels[chosen] + 1, labels.new_zeros(5 - count)]))
    return torch.stack(rows), torch.stack(digits)


def partners(labels: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """For every sample the index of one of its class, and of one of another class."""
    same, other = torch.empty_like(labels), torch.empty_like(labels)
    for label in labels.unique():
        members = (labels == label).nonzero()[:, 0]
        others = (labels != label).nonzero()[:, 0]
        circle = members[torch.randperm(len(members), generator=generator)]
        same[circle] = circle.roll(1)
        chosen = torch.randint(len(others), (len(members),), generator=generator)
        other[members] = others[chosen]
    return same, other


def pairs(labels: Tensor, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Indices of two samples each, and 1.0 where they are of one class, else -1.0."""
    generator = torch.Generator().manual_seed(seed)
    rounds = [partners(labels, generator) for _ in range(2)]
    second = torch.cat([part for found in rounds for part in found])
    first = torch.arange(len(labels)).repeat(4)
    signs = torch.tensor([1.0, -1.0, 1.0, -1.0])
    return first, second, signs.repeat_interleave(len(labels))


def triplets(labels: Tensor, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Indices of anchors, of a sample of the same class, and of one of another."""
    generator = torch.Generator().manual_seed(seed)
    rounds = [partners(labels, generator) for _ in range(2)]
    same, other = (torch.cat(found) for found in zip(*rounds, strict=True))
    return torch.arange(len(labels)).repeat(2), same, other


def hide(tokens: Tensor, mark: int, seed: int) -> tuple[Tensor, Tensor]:
    """Texts with 15 of 100 tokens covered by the mark; and those alone, else -100."""
    generator = torch.Generator().manual_seed(seed)
    covered = torch.rand(tokens.shape, generator=generator) < 0.15
    return tokens.masked_fill(covered, mark), tokens.masked_fill(~covered, -100)


def filled(values: Tensor, train: Tensor, groups: list[tuple[int, int, str]]) -> Tensor:
    """Values (S, F) whose missing ones, NaN, are filled from the training samples.

    groups: first column, number of columns, and mean, median or most_frequent.
    """
    values = values.clone()
    for start, size, rule in groups:
        column = values[:, start : start + size]
        known = column[train].double()
        known = known[~known[:, 0].isnan()]
        if rule == "mean":
            value = known.mean(0)
        elif rule == "median":
            value = known.quantile(0.5, dim=0)
        else:
            rows, counts = known.unique(dim=0, return_counts=True)
            value = rows[counts.argmax()]
        column[column.isnan()] = value.float().expand_as(column)[column.isnan()]
    return values
