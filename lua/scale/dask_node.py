# SPDX-License-Identifier: Apache-2.0
"""One task of scale.cluster's srun, on a node: a worker of Dask's, and its keeper, which
starts it again when it dies; beside the first of them Dask's scheduler.

Started as dask_node.py PROTOCOL[+gpu|+virtual]: with a GPU of its own, or one that is
none. The first writes "scheduler ADDRESS" on its output;
all read the address from their input, which whoever started srun sends to all of them.
"""

import asyncio
import logging
import os
import re
import sys

sys.path.pop(0)  # this file's folder holds no modules

MOST_VIRTUAL = 8  # GPU_MAX_VIRTUAL


def virtual_count():
    """How many virtual GPUs a program has with that environment (gpu_virtual_count)."""
    number = re.match(r"\s*[-+]?\d+", os.environ.get("WARPSHOP_VIRTUAL_DEVICES", ""))
    return min(max(int(number.group()) if number else 1, 1), MOST_VIRTUAL)


def choose_device(kind):
    """Says by the environment which one the worker's is."""
    local = int(os.environ.get("SLURM_LOCALID", "0"))
    if kind == "gpu":
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        # Slurm shows a task its own alone, or all that the step has on the node.
        os.environ["CUDA_VISIBLE_DEVICES"] = visible[local % len(visible)] or str(local)
        device = "cuda:0"
    else:
        device = f"virtual:{local % virtual_count()}"
    os.environ["WARPSHOP_DEVICE"] = os.environ["WARPSHOP_WORKER_DEVICE"] = device


async def main(words):
    from distributed import Nanny, Scheduler

    protocol, _, kind = words.partition("+")
    if kind:
        choose_device(kind)
    logging.getLogger("distributed").setLevel(logging.ERROR)
    scheduler = None
    if os.environ.get("SLURM_PROCID", "0") == "0":
        scheduler = await Scheduler(protocol=protocol, port=0, dashboard=False)
        print("scheduler", scheduler.address, flush=True)
    address = await asyncio.to_thread(sys.stdin.readline)
    if not address.strip():
        return
    async with Nanny(address.strip(), nthreads=1, name=os.environ.get("SLURM_PROCID"),
                     dashboard=False) as nanny:
        await nanny.finished()
    if scheduler:
        await scheduler.finished()


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1]))
    except ImportError as e:
        print(f"no Dask: {sys.executable} on {os.uname().nodename}: {e}",
              file=sys.stderr)
        sys.exit(3)
