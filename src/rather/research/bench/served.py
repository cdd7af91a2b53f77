"""A server in a process of its own, and a light way to call it."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from rather.errors import RatherError

T = TypeVar("T")


class ServerProcess:
    """`rather serve` in a process of its own, without limits on one address and with an empty cache.

    Args:
        catalogs: What to serve.
        folder: For its database and its cache.
        options: Further options of `rather serve`.
    """

    def __init__(self, catalogs: Sequence[str], folder: str, options: Sequence[str] = ()) -> None:
        database = f"sqlite:///{folder}/sessions.db"
        limits = [
            "--requests-per-minute",
            "1000000000",
            "--requests-per-session",
            "1000000000",
            "--sessions-per-day",
            "1000000000",
        ]
        self._command = [sys.executable, "-m", "rather", "serve", *catalogs, "--database", database, *limits, *options]
        self._environment = {**os.environ, "RATHER_CACHE": str(Path(folder) / "cache")}
        self._port = 0

    @property
    def address(self) -> tuple[str, int]:
        """Host and port; the same after a restart."""
        return "127.0.0.1", self._port

    def start(self) -> None:
        """Start it, and wait until it accepts requests."""
        command = [*self._command, "--port", str(self._port)]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.process = subprocess.Popen(command, env=self._environment, **pipes)
        assert self.process.stdout is not None
        found = re.search(r"http://localhost:(\d+)", self.process.stdout.readline())
        if found is None:
            self.stop()
            raise RatherError(f"The server did not start: {' '.join(command)}")
        self._port = int(found[1])

    def stop(self) -> None:
        """Let it finish, and wait for that."""
        self.process.send_signal(signal.SIGTERM)
        self._wait()

    def restart(self) -> None:
        """Kill it without warning, and start it again."""
        self.process.kill()
        self._wait()
        self.start()

    def memory_and_descriptors(self) -> tuple[float, int] | None:
        """Its resident memory in MB and its open file descriptors; None where there is no /proc, or no process."""
        folder = Path("/proc", str(self.process.pid))
        try:
            resident = re.search(r"VmRSS:\s+(\d+) kB", (folder / "status").read_text())
            return None if resident is None else (int(resident[1]) / 1024, len(list((folder / "fd").iterdir())))
        except OSError:
            return None

    def _wait(self) -> None:
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def __enter__(self) -> "ServerProcess":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class Http:
    """One connection that is kept, and opened again when it broke. Light, to leave the cores to the server."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes]:
        """The status and the content of the response."""
        sent = b"" if body is None else json.dumps(body).encode()
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        lines = {"Host": self.host, "Content-Type": "application/json", **(headers or {}), "Content-Length": len(sent)}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + sent)
        await writer.drain()
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", answer)
        content = await reader.readexactly(int(length[1])) if length else b""
        return int(answer[9:12]), content

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on a thread of its own: a notebook's thread has a loop already, and allows no second."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
