"""Formats that are compiled, for a machine, a phone or a C++ program, and what they need."""

from importlib.util import find_spec

from core.export.format import Format, Need


def _compiler() -> bool:
    from core.settings.accelerations import cpp_compiler

    return bool(cpp_compiler())


COMPILER = Need(
    "a C++ compiler (g++ or clang++)",
    "Install one: apt install g++, or Xcode's command line tools on a Mac.",
    _compiler,
)
EXECUTORCH = Need(
    "the package executorch",
    'Install it: pip install "layerloom[mobile]"',
    lambda: find_spec("executorch") is not None,
)


def _aoti():
    from core.wings.native import aoti

    return aoti


def _executorch():
    from core.wings.native import executorch

    return executorch


def _cpp_project():
    from core.wings.native.cpp import project

    return project


FORMATS = (
    Format(
        "aoti",
        "AOTInductor",
        ".pt2",
        "application/octet-stream",
        "Compiled machine code, for this version of torch and processors like this one. "
        "Compiling takes about a minute.",
        maker=lambda *given: _aoti().make_aoti(*given),
        by_name=True,
        suffix="_aoti",
        needs=(COMPILER,),
        limit_s=600.0,
        after="pt2",
    ),
    Format(
        "executorch",
        "ExecuTorch",
        ".pte",
        "application/octet-stream",
        "For apps on phones and small boards: a file for the ExecuTorch runtime, written in "
        "C++ and fast through XNNPACK. Takes up to 64 samples at a time.",
        maker=lambda *given: _executorch().make_executorch(*given),
        group="device",
        needs=(EXECUTORCH,),
        after="web",
        experimental="Its files were run on Linux. No test runs one on a phone or a board.",
    ),
    Format(
        "cpp-onnx",
        "C++ project, ONNX Runtime",
        ".zip",
        "application/zip",
        "CMake file, program, network, and samples with expected outputs. It builds in "
        "seconds, runs and compares; the library is a small download.",
        maker=lambda *given: _cpp_project().make_cpp_onnx(*given),
        group="cpp",
        suffix="_cpp_onnx",
    ),
    Format(
        "cpp",
        "C++ project, libtorch",
        ".zip",
        "application/zip",
        "The same with PyTorch's C++ library, which is part of the package torch. A build "
        "takes a minute and 1 GB of memory.",
        maker=lambda *given: _cpp_project().make_cpp(*given),
        by_name=True,
        group="cpp",
        suffix="_cpp",
        after="cpp-onnx",
    ),
)
