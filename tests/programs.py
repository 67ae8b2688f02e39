# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Programs of the operating system that tests need.

`make test` needs none of them. `make test-all` and `make hosts` install those that are missing, if they may.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import typing as t

import pytest

PACKAGES: t.Mapping[str, t.Sequence[str]] = {
    "chromium": ("chromium", "fonts-dejavu-core"),
    "debootstrap": ("debootstrap",),
    "ip": ("iproute2",),
    "java": ("openjdk-17-jre-headless",),
    "jq": ("jq",),
    "promtool": ("prometheus",),
    "setpriv": ("util-linux",),
    "ssh": ("openssh-client",),
    "sshd": ("openssh-server", "openssh-client"),
    "systemd-analyze": ("systemd",),
    "systemd-nspawn": ("systemd-container",),
}
"""Debian's packages of each."""
_OTHER_NAMES = {"chromium": ("chromium-browser", "google-chrome")}
_VARIABLES = {"chromium": "CHROMIUM", "java": "JAVA_HOME"}


def find(name: str) -> str | None:
    """Return the path of a program of :data:`PACKAGES`, or None if it is not installed; for Java, its directory."""
    chosen = os.environ.get(_VARIABLES.get(name, ""))
    if chosen:
        return chosen
    if name == "java":
        # Others on PATH may be too old or too new for ansible-rulebook.
        homes = sorted(path.parents[1] for path in pathlib.Path("/usr/lib/jvm").glob("*17*/bin/java"))
        return str(homes[0]) if homes else None
    path = os.environ.get("PATH", os.defpath) + os.pathsep + "/usr/sbin"
    found = (shutil.which(one, path=path) for one in (name, *_OTHER_NAMES.get(name, ())))
    return next(filter(None, found), None)


def missing(*names: str) -> list[str]:
    """Return the packages of programs that are not installed: of those named, or of all without names."""
    return [package for name in names or PACKAGES if not find(name) for package in PACKAGES[name]]


def needs(name: str) -> t.Callable[[t.Any], t.Any]:
    """Return a decorator for a test that needs a program: only `make test-all` runs it, because that installs it."""
    reason = f"{name} is not installed (the package {PACKAGES[name][0]} of Debian)"

    def decorate(test: t.Any) -> t.Any:
        return pytest.mark.exhaustive(pytest.mark.skipif(find(name) is None, reason=reason)(test))

    return decorate
