# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find this machine's Pythons, and say which releases of ansible-core they can run.

    pythons.py link DIR          links DIR/pythonX.Y to each Python found, and says which they are
    pythons.py cores DIR [WHICH] one line "release X.Y" for each release wanted that a Python in DIR can run;
                                 WHICH: any of oldest, newest, next, all, or the beginning of a release (2.19);
                                 newest is the last final release, next the candidates after it
    pythons.py path              PATH without the directories of a version manager's shims

A shim is a script that picks an interpreter when it runs. ansible-test and Ansible's interpreter discovery take
each pythonX.Y on PATH for a real one, so that a shim breaks both.

Written for any Python from 3.8 on, so that the machine's own can run it, whichever it is.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORES = ROOT / "requirements" / "cores.txt"
MINORS = range(8, 20)
# A Python without ensurepip (Debian's, when its -venv package is absent) cannot make an environment with pip in it.
PROBE = (
    "import sys\n"
    "try:\n    import ensurepip, venv; able = 'able'\n"
    "except ImportError:\n    able = 'bare'\n"
    "print('%d.%d' % sys.version_info[:2], able, getattr(sys, '_base_executable', None) or sys.executable, sep='\\t')\n"
)


def path_directories() -> list[str]:
    """Return the directories of PATH, each once."""
    return list(dict.fromkeys(entry for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if entry))


def is_script(path: pathlib.Path) -> bool:
    """Tell whether a file is a script and not a program."""
    try:
        with path.open("rb") as stream:
            return stream.read(2) == b"#!"
    except OSError:
        return False


def without_shims() -> list[str]:
    """Return the directories of PATH whose Pythons, where there are any, are programs."""
    names = ["python", "python3"] + ["python3.%d" % minor for minor in MINORS]
    return [entry for entry in path_directories() if not any(is_script(pathlib.Path(entry, name)) for name in names)]


def candidates() -> list[str]:
    """Return everything on this machine that may be a Python, in the order in which it is preferred."""
    found = []
    names = ["python3"] + ["python3.%d" % minor for minor in MINORS]
    for entry in path_directories():
        found += [os.path.join(entry, name) for name in names]
    pyenv = shutil.which("pyenv")
    if pyenv:
        root = subprocess.run([pyenv, "root"], stdout=subprocess.PIPE, check=False, text=True).stdout.strip()
        found += sorted((str(path) for path in pathlib.Path(root, "versions").glob("*/bin/python3.*")), reverse=True)
    return [path for path in found if path.rsplit(".", 1)[-1].isdigit() or path.endswith("python3")]


def find() -> dict[str, str]:
    """Return the real interpreter of each version found, those that can make an environment before those that cannot."""
    able, bare = {}, {}
    seen = set()
    for candidate in candidates():
        real = os.path.realpath(candidate)
        if not os.access(candidate, os.X_OK) or (real in seen and not is_script(pathlib.Path(candidate))):
            continue
        seen.add(real)
        answer = subprocess.run(
            [candidate, "-I", "-c", PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            text=True,
        )
        if answer.returncode == 0 and answer.stdout.count("\t") == 2:
            version, ability, executable = answer.stdout.strip().split("\t")
            (able if ability == "able" else bare).setdefault(version, executable)
    if not able:
        for version in bare:
            print("python%s lacks the venv module (on Debian: python%s-venv)" % (version, version), file=sys.stderr)
    return able


def is_final(release: str) -> bool:
    """Return whether a release is final, and not an alpha, a beta or a candidate (2.22.0rc1)."""
    return release.replace(".", "").isdigit()


def in_order(version: str) -> tuple[int, ...]:
    """Return what a version is sorted by."""
    return tuple(int(part) for part in version.split("."))


def link(directory: pathlib.Path) -> None:
    """Link each Python found in a directory of ours."""
    pythons = find()
    directory.mkdir(parents=True, exist_ok=True)
    links = {"python" + version: executable for version, executable in pythons.items()}
    # Links that are right stay: something may be running by them.
    for old in directory.glob("python*"):
        if os.readlink(old) != links.get(old.name):
            old.unlink()
    for name, executable in links.items():
        if not (directory / name).is_symlink():
            (directory / name).symlink_to(executable)
    print("Pythons found: " + (", ".join(sorted(pythons, key=in_order)) or "none"))


def cores(directory: pathlib.Path, which: list[str]) -> int:
    """Print the releases of ansible-core that are wanted and can be run, each with its Python."""
    present = {path.name[len("python") :] for path in directory.glob("python3.*")}
    table = [line.split() for line in CORES.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith("#")]
    runnable = {}
    for release, *pythons in table:
        for python in pythons:
            if python in present:
                runnable.setdefault(release, python)
    if not runnable:
        print("no Python here can run any of these releases: see " + CORES.name, file=sys.stderr)
        return 1
    wanted = []
    for word in which or ["newest"]:
        if word in ("oldest", "newest"):
            # What the oldest and the newest are, the machine says; a release that it cannot run is named, not forgotten.
            final = [row for row in table if is_final(row[0])]
            for row in final if word == "oldest" else final[::-1]:
                wanted.append(row[0])
                if row[0] in runnable:
                    break
        elif word == "next":
            # There is not always one.
            wanted += [row[0] for row in table if not is_final(row[0])]
        else:
            matches = [row[0] for row in table if word == "all" or row[0] == word or row[0].startswith(word + ".")]
            if not matches:
                print("no release %r in %s" % (word, CORES.name), file=sys.stderr)
                return 1
            wanted += matches
    for release in dict.fromkeys(wanted):
        if release in runnable:
            print(release, runnable[release])
        else:
            needs = next(row[1:] for row in table if row[0] == release)
            print("ansible-core %s skipped: it needs Python %s, not found here" % (release, " or ".join(needs)), file=sys.stderr)
    return 0


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    if arguments[:1] == ["link"] and len(arguments) == 2:
        link(pathlib.Path(arguments[1]))
    elif arguments[:1] == ["cores"] and len(arguments) >= 2:
        return cores(pathlib.Path(arguments[1]), arguments[2:])
    elif arguments == ["path"]:
        print(os.pathsep.join(without_shims()))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
