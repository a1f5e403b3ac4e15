"""Functions for worker processes to run; they must be importable by name there."""

import os
import time
import warnings


def double(number):
    return {"double": 2 * number}


def refuse(_):
    raise ValueError("not today")


def sleep(seconds):
    time.sleep(seconds)
    return {"slept": seconds}


def leave(code):
    os._exit(code)


def threads(_):
    return {"threads": os.environ.get("OMP_NUM_THREADS"), "process": os.getpid()}


def warn(message):
    warnings.warn(message, stacklevel=1)
    return {"fine": True}
