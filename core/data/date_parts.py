"""The numbers that are made of a date. Training scripts hold the function word for word."""

import datetime


def date_parts(cell: str, form: str, parts: tuple[str, ...]) -> list[float]:
    """Numbers of a date: days since 1970, its year, month, day, weekday (Monday is 0) or hour."""
    time = datetime.datetime.strptime(cell, form).replace(tzinfo=None)
    since = time - datetime.datetime(1970, 1, 1)
    hour = time.hour + time.minute / 60 + time.second / 3600
    every = {"days": since.total_seconds() / 86400, "year": time.year, "month": time.month}
    every |= {"day": time.day, "weekday": time.weekday(), "hour": hour}
    return [float(every[part]) for part in parts]
