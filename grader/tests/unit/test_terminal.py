"""How many submissions are graded at once by default: no more than there are cores to use."""

import os
from pathlib import Path

import pytest

from nbproctor.cli import terminal


def world(folder: Path, membership: str, files: dict[str, str]) -> tuple[Path, Path]:
    """Write a machine's control groups, in files like those of /proc/self/cgroup and /sys/fs/cgroup."""
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
        ("0::/\n", {"cpu.max": "150000 100000"}, [1]),  # a container that sees only its own control groups
        ("0::/a/b\n", {"a/cpu.max": "200000 100000", "a/b/cpu.max": "50000 100000"}, [0, 2]),
        ("0::/docker/1\n", {"cpu.max": "300000 100000"}, [3]),  # the host's path, and the container's files
        ("1:name=systemd:/\n0::/\n", {"cpu.max": "what 0"}, []),
    ],
)
def test_the_time_that_a_container_gets_is_known(
    tmp_path: Path, membership: str, files: dict[str, str], quotas: list[int]
) -> None:
    assert terminal.quotas(*world(tmp_path, membership, files)) == quotas


def test_no_more_are_graded_at_once_than_cores_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5})
    for found, wanted in ([], 2), ([16], 2), ([4, 1], 1), ([0], 1):
        monkeypatch.setattr(terminal, "quotas", lambda *_, found=found: found)
        assert terminal.cores() == wanted


def test_where_there_is_no_affinity_or_no_control_group_the_cores_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a Mac, a process has no affinity, and the command line starts nevertheless."""
    assert terminal.quotas(tmp_path / "none", tmp_path) == []
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert terminal.cores() == 8
