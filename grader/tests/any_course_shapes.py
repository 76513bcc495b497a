"""Exercises as instructors write them for nbgrader, each a way in which a test reaches an answer.

A shape is a text in percent format. `# %% KIND ID POINTS` begins a cell; § stands for the exercise's number, so that a
notebook can hold a shape twice. Kinds: text, plain (code that is nobody's), locked (read-only code), answer, test,
manual (markdown, graded by a person), essay (code, graded by a person), task. No reference solution of HONEST loses a
point in nbgrader but where the shape's comment says so.
"""

HONEST = {
    "a function and its value": """
# %% answer mean§
def mean§(values):
    \"\"\"The arithmetic mean.\"\"\"
    return sum(values) / len(values)
# %% test mean§_t 2
assert mean§([1, 2, 3]) == 2
### BEGIN HIDDEN TESTS
assert mean§([4]) == 4
### END HIDDEN TESTS
""",
    "hidden tests alone, and a test worth nothing": """
# %% answer twice§
def twice§(x):
    return 2 * x
# %% test twice§_zero 0
assert callable(twice§)
# %% test twice§_hidden 3
### BEGIN HIDDEN TESTS
assert twice§(4) == 8 and twice§("ab") == "abab"
### END HIDDEN TESTS
""",
    "partial credit": """
# %% answer credit§
guesses§ = [1, 4, 9, 16]
# %% test credit§_t 4
sum(g == (n + 1) ** 2 for n, g in enumerate(globals().get("guesses§", [])))
# %% test credit§_float 1
0.25 * len(guesses§)
""",
    "a last line that is no number, a list, a negative one, numpy's": """
# %% answer last§
word§ = "seven"
# %% test last§_text 1
word§.upper()
# %% test last§_bool 1
word§ == "seven"
# %% test last§_list 1
[0.5]
# %% test last§_negative 1
-1 if word§ == "seven" else 0
# %% test last§_numpy 1
import numpy as np
np.float64(0.5 if word§ == "seven" else 0.0)
# %% test last§_dots 1
...
# %% test last§_none 1
None
# %% test last§_print 1
print(0.5)
""",
    "printed output is captured": """
# %% answer print§
def hello§(name):
    print(f"Hello, {name}!")
# %% test print§_redirect 1
import io, contextlib
with contextlib.redirect_stdout(io.StringIO()) as said§:
    hello§("Ana")
assert said§.getvalue() == "Hello, Ana!\\n"
# %% test print§_ipython 1
from IPython.utils.capture import capture_output
with capture_output() as caught:
    hello§("Bo")
assert caught.stdout.strip() == "Hello, Bo!", repr(caught.stdout)
""",
    "the source text": """
# %% answer source§
def evens§(n):
    return [k for k in range(n) if k % 2 == 0]
# %% test source§_inspect 1
import inspect
text§ = inspect.getsource(evens§)
assert "for" in text§ and "while" not in text§
# %% test source§_history 1
assert any("evens§" in line for line in In[:-1]) and "In" in In[-1]
assert evens§(5) == [0, 2, 4]
""",
    "Out, underscore and names of the shell": """
# %% answer shell§
value§ = 6 * 7
# %% plain
value§
# %% test shell§_underscore 1
assert _ == value§ == 42
# %% test shell§_out 1
assert 42 in Out.values() and get_ipython() is not None
assert __name__ == "__main__" and "value§" in globals() and "value§" in dir()
""",
    "a warning on stderr costs the test": """
# %% answer warn§
import warnings
def area§(r):
    warnings.warn("r is a radius")
    return 3 * r * r
# %% test warn§_t 2
assert area§(1) == 3
# %% test warn§_again 1
assert area§(2) == 12
# %% test warn§_quiet 1
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    assert area§(1) == 3
""",
    "stderr by every door": """
# %% answer doors§
import logging, sys
def say§(kind):
    if kind == "print": print("x", file=sys.stderr)
    if kind == "write": sys.stderr.write("x")
    if kind == "log": logging.getLogger("a§").warning("x")
    if kind == "out": print("x")
# %% test doors§_print 1
say§("print")
# %% test doors§_write 1
say§("write")
# %% test doors§_log 1
say§("log")
# %% test doors§_out 1
say§("out")
# %% test doors§_empty 1
sys.stderr.write("")
assert say§("none") is None
""",
    "magics and shell": """
# %% answer magic§
name§ = "file§.txt"
# %% plain
%%bash
echo one > made§.txt
echo two >> made§.txt
# %% test magic§_bash 1
lines§ = open("made§.txt").read().split()
assert lines§ == ["one", "two"] and name§
# %% test magic§_bang 1
listed§ = !cat made§.txt
assert list(listed§) == ["one", "two"]
# %% test magic§_system 1
!test -f made§.txt
assert _exit_code == 0
# %% plain
%%writefile mod§.py
def seven(): return 7
# %% test magic§_import 1
import mod§
assert mod§.seven() == 7
# %% test magic§_bashfails 1
%%bash
exit 3
# %% test magic§_bashstderr 1
%%bash
echo trouble >&2
# %% test magic§_time 1
%time value = 3
assert value == 3
# %% test magic§_python 1
%%python
print(1 + 1)
""",
    "figures": """
# %% locked fig§_setup
%matplotlib inline
import matplotlib.pyplot as plt
# %% answer fig§
fig§, ax§ = plt.subplots()
ax§.plot([1, 2, 3], [1, 4, 9], label="squares")
ax§.set_xlabel("n")
ax§.set_title("Squares")
# %% test fig§_t 2
line§, = ax§.get_lines()
assert list(line§.get_ydata()) == [1, 4, 9]
assert ax§.get_xlabel() == "n"
# %% test fig§_closed 1
assert plt.get_fignums() == []
# %% test fig§_backend 1
import matplotlib
assert "inline" in matplotlib.get_backend(), matplotlib.get_backend()
# %% test fig§_save 1
import os
fig§.savefig("fig§.png")
assert os.path.getsize("fig§.png") > 1000
# %% test fig§_last 1
fig§
""",
    "matplotlib without its magic": """
# %% answer plain§
import matplotlib.pyplot as plt
plt.plot([1, 2], [3, 4])
plt.show()
# %% test plain§_t 1
import matplotlib
assert "inline" in matplotlib.get_backend() and not plt.get_fignums()
""",
    "whether nbgrader runs it": """
# %% answer env§
import os
mode§ = os.environ.get("NBGRADER_EXECUTION")
# %% test env§_t 1
assert mode§ == "autograde", mode§
# %% test env§_set 1
os.environ["ENV§"] = "1"
import subprocess
assert subprocess.check_output("echo $ENV§", shell=True).strip() == b"1"
""",
    "seeds": """
# %% answer seed§
import random
import numpy as np
def draw§(): return round(random.random(), 6), round(float(np.random.rand()), 6)
# %% test seed§_t 1
random.seed(5)
np.random.seed(5)
assert draw§() == (0.622902, 0.221993), draw§()
# %% test seed§_free 1
assert draw§() != draw§()
""",
    "a class, pickled, copied, compared": """
# %% answer class§
from dataclasses import dataclass
import pickle, copy
@dataclass
class Point§:
    x: float
    y: float = 0.0
    def __add__(self, other):
        return Point§(self.x + other.x, self.y + other.y)
# %% test class§_t 2
p = Point§(1, 2) + Point§(3)
assert p == Point§(4, 2) and repr(p).startswith("Point§")
assert pickle.loads(pickle.dumps(p)) == copy.deepcopy(p)
assert Point§.__module__ == "__main__"
""",
    "processes and threads": """
# %% answer multi§
import multiprocessing, threading, concurrent.futures
def cube§(n): return n ** 3
# %% test multi§_pool 1
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(cube§, [1, 2, 3]) == [1, 8, 27]
# %% test multi§_thread 1
found§ = []
thread = threading.Thread(target=lambda: found§.append(cube§(2)))
thread.start()
thread.join()
assert found§ == [8]
# %% test multi§_futures 1
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    assert list(pool.map(cube§, [2, 3])) == [8, 27]
""",
    "await at the top, and asyncio.run": """
# %% answer await§
import asyncio
async def later§(): 
    await asyncio.sleep(0)
    return 5
# %% test await§_t 1
assert await later§() == 5
# %% test await§_run 1
try:
    coroutine§ = later§()
    asyncio.run(coroutine§)
    inside§ = False
except RuntimeError:
    coroutine§.close()
    inside§ = True
assert inside§, "a kernel has a running loop"
# %% test await§_task 1
task§ = asyncio.ensure_future(later§())
assert await task§ == 5
""",
    "back to the folder where the notebook began": """
# %% answer back§
import os
os.makedirs("down§", exist_ok=True)
text§ = "up"
# %% plain
%cd -q down§
%cd -q -
# %% test back§_t 1
assert open("up§.txt", "w").write(text§) == 2
# %% test back§_first 1
os.chdir("down§")
os.chdir(_dh[0])
assert os.path.exists("up§.txt")
""",
    "files that an earlier cell wrote": """
# %% answer files§
import json, os, tempfile
with open("notes§.json", "w") as file:
    json.dump({"n": §}, file)
os.makedirs("folder§/deep", exist_ok=True)
open("folder§/deep/x.txt", "w").write("x")
# %% test files§_t 1
assert json.load(open("notes§.json"))["n"] == §
# %% test files§_deep 1
assert os.path.exists("folder§/deep/x.txt")
# %% test files§_temp 1
with tempfile.TemporaryDirectory() as name:
    assert os.listdir(name) == []
""",
    "a system exit and an interrupt of one's own": """
# %% answer stop§
import sys
def stop§(how): raise {"exit": SystemExit, "interrupt": KeyboardInterrupt}[how]
# %% test stop§_exit 1
sys.exit(0)
# %% test stop§_caught 1
try:
    stop§("exit")
except SystemExit:
    pass
# %% test stop§_interrupt 1
stop§("interrupt")
# %% test stop§_after 1
assert callable(stop§)
""",
    "displays of all kinds": """
# %% answer show§
from IPython.display import HTML, Markdown, display, clear_output, Image, update_display
class Rich§:
    def _repr_html_(self): return "<b>rich</b>"
rich§ = Rich§()
# %% plain
display(HTML("<i>a</i>"), rich§)
print("gone")
clear_output()
print("stays")
# %% plain
handle = display("first", display_id="d§")
update_display("second", display_id="d§")
rich§;
# %% test show§_rich 1
rich§
# %% test show§_display 1
display(Markdown("*b*"))
assert rich§._repr_html_() == "<b>rich</b>"
# %% test show§_semicolon 1
0.5;
# %% plain
%%html
<p>text</p>
""",
    "recursion that does not end": """
# %% answer deep§
def down§(n):
    return down§(n - 1)
# %% test deep§_t 1
try:
    down§(1)
except RecursionError:
    pass
# %% test deep§_fails 1
import sys
before = sys.getrecursionlimit()
sys.setrecursionlimit(200)  # IPython's traceback of a kernel's 3000 calls takes seconds
try:
    down§(1)
finally:
    sys.setrecursionlimit(before)
""",
    "streams as programs use them": """
# %% answer streams§
import sys
def bar§(): sys.stdout.write("10%\\r20%\\r"); sys.stdout.flush(); return 3
# %% test streams§_t 1
assert bar§() == 3
print(sys.stdout.encoding, sys.stdout.isatty())
# %% test streams§_replaced 1
import io
old§, sys.stdout = sys.stdout, io.StringIO()
print("hidden")
text§ = sys.stdout.getvalue()
sys.stdout = old§
assert text§ == "hidden\\n"
# %% test streams§_left 1
kept§, sys.stderr = sys.stderr, io.StringIO()
print("into nothing", file=sys.stderr)
# %% test streams§_back 1
sys.stderr = kept§
assert sys.stdin is not None
""",
    "letters of all alphabets": """
# %% answer letters§
größe§ = "naïve 学 🙂"
# %% test letters§_t 1
print(größe§)
assert len(größe§) == 9, "ключ"
# %% test letters§_fails 1
assert größe§ == "", größe§
""",
    "an answer for a person": """
# %% manual why§ 3
Write a sentence.
# %% essay draw§ 2
sketch§ = "a line"
# %% task build§ 4
Build something.
""",
    "a syntax error and an undefined name in the text": """
# %% plain
this is no python
# %% plain
undefined_name§
# %% answer wrongs§
fine§ = True
# %% test wrongs§_t 1
assert fine§
# %% test wrongs§_syntax 1
assert fine§ is is True
""",
    "extensions and other magics": """
# %% plain
%load_ext autoreload
%autoreload 2
%config InlineBackend.figure_format = "retina"
%precision 3
# %% answer ext§
third§ = 1 / 3
# %% plain
len?
# %% test ext§_t 9
third§
# %% test ext§_magic 1
get_ipython().run_line_magic("pwd", "")
assert get_ipython().run_cell("two§ = 1 + 1").success and two§ == 2
# %% test ext§_env 1
%env EXT§=2
import os
assert os.environ["EXT§"] == "2"
""",
    "what is asked of the kernel": """
# %% answer kernel§
import sys
is_kernel§ = "ipykernel" in sys.modules
# %% test kernel§_modules 1
assert is_kernel§
# %% test kernel§_shell 1
assert type(get_ipython()).__name__ == "ZMQInteractiveShell", type(get_ipython())
# %% test kernel§_app 1
assert hasattr(get_ipython(), "kernel")
# %% test kernel§_file 1
assert "__file__" not in globals()
# %% test kernel§_time 1
import time
begin§ = time.time()
time.sleep(0.05)
assert 0.04 < time.time() - begin§ < 5
""",
    "a type error in words, a long traceback, a chained error": """
# %% answer chain§
def chain§():
    try:
        {}["k"]
    except KeyError as error:
        raise TypeError("seen") from error
# %% test chain§_t 1
chain§()
# %% test chain§_group 1
raise ExceptionGroup("two", [ValueError(1), TypeError(2)])
# %% test chain§_own 1
class Mine§(Exception):
    def _render_traceback_(self): return ["nothing to see"]
raise Mine§()
# %% test chain§_after 1
assert callable(chain§)
""",
    "children that print": """
# %% answer child§
import multiprocessing, os, sys, time
def tell§(where): print("from a child", file=getattr(sys, where), flush=True)
# %% locked child§_run
def in_child§(where):
    process = multiprocessing.get_context("fork").Process(target=tell§, args=(where,))
    process.start()
    process.join()
    time.sleep(1)  # a kernel hears of it in a thread, and takes its time
# %% test child§_out 1
in_child§("stdout")
# %% test child§_err 1
in_child§("stderr")
# %% test child§_fork 1
pid§ = os.fork()
if pid§ == 0:
    os._exit(7)
assert os.waitpid(pid§, 0)[1] >> 8 == 7
""",
    "errors outside the cell": """
# %% answer outside§
import threading, time
def fail§(): raise ValueError("in a thread")
# %% test outside§_thread 1
thread = threading.Thread(target=fail§)
thread.start()
thread.join()
# %% test outside§_del 1
class Gone§:
    def __del__(self): fail§()
Gone§()
None
# %% test outside§_after 1
assert callable(fail§)
""",
    "input replaced for good": """
# %% answer given§
import builtins
def age§(): return int(input("Age? "))
# %% test given§_builtin 1
builtins.input = lambda prompt="": "41"
assert age§() == 41
# %% test given§_next 1
assert age§() == 41
# %% test given§_name 1
input = lambda prompt="": "42"
assert age§() == 42
# %% test given§_del 1
del input
try:
    age§()
    raise AssertionError("answered")
except Exception as error:
    assert type(error).__name__ == "StdinNotImplementedError", type(error)
""",
    "a program's arguments": """
# %% answer args§
import argparse, sys
parser§ = argparse.ArgumentParser()
parser§.add_argument("-n", type=int, default=3)
# %% test args§_empty 1
assert parser§.parse_args([]).n == 3
# %% test args§_kernel 1
parser§.parse_args()
# %% test args§_argv 1
assert len(sys.argv) >= 3 and "-f" in sys.argv
""",
    "a task that goes on between the cells": """
# %% answer task§
import asyncio
async def work§():
    await asyncio.sleep(0)
    return 5
# %% plain
task§ = asyncio.create_task(work§())
# %% test task§_done 1
assert task§.done() and task§.result() == 5
# %% test task§_gather 1
assert await asyncio.gather(work§(), work§()) == [5, 5]
# %% test task§_loop 1
assert asyncio.get_running_loop().is_running()
""",
    "figures that complain when they are drawn": """
# %% answer glyph§
import matplotlib.pyplot as plt
title§ = "Größe"
# %% test glyph§_fine 1
plt.plot([1, 2])
plt.title(title§)
plt.show()
# %% test glyph§_missing 1
plt.plot([1, 2])
plt.title("学")
plt.show()
# %% test glyph§_end 1
fig§, ax§ = plt.subplots()
ax§.set_title("学")
# %% test glyph§_math 1
plt.plot([1, 2])
plt.gca().xaxis.set_major_formatter(lambda value, place: {}[place])
plt.show()
# %% test glyph§_after 1
assert plt.get_fignums() == []
""",
    "figures that complain in the student's cell first": """
# %% answer first§_plot
import matplotlib.pyplot as plt
def draw§():
    plt.plot([1, 2])
    plt.title("字")
    plt.show()
# %% plain
draw§()
# %% test first§_plot_t 1
draw§()
""",
    "widgets talk to nobody": """
# %% answer comm§
import comm
def talk§():
    line = comm.create_comm(target_name="t")
    line.send({"a": 1})
    line.close()
    return 1
# %% test comm§_t 1
assert talk§() == 1
""",
    "a clock that rings": """
# %% answer alarm§
import signal, time
def quick§(): return 1
# %% locked alarm§_helper
def limited§(function, seconds):
    def ring(*_): raise TimeoutError("too slow")
    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
# %% test alarm§_t 1
assert limited§(quick§, 2) == 1
# %% test alarm§_rings 1
try:
    limited§(lambda: time.sleep(9), 0.1)
    raise AssertionError("it has not rung")
except TimeoutError:
    pass
""",
    "libraries that warn when they are imported": """
# %% answer import§
known§ = True
# %% test import§_t 1
import sre_parse
# %% test import§_again 1
import sre_parse
assert known§
""",
}
# What is written to handle 2 itself: a kernel reads it in a thread, and what comes after the cell's end is dropped. So
# stock counts it by chance, and we always.
BY_CHANCE = """
# %% answer doors§
import os, subprocess
quiet§ = True
# %% test doors§_os 1
os.write(2, b"x")
# %% test doors§_child 1
subprocess.run(["sh", "-c", "echo x >&2"])
# %% test doors§_system 1
assert os.system("echo from a shell") == 0 and quiet§
"""
NEEDS_FILES = {
    "data and a helper beside the notebook": """
# %% locked read_setup§
import helper
from pathlib import Path
# %% answer read§
rows§ = [line.split(",") for line in Path("data.csv").read_text().splitlines()[1:]]
# %% test read§_t 2
assert [row[0] for row in rows§] == ["ana", "bo"], rows§
# %% test read§_helper 1
assert helper.double(4) == 8 and Path("folder/inner.txt").read_text() == "inner\\n"
# %% test read§_run 1
%run script.py
assert from_script == 11
# %% test read§_append 1
with open("data.csv", "a") as file:
    file.write("cy,3\\n")
assert len(Path("data.csv").read_text().splitlines()) >= 4
# %% test read§_noisy 1
import noisy
# %% test read§_noisyagain 1
import noisy
assert noisy.times == 1
# %% test read§_warning 1
import warning
""",
}
FILES = {
    "data.csv": b"name,n\nana,1\nbo,2\n",
    "helper.py": b"def double(x):\n    return 2 * x\n",
    "noisy.py": b"print('noisy is here')\ntimes = globals().get('times', 0) + 1\n",
    "warning.py": b"import sys\nprint('warning is here', file=sys.stderr)\n",
    "script.py": b"from_script = 11\n",
    "folder/inner.txt": b"inner\n",
    "bytes.bin": bytes(range(256)),
}
WRITES = """
# %% answer writes
handed_on = [3, 1, 2]
# %% plain
import json
json.dump(globals().get("handed_on"), open("handed_on.json", "w"))
# %% test writes_t 1
assert sorted(handed_on) == [1, 2, 3]
"""
READS = """
# %% locked reads_setup
import json
try:
    given = json.load(open("handed_on.json"))
except FileNotFoundError:
    given = None
# %% answer reads
largest = max(given)
# %% test reads_t 2
assert largest == 3, given
"""
