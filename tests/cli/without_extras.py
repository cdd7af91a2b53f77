"""Runs commands in a Python that lacks modules: `python without_extras.py MODULES COMMANDS`, both as JSON lists.

Prints a list with the exit code, output and errors of every command. A command is a list of arguments; one that
starts with "terminal" believes that a person sits at a terminal.
"""

import contextlib
import io
import json
import sys
import traceback


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(arguments):
    at_terminal = arguments[0] == "terminal"
    sys.argv = ["rather", *arguments[at_terminal:]]
    sys.stdin = Terminal() if at_terminal else io.StringIO()
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        from rather.__main__ import main

        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        except BaseException:
            traceback.print_exc()
            code = -1
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


if __name__ == "__main__":
    hidden, commands = (json.loads(argument) for argument in sys.argv[1:])
    sys.modules.update(dict.fromkeys(hidden))  # None: importing it fails, and it cannot be found
    print(json.dumps([run(arguments) for arguments in commands]))
