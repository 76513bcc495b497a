"""How many submissions are graded at once, where nobody says it: no more than there are cores to be had."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nbproctor.commands import terminal


def world(folder: Path, membership: str, files: dict[str, str]) -> tuple[Path, Path]:
    """A machine's control groups, as /proc/self/cgroup and /sys/fs/cgroup tell them."""
    of, mount = folder / "membership", folder / "mount"
    of.write_text(membership)
    mount.mkdir()
    for name, text in files.items():
        path = mount / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return of, mount


@pytest.mark.parametrize(
    ("membership", "files", "quotas"),
    [
        ("0::/\n", {"cpu.max": "150000 100000"}, [1]),  # a container with a view of its own
        ("0::/\n", {"cpu.max": "max 100000"}, []),
        ("0::/a.slice/b\n", {"a.slice/cpu.max": "400000 100000", "a.slice/b/cpu.max": "max 100000"}, [4]),
        ("0::/a/b\n", {"a/cpu.max": "200000 100000", "a/b/cpu.max": "50000 100000"}, [0, 2]),
        (  # version 1, in Docker: the path is the host's, and what lies at the mount is ours
            "5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n0::/system.slice\n",
            {"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000", "cpu.max": "1 1"},
            [3],
        ),
        ("4:cpuacct,cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, []),
        ("4:cpu:/\n", {"cpu/cpu.cfs_quota_us": "what", "cpu/cpu.cfs_period_us": "0"}, []),
    ],
)
def test_the_time_that_a_container_gets_is_known(
    tmp_path: Path, membership: str, files: dict[str, str], quotas: list[int]
) -> None:
    """In both versions of control groups, from our own to the outermost, in whole cores."""
    assert terminal.quotas(*world(tmp_path, membership, files)) == quotas


def test_no_more_are_graded_at_once_than_cores_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container on a large machine: pinned to some cores, or given the time of some; it is one at least."""
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5})
    for found, wanted in ([], 2), ([16], 2), ([4, 1], 1), ([0], 1):
        monkeypatch.setattr(terminal, "quotas", lambda *_, found=found: found)
        assert terminal.cores() == wanted


def test_the_command_line_starts_where_there_is_no_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Mac; `grade` says there that grading needs Linux, and the other commands work."""
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert terminal.cores() == 8


def test_without_control_groups_the_cores_count(tmp_path: Path) -> None:
    """Nothing is known of a quota then."""
    assert terminal.quotas(tmp_path / "none", tmp_path) == []
