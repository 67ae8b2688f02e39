# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Debian 13 that systemd-nspawn boots with a systemd of its own: a real host without a second machine."""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
import typing as t

from ansible_collections.streamops.ovenmediaengine.tests import programs
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tools import fresh

BUILD = pathlib.Path(__file__).resolve().parents[2] / ".build" / "hosts"
PACKAGES = (
    # A host with systemd that Ansible can reach.
    "systemd,systemd-sysv,dbus,openssh-server,sudo,python3,python3-requests,iproute2,procps,kmod,ca-certificates"
    # Podman with what runs its containers.
    ",podman,crun,netavark,aardvark-dns,iptables,nftables"
    # Docker with compose.
    ",docker.io,docker-cli,docker-compose"
    # The simulator as a program of the host, and what a watcher needs.
    ",python3-aiohttp,python3-cryptography,python3-cffi-backend,ansible-core"
)
NEEDED = ("debootstrap", "ip", "setpriv", "ssh", "systemd-nspawn")
"""Programs of this machine."""
NAME = "media"
HERE, THERE = "10.99.0.1", "10.99.0.2"
"""Addresses of the two ends of a cable that only this machine has."""
CABLE = f"ve-{NAME}"
"""How systemd-nspawn calls this machine's end of it."""
USER = "deploy"
CGROUPS = pathlib.Path("/sys/fs/cgroup")
SYSTEMD = pathlib.Path("/run/systemd/system")
"""Exists on a machine that systemd has booted."""
NETWORK = f"""\
[Match]
Name=host0

[Network]
Address={THERE}/24
"""
CONTAINERS = """\
[containers]
# The cgroup tree of a guest has no controllers on a machine with the older hierarchy.
pids_limit = 0
# This machine may allow no more.
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
"""


def unusable() -> str:
    """Return why this machine cannot boot a guest, and what would make it possible; empty if it can."""
    if os.geteuid():
        return "only root can boot a guest: sudo make hosts"
    missing = programs.missing(*NEEDED)
    if missing:
        return f"programs are missing: apt-get install {' '.join(missing)}"
    if not (CGROUPS / "unified/cgroup.procs").exists() and not SYSTEMD.exists():
        return "this machine has neither systemd nor a tree of cgroups in /sys/fs/cgroup/unified"
    return ""


class Guest:
    """A host; a context manager that boots it and ends it."""

    def __init__(self) -> None:
        self.root = BUILD / NAME
        self.key = BUILD / "key"
        self.versions: dict[str, str] = {}
        """Of the server that it can run, by backend."""
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def new(cls) -> Guest:
        """Return a host as Debian installs it, with a user who may use sudo.

        :raises fresh.Unusable: this machine cannot build or boot it.
        """
        reason = unusable()
        if reason:
            raise fresh.Unusable(reason)
        guest = cls()
        name = "trixie-" + hashlib.sha256(PACKAGES.encode()).hexdigest()[:12]
        pristine = fresh.build("trixie", BUILD / name, PACKAGES, variant="-")
        shutil.rmtree(guest.root, ignore_errors=True)
        _run("cp", "--archive", "--reflink=auto", str(pristine), str(guest.root))
        guest.key.unlink(missing_ok=True)
        _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(guest.key))
        guest._prepare()
        return guest

    def _prepare(self) -> None:
        """Give it an address, a user, and no way to anything else."""
        user = self.root / "home" / USER / ".ssh"
        _run("chroot", str(self.root), "useradd", "--create-home", "--shell", "/bin/bash", USER)
        user.mkdir(mode=0o700)
        shutil.copy(self.key.with_suffix(".pub"), user / "authorized_keys")
        _run("chroot", str(self.root), "chown", "-R", f"{USER}:", f"/home/{USER}")
        for path, text in {
            "etc/hostname": f"{NAME}\n",
            "etc/hosts": f"127.0.0.1 localhost {NAME}\n",
            f"etc/systemd/network/10-{NAME}.network": NETWORK,
            "etc/containers/containers.conf": CONTAINERS,
            # Docker refuses to forward for podman otherwise: it is to find the setting, and not to make it.
            f"usr/lib/sysctl.d/10-{NAME}.conf": "net.ipv4.ip_forward = 1\n",
            f"etc/sudoers.d/{USER}": f"{USER} ALL=(ALL) NOPASSWD: ALL\n",
            # A pull of an image fails at once, as nobody answers there.
            "etc/resolv.conf": "nameserver 127.0.0.1\n",
        }.items():
            (self.root / path).unlink(missing_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
        _run("systemctl", f"--root={self.root}", "--quiet", "enable", "systemd-networkd", "ssh")

    def __enter__(self) -> Guest:
        self._boot()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._ended()

    def _boot(self) -> None:
        command = [
            # It ends with the tests, however those end.
            "setpriv",
            "--pdeathsig=TERM",
            "systemd-nspawn",
            "--boot",
            "--quiet",
            f"--directory={self.root}",
            f"--machine={NAME}",
            "--register=no",
            "--capability=all",
            "--network-veth",
            "--resolv-conf=off",
            "--timezone=off",
            "--link-journal=no",
            "--console=pipe",
            "--kill-signal=SIGRTMIN+3",
            "--notify-ready=no",
            *(f"--bind={path}" for path in ("/dev/fuse", "/dev/net/tun") if os.path.exists(path)),
        ]
        environment = dict(os.environ, SYSTEMD_SECCOMP="0", SYSTEMD_NSPAWN_API_VFS_WRITABLE="1")
        if (CGROUPS / "unified").exists():
            # Nobody manages the groups of such a machine, so that the guest gets its own below the newer hierarchy.
            for directory in self._groups:
                directory.mkdir(exist_ok=True)
            enter = "".join(f'echo $$ >"{directory}/cgroup.procs"; ' for directory in self._groups)
            command = ["sh", "-c", f'{enter}exec "$@"', "sh", *command, "--keep-unit"]
            environment.update(
                SYSTEMD_NSPAWN_UNIFIED_HIERARCHY="1", UNIFIED_CGROUP_HIERARCHY="1", SYSTEMD_NSPAWN_USE_CGNS="1"
            )
        with (
            (BUILD / f"{NAME}.log").open("ab") as log,
            subprocess.Popen(["ip", "-o", "monitor", "link"], stdout=subprocess.PIPE, text=True) as links,
        ):
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
            )
            assert links.stdout is not None
            while CABLE not in links.stdout.readline():
                if self._process.poll() is not None:
                    raise fresh.Unusable(f"systemd-nspawn has failed, see {log.name}")
            links.terminate()
        _run("ip", "address", "add", f"{HERE}/24", "dev", CABLE)
        _run("ip", "link", "set", CABLE, "up")
        # ssh itself tries again, once in a second.
        self.run("systemctl", "is-system-running", "--wait", attempts=60, check=False)

    @property
    def _groups(self) -> list[pathlib.Path]:
        return [CGROUPS / tree / f"hosts-{NAME}" for tree in ("unified", "systemd") if (CGROUPS / tree).exists()]

    def _ended(self) -> None:
        assert self._process is not None
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def reboot(self) -> None:
        """Restart the host in order."""
        self.run("systemctl", "reboot", check=False)
        # nspawn ends with a guest that was not started by a unit of this machine.
        self._ended()
        self._boot()

    @property
    def variables(self) -> dict[str, t.Any]:
        """Return how Ansible reaches the host."""
        return {
            "ansible_host": THERE,
            "ansible_user": USER,
            "ansible_become": True,
            "ansible_ssh_private_key_file": str(self.key),
            "ansible_ssh_common_args": " ".join(_OPTIONS),
            "ansible_python_interpreter": "/usr/bin/python3",
        }

    def run(self, *command: str, check: bool = True, stdin: str = "", attempts: int = 1) -> str:
        """Run a command as root.

        :param command: its words.
        :param check: whether it must succeed.
        :param attempts: to connect, one in a second.
        :returns: its output without white space around it; if ``check`` is false, with that of errors.
        """
        words = ["ssh", *_OPTIONS, "-i", str(self.key), "-o", f"ConnectionAttempts={attempts}", f"{USER}@{THERE}"]
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in ("sudo", "--", *command))
        done = subprocess.run(
            [*words, quoted],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if check else subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert not check or done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def write(self, path: str, text: str, mode: str = "600") -> None:
        """Write a file, with its directory."""
        self.run("install", "-D", f"--mode={mode}", "/dev/stdin", path, stdin=text)


_SETTINGS = {
    "BatchMode": "yes",
    "ConnectTimeout": "5",
    "LogLevel": "ERROR",
    "StrictHostKeyChecking": "no",
    "UserKnownHostsFile": "/dev/null",
}
_OPTIONS = [word for name, value in _SETTINGS.items() for word in ("-o", f"{name}={value}")]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
