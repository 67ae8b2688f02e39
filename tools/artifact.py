# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be in the artifact that users install. Nothing is in it only because galaxy.yml forgot to leave it out."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALLOWED = re.compile(
    r"""
    MANIFEST\.json | FILES\.json                                              # ansible-galaxy writes them
    | README\.md | CHANGELOG\.rst | CONTRIBUTING\.md | SECURITY\.md | COPYING
    | changelogs/(changelog|config)\.yaml
    | extensions/eda/(plugins/(event_source|plugin_utils)/[a-z0-9_]+\.py | rulebooks/[a-z0-9_]+\.yml)
    | docs/(decisions/)?[a-z0-9_-]+\.md
    | docs/audit/[a-z0-9_.]+\.json
    | docs/metrics/[a-z0-9_]+\.(json|yml)
    | docs/docsite/(rst/[a-z0-9_]+\.rst | images/[a-z0-9_-]+\.png | [a-z0-9-]+\.yml)
    | meta/[a-z0-9_-]+\.(yml|txt)
    | playbooks/(?!files/awx/project/)([a-z0-9_]+/)*[a-z0-9_-]+\.yml
    | plugins/([a-z0-9_]+/){1,2}[a-z0-9_]+\.py
    | roles/[a-z0-9_]+/(
        README\.md | (defaults|handlers|meta|tasks|vars)/([a-z0-9_]+/)*[a-z0-9_]+\.yml | (files|templates)/[a-z0-9_./]+
      )
    | tests/config\.yml  # the Python versions of modules, for ansible-test
    """,
    re.VERBOSE,
)
COMPLETE = re.compile(r"(extensions/eda|meta|playbooks(?!/files/awx/project/)|plugins|roles)/")
"""Of these folders all that git knows must be in it, but for the playbooks that are copied from the repository into a
project of AWX.
"""
LARGEST = 1_300_000
"""Bytes: a third more than 2.0.0. Recordings, environments and logs would exceed it at once."""


def tracked() -> list[str]:
    """Return the files that git knows or would take, as far as they exist."""
    answer = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    return [name for name in os.fsdecode(answer.stdout).split("\0") if name and os.path.lexists(ROOT / name)]


def copy_repository(target: pathlib.Path, part: str = "") -> None:
    """Copy these files into a folder that is recreated; only those below ``part`` if it is given, such as ``tests``."""
    shutil.rmtree(target / part, ignore_errors=True)
    for name in tracked():
        if name.startswith(part):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)


def contents(artifact: pathlib.Path, known: set[str] | None = None) -> list[str]:
    """Return what is in an artifact and should not be, and what is missing of the files that git knows, one sentence
    each.
    """
    with tarfile.open(artifact) as archive:
        members = [member for member in archive.getmembers() if not member.isdir()]
    names = {member.name for member in members}
    faults = ["%s is no ordinary file" % member.name for member in members if not member.isfile()]
    faults += [
        "%s is in the artifact, and users do not need it" % name
        for name in sorted(names)
        if not ALLOWED.fullmatch(name)
    ]
    faults += [
        "%s is not in the artifact" % name
        for name in sorted((set(tracked()) if known is None else known) - names)
        if COMPLETE.match(name)
    ]
    if artifact.stat().st_size > LARGEST:
        faults.append("%s has %d bytes; at most %d are expected" % (artifact.name, artifact.stat().st_size, LARGEST))
    return faults
