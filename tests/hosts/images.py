# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs as the server on a real host: the simulator, laid out as the official image of the server is."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess

from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.versions import NEWEST, RECORDED
from ansible_collections.streamops.ovenmediaengine.tools import fresh

from .guest import BUILD, Guest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
IMAGE = "localhost/ovenmediaengine"
OLDER = RECORDED[1]
TAGS = {
    f"v{NEWEST}": {"SIMULATED_VERSION": NEWEST},
    f"v{OLDER}": {"SIMULATED_VERSION": OLDER},
    **{f"exit-{status}": {"SIMULATED_VERSION": NEWEST, "SIMULATED_EXIT": str(status)} for status in (0, 1, 11)},
}
"""The images, each with its environment. Those that exit do so at once."""
DIRECTORY = "/opt/ovenmediaengine/bin"
BINARY = f"{DIRECTORY}/OvenMediaEngine"
"""Of the official image, as are the working directory, the command and the user root."""
HOST_BINARY = "/opt/ome/OvenMediaEngine"
"""Of a server that is no container."""
ARCHIVE = "/opt/image.tar"
REAL_ARCHIVE = "/opt/real-image.tar"
"""In the host."""
REAL = {"quadlet": "OVENMEDIAENGINE_IMAGE", "compose": "OVENMEDIAENGINE_IMAGE", "systemd": "OVENMEDIAENGINE_BINARY"}
"""Environment variables that name a real server in place of the simulator, by backend: an archive of its image, as
``docker save`` writes it, and a program that runs on Debian 13. The versions beside it stay simulated.
"""
PACKAGES = "python3-aiohttp,python3-cryptography,python3-cffi-backend"
PROGRAM = f"""\
#!/usr/bin/python3
import os, sys

sys.path.insert(0, "/opt/simulator")
# A binary of a host has its version beside it.
version = os.environ.get("SIMULATED_VERSION") or open(os.path.realpath(__file__) + ".version").read().strip()
if sys.argv[1:] == ["-v"]:
    print(f"OvenMediaEngine v{{version}} (v{{version}}-0-gsimulated)")
    sys.exit(1)  # As the real one.
if "SIMULATED_EXIT" in os.environ:
    sys.exit(int(os.environ["SIMULATED_EXIT"]))

from tests.simulator.__main__ import main

directory = sys.argv[sys.argv.index("-c") + 1] if "-c" in sys.argv else "{DIRECTORY}/origin_conf"
sys.exit(main(["--config", directory, "--host", "0.0.0.0", "--server-version", version]))
"""


def install(root: pathlib.Path, binary: str, version: str = "") -> None:
    """Put the simulator and a program that is the server into a root.

    :param binary: the path of the program there.
    :param version: of a program that has no environment to read it from.
    """
    package = root / "opt/simulator/tests"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(REPOSITORY / "tests/simulator", package / "simulator", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "tests/wire", package / "wire")
    shutil.copy(REPOSITORY / "tests/__init__.py", package)
    program = root / binary.lstrip("/")
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    if version:
        program.with_name(program.name + ".version").write_text(version, encoding="utf-8")


def is_simulated(backend: str) -> bool:
    """Return whether the server of a backend is the simulator."""
    return not os.environ.get(REAL[backend])


def prepare(guest: Guest) -> None:
    """Put the server into a host that is not booted yet: as a program, and as the files of its images."""
    install(guest.root, HOST_BINARY, NEWEST)
    if not is_simulated("systemd"):
        shutil.copy(os.environ[REAL["systemd"]], guest.root / HOST_BINARY.lstrip("/"))
    root = fresh.build("trixie", BUILD / "image", PACKAGES)
    install(root, BINARY)
    (root / DIRECTORY.lstrip("/") / "origin_conf").mkdir(exist_ok=True)
    unneeded = [f"--exclude=./{path}/*" for path in ("usr/share/doc", "usr/share/locale", "var/cache", "var/lib/apt")]
    command = ["tar", "--create", f"--file={guest.root}{ARCHIVE}", f"--directory={root}", *unneeded, "."]
    subprocess.run(command, check=True, timeout=PATIENCE)
    if not is_simulated("quadlet"):
        shutil.copy(os.environ[REAL["quadlet"]], f"{guest.root}{REAL_ARCHIVE}")


def load(guest: Guest) -> dict[str, str]:
    """Give both engines of a host all images. :returns: the version of the server by backend."""
    # It tells its version, and fails.
    versions = {"systemd": _version(guest.run(HOST_BINARY, "-v", check=False))}
    for backend, engine in (("quadlet", "podman"), ("compose", "docker")):
        versions[backend] = _load_simulator(guest, engine) if is_simulated(backend) else _load_real(guest, engine)
    return versions


def _version(text: str) -> str:
    found = re.search(r"OvenMediaEngine v(\d+\.\d+\.\d+)", text)
    assert found, text
    return found[1]


def _load_simulator(guest: Guest, engine: str) -> str:
    changes = [f"WORKDIR {DIRECTORY}", f'CMD ["{BINARY}", "-c", "origin_conf"]']
    words = [word for change in changes for word in ("--change", change)]
    guest.run(engine, "import", *words, ARCHIVE, f"{IMAGE}:base")
    guest.run(engine, "create", "--name", "base", f"{IMAGE}:base")
    for tag, environment in TAGS.items():
        lines = [f"ENV {name}={value}" for name, value in environment.items()]
        words = [word for line in lines for word in ("--change", line)]
        guest.run(engine, "commit", *words, "base", f"{IMAGE}:{tag}")
    guest.run(engine, "rm", "base")
    return NEWEST


def _load_real(guest: Guest, engine: str) -> str:
    """Load the archive, beside the images of the simulator: of other versions, and those that exit."""
    _load_simulator(guest, engine)
    loaded = guest.run(engine, "load", "--input", REAL_ARCHIVE).split()[-1]
    version = _version(guest.run(engine, "run", "--rm", loaded, BINARY, "-v", check=False))
    guest.run(engine, "tag", loaded, f"{IMAGE}:v{version}")
    return version
