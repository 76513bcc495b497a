"""A kernel that starts in a moment: a fork of a process that has imported what every notebook of the course imports.

Stock nbgrader starts a kernel for each of some hundred submissions in `make test`, and half of its time would go into
importing torch and matplotlib. Here they are imported once; the kernel itself is ordinary ipykernel. When it serves
stock nbgrader it draws no figures, since they decide no point; `test_notebooks` is where figures are compared.

    warm_kernel.py serve SOCKET        the warm process: forks a kernel for each connection, until it is killed
    warm_kernel.py unprinted SOCKET    the same, but its kernels draw no figures
    warm_kernel.py plain SOCKET        the same, with no more imported than any kernel has when its first cell runs
    warm_kernel.py SOCKET CONNECTION   what Jupyter starts and kills in place of a kernel; the kernel ends with it
"""

import gc
import importlib
import io
import json
import os
import signal
import socket
import sys
import threading
from typing import Any

LONGEST = 1 << 20  # bytes of an environment
IMPORTED_BY_EVERY_KERNEL = (  # while it starts, before its first cell
    "ipykernel.debugger", "ipykernel.ipkernel", "ipykernel.zmqshell", "IPython.core.completerlib",
    "IPython.core.debugger", "IPython.extensions.storemagic", "psutil", "tornado.platform.asyncio", "tornado.queues",
)  # fmt: skip


def _print_nothing(canvas: Any, file: Any, **_: Any) -> None:
    """Write the smallest PNG instead of the figure: drawing would take half of the time and decide no point."""
    from PIL import Image

    Image.new("L", (1, 1)).save(file, "PNG")


def import_the_courses(printed: bool) -> None:
    """Import what the notebooks of the course import."""
    import torch
    from matplotlib import pyplot as plt
    from matplotlib.backend_bases import FigureCanvasBase

    torch.set_num_threads(1)  # threads do not fork
    torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))])  # its first use imports modules for a second
    figure, _ = plt.subplots(layout="constrained")
    figure.savefig(io.BytesIO(), format="png")  # the first figure looks for fonts
    plt.close(figure)
    if not printed:
        FigureCanvasBase.print_figure = _print_nothing  # type: ignore[method-assign]


def serve(address: str) -> None:
    """Fork a kernel for each connection. Never returns."""
    from ipykernel.kernelapp import IPKernelApp

    for name in IMPORTED_BY_EVERY_KERNEL:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # otherwise a collection in a fork would copy all these objects
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a kernel
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(address)
        door.listen(16)
        while True:
            caller, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _become_kernel(caller, IPKernelApp)
            caller.close()


def _become_kernel(caller: socket.socket, app: type) -> None:
    """In the forked child: be the caller's kernel, in its folder and environment, until it ends. Never returns."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        wanted = json.loads(caller.recv(LONGEST))
        os.setsid()
        os.chdir(wanted["folder"])
        os.environ.clear()
        os.environ.update(wanted["environment"])
        sys.argv = ["ipykernel_launcher.py", "-f", wanted["connection"], *wanted["options"]]
        threading.Thread(target=lambda: (caller.recv(1), os._exit(0)), daemon=True).start()
        app.launch_instance(argv=sys.argv[1:])  # type: ignore[attr-defined]
    finally:
        os._exit(0)


def call(address: str, connection: str, *options: str) -> None:
    """Have the warm process start a kernel in this folder, and wait until the kernel ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Jupyter sends it before it ends a kernel
    # JPY_PARENT_PID would be wrong: the kernel is a fork of the warm process, not a child of Jupyter.
    environment = {name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"}
    wanted = {"folder": os.getcwd(), "environment": environment, "connection": connection,
              "options": options}  # fmt: skip
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
        caller.connect(address)
        caller.send(json.dumps(wanted).encode())
        caller.recv(1)


if __name__ == "__main__":
    if sys.argv[1] in ("serve", "unprinted", "plain"):
        if sys.argv[1] == "plain":
            del sys.path[0]  # this program's folder
        else:
            import_the_courses(printed=sys.argv[1] == "serve")
        serve(sys.argv[2])
    call(*sys.argv[1:])
