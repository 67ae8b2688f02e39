# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The blocks of YAML in the documents of release 1.0.0, and which of them no test can run."""

from __future__ import annotations

import pathlib
import typing as t

import yaml

DATA = pathlib.Path(__file__).resolve().parent / "guides_of_1_0"

NEEDS_AWX = "needs an AWX"
NEEDS_FILES = "checked for syntax: needs certificates"
NEEDS_HOST = "checked for syntax: needs a host to log in to"
SHOWN = "shows a file that the role export writes"
NOT_RUN = {
    ("guide_after_restart", 162): NEEDS_AWX,
    ("guide_rotate_certificates", 202): NEEDS_AWX,
    ("guide_rotate_certificates", 74): NEEDS_FILES,
    ("guide_rotate_certificates", 238): NEEDS_FILES,
    ("role_rotate_certificates", 25): "variables of the role rotate_certificates: need certificates",
    ("guide_provision", 197): "needs hosts to log in to",
    ("guide_provision", 209): NEEDS_HOST,
    ("guide_provision", 311): NEEDS_HOST,
    ("role_export", 26): SHOWN,
    ("role_restream", 21): "inventory of the commands below",
    ("role_provision", 69): "addresses of servers, run with the inventory before it",
}


class Block(t.NamedTuple):
    """A block of a document of 1.0.0."""

    line: int
    mark: str
    text: str

    @property
    def file(self) -> str:
        """Return the name under which the reader saves it, if there is one."""
        return self.mark[len("as ") :] if self.mark.startswith("as ") else ""

    @property
    def kind(self) -> str:
        """Return what the block is: ``play``, ``tasks``, ``inventory`` or ``variables``."""
        content = yaml.safe_load(self.text)
        if isinstance(content, list):
            return "play" if all("hosts" in one or "import_playbook" in one for one in content) else "tasks"
        top = [value for value in content.values() if isinstance(value, dict)]
        return (
            "inventory"
            if len(top) == len(content) and all({"hosts", "children"} & set(one) for one in top)
            else "variables"
        )

    @property
    def title(self) -> str:
        """Return the first name in the block, or its first variable."""
        content = yaml.safe_load(self.text)
        return str(content[0]["name"] if isinstance(content, list) else f"`{next(iter(content))}`")


class Document(t.NamedTuple):
    """What a document of 1.0.0 shows."""

    name: str
    path: str
    blocks: list[Block]

    def saved(self, kind: str) -> list[Block]:
        """Return the blocks of a kind that are saved as files."""
        return [block for block in self.blocks if block.file and block.kind == kind]


def document(name: str) -> Document:
    """Return a document by the name of its file in ``guides_of_1_0``."""
    content = yaml.safe_load((DATA / f"{name}.yml").read_text(encoding="utf-8"))
    return Document(name, content["document"], [Block(**block) for block in content["blocks"]])


def documents() -> list[Document]:
    """Return all documents, the README first."""
    names = sorted(path.stem for path in DATA.glob("*.yml"))
    return [document(name) for name in sorted(names, key=lambda name: (name != "readme", name))]
