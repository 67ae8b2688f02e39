# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put this repository where Ansible's tools look for a collection: ansible_collections/NAMESPACE/NAME.

    collection_tree.py link TREE    a symbolic link to the repository: what is edited is what runs
    collection_tree.py copy TREE    a copy of the files that git knows or would take, for tools that write into the
                                    collection or walk over all that lies in it; prints the copy's directory
    collection_tree.py tests TREE   the same with the directory tests/ alone, beside what has been installed there
    collection_tree.py ready TREE   leave what has been installed there as it is; prints its directory

A copy is brought up to date in place: files that have not changed keep their times, files that are gone go.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is in a copy of itself; kept from one run to the next.
COPYS_OWN = (".git/", "tests/output/")


def place(tree: pathlib.Path) -> pathlib.Path:
    """Return where in a tree the collection stands, by the name in galaxy.yml."""
    words = {}
    for line in (ROOT / "galaxy.yml").read_text(encoding="utf-8").splitlines():
        key, _colon, value = line.partition(":")
        words[key] = value.strip()
    return tree / "ansible_collections" / words["namespace"] / words["name"]


def link(tree: pathlib.Path) -> None:
    """Make the collection's place in a tree a link to the repository."""
    target = place(tree)
    if target.is_symlink() and target.resolve() == ROOT:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink():
        target.unlink()
    # Relative, so that a clone can be moved.
    target.symlink_to(os.path.relpath(ROOT, target.parent.resolve()), target_is_directory=True)


def listed() -> set[str]:
    """Return the files that git knows or would take, as far as they exist."""
    answer = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return {name for name in os.fsdecode(answer.stdout).split("\0") if name and os.path.lexists(ROOT / name)}


def copy(tree: pathlib.Path, part: str = "") -> None:
    """Make the collection's place in a tree, or one directory there, a copy of the repository's files."""
    target = place(tree)
    names = {name for name in listed() if name.startswith(part)}
    for directory, directories, files in os.walk(target / part):
        # A link to a directory is found among the directories.
        links = [name for name in directories if os.path.islink(os.path.join(directory, name))]
        for file in [*files, *links]:
            path = pathlib.Path(directory, file)
            name = path.relative_to(target).as_posix()
            if name not in names and not name.startswith(COPYS_OWN):
                path.unlink()
    for name in sorted(names):
        old, new = ROOT / name, target / name
        if not old.is_symlink() and new.is_file() and not new.is_symlink():
            was, is_ = new.stat(), old.stat()
            if (was.st_mtime_ns, was.st_size, was.st_mode) == (is_.st_mtime_ns, is_.st_size, is_.st_mode):
                continue
        new.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        shutil.copy2(old, new, follow_symlinks=False)
    for directory, _directories, _files in os.walk(target / part, topdown=False):
        if not (pathlib.Path(directory).relative_to(target).as_posix() + "/").startswith(COPYS_OWN) and not os.listdir(directory):
            os.rmdir(directory)
    ready(tree)


def ready(tree: pathlib.Path) -> None:
    """See that tools which ask git which files there are get an answer of the collection's place in a tree; print the place."""
    target = place(tree)
    if not (target / ".git").exists():
        # Else they would find the clone around it, which ignores it.
        subprocess.run(["git", "init", "--quiet", str(target)], check=True)
        # The artifact has no .gitignore.
        (target / ".git" / "info" / "exclude").write_text("/tests/output/\n__pycache__/\n", encoding="utf-8")
    print(target)


def tests(tree: pathlib.Path) -> None:
    """Put the tests beside what is installed at the collection's place in a tree."""
    copy(tree, "tests/")


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    actions = {"link": link, "copy": copy, "tests": tests, "ready": ready}
    if len(arguments) != 2 or arguments[0] not in actions:
        print(__doc__, file=sys.stderr)
        return 2
    actions[arguments[0]](pathlib.Path(arguments[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
