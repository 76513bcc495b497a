"""Notebooks in R, Julia and the rest: each fork starts the notebook's own kernel, and asks it by nbclient, as nbgrader.

Run as `python -m nbproctor.inside.kernel`, with arguments as in `zygote`; GIVEN is what `anycourse.kernels` found out
about the kernel.

nbclient and the kernel are one student's process and its child, behind the same walls and limits. They talk through
sockets of the file system (Jupyter's transport "ipc"), in the scratch folder, since there is no network. What comes out
goes through the worker's channel, which the kernel does not have.
"""

import asyncio
import gc
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

from nbproctor.border.messages import Begun, CellRun
from nbproctor.border.sandbox import die_with_parent
from nbproctor.inside import serving, zygote

OUTPUT_MOST = 15_000_000  # characters that one cell can put out
IDLE_S = 3600  # for the outputs of a cell that has ended; the worker's limit for the cell comes before
SILENT = "ERROR: An error occurred while showtraceback was disabled"


class _Client(NotebookClient):  # type: ignore[misc]
    """nbgrader's client, which keeps only so much of what a cell puts out."""

    room = OUTPUT_MOST

    def output(self, outs: Any, msg: Any, display_id: Any, cell_index: int) -> Any:
        self.room -= len(str(msg["content"]))
        return super().output(outs, msg, display_id, cell_index) if self.room >= 0 else None


class InKernel:
    """Runs cells in a kernel, which is started for this notebook."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given
        self._interrupts: list[asyncio.Task[None]] = []

    async def begin(self, scratch: Path) -> Begun:
        given = self._given
        os.environ.pop("PYTHONPATH", None)  # it is ours, and would give our packages to a kernel of another Python
        manager = AsyncKernelManager(
            transport="ipc", ip=str(scratch / "k"), connection_file=str(scratch / "kernel.json"),
            kernel_name=given["name"],
        )  # fmt: skip
        manager._kernel_spec = KernelSpec(**given["spec"])
        self._manager, self._notebook = manager, new_notebook()
        self._client = _Client(
            self._notebook, km=manager, timeout=None, allow_errors=True, record_timing=False,
            startup_timeout=given["startup_s"], iopub_timeout=IDLE_S, extra_arguments=given["arguments"],
            on_cell_executed=_note_error,
        )  # fmt: skip
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt)
        with tempfile.TemporaryFile() as said:
            try:
                await self._client.async_start_new_kernel(stdout=said, stderr=said, preexec_fn=die_with_parent)
                await self._client.async_start_new_kernel_client()
                info = await self._client.kc.kernel_info(reply=True, timeout=given["startup_s"])
            except (RuntimeError, OSError) as error:  # nbclient's own word for a kernel that died, or was too slow
                said.seek(0)
                lines = said.read().decode(errors="replace").strip().splitlines()
                return Begun(failed=f"{error}{': ' if lines else ''}{' / '.join(lines[-3:])}")
        return Begun(info["content"].get("language_info", {}))

    def _interrupt(self) -> None:
        self._interrupts.append(asyncio.ensure_future(self._manager.interrupt_kernel()))

    async def run(self, source: str, draw: bool) -> CellRun:
        cell = new_code_cell(source)
        self._notebook.cells.append(cell)
        self._client.room = OUTPUT_MOST
        count = self._client.code_cells_executed + 1
        await self._client.async_execute_cell(cell, len(self._notebook.cells) - 1, execution_count=count)
        return CellRun(cell.outputs, cell.execution_count)

    def fork(self, source: str) -> str:
        raise NotImplementedError("a kernel is a process of its own, which a fork of this one shares")

    async def end(self) -> float | None:
        await self._manager.shutdown_kernel(now=self._given["at_once"])  # else it writes what it holds, as in nbgrader
        return sum(os.times()[:4])


def _note_error(cell: Any, execute_reply: Any, **_: Any) -> None:
    """What nbgrader's `Execute.on_cell_executed` does: an error counts, also one of which the kernel showed nothing."""
    reply = execute_reply["content"]
    if reply["status"] == "error" and not any(
        one.output_type == "error" and one.ename == reply.get("ename") for one in cell.outputs
    ):
        lines = reply.get("traceback") or [SILENT]
        cell.outputs.append(
            new_output("error", ename=reply.get("ename", ""), evalue=reply.get("evalue", ""), traceback=lines)
        )


def warm_up(given: dict[str, Any]) -> zygote.Serve:
    gc.freeze()
    return lambda end: serving.serve(end, InKernel(given))


if __name__ == "__main__":
    zygote.run(warm_up)
