"""The warm process of any nbgrader course: it has imported the course's libraries, and runs a notebook in each fork.

Run as `python -m nbproctor.inside.notebook`, with arguments as in `zygote`; GIVEN names the libraries' modules. It
has seen no notebook. Checks run in the student's process, as in nbgrader.
"""

import gc
import importlib
import os
import platform
import sys
from pathlib import Path
from typing import Any

from IPython.core import pylabtools

from nbproctor.border.messages import Begun, CellRun
from nbproctor.inside import cells, serving, zygote

_fonts: dict[Path, bytes] = {}  # matplotlib's list of fonts, which takes seconds to make anew
_print_figure = pylabtools.print_figure


def language() -> dict[str, Any]:
    """What ipykernel says about itself, and nbclient writes into the notebook; pages of feedback colour code by it."""
    return {
        "codemirror_mode": {"name": "ipython", "version": sys.version_info[0]},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }


def warm_up(names: list[str]) -> zygote.Serve:
    """Build the shell and import these modules, as far as they can be imported."""
    gc.disable()
    for path in Path(os.environ.get("MPLCONFIGDIR", "/nowhere")).glob("fontlist-*.json"):
        _fonts[path] = path.read_bytes()
    shell = cells.make_shell()
    for name in names:
        try:
            importlib.import_module(name)
        except BaseException:  # noqa: BLE001, S110 a module may do anything; who needs it meets the error in a cell
            pass
    gc.enable()
    gc.collect()
    gc.freeze()  # a garbage collection in a child would write to all objects, and so copy their pages
    return lambda end: serving.serve(end, InShell(shell))


class InShell:
    """Runs cells in the shell of this process."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    async def begin(self, scratch: Path) -> Begun:
        for path, data in _fonts.items() if "matplotlib.font_manager" not in sys.modules else ():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()  # else every student would draw the same numbers
        sys.path.insert(0, "")
        self._shell.user_ns["_dh"][:] = [Path.cwd()]  # where `%cd -` leads back to
        cells.begin()
        self._loaded = set(sys.modules)
        return Begun(language())

    async def run(self, source: str, draw: bool) -> CellRun:
        _draw(draw)
        found = await cells.run(self._shell, source)
        new, self._loaded = [name for name in [*sys.modules] if name not in self._loaded], set(sys.modules)
        count, used = self._shell.execution_count - 1, sum(os.times()[:4])
        return CellRun(found, count, new, cells.take_exit(), used)

    def fork(self, source: str) -> str:
        cells.begin()
        self._shell.InteractiveTB.set_mode("Minimal")  # nobody reads the traceback, which takes longer than most tests
        return str(self._shell.compile.get_code_name(source, source, 0))

    async def end(self) -> float | None:
        return None


def _draw(is_wanted: bool) -> None:
    """Have figures drawn, or shown as text. Where nobody looks at them, drawing takes longer than all else."""
    pylabtools.print_figure = _print_figure if is_wanted else lambda *_, **__: None


if __name__ == "__main__":
    zygote.run(warm_up)
