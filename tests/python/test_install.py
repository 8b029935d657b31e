# SPDX-License-Identifier: Apache-2.0
"""pip install ./python, away from the source tree."""

import os
import subprocess
import sys
import tempfile

from tap import Skip, run

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SCRIPT = """
import os, sys, warpshop as ws
assert ws.__file__.startswith(sys.argv[1]), ws.__file__
assert ws.run("return jnp.sum(np.arange(4))").tolist() == 6
ws.run('k = cuda.kernel"__global__ void k(int *x) { *x = 7; }" '
       'x = np.zeros(1, "i32") k[{1, 1}](x)')
print(ws.eval("x[0]"), ws.eval("1"))
"""


def test_install():
    """pip builds a wheel from the tree, which needs it no longer"""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], check=False,
                      capture_output=True).returncode:
        raise Skip("there is no pip")
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "packages")
        clean = {k: v for k, v in os.environ.items()
                 if k not in ("PYTHONPATH", "WARPSHOP_HOME", "MAKEFLAGS", "MAKELEVEL")}
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps",
             "--disable-pip-version-check", "--target", target,
             os.path.join(ROOT, "python")],
            check=False, capture_output=True, text=True, cwd=folder, env=clean)
        assert done.returncode == 0, done.stdout + done.stderr
        clean["PYTHONPATH"] = target
        # NVRTC is where the tree has it, which the package does not know.
        clean["XDG_DATA_HOME"] = folder
        os.makedirs(os.path.join(folder, "warpshop"))
        if os.path.isdir(os.path.join(ROOT, ".deps")):
            os.symlink(os.path.join(ROOT, ".deps"), os.path.join(folder, "warpshop/nvrtc"))
        done = subprocess.run([sys.executable, "-c", SCRIPT, target], check=False,
                              capture_output=True, text=True, cwd=folder, env=clean)
        assert done.stdout == "7 1\n", done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
