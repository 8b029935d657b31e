# SPDX-License-Identifier: Apache-2.0
"""One task of scale.cluster's srun, on a node: a worker of Dask's, and its keeper, which
starts it again when it dies; beside the first of them Dask's scheduler.

Started as dask_node.py PROTOCOL. The first writes "scheduler ADDRESS" on its output;
all read the address from their input, which whoever started srun sends to all of them.
"""

import asyncio
import logging
import os
import sys

sys.path.pop(0)  # this file's folder holds no modules


async def main(protocol):
    from distributed import Nanny, Scheduler

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
