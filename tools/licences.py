# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""See that each package which the collection or its checks need is under a licence that goes together with GPL-3.0-or-later.

licences.py REQUIREMENTS...   run by a Python that has the packages which these files name
"""

from __future__ import annotations

import importlib.metadata
import pathlib
import re
import sys

# What SPDX calls them, and how packages without an SPDX expression put it.
COMPATIBLE = {
    "0BSD",
    "Apache Software License",
    "Apache-2.0",
    "BSD License",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "GNU General Public License (GPL)",
    "GPL-3.0-or-later",
    "ISC License (ISCL)",
    "MIT",
    "MIT License",
    "MIT-0",
    "MPL-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)",
    "PSF-2.0",
    "Public Domain",
    "Python Software Foundation License",
}
# Their metadata name no licence; a file in the package does.
IN_A_FILE = {"axe-playwright-python": ("LICENSE", "MIT License")}
NOT_A_LICENCE = {"DFSG approved", "OSI Approved"}


def packages(files: list[pathlib.Path]) -> dict[str, bool]:
    """Return the packages that requirements name, each with whether every machine needs it."""
    found: dict[str, bool] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if name := re.match(r"[A-Za-z0-9][\w.-]*", line):
                found[name.group()] = found.get(name.group(), False) or ";" not in line
    return found


def told(name: str) -> set[str]:
    """Return the licences that a package says it is under."""
    package = importlib.metadata.distribution(name)
    if name in IN_A_FILE:
        file, licence = IN_A_FILE[name]
        texts = [path.read_text() or "" for path in package.files or [] if path.name == file]
        return {licence for text in texts if licence in text}
    expression = package.metadata.get("License-Expression")
    if expression:
        return set(re.split(r"\s+(?:AND|OR)\s+", re.sub(r"[()]", "", expression)))
    classifiers = [entry.split(" :: ") for entry in package.metadata.get_all("Classifier") or []]
    licences = {entry[-1] for entry in classifiers if entry[0] == "License"} - NOT_A_LICENCE
    return licences or set((package.metadata.get("License") or "").splitlines()[:1])


def faults_of(names: dict[str, bool]) -> list[str]:
    """Return which packages are under licences that are not known to go together with the collection's, or under none."""
    faults = []
    for name, everywhere in sorted(names.items()):
        try:
            licences = told(name)
        except importlib.metadata.PackageNotFoundError:
            # One for other systems is not installed here, and says nothing.
            if everywhere:
                faults.append("%s: not installed, so that its licence is not known" % name)
            continue
        if not licences:
            faults.append("%s: names no licence" % name)
        faults += ["%s: %s is not among the licences known to be compatible" % (name, licence) for licence in sorted(licences - COMPATIBLE)]
    return faults


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    names = packages([pathlib.Path(argument) for argument in arguments])
    faults = faults_of(names)
    print("\n".join(faults) if faults else "%d packages, all under licences that are compatible" % len(names))
    return 1 if faults or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
