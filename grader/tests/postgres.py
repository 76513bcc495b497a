"""Starts a real PostgreSQL server for the tests, in a temporary folder, which is reached through a Unix socket."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

START_S = 60
HASTY = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")  # no data needs to survive a crash


@dataclass(frozen=True)
class Server:
    """A running server. folder: holds its socket. user: the superuser of its databases."""

    folder: Path
    user: str

    def url(self, database: str) -> str:
        return f"postgresql://{self.user}@/{database}?host={self.folder}"

    def create(self, database: str) -> str:
        """Make an empty database and return its URL."""
        with psycopg.connect(host=str(self.folder), user=self.user, dbname="postgres", autocommit=True) as connection:
            connection.execute(SQL("create database {}").format(Identifier(database)))
        return self.url(database)


@contextmanager
def running() -> Iterator[Server]:
    """Start a server and end it. As PostgreSQL refuses to run as root, Debian's user `postgres` runs it for root."""
    (programs,) = Path("/usr/lib/postgresql").glob("*/bin")
    user = "postgres" if os.geteuid() == 0 else str(Path.home().owner())
    by = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # noqa: S108 a socket's path has at most 107 characters
    try:
        if by:
            shutil.chown(folder, "postgres", "postgres")
        data = folder / "data"
        _run(by, programs / "initdb", "--no-sync", "--auth=trust", f"--username={user}", "--encoding=UTF8", "-D", data)
        settings = " ".join(f"-c {setting}" for setting in HASTY)
        options = f"-k {folder} -c listen_addresses= {settings}"
        _run(by, programs / "pg_ctl", "start", "-w", "-D", data, "-o", options, "-l", folder / "log")
        try:
            yield Server(folder, user)
        finally:
            _run(by, programs / "pg_ctl", "stop", "-m", "immediate", "-D", data)
    finally:
        shutil.rmtree(folder)


def _run(by: list[str], *command: str | Path) -> None:
    done = subprocess.run(  # noqa: S603 our own
        [*by, *map(str, command)], cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=START_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
