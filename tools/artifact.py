# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the artifact that users install, and what has been installed from it.

    artifact.py contents ARTIFACT               see that it holds all that playbooks need, and nothing that users do not need
    artifact.py installed ARTIFACT COLLECTION   see that a directory holds the artifact's files as they are, and beside them nothing but tests/

Written for any Python from 3.8 on, as the machine's own runs it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import sys
import tarfile

from collection_tree import listed

# All that may be in it. What is new has to be added here, so that nothing gets in by not having been left out in galaxy.yml.
ALLOWED = re.compile(
    r"""
    MANIFEST\.json | FILES\.json                                              # ansible-galaxy writes them
    | README\.md | CHANGELOG\.rst | CONTRIBUTING\.md | SECURITY\.md | COPYING
    | changelogs/(changelog|config)\.yaml
    | docs/[a-z0-9_]+\.md
    | docs/audit/[a-z0-9_.]+\.json
    | docs/docsite/(rst/[a-z0-9_]+\.rst | images/[a-z0-9_-]+\.png | [a-z0-9-]+\.yml)
    | meta/[a-z0-9_-]+\.(yml|txt)
    | playbooks/(?!files/awx/project/)([a-z0-9_]+/)*[a-z0-9_-]+\.yml
    | plugins/[a-z0-9_]+/[a-z0-9_]+\.py
    | roles/[a-z0-9_]+/(README\.md | (defaults|handlers|meta|tasks|vars)/([a-z0-9_]+/)*[a-z0-9_]+\.yml | (files|templates)/[a-z0-9_./]+)
    | tests/config\.yml                                                       # tells ansible-test which Pythons modules are for, wherever it runs
    """,
    re.VERBOSE,
)
# What git knows in these directories must be there to the last file, but for playbooks that are copied from the repository into a project of AWX.
COMPLETE = re.compile(r"(meta|playbooks(?!/files/awx/project/)|plugins|roles)/")
# Twice what it is now. Recordings, environments and logs would go beyond at once.
LARGEST = 1_000_000
# What may lie beside the artifact's files where the tests are run: the tests, what ansible-test asks which files there are, and what Python compiles.
BESIDE = re.compile(r"(tests|\.git)/.*|(.*/)?__pycache__/.*")


def read(artifact: pathlib.Path) -> dict[str, bytes]:
    """Return the artifact's files."""
    files = {}
    with tarfile.open(artifact) as archive:
        for member in archive.getmembers():
            if member.isdir():
                continue
            content = archive.extractfile(member) if member.isfile() else None
            if content is None:
                sys.exit("%s: %s is no ordinary file" % (artifact.name, member.name))
            files[member.name] = content.read()
    return files


def checksums(files: dict[str, bytes]) -> dict[str, str]:
    """Return the checksum of each file, as the artifact's own two lists tell it."""
    manifest = json.loads(files["MANIFEST.json"])["file_manifest_file"]
    told = {entry["name"]: entry["chksum_sha256"] for entry in json.loads(files["FILES.json"])["files"] if entry["ftype"] == "file"}
    told[manifest["name"]] = manifest["chksum_sha256"]
    # No list has its own.
    told["MANIFEST.json"] = hashlib.sha256(files["MANIFEST.json"]).hexdigest()
    return told


def contents(artifact: pathlib.Path, known: set[str]) -> list[str]:
    """Return what is in an artifact and should not be, and what is missing of the files that git knows."""
    files = read(artifact)
    told = checksums(files)
    faults = ["%s is in the artifact, and users do not need it" % name for name in sorted(files) if not ALLOWED.fullmatch(name)]
    faults += ["%s is not in the artifact" % name for name in sorted(known - set(files)) if COMPLETE.match(name)]
    faults += ["%s: not as FILES.json says" % name for name in sorted(told) if hashlib.sha256(files.get(name, b"")).hexdigest() != told[name]]
    faults += ["%s is not in FILES.json" % name for name in sorted(set(files) - set(told))]
    size = artifact.stat().st_size
    if size > LARGEST:
        faults.append("%s has %d bytes; at most %d are expected" % (artifact.name, size, LARGEST))
    return faults


def installed(artifact: pathlib.Path, collection: pathlib.Path) -> list[str]:
    """Return how a directory differs from an artifact that has been installed there, and got tests/."""
    told = checksums(read(artifact))
    faults = []
    for name, checksum in sorted(told.items()):
        path = collection / name
        if not path.is_file() or path.is_symlink():
            faults.append("%s is missing" % name)
        elif hashlib.sha256(path.read_bytes()).hexdigest() != checksum:
            faults.append("%s is not the artifact's" % name)
    for directory, _directories, found in os.walk(collection):
        names = [pathlib.Path(directory, name).relative_to(collection).as_posix() for name in found]
        faults += ["%s is not from the artifact" % name for name in sorted(names) if name not in told and not BESIDE.fullmatch(name)]
    return faults


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    if arguments[:1] == ["contents"] and len(arguments) == 2:
        faults = contents(pathlib.Path(arguments[1]), listed())
    elif arguments[:1] == ["installed"] and len(arguments) == 3:
        faults = installed(pathlib.Path(arguments[1]), pathlib.Path(arguments[2]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    count = len(read(pathlib.Path(arguments[1])))
    print("\n".join(faults) if faults else "%d files of the artifact, as they should be" % count)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
