"""A notebook's shell without a kernel: runs cells as ipykernel would, and keeps their outputs as nbformat has them.

The shell is ipykernel's own class, so that magics, environment and what libraries ask of it (`tqdm`, `rich`, `pandas`)
are the same. What it would send to a frontend becomes an output here. Cells run inside a running event loop, as in a
kernel: `await` works at the top level, and `asyncio.run` is refused.
"""

import asyncio
import builtins
import getpass
import io
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import comm
import ipykernel
from ipykernel.compiler import XCachingCompiler
from ipykernel.jsonutil import encode_images, json_clean
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import _asyncio_runner
from traitlets import Type
from traitlets.config import Config

TEXT_MOST = 5_000_000  # characters that one cell can print
DATA_MOST = 64_000_000  # characters of pictures, tables and the like in one cell


class Outputs:
    """The outputs of the cell that runs."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []
        self.is_muted = True  # while libraries are imported before the first student
        self._clear_first = False
        self._text_room, self._data_room = TEXT_MOST, DATA_MOST

    def begin(self) -> None:
        self.__init__()  # type: ignore[misc]
        self.is_muted = False

    def text(self, name: str, text: str) -> None:
        if not text or self.is_muted:
            return
        self._clear_if_asked()
        last = self.found[-1] if self.found else {}
        if last.get("name") != name or last["output_type"] != "stream":
            last = {"output_type": "stream", "name": name, "text": []}
            self.found.append(last)
        if self._text_room > 0:
            last["text"].append(text[: self._text_room])
            self._text_room -= len(text)

    def add(self, output: dict[str, Any]) -> None:
        if self.is_muted:
            return
        take_handles()  # what was written there until now comes first
        self._clear_if_asked()
        size = sum(len(value) for value in output.get("data", {}).values() if isinstance(value, str))
        if size > self._data_room:
            output = {**output, "data": {"text/plain": "(too much output: it was left out)"}}
        else:
            self._data_room -= size
        self.found.append(output)

    def clear(self, wait: bool) -> None:
        if wait:
            self._clear_first = True
        else:
            self.found.clear()

    def update(self, display_id: str, data: Any, metadata: Any) -> None:
        for output in self.found:
            if output.get("display_id") == display_id:
                output.update(data=data, metadata=metadata)

    def take(self) -> list[dict[str, Any]]:
        """The outputs in nbformat's form."""
        for output in self.found:
            if isinstance(output.get("text"), list):
                output["text"] = "".join(output["text"])
            output.pop("display_id", None)
        return self.found

    def _clear_if_asked(self) -> None:
        if self._clear_first:
            self._clear_first = False
            self.found.clear()


outputs = Outputs()


class Stream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr`, with what ipykernel's own has: what is written becomes an output of the cell."""

    encoding = "UTF-8"

    def __init__(self, name: str, handle: int) -> None:
        self.name, self._handle = name, handle
        self._pid = os.getpid()

    def begin(self) -> None:
        self._pid = os.getpid()

    def write(self, string: str) -> int:
        if not isinstance(string, str):
            raise TypeError(f"write() argument must be str, not {type(string)}")
        if os.getpid() == self._pid:
            outputs.text(self.name, string)
        else:  # a process that the student's code has forked: what it prints is the cell's, too
            os.write(self._handle, string.encode(errors="replace"))
        return len(string)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._handle


class Hook(DisplayHook):  # type: ignore[misc]
    """Makes the value of a cell's last line an `execute_result`."""

    topic = None
    found: dict[str, Any] | None = None

    def start_displayhook(self) -> None:
        self.found = {"output_type": "execute_result", "data": {}, "metadata": {}}

    def write_output_prompt(self) -> None:
        if self.found is not None:
            self.found["execution_count"] = self.prompt_count

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        if self.found is not None:
            self.found["data"] = json_clean(encode_images(format_dict))
            self.found["metadata"] = json_clean(md_dict or {})

    def finish_displayhook(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        if self.found and self.found["data"]:
            outputs.add(self.found)
        self.found = None


class Publisher(DisplayPublisher):  # type: ignore[misc]
    """Makes what `display` shows a `display_data`."""

    def publish(
        self, data: Any, metadata: Any = None, *, transient: Any = None, update: bool = False, **kwargs: Any
    ) -> None:
        if not isinstance(data, dict):
            raise TypeError(f"data must be a dict, got: {data!r}")
        shown, about = json_clean(encode_images(data)), json_clean(metadata or {})
        name = str((transient or {}).get("display_id", ""))
        if update:
            outputs.update(name, shown, about)
        else:
            outputs.add({"output_type": "display_data", "data": shown, "metadata": about, "display_id": name})

    def clear_output(self, wait: bool = False) -> None:
        outputs.clear(wait)


_exits: list[bool] = []  # whether the cell has called `exit()`


def take_exit() -> bool:
    is_asked = bool(_exits)
    _exits.clear()
    return is_asked


def _system(self: Any, cmd: str) -> None:
    """`!command`: nbgrader's kernel gives it a terminal, of which there is none here."""
    if cmd.rstrip().endswith("&"):
        raise OSError("Background processes not supported.")
    command = self.var_expand(cmd, depth=1)
    done = subprocess.run(  # noqa: S602 a shell command of the student's own, in the sandbox
        command, shell=True, executable=os.environ.get("SHELL"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    sys.stdout.write(done.stdout.decode("utf-8", "replace"))
    self.user_ns["_exit_code"] = done.returncode


def _show(self: Any, etype: Any, evalue: Any, stb: Any) -> None:
    if getattr(self.displayhook, "found", None) is not None:
        self._last_traceback_during_displayhook = True
    name = str(getattr(etype, "__name__", etype))
    outputs.add({"output_type": "error", "ename": name, "evalue": str(evalue), "traceback": list(stb)})
    self._last_traceback = stb


# Libraries look at the name of this class and of its module, so both are ipykernel's.
Shell = type(
    "ZMQInteractiveShell",
    (ZMQInteractiveShell,),
    {
        "__module__": ZMQInteractiveShell.__module__,
        "displayhook_class": Type(Hook),
        "display_pub_class": Type(Publisher),
        "_showtraceback": _show,
        "enable_gui": lambda self, gui=None: None,
        "ask_exit": lambda self: _exits.append(True),  # a kernel would end here
        "system": _system,
        "system_piped": _system,
        "system_raw": _system,
    },
)


streams = Stream("stdout", 1), Stream("stderr", 2)
_own_input = builtins.input, getpass.getpass
ipykernel_launcher = (
    Path(ipykernel.__file__).parent.parent / "ipykernel_launcher.py"
)  # the program of nbgrader's kernel


class _Silent(comm.base_comm.BaseComm):  # type: ignore[misc]
    """A widget's line to the page that shows it. There is no page, in nbgrader's kernel neither, and nobody answers."""

    def publish_msg(self, *_: Any, **__: Any) -> None: ...


def make_shell() -> Any:
    """Build the shell, once, before the fork. Its streams catch what libraries print while they are imported."""
    config = Config()
    config.HistoryManager.hist_file = ":memory:"  # as nbgrader has it; a file would be written by a thread
    shell = Shell.instance(config=config, compiler_class=XCachingCompiler)  # type: ignore[attr-defined]
    manager = comm.base_comm.CommManager()
    comm.create_comm, comm.get_comm_manager = _Silent, lambda: manager
    try:
        exec(compile("1 / 0", "<first>", "exec"), {})  # noqa: S102
    except ZeroDivisionError:  # the first traceback takes as long as ten others, so it is made here, for all
        shell.InteractiveTB.structured_traceback(*sys.exc_info())
    sys.stdout, sys.stderr = streams
    sys.argv = [str(ipykernel_launcher), "-f", "/tmp/kernel.json", "--HistoryManager.hist_file=:memory:"]  # noqa: S108
    return shell


def _no_input(*_: Any, **__: Any) -> Any:
    raise StdinNotImplementedError("raw_input was called, but this frontend does not support input requests.")


_files: dict[str, Any] = {}  # what C code and subprocesses write to the handles 1 and 2


def begin() -> None:
    """In the student's process, once: streams and handles as in a kernel."""
    for number, stream in enumerate(streams, 1):
        stream.begin()
        file = tempfile.TemporaryFile(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)  # noqa: S108
        os.dup2(file.fileno(), number)
        _files[stream.name] = file


def take_handles() -> None:
    """Make what was written to the handles 1 and 2 an output of the cell."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            stream.flush()
    for name, file in _files.items():
        if size := os.fstat(file.fileno()).st_size:
            file.seek(0)
            outputs.text(name, file.read(min(size, TEXT_MOST)).decode("utf-8", "replace"))
            file.seek(0)
            file.truncate()


async def run(shell: Any, source: str) -> list[dict[str, Any]]:
    """Run one cell as ipykernel does (`IPythonKernel.do_execute`), and return its outputs."""
    outputs.begin()
    try:
        result = await _execute(shell, source)
        fault = result.error_before_exec or result.error_in_exec
    except BaseException as error:  # noqa: BLE001 an interrupt between IPython's own lines, or what the student left there
        fault = error
    if fault is not None and not any(
        one["output_type"] == "error" and one["ename"] == type(fault).__name__ for one in outputs.found
    ):  # nbgrader adds it to a cell whose traceback was silenced (`Execute.on_cell_executed`)
        name, text = type(fault).__name__, "ERROR: An error occurred while showtraceback was disabled"
        outputs.add({"output_type": "error", "ename": name, "evalue": _words(fault), "traceback": [text]})
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except Exception:  # noqa: BLE001, S110 the student's code may have put anything there
        pass
    take_handles()
    return outputs.take()


async def _execute(shell: Any, source: str) -> Any:
    fault = None
    try:
        transformed = shell.transform_cell(source)
    except Exception:  # noqa: BLE001 IPython shows it when the cell runs
        transformed, fault = source, sys.exc_info()
    is_async = shell.loop_runner is _asyncio_runner and shell.should_run_async(
        source, transformed_cell=transformed, preprocessing_exc_tuple=fault
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)
    builtins.input = getpass.getpass = _no_input  # for each cell anew, whatever an earlier one has put there
    try:
        if not is_async:
            return shell.run_cell(source, store_history=True, silent=False)
        cell = asyncio.ensure_future(
            shell.run_cell_async(
                source, store_history=True, silent=False, transformed_cell=transformed, preprocessing_exc_tuple=fault
            )
        )
        signal.signal(signal.SIGINT, lambda *_: cell.cancel())
        result = None
        try:
            result = await cell
        finally:
            shell.events.trigger("post_execute")
            shell.events.trigger("post_run_cell", result)
        return result
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        builtins.input, getpass.getpass = _own_input


def _words(fault: BaseException) -> str:
    try:
        return str(fault)
    except BaseException as broken:  # noqa: BLE001 the student's own __str__ may raise anything
        return f"(its message could not be read: {type(broken).__name__})"
