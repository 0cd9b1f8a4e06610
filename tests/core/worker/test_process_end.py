"""How a process that trains ends: with its status, after its threads, before C++ libraries."""

import subprocess
import sys

import pytest

BEGIN = "import atexit, ctypes, threading, time; from core.worker.process_end import end_with; "


def ended(code: str) -> tuple[int, str, str]:
    process = subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True)
    return process.returncode, process.stdout, process.stderr


def test_what_would_abort_after_python_is_not_reached() -> None:
    abort = "ctypes.pythonapi.Py_AtExit(ctypes.CDLL(None).abort); "  # as C++ libraries clean up
    assert ended(abort)[0] == -6  # without us
    assert ended(abort + "end_with(lambda: 76)")[0] == 76


def test_threads_and_exit_handlers_come_to_their_end() -> None:
    work = """
def work():
    threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
    atexit.register(print, "handler")
    return 3
end_with(work)
"""
    assert ended(work) == (3, "thread\nhandler\n", "")


def test_what_is_raised_is_printed_and_the_status_is_1() -> None:
    status, _, errors = ended("end_with(lambda: 1 // 0)")
    assert status == 1
    assert errors.endswith("ZeroDivisionError: integer division or modulo by zero\n")


@pytest.mark.parametrize("status", [0, 77])
def test_its_status_is_that_of_the_work(status: int) -> None:
    assert ended(f"end_with(lambda: {status})") == (status, "", "")
