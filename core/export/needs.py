"""What a format needs besides Layerloom's packages, checked in advance. No torch."""

from core.export.format import Format


def missing(kind: Format) -> tuple[str, str]:
    """What is missing for a format on this machine, and what to do; "" twice if nothing."""
    for need in kind.needs:
        if not need.here():
            return (
                f"{kind.title} needs {need.words}, which is missing on this machine.",
                need.install,
            )
    return "", ""
