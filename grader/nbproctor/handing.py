"""What a check hands over to the student: nothing of it tells the answer, or which check is running.

A function of the check's own stays with the examiner: what goes over is its number, and calls of it come back. A module
of the check's goes over as its code and its tensors, in a pickle without the names of its class and of the places it
was written in; functions that it keeps stay here, too. What is handed over twice has the same bytes twice, without
addresses and without numbers drawn for it, so that a conversation with a check can be kept (`conversation`).
"""

from __future__ import annotations

import functools
import io
from types import CodeType, FunctionType, MethodType
from typing import Any

import cloudpickle
import torch
from cloudpickle.cloudpickle import _should_pickle_by_reference

from nbproctor.protocol import stand_in, storage_of

CLASS_NAME = "Layer"  # what every class of a check's is called over there
FILE_NAME = "<check>"

# For each function cloudpickle looks through all modules for submodules to import over there: a third of our time.
cloudpickle.cloudpickle._find_imported_submodules = lambda code, dependencies: []


class HandedOver:
    """The functions that stay here, by number, until the next check begins."""

    def __init__(self) -> None:
        self.functions: list[Any] = []
        self._numbers: dict[int, int] = {}

    def clear(self) -> None:
        self.functions.clear()
        self._numbers.clear()

    def number(self, function: Any) -> int:
        """The number under which the function is called back; the same function has one number."""
        if id(function) not in self._numbers:
            self._numbers[id(function)] = len(self.functions)
            self.functions.append(function)
        return self._numbers[id(function)]

    def pickled(self, values: list[Any]) -> str:
        """The values as one pickle, in hexadecimal: an object that stands there twice stays one."""
        buffer = io.BytesIO()
        _Neutral(buffer, self).dump(values)
        return buffer.getvalue().hex()


def stays(value: Any) -> bool:
    """Whether it is a function, or a class, of the check's own: nothing that can be imported over there."""
    if isinstance(value, (MethodType, functools.partial)):
        return True
    return isinstance(value, (FunctionType, type)) and not _should_pickle_by_reference(value)


class _Neutral(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles modules of a check: their classes under one name for all, their code without its place."""

    def __init__(self, file: io.BytesIO, over: HandedOver) -> None:
        super().__init__(file)
        self._over = over
        self._methods: set[int] = set()  # of the classes that go over

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, torch.TypedStorage):
            raw = torch.empty(0, dtype=torch.uint8).set_(obj._untyped_storage).numpy().tobytes()
            return storage_of, (raw, obj.dtype)
        if isinstance(obj, type) and not _should_pickle_by_reference(obj):
            self._methods |= {id(function) for value in vars(obj).values() for function in _functions_of(value)}
            reduced = super().reducer_override(obj)
            if len(reduced) == 2:  # one that Python knows by another name, such as the type of None
                return reduced
            make, (kind, _, bases, options, _, extra), (table, slots), *rest = reduced
            untracked = None  # or else the class would have a number, drawn at random
            return make, (kind, CLASS_NAME, bases, options, untracked, extra), (table | {"__doc__": None}, slots), *rest
        if isinstance(obj, FunctionType) and id(obj) in self._methods:
            return super().reducer_override(_without_place(obj))
        if stays(obj):
            return stand_in, (self._over.number(obj),)
        return super().reducer_override(obj)


def _functions_of(value: Any) -> list[Any]:
    """The functions that an entry of a class stands for."""
    parts = (value.fget, value.fset, value.fdel) if isinstance(value, property) else (value,)
    return [getattr(part, "__func__", part) for part in parts]


def _without_place(function: Any) -> Any:
    """The same function, without its docstring and the line and class that it was written in."""
    code = _code_without_place(function.__code__)
    if function.__doc__ is not None:  # Python keeps it as the first constant
        code = code.replace(co_consts=(None, *code.co_consts[1:]))
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = f"{CLASS_NAME}.{function.__name__}"
    return made


def _code_without_place(code: CodeType) -> CodeType:
    constants = tuple(_code_without_place(part) if isinstance(part, CodeType) else part for part in code.co_consts)
    return code.replace(
        co_filename=FILE_NAME, co_firstlineno=1, co_linetable=b"", co_qualname=code.co_name, co_consts=constants
    )
