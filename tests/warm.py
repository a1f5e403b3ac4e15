"""The `orthonet` command in forks of a process that has loaded torch already, which a process of its own does for seconds.

A server imports what commands import, and waits at a socket. A script hands over its arguments, folder, environment and
standard streams, and leaves with the exit code of the fork, which does what the installed script does.
"""

import json
import os
import socket
import stat
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    call = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [len(call).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(call)
    said = server.recv(16)
    sys.exit(int(said) if said else "the server of warm commands has ended")
"""


@contextmanager
def warm_commands(folder, environment):
    """Yield a folder with a script `orthonet`, to be put in front of PATH; the folder's own path must be short."""
    address = str(folder / "warm")
    server = subprocess.Popen([sys.executable, __file__, address], env=environment)
    try:
        (folder / "bin").mkdir()
        script = folder / "bin" / "orthonet"
        script.write_text(CLIENT.format(python=sys.executable, address=address))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        while not Path(address).exists():
            assert server.poll() is None, "the server of warm commands did not start"
            time.sleep(0.02)
        yield folder / "bin"
    finally:
        server.kill()
        server.wait()


def serve(address):
    """Return in a fork that is to run a command, as often as one is asked for."""
    import sklearn.manifold  # noqa: F401

    import orthonet.baselines
    import orthonet.cli.app
    import orthonet.datasets
    import orthonet.files
    import orthonet.report  # noqa: F401
    from orthonet import OrthoNet  # noqa: F401

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address + ".part")
        listening.listen()
        Path(address + ".part").rename(address)
        listening.settimeout(1)
        while True:
            with suppress(ChildProcessError):  # there is none
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            try:
                caller, _ = listening.accept()
            except TimeoutError:
                continue
            if not os.fork():
                break
            caller.close()
    caller.setblocking(True)
    length, streams, _, _ = socket.recv_fds(caller, 8, 3)
    command = os.fork()
    if command:
        status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        caller.sendall(str(status if status >= 0 else 128 - status).encode())  # as a shell says it
        os._exit(0)
    with caller, caller.makefile("rb") as call:
        arguments, folder, environment = json.loads(call.read(int.from_bytes(length, "big")))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate("rww")
    )
    sys.argv = ["orthonet", *arguments]


if __name__ == "__main__":
    serve(sys.argv[1])
    from orthonet.cli import main

    sys.exit(main())
