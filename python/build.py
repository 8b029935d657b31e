# SPDX-License-Identifier: Apache-2.0
"""pip's build of the wheel: make builds the module and lays out its files, and this
packs them (PEP 517, PEP 427). Needs nothing but make and what it needs."""

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def read_project():
    """The table [project] of pyproject.toml."""
    with open(os.path.join(HERE, "pyproject.toml"), "rb") as f:
        return tomllib.load(f)["project"]


def make(*words):
    """make in the source tree, on all processors; its errors are pip's log."""
    subprocess.run(["make", "--no-print-directory", "-s", f"-j{os.cpu_count()}",
                    f"PYTHON={sys.executable}", *words],
                   cwd=os.path.dirname(HERE), check=True)


def metadata(project):
    """The text of METADATA."""
    return ("Metadata-Version: 2.1\n"
            f"Name: {project['name']}\nVersion: {project['version']}\n"
            f"Summary: {project['description']}\n"
            f"Requires-Python: {project['requires-python']}\n"
            f"License: {project['license']}\n")


class Wheel:
    """A wheel that is written: its files, and the list of them with their hashes."""

    def __init__(self, path, info):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.info, self.record = info, []

    def add(self, name, data, mode=0o644):
        """One file."""
        entry = zipfile.ZipInfo(name)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        self.record.append(f"{name},sha256={digest.decode().rstrip('=')},{len(data)}")

    def add_folder(self, folder):
        """All below a folder, by their paths from there."""
        for where, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(where, name)
                with open(path, "rb") as f:
                    self.add(os.path.relpath(path, folder), f.read(),
                             os.stat(path).st_mode & 0o755)

    def close(self):
        """Writes the list, which names itself without a hash."""
        self.record.append(f"{self.info}/RECORD,,")
        self.zip.writestr(f"{self.info}/RECORD", "\n".join(self.record) + "\n")
        self.zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517's hook: the name of the wheel that was written."""
    del config_settings, metadata_directory
    project = read_project()
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    stem = f"{project['name']}-{project['version']}"
    tag = f"cp311-abi3-{platform}"
    wheel = Wheel(os.path.join(wheel_directory, f"{stem}-{tag}.whl"),
                  f"{stem}.dist-info")
    with tempfile.TemporaryDirectory() as folder:
        make("python-files", f"PYTHON_TREE={folder}/warpshop")
        wheel.add_folder(folder)
    wheel.add(f"{wheel.info}/METADATA", metadata(project).encode())
    wheel.add(f"{wheel.info}/WHEEL",
              f"Wheel-Version: 1.0\nGenerator: warpshop\nRoot-Is-Purelib: false\n"
              f"Tag: {tag}\n".encode())
    wheel.close()
    return f"{stem}-{tag}.whl"


def get_requires_for_build_wheel(config_settings=None):
    """PEP 517's hook: nothing."""
    del config_settings
    return []
