# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command in one of this repository's virtual environments, which is made first if it is missing or out of date.

    environment.py test COMMAND...   .venv, with requirements/test.txt
    environment.py demo COMMAND...   .venv-demo, with requirements/demo.txt

Runs on any Python from 3.8 on, because the machine's own Python starts it.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build"
PYTHONS = BUILD / "pythons"
ENVIRONMENTS = {"test": ".venv", "demo": ".venv-demo"}
# Best first: each runs a later ansible-core than the next. 3.13 runs the same as 3.12, and is the newer one.
PREFERRED = ("3.12", "3.13", "3.14", "3.11")
# A Python without ensurepip (Debian's, when its package -venv is missing) cannot make an environment.
PROBE = (
    "import ensurepip, sys, venv; "
    "print('%d.%d' % sys.version_info[:2], getattr(sys, '_base_executable', None) or sys.executable)"
)


def link_pythons() -> list[str]:
    """Link each Python of this machine as .build/pythons/pythonX.Y, and return the versions.

    pyenv puts scripts ("shims") on PATH that fail for every version but the chosen one; ansible-test and Ansible take
    them for interpreters. So the interpreters behind them are looked for in pyenv's own folder.
    """
    found: dict[str, str] = {}
    candidates = [shutil.which("python3.%d" % minor) for minor in range(8, 20)] + [sys.executable]
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv")), "versions")
    for candidate in [*sorted(pyenv.glob("*/bin/python3.*[0-9]"), reverse=True), *candidates]:
        answer = candidate and subprocess.run(
            [str(candidate), "-I", "-c", PROBE],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            text=True,
        )
        if answer and answer.returncode == 0:
            version, executable = answer.stdout.strip().split(" ", 1)
            found.setdefault(version, executable)
    PYTHONS.mkdir(parents=True, exist_ok=True)
    for version, executable in found.items():
        link = PYTHONS / ("python" + version)
        if not link.is_symlink() or os.readlink(str(link)) != executable:
            link.unlink(missing_ok=True)
            link.symlink_to(executable)
    return list(found)


def without_shims() -> list[str]:
    """Return the folders of PATH, without those whose ``python3`` is a script."""
    folders = list(dict.fromkeys(folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder))
    return [
        folder
        for folder in folders
        if not any(_is_script(pathlib.Path(folder, name)) for name in ("python", "python3"))
    ]


def _is_script(path: pathlib.Path) -> bool:
    try:
        return path.read_bytes()[:2] == b"#!"
    except OSError:
        return False


def variables(environment: pathlib.Path) -> dict[str, str]:
    """Return the environment variables of all commands: nothing of the user's own Ansible is found, and nothing is
    left in the user's home.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("ANSIBLE_CONFIG", "ANSIBLE_ROLES_PATH", "ANSIBLE_INVENTORY")
    }
    # Byte code is kept, but not beside the sources: without it each start of ansible-playbook would compile again what
    # it imports.
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    kept.update(
        PATH=os.pathsep.join([str(environment / "bin"), str(PYTHONS), *without_shims()]),
        VIRTUAL_ENV=str(environment),
        PYTHONPATH=str(BUILD / "tree"),
        PYTHONPYCACHEPREFIX=str(BUILD / "cache" / "bytecode"),
        ANSIBLE_COLLECTIONS_PATH=str(BUILD / "tree"),
        ANSIBLE_HOME=str(BUILD / "ansible"),
        HYPOTHESIS_STORAGE_DIRECTORY=str(BUILD / "cache" / "hypothesis"),
        UV_PYTHON_DOWNLOADS="never",
    )
    return kept


def link_collection(tree: pathlib.Path) -> pathlib.Path:
    """Make ansible_collections/NAMESPACE/NAME in a folder a link to the repository, where Ansible's tools look for it;
    return the link.
    """
    names: dict[str, str] = dict(
        re.findall(r"^(namespace|name): (\w+)", (ROOT / "galaxy.yml").read_text(encoding="utf-8"), re.MULTILINE)
    )
    link = tree / "ansible_collections" / names["namespace"] / names["name"]
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        # Relative, so that a clone can be moved.
        link.symlink_to(os.path.relpath(str(ROOT), str(link.parent.resolve())), target_is_directory=True)
    return link


def make(environment: pathlib.Path, requirements: pathlib.Path) -> None:
    """Make a virtual environment with the packages that a file of requirements names, unless it is there already.

    :raises SystemExit: no Python fits, or the packages could not be installed; with the installer's own words.
    """
    wanted = requirements.read_text(encoding="utf-8")
    ready = environment / "ready"
    if ready.is_file() and ready.read_text(encoding="utf-8") == wanted:
        return
    versions = link_pythons()
    python = next((version for version in PREFERRED if version in versions), None)
    if python is None:
        sys.exit(
            "Python 3.11 or later with the module venv is needed. Found: %s" % (", ".join(sorted(versions)) or "none")
        )
    print("Setting up %s with Python %s" % (environment.name, python), flush=True)
    shutil.rmtree(str(environment), ignore_errors=True)
    in_it = str(environment / "bin" / "python")
    pip = [in_it, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]
    _run([str(PYTHONS / ("python" + python)), "-m", "venv", str(environment)])
    # uv installs in seconds what takes pip minutes. It does not read pip's settings (a company's mirror, say): there,
    # pip does it.
    _run([*pip, str(ROOT / "requirements" / "uv.txt")])
    uv = [str(environment / "bin" / "uv"), "pip", "install", "--quiet", "--python", in_it, "-r", str(requirements)]
    if subprocess.run(uv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        _run([*pip, str(requirements)])
    ready.write_text(wanted, encoding="utf-8")


def _run(command: list[str]) -> None:
    answer = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True
    )
    if answer.returncode:
        sys.exit("%s\nThis failed: %s" % (answer.stdout, " ".join(command)))


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    if len(arguments) < 2 or arguments[0] not in ENVIRONMENTS:
        sys.exit(__doc__)
    environment = ROOT / ENVIRONMENTS[arguments[0]]
    make(environment, ROOT / "requirements" / (arguments[0] + ".txt"))
    link_collection(BUILD / "tree")
    os.chdir(str(ROOT))
    os.execvpe(arguments[1], arguments[1:], variables(environment))


if __name__ == "__main__":
    main(sys.argv[1:])
