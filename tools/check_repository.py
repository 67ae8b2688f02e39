# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find lines that name this machine: the clone, the home directory, or the package index of pip or npm."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = ([sys.executable, "-m", "pip", "config", "list"], ["npm", "config", "get", "registry", "--logs-max=0"])


def of_this_machine() -> list[str]:
    """Return strings that belong to this machine."""
    home = os.path.expanduser("~")
    strings = [f"{ROOT}/"] + ([f"{home}/."] if home not in ("/", "~") else [])
    settings = [value for name, value in os.environ.items() if "INDEX_URL" in name or "REGISTRY" in name]
    for command in SETTINGS:
        if shutil.which(command[0]):
            settings.append(
                subprocess.run(
                    command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True
                ).stdout
            )
    hosts = re.findall(r"https?://(?:[^/\s@'\"]*@)?([^/\s:'\"]+)", "\n".join(settings))
    return strings + [host for host in hosts if host not in ("localhost", "127.0.0.1")]


def main() -> int:
    """Print these lines, of the files that git knows or would take."""
    patterns = [argument for string in of_this_machine() for argument in ("-e", string)]
    answer = subprocess.run(
        ["git", "grep", "--untracked", "-n", "-I", "--fixed-strings", *patterns], cwd=ROOT, check=False
    )
    print(
        {0: "These lines name this machine.", 1: "No line names this machine."}.get(
            answer.returncode, "git grep failed."
        )
    )
    return 0 if answer.returncode == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
