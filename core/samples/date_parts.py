"""The numbers that are made of a date. Training scripts hold the function word for word."""

import datetime


def date_parts(cell: str, form: str, parts: tuple[str, ...]) -> list[float]:
    """Numbers of a date: days since 1970, year, month, day, weekday or hour."""
    time = datetime.datetime.strptime(cell, form).replace(tzinfo=None)
    since = time - datetime.datetime(1970, 1, 1)
    every: dict[str, float] = {"days": since.total_seconds() / 86400}
    every |= {"year": time.year, "month": time.month, "day": time.day}
    every["weekday"] = time.weekday()  # Monday is 0
    every["hour"] = time.hour + time.minute / 60 + time.second / 3600
    return [float(every[part]) for part in parts]
