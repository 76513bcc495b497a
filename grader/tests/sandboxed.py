"""Helpers of the sandbox's tests: they try things in a student's process, and return how each ended."""

from __future__ import annotations

from typing import Any

from students import run

from nbproctor.exam.proxies import Student

TRY = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)

def word(call, *arguments):
    ctypes.set_errno(0)
    result = call(*arguments)
    return errno.errorcode.get(ctypes.get_errno(), "?") if result == -1 else result

def attempt(call, *arguments, **more):
    try:
        return call(*arguments, **more)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
"""


def said(student: Student, source: str) -> Any:
    """Run this cell in the student's process and return the value of `found` there, as plain data."""
    run(student, TRY + source)
    return student.lookup("found")
