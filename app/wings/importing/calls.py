"""Models that are listed or imported. Plain JSON; each function runs in a worker process."""

from typing import Any

Json = dict[str, Any]


def preload_import() -> None:
    """Import the modules that nearly every import of a model needs."""
    from core.wings.importing import job

    job.preload()


def import_model(request: Json, folder: str) -> Json:
    """Import a model into a folder; what report.json holds, or why it was refused."""
    from core.wings.importing import job

    return job.run(request, folder)


def torchvision_models() -> list[Json]:
    """All models of torchvision."""
    from core.wings.importing.torchvision_models import torchvision_models

    return torchvision_models()


def timm_models() -> list[str]:
    """Names of all models of timm; [] where it is not installed."""
    from core.wings.importing.timm_models import timm_models

    return timm_models()
