"""The part of a training file that reads the data, in any form of samples."""

from core.data.facts.info import DataInfo
from core.script import batches, columns, custom_files, data, streamed


def functions(info: DataInfo) -> list[str]:
    """The functions that read the data; the last one is `load_data`. "" for none."""
    if info.streamed:
        return streamed.functions(info)
    if info.plain:
        return [data.split_function(info), *data.functions(info), data.load_function(info)]
    by_class = columns.stratified(info) or not info.parts.usual
    split = data.split_function(info) if by_class else ""
    return [split, *columns.functions(info), columns.load_function(info)]


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that data and the run's usual batches need."""
    return streamed.imports(info) if info.streamed else (*data.imports(info), *batches.LOADER)


def call_of(info: DataInfo, path: str) -> str:
    """The call of `load_data`. path: the expression for the data's path, if needed."""
    return f"load_data({path if custom_files.argument(info) else ''})"


def lines(info: DataInfo, path: str) -> list[str]:
    """Lines that read all parts, and the unit of numbers that are predicted. path: as above."""
    call, tests = call_of(info, path), ["test"] * info.parts.tests
    unit = ", unit" if info.standardised_target else ""
    parts = ["train", "val", *tests]
    if info.streamed:
        return [f"{', '.join(parts)} = {call}"]
    if not info.plain:
        moved = (f"{name} = [column.to(device) for column in {name}]" for name in parts)
        return [f"{', '.join(parts)}{unit} = {call}", *moved]
    return [
        *([f"*parts, unit = {call}"] if unit else []),
        f"parts = [part.to(device) for part in {'parts' if unit else call}]",
        f"{', '.join(f'{name}_x, {name}_y' for name in parts)} = parts",
    ]
