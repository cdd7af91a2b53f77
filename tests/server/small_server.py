"""Server processes about the small catalogue, forked one after the other so that a restart takes no import.

`python small_server.py PORT DATABASE`: each line on standard input starts one; it says "ready PID", and after its end
"ended CODE".
"""

import os
import sys

import torch
import torch.optim  # its first use imports much
from serving import by_name, small_source

from rather.server import Limits, Settings, create_app
from rather.server.logs import configure
from rather.server.running import listen, run


def serve(port, database):
    torch.set_num_threads(1)
    configure("WARNING")
    limits = Limits(requests_per_minute=10**7, session_requests_per_minute=10**7, sessions_per_day=10**7)
    app = create_app(by_name(small_source()), Settings(database=database, limits=limits, prefetch=False))
    run(app, listen("127.0.0.1", int(port)), on_start=lambda: print("ready", os.getpid(), flush=True))


def main(port, database):
    torch.optim.Adam([torch.zeros(1)])
    while sys.stdin.readline():
        child = os.fork()
        if child == 0:
            code = 1
            try:
                serve(port, database)
                code = 0
            finally:
                os._exit(code)
        print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
