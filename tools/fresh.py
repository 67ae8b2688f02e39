# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run commands on a fresh machine: a Debian with what the README asks for, and nothing else of this machine.

    fresh.py readme RELEASE...   clone the repository into each (bookworm, trixie, or all), and run `make demo` and
                                 `make test` there
    fresh.py prepare             get a bookworm ready for `run`; fail with the reason if this machine does not allow it
    fresh.py run COMMAND...      run a command there in this clone, with environments of its own

Needs root and debootstrap. The Debians are kept in .build/fresh. Mounts are those of the command alone, and end with
it.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FRESH = ROOT / ".build" / "fresh"
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
PACKAGES = "python3,python3-venv,git,make,ca-certificates"
BUILD_WITHIN = 600
"""Seconds. It takes less than one minute, or several from a slow mirror."""
ALONE = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
"""Begins a command whose mounts and processes all end with it."""
HOME = "/root"
SHARED = (".build/coverage", ".build/robustness")
"""What `make test-all` continues after `make test` ran in a Debian."""
SETTINGS = (".config/pip", ".pip", ".netrc", ".config/uv")
"""Below the user's home: how pip and uv reach a package index."""
SYSTEM_SETTINGS = ("/etc/hosts", "/etc/resolv.conf", "/etc/pip.conf", "/etc/xdg/pip", "/etc/uv", "/etc/ssl/certs")
VARIABLES = re.compile(r"(PIP|UV)_|SSL_CERT_|(REQUESTS|CURL)_CA_BUNDLE|(https?|all|no)_proxy$", re.IGNORECASE)
ENTER = """\
root=$1 directory=$2
shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
while [ "$1" != -- ]; do
    if [ -d "$2" ]; then
        mkdir -p "$root$3"
    elif [ ! -e "$root$3" ]; then
        mkdir -p "$root${3%/*}"
        touch "$root$3"
    fi
    mount --bind -o "$1" "$2" "$root$3"
    shift 3
done
shift
exec chroot "$root" sh -c 'cd "$0" && exec "$@"' "$directory" "$@"
"""
"""Arguments: the root, a directory in it, option, source and target of each mount, and after ``--`` the command."""


class Unusable(Exception):
    """This machine does not allow it; the message says why."""


def build(release: str, root: pathlib.Path, packages: str = PACKAGES, variant: str = "minbase") -> pathlib.Path:
    """Return the root of a Debian, built first if it is missing.

    :param release: one of :data:`RELEASES`.
    :param root: its directory; the log of debootstrap is beside it.
    :param packages: that it has, separated by commas.
    :param variant: ``minbase`` has nothing else but what apt needs, ``-`` also what Debian calls important.
    :raises Unusable: no root, no debootstrap, or it failed.
    """
    if os.geteuid():
        raise Unusable("only root can build a Debian: run the command with sudo")
    debootstrap = shutil.which("debootstrap", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if not debootstrap:
        raise Unusable("debootstrap is missing: install the package debootstrap")
    if root.exists():
        return root
    print("Building %s in %s" % (RELEASES[release], root.relative_to(ROOT)), flush=True)
    new = root.with_name(root.name + ".new")
    shutil.rmtree(str(new), ignore_errors=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    command = [*ALONE, debootstrap, "--variant=" + variant, "--include=" + packages, release, str(new), *mirror()]
    with root.with_name(root.name + ".log").open("w", encoding="utf-8") as log:
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True, timeout=BUILD_WITHIN)
        except (OSError, subprocess.SubprocessError) as error:
            reason = "timed out" if isinstance(error, subprocess.TimeoutExpired) else "failed"
            raise Unusable("debootstrap %s, see %s" % (reason, os.path.relpath(log.name, str(ROOT)))) from None
    new.rename(root)
    return root


def mirror() -> list[str]:
    """Return the mirror of Debian that apt of this machine uses, as an argument of debootstrap; none to let that
    choose.
    """
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    try:
        answer = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True
        ).stdout
    except OSError:
        return []
    return re.findall(r"^\S+/debian/?$", answer, re.MULTILINE)[:1]


def settings() -> dict[pathlib.Path, str]:
    """Return the files and directories by which this machine reaches a package index, each with its path in a root.

    They are only mounted, so that no copy of a secret stays.
    """
    home = pathlib.Path.home()
    found = {home / name: "%s/%s" % (HOME, name) for name in SETTINGS}
    found.update((pathlib.Path(name), name) for name in SYSTEM_SETTINGS)
    # What they name: certificates, directories with packages, an index with its files beside it.
    texts = [value for name, value in os.environ.items() if VARIABLES.match(name)]
    for path in [path / "pip.conf" if path.is_dir() else path for path in found]:
        if path.name == "pip.conf" and path.is_file():
            texts.append(path.read_text(encoding="utf-8"))
    for scheme, name in re.findall(r"(?:^|[\s=])(file://)?(/[^\s:]+)", "\n".join(texts)):
        path = pathlib.Path(name).parent if scheme else pathlib.Path(name)
        found.setdefault(path, str(path))
    return {path: name for path, name in found.items() if path.exists()}


def enter(root: pathlib.Path, directory: str, command: list[str], mounts: dict[pathlib.Path, str]) -> int:
    """Run a command in a root; return its exit status.

    :param directory: where it runs, a path in the root.
    :param mounts: directories of this machine, each with its path in the root, in the order in which they are mounted.
    """
    binds = [("ro", path, name) for path, name in settings().items()]
    binds += [("rw", path, name) for path, name in mounts.items()]
    arguments = [str(root), directory, *(str(part) for bind in binds for part in bind), "--", *command]
    environment = {name: value for name, value in os.environ.items() if VARIABLES.match(name)}
    environment.update(HOME=HOME, PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    return subprocess.run([*ALONE, "sh", "-euc", ENTER, "sh", *arguments], env=environment, check=False).returncode


def in_this_clone(command: list[str]) -> int:
    """Run a command in this clone in a Debian 12, with environments of its own; return its exit status.

    :raises Unusable: the Debian cannot be built.
    """
    root = build("bookworm", FRESH / "bookworm")
    mounts = {ROOT: str(ROOT)}
    # The clone has the same path there, so that coverage means the same files, but the environments of a machine are
    # of no use to the other one.
    for name in (".build", ".venv"):
        mounts[FRESH / "bookworm.own" / name] = str(ROOT / name)
    mounts.update((ROOT / name, str(ROOT / name)) for name in SHARED)
    for path in mounts:
        path.mkdir(parents=True, exist_ok=True)
    return enter(root, str(ROOT), command, mounts)


def readme(release: str) -> int:
    """Run the two commands of the README in a new clone in a Debian; return how many failed.

    :raises Unusable: the Debian cannot be built.
    """
    root = build(release, FRESH / release)
    directory = HOME + "/ansible-ovenmediaengine"
    clone = root / directory.lstrip("/")
    shutil.rmtree(str(clone), ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    failed = 0
    for command in (["make", "demo"], ["make", "test"]):
        print("%s: %s" % (RELEASES[release], " ".join(command)), flush=True)
        begin = time.monotonic()
        status = enter(root, directory, command, {})
        minutes, seconds = divmod(round(time.monotonic() - begin), 60)
        print("%s: %s: exit status %d after %d:%02d" % (RELEASES[release], " ".join(command), status, minutes, seconds))
        failed += status != 0
    return failed


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    # What runs in a Debian ends with its `unshare`, which ignores this signal itself.
    signal.signal(signal.SIGTERM, lambda *_arguments: sys.exit(1))
    action, *rest = arguments or [""]
    releases = list(RELEASES) if rest == ["all"] else rest
    try:
        if action == "readme" and rest and not set(releases) - set(RELEASES):
            return 1 if sum(map(readme, releases)) else 0
        if action == "prepare" and not rest:
            if in_this_clone(["true"]):
                raise Unusable("this machine does not allow mounts")
            return 0
        if action == "run" and rest:
            return in_this_clone(rest)
    except Unusable as error:
        instead = "make test runs on this machine itself: " if action == "prepare" else ""
        print("%s%s" % (instead, error), file=sys.stderr)
        return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
