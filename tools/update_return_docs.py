# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy the blocks of tools/return_docs.yml into the RETURN documentation of the modules.

Ansible has no fragments for RETURN.

A module marks the place of a block with comments, which can replace the samples of the block (``{}`` omits them):

    # BEGIN GENERATED difference, samples: {field: host.names}
    # END GENERATED

``--check`` changes nothing and fails if a module is not up to date.
"""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Mapping, Sequence
from textwrap import indent

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tools" / "return_docs.yml"
MODULES = ROOT / "plugins" / "modules"

_REGION = re.compile(
    r"(?P<begin>^(?P<depth> *)# BEGIN GENERATED (?P<name>\w+)(?:, samples: (?P<samples>\{[^}]*\}))?\n)"
    r"(?:.*\n)*?"
    r"(?P<end>(?P=depth)# END GENERATED\n)",
    re.MULTILINE,
)


def expand(name: str, blocks: Mapping[str, str]) -> str:
    """Return a block by its name, with the blocks that its lines of the form ``<name>`` insert."""
    return re.sub(r"^<(\w+)>\n", lambda line: expand(line[1], blocks), blocks[name], flags=re.MULTILINE)


def replace_samples(block: str, samples: Mapping[str, object]) -> str:
    """Return a block that has these samples, by the key that they are samples of, and no others.

    :raises ValueError: the block has no sample for one of the keys.
    """
    key, lines, left = "", [], dict(samples)
    for line in block.splitlines(keepends=True):
        if match := re.match(r" *(\w+):\n", line):
            key = match[1]
        if match := re.match(r" *sample: ", line):
            if key not in left:
                continue
            text = yaml.safe_dump(left.pop(key), default_flow_style=True, width=1000).removesuffix("...\n")
            line = f"{match[0]}{text}"
        lines.append(line)
    if left:
        raise ValueError(f"The block has no sample for: {', '.join(left)}.")
    return "".join(lines)


def update(text: str, blocks: Mapping[str, str]) -> str:
    """Return the text of a module with its generated regions brought up to date."""

    def write(region: re.Match[str]) -> str:
        block = expand(region["name"], blocks)
        if region["samples"]:
            block = replace_samples(block, yaml.safe_load(region["samples"].replace("#", "")))
        return f"{region['begin']}{indent(block, region['depth'])}{region['end']}"

    return _REGION.sub(write, text)


def main(arguments: Sequence[str]) -> int:
    """Update the modules, or compare them; print the names of those that differ, and return the exit status."""
    blocks = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    outdated = []
    for path in sorted(MODULES.glob("*.py")):
        before = path.read_text(encoding="utf-8")
        after = update(before, blocks)
        if after != before:
            outdated.append(path.relative_to(ROOT).as_posix())
            if "--check" not in arguments:
                path.write_text(after, encoding="utf-8")
    if outdated:
        print(f"{'Run `make format`; outdated' if '--check' in arguments else 'Updated'}: {', '.join(outdated)}")
    return 1 if outdated and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
