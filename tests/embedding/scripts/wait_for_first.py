"""Two processes, of which the first takes its time before it shares anything; what the other one said is printed.

Arguments: seconds that torch waits of itself, seconds that we wait ("default" for ours), seconds that the first one takes.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta

import torch.distributed.distributed_c10d as torch_processes

from orthonet.embedding import processes


def work(rank: int, port: int, of_torch: float, ours: str, takes: float) -> None:
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2", "RANK": str(rank)}
    torch_processes.default_pg_timeout = timedelta(seconds=of_torch)
    if ours != "default":
        processes.PATIENCE = timedelta(seconds=float(ours))
    with processes.joined(True) as both:
        try:
            if both.first:
                time.sleep(takes)
            said = both.from_first("heard" if both.first else None)
        except ConnectionError as error:
            said = str(error)
    if rank == 1:
        sys.stdout.write(said)
        sys.stdout.flush()


if __name__ == "__main__":
    from train_together import free_port  # a script beside this one, which only running it puts in reach

    of_torch, ours, takes = sys.argv[1:]
    port, children = free_port(), []
    for rank in range(2):
        child = os.fork()
        if not child:
            work(rank, port, float(of_torch), ours, float(takes))
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
