"""What the documentation shows runs: Python from top to bottom of a page, commands at least as far as their options."""

import doctest
import io
import sys

import matplotlib.pyplot as plt
import pytest
import typer
from golden_files import ELSEWHERE, elsewhere
from matplotlib.testing.compare import compare_images
from page_blocks import PAGES, ROOT, blocks, commands, inline_code, page_name

import rather.strategies
from rather.__main__ import main
from rather.cli import app
from rather.errors import MissingDataError

# Root mean square of the differences between pixels, of 255: room for fonts of another version, not for other lines.
PICTURE_TOLERANCE = 5

CLI = typer.main.get_command(app)


def pages_with(language):
    return [path for path in PAGES if any(block.language == language for block in blocks(path))]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory to import from; registered strategies and open figures go with it."""
    for kind in ("STRATEGIES", "ATTRIBUTE_STRATEGIES"):
        monkeypatch.setattr(rather.strategies, kind, dict(getattr(rather.strategies, kind)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]
    plt.close("all")


def write(block, folder):
    target = folder / block.detail
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(block.text, encoding="utf-8")


def run_command(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "argv", ["rather", *command.arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(command.stdin))
    try:
        code = main() or 0
    except SystemExit as ended:
        code = ended.code or 0
    assert code == 0, f"rather {' '.join(command.arguments)} ended with {code}"


@pytest.mark.parametrize("path", [path for path in PAGES if blocks(path)], ids=page_name)
def test_a_page_runs_from_top_to_bottom(path, folder, monkeypatch, capsys):
    namespace = {"__name__": "snippet"}
    for block in blocks(path):
        if block.note == "file":
            write(block, folder)
            continue
        if block.note == "uses":
            for other in blocks(ROOT / block.detail):
                if other.note == "file":
                    write(other, folder)
        if block.note == "prints":
            assert_printed(block, capsys.readouterr().out, page_name(path))
            continue
        capsys.readouterr()
        if block.language == "python":
            code = compile("\n" * (block.line - 1) + block.text, page_name(path), "exec")
            if block.note != "not run":
                run_python(code, namespace)
        elif block.language == "sh" and block.note == "run":
            for command in commands(block.text):
                run_command(command, monkeypatch)
    for drawn in folder.glob("*.png"):
        if (path.parent / drawn.name).exists():  # the page shows it
            assert_drawn(path.parent / drawn.name, drawn)


def run_python(code, namespace):
    try:
        exec(code, namespace)
    except MissingDataError as error:
        pytest.skip(str(error))


def assert_printed(block, printed, where):
    """The block shows what was printed, but for spaces at the ends of lines and what `...` stands for."""
    printed = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    if not doctest.OutputChecker().check_output(block.text, printed, doctest.ELLIPSIS):
        if elsewhere():
            pytest.skip(ELSEWHERE)
        pytest.fail(f"{where}, line {block.line}: this was printed instead:\n{printed}")


def assert_drawn(shown, drawn):
    """The picture beside the page is the one that the page draws."""
    different = compare_images(shown, drawn, tol=PICTURE_TOLERANCE)
    if different and elsewhere():
        pytest.skip(ELSEWHERE)
    assert different is None


@pytest.mark.parametrize("path", pages_with("sh"), ids=page_name)
def test_every_command_of_a_block_is_accepted(path):
    for block in blocks(path):
        if block.language == "sh":
            for command in commands(block.text):
                parse(list(command.arguments), page_name(path))


def parse(arguments, where):
    """Parse without running; wrong commands, options and values end in an error."""
    try:
        context = CLI.make_context("rather", list(arguments))
        while hasattr(context.command, "commands"):
            rest = [*context._protected_args, *context.args]
            name, command, rest = context.command.resolve_command(context, rest)
            context = command.make_context(name, rest, parent=context)
    except typer.Exit:
        return  # --help or --version
    except Exception as error:
        pytest.fail(f"{where}: rather {' '.join(arguments)}: {getattr(error, 'message', error)}")


# The changelog names commands of the past as well.
@pytest.mark.parametrize("path", [path for path in PAGES if path.name != "CHANGELOG.md"], ids=page_name)
def test_commands_named_in_the_text_exist_with_their_options(path):
    for code in inline_code(path):
        words = code.split()
        if words[:1] != ["rather"] or len(words) < 2 or not words[1][0].islower():
            continue  # or `rather COMMAND`, `rather --help`
        command = CLI.commands.get(words[1])
        assert command is not None, f"{page_name(path)}: {code}"
        if hasattr(command, "commands") and len(words) > 2:
            command = command.commands.get(words[2])
            assert command is not None, f"{page_name(path)}: {code}"
        known = {"--help", *(option for parameter in command.params for option in parameter.opts)}
        assert {word for word in words if word.startswith("--")} <= known, f"{page_name(path)}: {code}"


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_every_block_names_its_language(path):
    for block in blocks(path):
        assert block.language, f"{page_name(path)}, line {block.line}"
        if block.language not in ("sh", "python"):
            assert not any(line.startswith(("rather ", "$ ")) for line in block.text.splitlines())
        if block.note == "not run":
            assert block.detail, f"{page_name(path)}, line {block.line}: say why it is not run"
