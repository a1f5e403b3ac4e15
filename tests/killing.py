"""Work in a fork that is killed (kill -9) before a chosen file operation, or after some time."""

import os
import signal
import sys
import traceback
from contextlib import suppress

OPERATIONS = {
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.utime",
    "shutil.rmtree",
    "shutil.copyfile",
    "shutil.move",
    "ctypes.dlsym",
}
"""What Python announces of what it does to files, beside opening them for writing."""
WRITABLE = os.O_WRONLY | os.O_RDWR | os.O_CREAT
SECONDS = 60
"""A fork that waits for a thread of its parent's would wait for ever."""


def killed(work, last, *, after=None):
    """Do the work in a fork that is killed before its ``last``-th file operation (0: none), or so many seconds later.

    Return whether it was killed. A call of ``os.fsync`` is an operation as well: before it, what was written may be lost.
    """
    process = os.fork()
    if not process:
        status = 1
        try:
            _work_until(work, last, after)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert status in (0, -signal.SIGKILL), f"the fork ended with {status}"
    return status != 0


def _work_until(work, last, after):
    operations = 0

    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    def count():
        nonlocal operations
        operations += 1
        if operations == last:
            die()

    def hook(name, arguments):
        opened = name == "open" and isinstance(arguments[2], int) and arguments[2] & WRITABLE
        if name in OPERATIONS or (opened and arguments[0] != os.devnull):
            count()

    flush_to_disk = os.fsync

    def fsync(descriptor):
        count()
        flush_to_disk(descriptor)

    os.fsync = fsync
    sys.addaudithook(hook)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS)
    if after is not None:
        signal.signal(signal.SIGPROF, die)
        signal.setitimer(
            signal.ITIMER_PROF, max(after, 1e-6)
        )  # of processor time, which a busy machine does not change
    work()
    if after is not None:
        with suppress(OSError):
            signal.setitimer(signal.ITIMER_PROF, 0)
