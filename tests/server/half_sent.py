"""Leave requests half sent, and see if a server with few file descriptors still answers (`--seconds 20`)."""

import argparse
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from serving import free_port

HERE = Path(__file__).parent


def health(port, timeout=5.0):
    """Seconds until /health answered; None if it did not."""
    start = time.perf_counter()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return time.perf_counter() - start if b" 200 " in connection.recv(100) else None
    except OSError:
        return None


def cpu_seconds(process):
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def leave_half_sent(port, count, stop):
    """Keep this many requests half sent; a new one for each that the server ends."""
    held = []
    while not stop.is_set():
        for connection in list(held):
            try:
                if connection.recv(100, socket.MSG_DONTWAIT) == b"":
                    raise ConnectionError
            except BlockingIOError:
                continue
            except OSError:
                connection.close()
                held.remove(connection)
        while len(held) < count and not stop.is_set():
            try:
                connection = socket.create_connection(("127.0.0.1", port), 1.0)
                connection.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Le")
                held.append(connection)
            except OSError:
                break
        stop.wait(0.5)
    for connection in held:
        connection.close()


def run(descriptors=256, half_sent=300, seconds=20.0):
    """What a server does meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        port, log = free_port(), Path(folder) / "log"
        command = [sys.executable, str(HERE / "small_server.py"), str(port), f"sqlite:///{folder}/sessions.db"]
        with log.open("wb") as file:
            server = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors)),
            )
            server.stdin.write("start\n")
            server.stdin.flush()
            process = int(server.stdout.readline().split()[1])
            stop = threading.Event()
            attacker = threading.Thread(target=leave_half_sent, args=(port, half_sent, stop))
            attacker.start()
            before, start, answers = cpu_seconds(process), time.monotonic(), []
            while time.monotonic() - start < seconds:
                answers.append(health(port))
                time.sleep(0.2)
            cpu = (cpu_seconds(process) - before) / (time.monotonic() - start)
            stop.set()
            attacker.join()
            os.kill(process, 9)
            server.stdin.close()
            server.wait(30)
        answered = [each for each in answers if each is not None]
        return {
            "answered": f"{len(answered)} of {len(answers)}",
            "slowest": max(answered, default=None),
            "cpu": cpu,
            "log_bytes": log.stat().st_size,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descriptors", type=int, default=256)
    parser.add_argument("--half-sent", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    for name, value in run(arguments.descriptors, arguments.half_sent, arguments.seconds).items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
