"""The numbers that are made of a date. Training scripts hold `date_parts` word for word."""

import datetime


def date_parts(cell: str, form: str, parts: tuple[str, ...]) -> list[float]:
    """Numbers of a date: days since 1970, year, month, day, weekday or hour.

    A format may list the names of the months: %d. {Januar|Februar|...} %Y.
    """
    months = form.partition("{")[2].partition("}")[0]
    if months.count("|") == 11:
        names, low = months.lower().split("|"), cell.lower()
        name = max((n for n in names if n in low), key=len, default="no month")
        low = low.replace(name, f" {names.index(name) + 1} ")  # or a ValueError
        digits = (c if c.isdigit() or c == ":" else " " for c in low)
        cell = " ".join("".join(digits).split())
        form = form.replace("{" + months + "}", " %m ").replace("-", " ")
        form = " ".join(part.strip(".,") for part in form.split() if "%" in part)
    time = datetime.datetime.strptime(cell, form).replace(tzinfo=None)
    since = time - datetime.datetime(1970, 1, 1)
    every: dict[str, float] = {"days": since.total_seconds() / 86400}
    every |= {"year": time.year, "month": time.month, "day": time.day}
    every["weekday"] = time.weekday()  # Monday is 0
    every["hour"] = time.hour + time.minute / 60 + time.second / 3600
    return [float(every[part]) for part in parts]


def date_text(time: datetime.datetime, form: str) -> str:
    """A date in its format."""
    before, _, rest = form.partition("{")
    months, _, after = rest.partition("}")
    if months.count("|") != 11:
        return time.strftime(form)
    name = months.split("|")[time.month - 1]
    return f"{time.strftime(before)}{name}{time.strftime(after)}"
