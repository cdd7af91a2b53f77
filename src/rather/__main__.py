"""`python -m rather`, and the console script."""

import io
import sys


def main() -> None:
    """Run the command line; a user's mistake ends in one line, not a traceback."""
    from rather.cli import app
    from rather.controls import visible
    from rather.errors import MissingExtraError, RatherError

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign shows a question mark
    try:
        app()
    except RatherError as error:
        print(f"Error: {visible(str(error))}", file=sys.stderr)
        sys.exit(1 if isinstance(error, MissingExtraError) else 2)
    except BrokenPipeError:  # the reader of our output went away
        sys.stderr.close()
        sys.exit(1)


if __name__ == "__main__":
    main()
