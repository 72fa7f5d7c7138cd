"""A real PostgreSQL for tests: started when the first test asks for it, in a folder of its own, gone afterwards."""

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

PASSWORD = "s3cret/of@the:server"
"""Has everything in it that an address must escape, and must never be seen in any output."""
PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/pgsql/bin")
SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    "unix_socket_directories": "''",
    "max_connections": "60",
    "shared_buffers": "'16MB'",
    "fsync": "off",
}


class Server:
    """One server in one folder."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.folder, self.binaries = folder, binaries
        self.port = _free_port()
        # The server refuses to run as root.
        self._user = _other_user() if os.geteuid() == 0 else None

    def url(self, password: str = PASSWORD) -> str:
        return f"postgresql://owner:{quote(password, safe='')}@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        self.folder.chmod(0o755)
        password = self.folder / "password"
        password.write_text(PASSWORD, encoding="ascii")
        (self.folder / "data").mkdir()
        if self._user is not None:
            for path in (self.folder, self.folder / "data", password):
                shutil.chown(path, self._user)
        self._run("initdb", "-A", "scram-sha-256", "-U", "owner", "--pwfile", password, "--no-sync", "-E", "UTF8")
        with (self.folder / "data" / "postgresql.conf").open("a", encoding="ascii") as stream:
            stream.writelines(f"{name} = {value}\n" for name, value in SETTINGS.items())

    def start(self) -> None:
        self._run("pg_ctl", "-w", "-o", f"-p {self.port}", "-l", self.folder / "log", "start")

    def stop(self, mode: str = "immediate") -> None:
        """`immediate` is a crash: sessions are cut off, nothing is tidied up."""
        self._run("pg_ctl", "-w", "-m", mode, "stop")

    def crash(self) -> None:
        """Stop without tidying up, and come back."""
        self.stop()
        self.start()

    def sql(self, *statements: str) -> list[tuple]:
        """Run statements as the owner, each for itself; what the last one answers."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def cut_off(self) -> None:
        """End every session, as a network or an administrator does."""
        self.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'owner' AND pid <> pg_backend_pid()"
        )

    def reset(self) -> None:
        """As if nobody had ever opened a store here."""
        self.cut_off()
        self.sql("DROP SCHEMA IF EXISTS ragassay CASCADE")

    def watch(self) -> None:
        """Have a shell end the server and take its folder away once this process is gone, however it ends."""
        pid = self.folder / "data" / "postmaster.pid"
        last = 'read -r _; n=$(head -n 1 "$0"); kill -QUIT "$n"; while kill -0 "$n"; do sleep 0.1; done; rm -rf "$1"'
        command = ["sh", "-c", last, str(pid), str(self.folder)]
        # The shell reads until nobody can write to it any more.
        watcher = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        atexit.register(watcher.communicate)

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self.binaries / program), "-D", str(self.folder / "data"), *map(str, arguments)]
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        # A server inherits what it may write to, so that a pipe would never end.
        heard = subprocess.PIPE if program == "initdb" else subprocess.DEVNULL
        streams = {"stdin": subprocess.DEVNULL, "stdout": heard, "stderr": subprocess.STDOUT}
        done = subprocess.run(command, user=self._user, cwd=self.folder, env=environment, check=False, **streams)
        log = self.folder / "log"
        assert not done.returncode, (done.stdout, log.read_text(encoding="utf-8") if log.exists() else "")


def binaries() -> Path:
    """Where the programs of the server are. Without them a test is skipped; in CI it fails."""
    found = sorted(
        (path for place in PLACES for path in Path("/").glob(place.lstrip("/")) if (path / "initdb").exists()),
        key=lambda path: [int(part) for part in path.as_posix().replace("-", "/").split("/") if part.isdigit()],
    )
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        refuse = pytest.fail if os.environ.get("CI") else pytest.skip
        refuse("the programs of PostgreSQL are not installed: apt install postgresql")
    return found[-1] if found else Path(on_path or "").resolve().parent


@cache
def server() -> Server:
    """The server of this test process, started by the first test that asks for it."""
    started = Server(Path(tempfile.mkdtemp(prefix="ragassay-postgres-")), binaries())
    started.make()
    started.watch()
    started.start()
    return started


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _other_user() -> str:
    names = {line.partition(":")[0] for line in Path("/etc/passwd").read_text(encoding="utf-8").splitlines()}
    return "postgres" if "postgres" in names else "nobody"
