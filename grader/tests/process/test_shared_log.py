"""The log that the sessions of one run share on a machine: nobody else can read it, and no file is left behind."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_class import PATIENT, Task, answered, unit_of

from nbproctor.run import cluster, shared_log
from nbproctor.run.session_process import Course, SessionProcess
from nbproctor.run.shared_log import logs_of_run, sweep
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import clean


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the sessions of this process keep their logs."""
    monkeypatch.setattr(shared_log, "IN_MEMORY", tmp_path)
    return tmp_path / f"nbproctor-{os.geteuid()}"


def test_what_one_session_has_heard_another_need_not_find_out() -> None:
    """A session uses what another session of its run has logged, so that the same question is asked only once.

    Of two processes of one run, the second adds nothing to the log. Another run has a file of its own, and when the
    workers end, no file is left.
    """
    unit = unit_of(double=Task("def double(x):\n    return 2 * x", "assert double(3) == 6", "assert double(4) == 8"))
    right = HandedIn(json.dumps(answered(unit, double="def double(x):\n    return x + x")).encode())
    runs = [f"test {os.getpid()}", f"test {os.getpid()}", f"another {os.getpid()}"]
    plugins = [cluster.Grading(Course({unit.name: unit}, PATIENT, True, run=run).to_bytes(), "") for run in runs]
    before, told = set(shared_log._folder().iterdir()), []
    try:
        for plugin in plugins:
            plugin.session = SessionProcess(plugin.course)
        for plugin in plugins:
            assert plugin.session and plugin.session.grade(clean("ana"), unit.name, right).score == 3
            files = set(shared_log._folder().iterdir()) - before
            told.append(sorted(path.stat().st_size for path in files if path.stat().st_size))
    finally:
        for plugin in plugins:
            plugin.teardown(SimpleNamespace())  # type: ignore[arg-type]
    assert told == [told[0], told[0], 2 * told[0]]
    assert len(told[0]) == 1
    assert not files & set(shared_log._folder().iterdir())


def test_a_file_is_swept_away_when_nobody_uses_it_and_not_before(folder: Path) -> None:
    """A log is removed when no session uses it; one that killed workers have left goes when other workers start."""
    folder.mkdir(mode=0o700)
    (folder / "left by others").write_bytes(b"of no use")
    with logs_of_run("a run", ["00_one", "01_two"]) as logs:
        assert [*logs] == ["00_one", "01_two"]
        names = {path.name for path in folder.iterdir()}
        assert len(names) == 2
        assert "left by others" not in names
        with logs_of_run("a run", ["00_one"]):
            sweep()
        assert {path.name for path in folder.iterdir()} == names
    sweep()
    assert not [*folder.iterdir()]


def test_a_file_that_is_swept_away_before_it_is_locked_is_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that is removed before it is locked is made again, so that two sessions that start at once share one."""
    real, swept = fcntl.flock, []

    def after_a_sweep(handle: int, how: int) -> None:
        if how == fcntl.LOCK_SH and not swept:
            swept.extend(folder.iterdir())
            swept[0].unlink()
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", after_a_sweep)
    with logs_of_run("a run", ["00_one"]) as logs:
        assert os.fstat(logs["00_one"]._file).st_ino == swept[0].stat().st_ino


@pytest.mark.parametrize("how", ["open to all", "a link", "a file"])
def test_a_folder_that_others_can_reach_is_not_used(folder: Path, how: str, tmp_path: Path) -> None:
    """A folder that others can write to is not used, since they could forge what a check has heard.

    Each session then keeps its own log.
    """
    if how == "a file":
        folder.write_bytes(b"")
    elif how == "a link":
        (tmp_path / "theirs").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "theirs")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with logs_of_run("a run", ["00_one"]) as logs:
        assert logs == {}
    assert not (tmp_path / "theirs").exists() or not [*(tmp_path / "theirs").iterdir()]
