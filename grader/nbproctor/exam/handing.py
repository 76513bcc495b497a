"""Hands a check's functions and modules to the student's process without showing the answer or which check is running.

A function of the check's own stays with the examiner: only its number is sent, and the student's process calls it back.
A module of the check's is sent as its code and its tensors, in a pickle without the name of its class and without the
places where its code was written; functions that it refers to stay here, too. The same object always gives the same
bytes, without addresses or random numbers, so that a conversation with a check can be kept (`conversation`).
"""

import functools
import io
from types import CodeType, FunctionType, MethodType
from typing import Any

import cloudpickle
import torch
from cloudpickle.cloudpickle import _should_pickle_by_reference

from nbproctor.border.protocol import stand_in, storage_of

CLASS_NAME = "Layer"  # the name of every class of a check's in the student's process
FILE_NAME = "<check>"


class HandedOver:
    """Numbers the functions of one check that stay here, and pickles what refers to them."""

    def __init__(self) -> None:
        self.functions: list[Any] = []
        self._numbers: dict[int, int] = {}

    def number(self, function: Any) -> int:
        """Return the number under which the student's process calls the function; a function keeps its number."""
        if id(function) not in self._numbers:
            self._numbers[id(function)] = len(self.functions)
            self.functions.append(function)
        return self._numbers[id(function)]

    def pickled(self, values: list[Any]) -> str:
        """Return the values as one pickle, in hexadecimal. An object that occurs twice stays a single object."""
        buffer = io.BytesIO()
        _Neutral(buffer, self).dump(values)
        return buffer.getvalue().hex()


def stays(value: Any) -> bool:
    """Whether a value is a function or class of the check's own, which the student's process could not import."""
    if isinstance(value, (MethodType, functools.partial)):
        return True
    return isinstance(value, (FunctionType, type)) and not _should_pickle_by_reference(value)


class _Neutral(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles a check's modules: all their classes get the same name, and their code does not tell where it stands."""

    def __init__(self, file: io.BytesIO, over: HandedOver) -> None:
        super().__init__(file)
        self._over = over
        self._methods: set[int] = set()  # the ids of the methods of classes that are sent

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, torch.TypedStorage):
            raw = torch.empty(0, dtype=torch.uint8).set_(obj._untyped_storage).numpy().tobytes()
            return storage_of, (raw, obj.dtype)
        if isinstance(obj, type) and not _should_pickle_by_reference(obj):
            self._methods |= {id(function) for value in vars(obj).values() for function in _functions_of(value)}
            reduced = super().reducer_override(obj)
            if len(reduced) == 2:  # a class that pickle finds by name, such as the type of None
                return reduced
            make, (kind, _, bases, options, _, extra), (table, slots), *rest = reduced
            untracked = None  # otherwise cloudpickle would send a random id of the class
            return make, (kind, CLASS_NAME, bases, options, untracked, extra), (table | {"__doc__": None}, slots), *rest
        if isinstance(obj, FunctionType) and id(obj) in self._methods:
            return super().reducer_override(_without_place(obj))
        if stays(obj):
            return stand_in, (self._over.number(obj),)
        return super().reducer_override(obj)


def _functions_of(value: Any) -> list[Any]:
    """Return the functions behind an entry of a class: a method, or the accessors of a property."""
    parts = (value.fget, value.fset, value.fdel) if isinstance(value, property) else (value,)
    return [getattr(part, "__func__", part) for part in parts]


def _without_place(function: Any) -> Any:
    """Return a copy of the function without its docstring, and without the line and class that it was written in."""
    code = _code_without_place(function.__code__)
    if function.__doc__ is not None:  # Python keeps the docstring as the first constant
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
