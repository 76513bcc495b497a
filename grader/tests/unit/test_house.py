"""What surrounds the course: which files lie where, what is pinned, and what commands say when they cannot go on."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import nbgrader.server_extensions
import pytest
import typer
import yaml

from nbproctor import __version__
from nbproctor.authoring.readme import with_parts
from nbproctor.authoring.release import repository
from nbproctor.cli.app import app
from nbproctor.course.answers import notebook_of
from nbproctor.course.units import load_unit, unit_names
from nbproctor.paths import ROOT
from nbproctor.values.notebook import source_of

TOP_LEVEL = {"README.md", "Makefile", "environment.yml", "course", "solutions", "grader", "LICENSE"}
IN_GRADER = {
    "README.md", "pyproject.toml", "requirements.lock", "setup.sh", "nbgrader_config.py",
    "dask.yaml", "docs", "nbproctor", "answers", "tests", "bench", "lab",
}  # fmt: skip
PROJECT = tomllib.loads((ROOT / "grader" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PAGES = ("TEACHING", "CONTRIBUTING", "CHANGELOG", "SECURITY")  # in .github
SERVER_PARTS = Path(nbgrader.server_extensions.__file__).parent


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(lines: list[str]) -> dict[str, str]:
    """`name==version` lines as a dictionary."""
    found = (re.fullmatch(r"([\w.-]+)==([\w.+]+)", line.strip()) for line in lines)
    return {normal(match[1]): match[2] for match in found if match}


def direct(names: list[str]) -> set[str]:
    """The packages that such a list of pyproject.toml names, without their bounds."""
    return {normal(re.split("[<>=]", name)[0]) for name in names}


def locked(*folders: str) -> dict[str, str]:
    """What the locks in these folders of `grader/` pin: what everybody needs, and what tests need besides."""
    locks = [ROOT / "grader" / folder / "requirements.lock" for folder in folders or (".", "tests")]
    return pins([line for lock in locks for line in lock.read_text(encoding="utf-8").splitlines()])


def test_environment_yml_serves_students_and_no_grader() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert set(environment) == {"name", "channels", "dependencies"}  # repo2docker and conda read these
    assert environment["channels"] == ["conda-forge"]
    python, *packages = environment["dependencies"]
    assert re.fullmatch(r"python=3\.1[123]", python), "repo2docker's reader knows no other form"
    found = dict(package.split(">=") for package in packages)
    assert set(found) == {"pytorch-cpu", "matplotlib-base", "jupyterlab", "nbgrader"}
    colab = pins((ROOT / "grader" / "tests" / "colab.lock").read_text(encoding="utf-8").splitlines())
    for name, least in found.items():
        name = {"pytorch-cpu": "torch", "matplotlib-base": "matplotlib"}.get(name, name)
        known = [lock[name] for lock in (locked(), colab) if name in lock]
        assert any(version.startswith(least) for version in known), f"{name} {least} was not tried"
    needed, ours = direct(PROJECT["dependencies"]), direct(EXTRAS["course"])
    assert "pyseccomp" in needed and "torch" in ours - needed, "other courses are graded without torch"


def test_the_devcontainer_is_one_that_editors_know() -> None:
    """Each property has the name and type that the published schema gives it; a misspelled one would be ignored."""
    known = {"name": str, "image": str, "hostRequirements": dict, "securityOpt": list, "postCreateCommand": str}
    known |= {"customizations": dict}
    found = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert {name: type(value) for name, value in found.items()} == known
    assert all(re.fullmatch(r"\d+[tgmk]b", size) for size in found["hostRequirements"].values())
    assert "/" not in found["image"], "no registry is named"


def test_the_workflow_tests_the_pythons_that_it_names() -> None:
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    job, distribution = (yaml.safe_load(text)["jobs"][name] for name in ("test", "distribution"))
    low, high = (int(version) for version in re.findall(r"3\.(\d+)", PROJECT["requires-python"]))
    assert job["strategy"]["matrix"]["python"] == [f"3.{minor}" for minor in range(low, high)]
    assert job["env"]["PYTHON"] == "python${{ matrix.python }}"
    assert any("upload-artifact" in step.get("uses", "") and step["if"] == "failure()" for step in job["steps"])
    assert "debian:12" in distribution["strategy"]["matrix"]["image"]
    assert (ROOT / distribution["steps"][-1]["run"].partition("bash /course/")[2]).is_file()


def test_the_readmes_table_of_units_and_badges_are_those_of_the_notebooks() -> None:
    """The README says of each unit what its notebook says. Where this fails, `make release` has been forgotten."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_parts(text, ROOT, repository()) == text
    for unit in map(load_unit, unit_names()):
        (row,) = [line for line in text.splitlines() if line.startswith("|") and f"course/{unit.name}/" in line]
        _, _, reading, solving, exercises, _, _ = row.split("|")
        assert int(exercises) == len(unit.exercises)
        told = f"About {reading.strip()} minutes of reading and {solving.strip()} of exercises."
        assert told in source_of(unit.instructor["cells"][0])
    assert f" {sum(len(load_unit(name).exercises) for name in unit_names())} exercises, " in text
    changed = with_parts(text, ROOT, "somebody/elsewhere")
    assert changed.count("/somebody/elsewhere/") == len(unit_names()) + 3 and repository() not in changed


def test_the_workflows_in_the_page_for_teachers_can_be_read() -> None:
    text = (ROOT / ".github" / "TEACHING.md").read_text(encoding="utf-8")
    for block in re.findall(r"```yaml\n(.+?)```", text, re.S):
        assert {"name", "permissions", "jobs"} <= set(yaml.safe_load(block))


def test_every_direct_dependency_is_in_the_lock_and_has_its_reason() -> None:
    tests = direct(EXTRAS["test"])
    used = direct([one for name, group in EXTRAS.items() if name != "test" for one in group] + PROJECT["dependencies"])
    assert used - set(locked(".")) == set()
    assert tests - set(locked()) == set()
    assert set(locked(".")) & set(locked("tests")) == set()
    table = (ROOT / "grader" / "README.md").read_text(encoding="utf-8").split("## What each dependency is for")[1]
    explained = {normal(name.strip()) for row in re.findall(r"^\| (.+?) \|", table, re.M) for name in row.split(",")}
    assert used | tests == explained - {"package", "---"}


def test_the_installed_packages_are_the_locked_ones() -> None:
    from importlib.metadata import version

    odd = {name: (pin, version(name)) for name, pin in locked().items() if version(name).split("+")[0] != pin}
    assert odd == {}


def test_the_top_level_holds_what_the_readme_explains_and_nothing_else() -> None:
    """A reader who opens the repository sees a handful of names; student data lies in a folder that git ignores."""
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - {"classroom", "work"} == TOP_LEVEL
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/classroom/", "/work/"} <= set(ignored), "what students wrote is no part of the repository"
    inside = {path.name for path in (ROOT / "grader").iterdir() if not path.name.startswith((".", "__"))}
    made_by_pip = {name for name in inside if name == "build" or name.endswith(".egg-info")}
    assert inside - made_by_pip == IN_GRADER
    for folder in ("solutions", "grader/answers"):
        inside = {path.name for path in (ROOT / folder).iterdir() if not path.name.startswith((".", "__"))}
        assert inside - {"book", "checking"} == set(unit_names())


def test_a_bare_make_lists_the_targets_and_the_readme_names_them() -> None:
    """`make` without a target sets up, changes and grades nothing; each `make` command in the README exists."""
    targets = set(re.findall(r"^([a-z]+):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)  # noqa: S607
    assert set(re.findall(r"^make (\w+) +\S", done.stdout, re.M)) == targets
    code = "\n".join(re.findall(r"`[^`\n]+`|```.+?```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S))
    assert set(re.findall(r"\bmake ([a-z]+)", code)) == targets - {"help"}


def test_students_open_a_jupyterlab_without_an_instructors_menu() -> None:
    """`make lab` turns off nbgrader's menu and server, and Jupyter's question about news; formgrader keeps them."""
    page = json.loads((ROOT / "grader" / "lab" / "labconfig" / "page_config.json").read_text(encoding="utf-8"))
    assert page["disabledExtensions"]["@jupyter/nbgrader"] is True
    server = json.loads((ROOT / "grader" / "lab" / "jupyter_server_config.json").read_text(encoding="utf-8"))
    parts = {name for name, on in server["ServerApp"]["jpserver_extensions"].items() if not on}
    assert parts == {f"nbgrader.server_extensions.{path.parent.name}" for path in SERVER_PARTS.glob("*/__init__.py")}
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if "$(BIN)/jupyter lab" in line]
    assert "JUPYTER_CONFIG_PATH=grader/lab " in line


def test_the_version_is_the_first_of_the_changes() -> None:
    changes = (ROOT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", changes, re.M)[0] == __version__


def test_every_action_is_pinned_to_a_commit() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        uses = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
        assert [use for use in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)] == [], path.name


@pytest.fixture
def unset(tmp_path: Path) -> Path:
    """A folder with nothing but the set-up script and a list of packages, none of which pip can find."""
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "grader" / "setup.sh", tmp_path / "grader")
    (tmp_path / "grader" / "requirements.lock").write_text("no-such-package-anywhere==1.0\n")
    return tmp_path


def set_up(folder: Path, python: str, others: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run `make setup` in this folder; it ends where pip looks for the packages, or before."""
    settings = {**os.environ, "PIP_NO_INDEX": "1", **(others or {})}
    command = ["bash", f"{folder}/grader/setup.sh", python]
    return subprocess.run(command, env=settings, capture_output=True, text=True, timeout=300)  # noqa: S603, PLW1510


HALF_A_PIP = ("pip/__init__.py", "pip/__main__.py", "pip-26.0.dist-info/METADATA")  # pip's list of files comes last


def test_a_set_up_that_was_stopped_while_it_made_the_environment_goes_on(unset: Path) -> None:
    """Ctrl-C may leave a Python with half a pip: the next run makes it anew, and the one after that keeps it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", f"{unset}/.venv"], check=True)  # noqa: S603
    (packages,) = (unset / ".venv").glob("lib/python*/site-packages")
    for name in HALF_A_PIP:
        (packages / name).parent.mkdir(exist_ok=True)
        (packages / name).write_text("Name: pip\nVersion: 26.0\n" if "dist-info" in name else "")
    (unset / ".venv" / "left over").touch()
    done = set_up(unset, sys.executable)
    assert "1 of 4" in done.stdout and "2 of 4" in done.stdout
    assert "No matching distribution found for no-such-package-anywhere" in done.stderr
    assert not (unset / ".venv" / "left over").exists()
    (unset / ".venv" / "kept").touch()
    done = set_up(unset, sys.executable)
    assert "1 of 4" not in done.stdout and "2 of 4" in done.stdout
    assert (unset / ".venv" / "kept").exists()


FAKE_PYTHON = """#!/bin/bash
case "$*" in
  "-m venv"*) mkdir -p "${@: -1}/bin"; cp "$0" "${@: -1}/bin/python" ;;
  "-m pip index versions torch --python-version "*)
    if [ "$7" = OFFERED ]; then small="2.13.0+cpu, "; fi
    if [ OFFERED = nothing ]; then exit 1; fi
    echo "torch (2.15.0)"
    echo "Available versions: 2.15.0, ${small}2.13.0, 2.9.1" ;;
  "-m pip"*) exit 1 ;;
  "-c import venv; from ensurepip "*) [ VERSION != 3.13 ] || [ ! -e no-venv ] ;;
  "-c import os, sys; print("*) echo "VERSION /usr" ;;
  "-c import sys; print("*"-venv"*) echo pythonVERSION-venv ;;
  "-c import sys; print("*) echo "VERSION" ;;
  "-c import sys; sys.exit("*) [ VERSION != 3.10 ] ;;
  "--version") echo "Python VERSION.1" ;;
esac
"""


def command(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


@pytest.fixture
def fakes(unset: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder, first on the path, with a PyTorch to install and a Python 3.14 that does not run."""
    (unset / "grader" / "requirements.lock").write_text("torch==2.13.0\n")
    shutil.copy(ROOT / "Makefile", unset)
    (unset / "grader" / "pyproject.toml").touch()
    command(unset, "python3.14", "#!/bin/bash\nexit 1\n")
    fake(unset, "3.12")
    command(unset, "uname", "#!/bin/bash\necho x86_64\n")
    monkeypatch.setenv("PATH", f"{unset}:{os.environ['PATH']}")
    return unset


def fake(folder: Path, offered: str) -> None:
    """Put Pythons 3.10 to 3.13 there; for one of these pip is offered a PyTorch without CUDA."""
    for version in ("3.10", "3.11", "3.12", "3.13"):
        command(folder, f"python{version}", FAKE_PYTHON.replace("OFFERED", offered).replace("VERSION", version))


@pytest.mark.parametrize(
    ("given", "offered", "taken", "told"),
    [
        ("", "3.12", "3.12", ", 1.4 GB in about 2 minutes."),
        ("", "none", "3.13", ", 5.1 GB: for the Pythons here pip finds PyTorch with CUDA only."),
        ("python3.13", "nothing", "3.13", "."),
    ],
)
def test_the_newest_python_with_a_small_pytorch_is_taken(
    fakes: Path, given: str, offered: str, taken: str, told: str
) -> None:
    """Where nobody names a Python, the set-up takes the newest for which pip is offered PyTorch without CUDA, and else
    the newest. It says how large it will be, and where pip does not answer, it says nothing of it."""
    fake(fakes, offered)
    done = set_up(fakes, given)
    assert f"setup: 1 of 4  an environment of its own with Python {taken}.1\n" in done.stdout
    assert f"setup: everything goes into .venv{told}\n" in done.stdout


def test_the_python_that_is_named_is_the_one_of_the_environment(fakes: Path) -> None:
    assert "1 of 4  an environment of its own with Python 3.12.1\n" in set_up(fakes, "python3.12").stdout
    for named in ("python3.12", ""):
        done = set_up(fakes, named)
        assert "setup: going on in .venv, with Python 3.12.1\nsetup: 2 of 4" in done.stdout
    (fakes / ".venv" / "left over").touch()
    done = set_up(fakes, "python3.10")
    told = "expected Python 3.11 to 3.14, found Python 3.10.1; make setup PYTHON=/path/to/python3.12 takes another"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"setup: {told}\n")
    assert (fakes / ".venv" / "left over").exists(), "nothing is removed before it is known that it can be made"
    done = set_up(fakes, "python3.11")
    told = ".venv has Python 3.12.1, and PYTHON=python3.11 is another Python: .venv is made anew"
    assert done.stdout.startswith(f"setup: {told}\n")
    assert "1 of 4  an environment of its own with Python 3.11.1\n" in done.stdout


def test_make_sets_up_again_where_another_python_is_named(fakes: Path) -> None:
    """A finished environment is not ready for somebody who names another Python than the one that it has."""
    set_up(fakes, "python3.12")
    (fakes / ".venv" / ".ready").touch()
    for words, is_ready in (([], True), (["PYTHON=python3.12"], True), (["PYTHON=python3.11"], False)):
        asked = ["make", "--question", "setup", *words]
        assert (subprocess.run(asked, cwd=fakes, check=False).returncode == 0) == is_ready, words  # noqa: S603


def test_what_debian_lacks_to_make_an_environment_is_named_or_installed(fakes: Path) -> None:
    """On Debian a package makes environments. Root gets it, others are told of it, at each try."""
    (fakes / "no-venv").touch()
    assert "an environment of its own with Python 3.12.1\n" in set_up(fakes, "").stdout
    command(fakes, "id", "#!/bin/bash\necho 1000\n")
    command(fakes, "apt-get", f'#!/bin/bash\necho "$@" >>{fakes}/installed; rm -f {fakes}/no-venv\n')
    for _ in range(2):
        done = set_up(fakes, "python3.13")
        package = "an environment for python3.13 needs python3.13-venv: sudo apt-get install python3.13-venv"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"setup: {package}\n")
    command(fakes, "id", "#!/bin/bash\necho 0\n")
    done = set_up(fakes, "python3.13")
    assert (fakes / "installed").read_text().endswith(" --no-install-recommends python3.13-venv\n")
    assert "1 of 4  an environment of its own with Python 3.13.1\n" in done.stdout


def test_links_of_the_documents_lead_somewhere() -> None:
    pages = ["README.md", "grader/README.md", "grader/bench/README.md", *(f".github/{name}.md" for name in PAGES)]
    for page in (*(ROOT / page for page in pages), *(ROOT / "grader" / "docs").glob("*.md")):
        for link in re.findall(r"\]\((?!https?:|attachment:)([^)]+)", page.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), (page.name, link)
            assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), (page.name, link)


def anchors(markdown: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", markdown, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_command_and_every_option_has_a_help_text() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert set(commands) >= {"grade", "release", "answers"}
    for name, command in commands.items():
        assert len(command.help or "") > 20, name
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{name} {parameter.name}"


def nbproctor(
    *commands: str, root: Path = ROOT, before: tuple[str, ...] = ()
) -> list[subprocess.CompletedProcess[str]]:
    """What each command line says, run on the course in `root`, one after the other in one process."""
    environment = {**os.environ, "PYTHONPATH": str(root / "grader"), "COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(  # noqa: S603 our own
        [*before, sys.executable, "-c", PROGRAM, *commands],
        cwd=root, env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [subprocess.CompletedProcess(command, *said) for command, said in json.loads(done.stdout)]


PROGRAM = """
import contextlib, io, json, shlex, sys
from nbproctor.cli.app import app
said = []
for command in sys.argv[1:]:
    sys.argv[0], code = "nbproctor", 0
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            app(shlex.split(command))
        except SystemExit as end:
            code = end.code or 0
        except BaseException as error:
            code, _ = 1, print("Traceback:", type(error).__name__, error, file=sys.stderr)
    said.append((command, (code, out.getvalue(), err.getvalue())))
print(json.dumps(said))
"""


def contents(folder: Path) -> dict[str, str]:
    """Every file below `folder`, by the hash of what it holds."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A course of one unit with one submission, and the grader's package beside it."""
    unit = "00_tensors"
    shutil.copytree(ROOT / "grader" / "nbproctor", tmp_path / "grader" / "nbproctor")
    shutil.copy(ROOT / "grader" / "pyproject.toml", tmp_path / "grader")
    shutil.copytree(ROOT / "grader" / "answers" / unit, tmp_path / "grader" / "answers" / unit)
    for name in ("solutions", "course"):
        shutil.copytree(ROOT / name / unit, tmp_path / name / unit)
    shutil.copytree(ROOT / "solutions" / "checking", tmp_path / "solutions" / "checking")
    place = tmp_path / "classroom" / "submitted" / "ana" / unit
    place.mkdir(parents=True)
    of = load_unit(unit)
    (place / f"{unit}.ipynb").write_text(json.dumps(notebook_of(of, {of.exercises[0].name: of.exercises[0].solution})))
    return tmp_path


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """Assert that a command stopped with exit code 2 and one line on stderr, which holds these words."""
    assert done.returncode == 2, (done.returncode, done.stdout[-1000:], done.stderr[-2000:])
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("nbproctor: "), done.stderr
    assert all(word in lines[0] for word in words), lines[0]
    assert len(lines[0]) < 400


NOTEBOOK = "solutions/00_tensors/00_tensors.ipynb"
EVERY = ("grade", "answers", "release")


@pytest.mark.parametrize(
    ("place", "content", "commands", "words"),
    [
        ("", None, ("grade 99_nothing", "answers 99_nothing"), "unknown unit '99_nothing': expected one of 00_tensors"),
        ("solutions/00_tensors", None, EVERY, "solutions/ holds no unit"),
        (NOTEBOOK, b"{", EVERY, "00_tensors.ipynb"),
        ("course", None, ("grade", "answers"), "course/00_tensors/00_tensors.ipynb: not a readable notebook"),
        ("classroom/autograded", b"in the way", ("grade",), "classroom/autograded"),
        ("classroom/report", b"in the way", ("grade",), "classroom/report"),
    ],
    ids=range(6),
)
def test_what_cannot_be_used_is_refused_by_name_before_anything_is_graded(
    small: Path, place: str, content: bytes | None, commands: tuple[str, ...], words: str
) -> None:
    if content is not None:
        (small / place).write_bytes(content)
    elif place:
        shutil.rmtree(small / place)
    before = contents(small)
    for done in nbproctor(*commands, root=small):
        refused(done, words)
        assert place != "course" or "make release" in done.stderr
    assert contents(small) == before


def test_a_classroom_where_nothing_may_be_written_is_told_before_anything_is_graded(small: Path) -> None:
    folder = small / "classroom"
    read_only = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", str(folder), str(folder), "--")
    for _ in range(2):
        before = contents(small)
        (done,) = nbproctor("grade", root=small, before=read_only)
        refused(done, "cannot write there", "Read-only file system")
        assert contents(small) == before
        shutil.rmtree(folder / "submitted", ignore_errors=True)
