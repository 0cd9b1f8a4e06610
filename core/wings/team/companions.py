"""What goes along when a project's file is deleted and restored: its versions."""

from pathlib import Path

from core.wings.team.history_files import folder_of


def of(project: Path) -> list[Path]:
    """The folder with the versions of a project, where there is one."""
    folder = folder_of(project)
    return [folder] if folder.is_dir() and not folder.is_symlink() else []
