# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check what no linter knows about: rules of this repository.

- every file names its copyright and its licence, but for those that are named here with the reason;
- no file names a place of the machine that it was written on, nor the package indexes that this machine is set up with;
- every module is in the action group, and nothing else is.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = 12
SPDX = "SPDX-License-Identifier: GPL-3.0-or-later"
COPYRIGHT = re.compile(r"Copyright:? \(c\) \d{4}")
# Files without a header; for them COPYING speaks.
WITHOUT_HEADER = [
    (r"COPYING", "the licence itself"),
    (r"CHANGELOG\.rst|changelogs/changelog\.yaml", "antsibull-changelog writes it anew, without comments"),
    (r"changelogs/fragments/.*", "gone with the next release"),
    (r"([A-Za-z0-9_/.-]+/)?[A-Za-z_]+\.md", "a page to be read, which has no comments that all readers leave out"),
    (r".*\.(png|json|json\.j2)", "a format without comments"),
    (r"\.[a-z]+", "settings of one tool, a few lines"),
    (r"(.*/)?[a-z-]*requirements\.txt|requirements/[a-z]+\.(in|txt)", "a list of packages"),
    (r"tests/integration/targets/[a-z_]+/aliases", "a list of words for ansible-test"),
]
GROUP = "ovenmediaengine"


def tracked() -> list[pathlib.PurePosixPath]:
    """Return the files that git knows or would take."""
    answer = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return [pathlib.PurePosixPath(name) for name in os.fsdecode(answer.stdout).split("\0") if name and (ROOT / name).is_file()]


def text_of(name: pathlib.PurePosixPath) -> str:
    """Return a file's text; of one that is no text, nothing."""
    try:
        return (ROOT / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def licences(names: list[pathlib.PurePosixPath]) -> list[str]:
    """Return the files that do not say whose they are, and under which licence."""
    faults = []
    for name in names:
        text = text_of(name)
        # An empty file (an __init__.py, say) has nothing to license.
        if not (ROOT / name).stat().st_size or any(re.fullmatch(pattern, str(name)) for pattern, _reason in WITHOUT_HEADER):
            continue
        head = "\n".join(text.splitlines()[:HEAD])
        if not COPYRIGHT.search(head):
            faults.append("%s: no line 'Copyright: (c) YEAR, WHO' at the top" % name)
        if SPDX not in head:
            faults.append("%s: no line '%s' at the top" % (name, SPDX))
    return faults


def output_of(*command: str) -> str:
    """Return what a command prints, nothing where it cannot be run."""
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True).stdout


def of_this_machine() -> dict[str, str]:
    """Return strings that belong to this machine and to nothing else, each with what it is."""
    strings = {str(ROOT) + "/": "this clone's path"}
    home = os.path.expanduser("~")
    if home not in ("/", "~"):
        strings[home + "/."] = "a path of this machine"
    settings = [
        output_of(sys.executable, "-m", "pip", "config", "list"),
        output_of("npm", "config", "get", "registry", "--logs-max=0"),
    ]
    settings += [value for name, value in os.environ.items() if "INDEX_URL" in name or "REGISTRY" in name]
    for host in re.findall(r"https?://(?:[^/\s@'\"]*@)?([^/\s:'\"]+)", "\n".join(settings)):
        if host not in ("localhost", "127.0.0.1"):
            strings[host] = "a package index of this machine"
    return strings


def places(names: list[pathlib.PurePosixPath]) -> list[str]:
    """Return the lines that name something of this machine."""
    strings = of_this_machine()
    return [
        "%s:%d: names %s" % (name, number, what)
        for name in names
        for number, line in enumerate(text_of(name).splitlines(), 1)
        for string, what in strings.items()
        if string in line
    ]


def action_group() -> list[str]:
    """Return how the action group differs from the modules there are."""
    modules = {path.stem for path in (ROOT / "plugins" / "modules").glob("*.py")} - {"__init__"}
    if not modules:
        return ["plugins/modules: no module"]
    group, inside = set(), False
    # PyYAML is not needed for a list whose form yamllint watches over.
    for line in (ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"  \w+:", line):
            inside = line == "  %s:" % GROUP
        elif not line.startswith(" "):
            inside = False
        elif inside and (entry := re.fullmatch(r" +- (\w+)", line)):
            group.add(entry.group(1))
    faults = ["meta/runtime.yml: module %s is not in the action group %s" % (name, GROUP) for name in sorted(modules - group)]
    return faults + ["meta/runtime.yml: the action group %s names %s, which is no module" % (GROUP, name) for name in sorted(group - modules)]


def main() -> int:
    """Print what is wrong."""
    names = tracked()
    faults = licences(names) + places(names) + action_group()
    print("\n".join(faults) if faults else "nothing wrong in %d files" % len(names))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
