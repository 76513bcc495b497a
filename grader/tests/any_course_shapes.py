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
# %% test last§_list 1
[0.5]
# %% test last§_negative 1
-1 if word§ == "seven" else 0
# %% test last§_numpy 1
import numpy as np
np.float64(0.5 if word§ == "seven" else 0.0)
# %% test last§_dots 1
...
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
# %% plain
%%writefile mod§.py
def seven(): return 7
# %% test magic§_import 1
import mod§
assert mod§.seven() == 7
# %% test magic§_bashfails 1
%%bash
exit 3
# %% test magic§_time 1
%time value = 3
assert value == 3
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
# %% test fig§_backend 1
import matplotlib
assert "inline" in matplotlib.get_backend(), matplotlib.get_backend()
# %% test fig§_save 1
import os
fig§.savefig("fig§.png")
assert os.path.getsize("fig§.png") > 1000
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
# %% test show§_rich 1
rich§
# %% test show§_display 1
display(Markdown("*b*"))
assert rich§._repr_html_() == "<b>rich</b>"
# %% plain
%%html
<p>text</p>
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
""",
    "what is asked of the kernel": """
# %% answer kernel§
import sys
is_kernel§ = "ipykernel" in sys.modules
# %% test kernel§_modules 1
assert is_kernel§
# %% test kernel§_shell 1
assert type(get_ipython()).__name__ == "ZMQInteractiveShell", type(get_ipython())
# %% test kernel§_file 1
assert "__file__" not in globals()
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
""",
    "input replaced for good": """
# %% answer given§
import builtins
def age§(): return int(input("Age? "))
# %% test given§_none 1
try:
    age§()
    raise AssertionError("answered")
except Exception as error:
    assert type(error).__name__ == "StdinNotImplementedError", type(error)
# %% test given§_builtin 1
builtins.input = lambda prompt="": "41"
assert age§() == 41
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
# %% test glyph§_math 1
plt.plot([1, 2])
plt.gca().xaxis.set_major_formatter(lambda value, place: {}[place])
plt.show()
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
# %% test read§_noisy 1
import noisy
# %% test read§_noisyagain 1
import noisy
assert noisy.times == 1
# %% test read§_warning 1
import warning
"""
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
