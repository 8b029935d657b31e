#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""comm.lua with PyTorch's NCCL and JAX's psum: python3 bench/comm/comm.py RANKS [MIB]

Each in processes of its own, so that neither holds the other's memory."""
import os
import subprocess
import sys
import time

os.environ["NCCL_NVLS_ENABLE"] = "0"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
RANKS = int(sys.argv[1])
MIB = int(sys.argv[2]) if len(sys.argv) > 2 else 1024
BYTES = MIB << 20


def row(who, name, value, unit):
    print("%s %s\t%.4g\t%s" % (who, name, value, unit), flush=True)


def best(f, calls, settle):
    times = []
    for _ in range(5):
        settle()
        start = time.perf_counter()
        for _ in range(calls):
            f()
        settle()
        times.append((time.perf_counter() - start) / calls)
    return min(times)


def bus(s):
    return 2 * (RANKS - 1) / RANKS * BYTES / s / 1e9


def torch_rank(rank):
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:29517", rank=rank,
                            world_size=RANKS)
    small = torch.ones(2, device="cuda")
    large = torch.ones(BYTES // 4, device="cuda")
    settle = torch.cuda.synchronize
    for _ in range(3):
        dist.all_reduce(small)
        dist.all_reduce(large)
    one = best(lambda: dist.all_reduce(small), 1, settle)
    many = best(lambda: dist.all_reduce(small), 200, settle)
    s = best(lambda: dist.all_reduce(large), 5, settle)

    def send():
        if rank == 0:
            dist.send(large, 1)
        elif rank == 1:
            dist.recv(large, 0)

    send()
    t = best(send, 5, settle)
    if rank == 1:
        version = ".".join(str(n) for n in torch.cuda.nccl.version())
        print("# PyTorch %s, NCCL %s, %d ranks" % (torch.__version__, version, RANKS))
        row("torch", "all_reduce_8B", one * 1e6, "us, each waited for")
        row("torch", "all_reduce_8B_row", many * 1e6, "us, 200 in a row")
        row("torch", "all_reduce", s * 1e3, "ms")
        row("torch", "all_reduce_bus", bus(s), "GB/s")
        row("torch", "send", BYTES / t / 1e9, "GB/s")
    dist.destroy_process_group()


def jax_all():
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    mesh = Mesh(jax.devices()[:RANKS], ("i",))
    psum = jax.jit(jax.shard_map(lambda x: jax.lax.psum(x, "i"), mesh=mesh, in_specs=P("i"),
                                 out_specs=P()))

    def bring(n):
        return jax.device_put(jnp.ones((RANKS, n), jnp.float32), NamedSharding(mesh, P("i")))

    print("# JAX %s, %d devices" % (jax.__version__, RANKS))
    small, large = bring(2), bring(BYTES // 4)
    last = [psum(small)]

    def run(x):
        def f():
            last[0] = psum(x)
        return f

    def settle():
        last[0].block_until_ready()

    run(large)()
    settle()
    row("jax", "all_reduce_8B", best(run(small), 1, settle) * 1e6, "us, each waited for")
    row("jax", "all_reduce_8B_row", best(run(small), 200, settle) * 1e6, "us, 200 in a row")
    s = best(run(large), 5, settle)
    row("jax", "all_reduce", s * 1e3, "ms")
    row("jax", "all_reduce_bus", bus(s), "GB/s")


if len(sys.argv) > 3:
    jax_all() if sys.argv[3] == "jax" else torch_rank(int(sys.argv[3]))
else:
    def start(what):
        return subprocess.Popen([sys.executable, __file__, str(RANKS), str(MIB), what])

    for group in ([str(r) for r in range(RANKS)], ["jax"]):
        for p in [start(what) for what in group]:
            try:
                p.wait(timeout=240)
            except subprocess.TimeoutExpired:
                p.kill()
                print("# %s took too long" % group)
