"""Installs a wheel into an empty environment and uses it there: `python3 .ci/check_wheel.py dist/rather-*.whl`.

First without extras: the terminal, a table, and every command that needs an extra, which must say so in one line.
Then with `serve`: the page and the API.
"""

import contextlib
import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "cli"))

from needing_extras import NEEDING, write_files  # noqa: E402 - the tests are no package

PATIENCE = 300.0


class Installed:
    """An environment of its own with the wheel in it, and nothing else of ours."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.wheel, self.folder = wheel.resolve(), folder
        self.bin = folder / "venv" / "bin"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RATHER_"))}
        own = {name: str(folder / name.lower()) for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")}
        self.environment = {**inherited, **own, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        self.install()

    def install(self, *extras: str) -> None:
        """Install the wheel with some extras, as pip would from the index."""
        wanted = f"rather[{','.join(extras)}] @ {self.wheel.as_uri()}"
        pip = [str(self.bin / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--constraint", str(HERE.parent / "constraints.txt"), wanted], check=True)

    def command(self, *arguments: str) -> list[str]:
        return [str(self.bin / "rather"), *arguments]

    def run(self, *arguments: str, stdin: str = "", expect: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*arguments),
            input=stdin,
            capture_output=True,
            text=True,
            env=self.environment,
            cwd=self.folder,
            timeout=PATIENCE,
        )
        if done.returncode != expect:
            fail(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done

    def at_terminal(self, *arguments: str, keys: str = "", expect: int = 0) -> str:
        """What a person sees who presses these keys, each where the line of keys ends with "q quit"."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(self.command()[0], self.command(*arguments), self.environment)
        seen, pressed = "", 0
        deadline = time.monotonic() + PATIENCE
        with contextlib.suppress(OSError):  # the other end closed
            while select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0]:
                new = os.read(terminal, 65536).decode(errors="replace")
                if not new:
                    break
                seen += new
                if pressed < len(keys) and len(re.findall(r"\bq\s+quit\b", seen)) > pressed:
                    os.write(terminal, keys[pressed].encode())
                    pressed += 1
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code != expect:
            fail(f"{' '.join(arguments)} at a terminal ended with {code}:\n{seen}")
        return seen.replace("\r\n", "\n")

    @contextlib.contextmanager
    def serving(self, *arguments: str) -> Iterator[str]:
        """The address of `rather serve` in a process of its own, which is stopped by its id."""
        command = self.command("serve", *arguments, "--port", "0", "--database", f"sqlite:///{self.folder}/sessions.db")
        with (self.folder / "serve.log").open("w") as log:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env=self.environment, cwd=self.folder
            )
        try:
            line = process.stdout.readline()
            found = re.search(r"http://localhost:(\d+)", line)
            if found is None:
                fail(f"the server did not start: {line}\n{(self.folder / 'serve.log').read_text()}")
            yield f"http://127.0.0.1:{found[1]}"
        finally:
            process.terminate()
            code = process.wait(60)
        if code != 0:
            fail(f"the server ended with {code}:\n{(self.folder / 'serve.log').read_text()}")


def fail(text: str) -> None:
    sys.exit(f"check_wheel: {text}")


def require(condition: object, text: str) -> None:
    if not condition:
        fail(text)


def check_home(installed: Installed) -> None:
    """The package that runs is the installed one, with types and data."""
    where = "import rather; print(rather.__file__)"
    python = [str(installed.bin / "python"), "-c", where]
    done = subprocess.run(python, capture_output=True, text=True, env=installed.environment, cwd=installed.folder)
    home = Path(done.stdout.strip()).parent
    require(home.is_relative_to(installed.folder / "venv"), f"{home} is not in the new environment")
    require((home / "py.typed").exists(), "py.typed is not in the wheel")


def check_extras(installed: Installed, files: dict[str, Path]) -> None:
    """Every command that needs an extra says so in one line."""
    for extra, arguments in NEEDING:
        if extra == "postgres":  # needs `serve` first; checked below
            continue
        check_extra(installed, extra, [str(files.get(word, word)) for word in arguments])


def check_extra(installed: Installed, extra: str, arguments: list[str]) -> None:
    if arguments[0] == "terminal":
        said = installed.at_terminal(*arguments[1:], expect=1)
    else:
        said = installed.run(*arguments, expect=1).stderr
    lines = [line for line in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said).splitlines() if line.strip()]
    require(
        len(lines) == 1 and f"pip install 'rather[{extra}]'" in lines[0],
        f"{' '.join(arguments)} must name the extra {extra} in one line, but said:\n{said}",
    )


def check_terminal(installed: Installed) -> None:
    """The demo is played by a person, and by a simulated user where there is no terminal."""
    require("rather demo --terminal" in installed.run("demo", "--help").stdout, "demo --help has no example")
    seen = installed.at_terminal("demo", "--terminal", keys="12u?q")
    require("Question 3" in seen and "Done after 2 answers" in seen, f"the demo did not run to its end:\n{seen}")
    require("Done after" in installed.run("demo").stdout, "the demo without a terminal did not run to its end")


def check_table(installed: Installed, table: Path) -> None:
    """A program is asked about a table."""
    out = installed.run("ask", str(table), "--json", stdin='{"choice": 0}\n{"choice": "skip"}\n{"quit": true}\n').stdout
    said = [json.loads(line) for line in out.splitlines()]
    kinds = [message["type"] for message in said]
    require(kinds == [*["question", "recommendations"] * 2, "question", "end"], f"a table was asked about as {kinds}")
    require(said[-1]["recommendations"][0]["label"].startswith("candy"), f"the end was {said[-1]}")
    require("12 rows" in installed.run("inspect", str(table), "--no-write").stdout, "inspect did not read the table")


def check_page(installed: Installed, table: Path) -> None:
    """The page and its files, the API, and one conversation."""
    with installed.serving("films", str(table)) as address:
        page = fetch(f"{address}/").decode()
        linked = re.findall(r'(?:src|href)="(/[^"]+|\./[^"]+|[\w/.-]+\.(?:js|css))"', page)
        require(linked, f"the page has no script:\n{page}")
        for name in linked:
            require(fetch(f"{address}/{name.lstrip('./')}"), f"{name} is empty")
        require(fetch(f"{address}/docs"), "/docs is empty")
        catalogs = json.loads(fetch(f"{address}/v1/catalogs"))
        require({"films", "candies"} <= set(re.findall(r'"([a-z]+)"', json.dumps(catalogs))), f"{catalogs}")
        opened = json.loads(fetch(f"{address}/v1/sessions", {"catalog": "films"}))
        answer = {"question": opened["question"]["id"], "choice": 0}
        answered = json.loads(fetch(f"{address}/v1/sessions/{opened['id']}/answers", answer))
        require(answered["session"]["answers"] == 1, f"an answer gave {answered}")


def fetch(url: str, body: dict[str, object] | None = None) -> bytes:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        content: bytes = response.read()
    return content


def main() -> None:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rather-wheel-") as name:
        folder = Path(name)
        files = write_files(folder)
        installed = Installed(Path(sys.argv[1]), folder)
        print(f"check_wheel: installed without extras after {time.monotonic() - started:.0f} s")
        check_home(installed)
        check_terminal(installed)
        check_table(installed, files["TABLE"])
        check_extras(installed, files)
        installed.install("serve")
        check_page(installed, files["TABLE"])
        for extra, arguments in NEEDING:
            if extra == "postgres":
                check_extra(installed, extra, list(arguments))
    print(f"check_wheel: the demo, a table, the page and every extra: fine after {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
