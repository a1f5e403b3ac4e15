"""Run a command as on a machine with so much memory left: ``python tests/attack/small_machine.py MEGABYTES cluster …``.

What Linux says of the machine's memory is replaced by that number, less what this process takes from its start on; all else is
real. At the end a line on standard error says how much the process had at its peak, and how much it might have had, what it had
at its start included: with more the system would have killed it.
"""

import sys
from pathlib import Path

from orthonet.cli import main
from orthonet.support import memory


def sizes():
    """Return what Linux says of the memory of this process, in bytes."""
    lines = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
    return {words[0].rstrip(":"): 1024 * int(words[1]) for words in lines if words[-1] == "kB"}


def peak():
    """Return the bytes that this process has had at most, copies of files aside: these are dropped where memory is lacking."""
    found = sizes()
    return found["VmHWM"] - found["RssFile"]


if __name__ == "__main__":
    left = int(sys.argv[1]) * 2**20 + sizes()["RssAnon"]
    memory._meminfo = lambda: {"MemAvailable": max(left - sizes()["RssAnon"], 0)}
    sys.argv = ["orthonet", *sys.argv[2:]]
    try:
        main()
    finally:
        sys.stderr.write(f"took {peak() // 2**20} of {left // 2**20} MB\n")
