# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of the nox session docs beside antsibull-docs and Sphinx.

pages.py prepare SOURCE   add to a directory what Sphinx reads beside the pages of antsibull-docs in SOURCE/reference:
                          the first page with the sections of guides, images, the pages for maintainers, and an
                          inventory of linked Ansible pages
pages.py check SITE       check that each link and image within a built site has a target
"""

from __future__ import annotations

import html.parser
import os
import pathlib
import re
import shutil
import sys
import typing as t
import urllib.parse
import zlib

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REPOSITORY = "https://github.com/streamops/ansible-ovenmediaengine/blob/main/"
GUIDES = "docs/docsite/rst/"
LINK = re.compile(r"(?<=\]\()[^)\s]+(?=\))")
SECTIONS = re.compile(r"^\.\. pages\.py puts .*\n", re.MULTILINE)
# Labels of Ansible's documentation that the pages refer to: the page, and the title of what is there.
ANSIBLE = {
    "action_plugins": ("plugins/action.html#action-plugins", "Action plugins"),
    "ansible_configuration_settings": (
        "reference_appendices/config.html#ansible-configuration-settings",
        "Ansible Configuration Settings",
    ),
    "common_return_values": (
        "reference_appendices/common_return_values.html#common-return-values",
        "Common Return Values",
    ),
    "ansible_collections.ansible.builtin.copy_module": (
        "collections/ansible/builtin/copy_module.html",
        "ansible.builtin.copy module",
    ),
    "ansible_collections.ansible.builtin.linear_strategy": (
        "collections/ansible/builtin/linear_strategy.html",
        "ansible.builtin.linear strategy",
    ),
    "ansible_collections.ansible.builtin.set_stats_module": (
        "collections/ansible/builtin/set_stats_module.html",
        "ansible.builtin.set_stats module",
    ),
    "ansible_collections.ansible.builtin.find_module": (
        "collections/ansible/builtin/find_module.html",
        "ansible.builtin.find module",
    ),
    "ansible_collections.ansible.builtin.inventory_hostnames_lookup": (
        "collections/ansible/builtin/inventory_hostnames_lookup.html",
        "ansible.builtin.inventory_hostnames lookup",
    ),
    "ansible_collections.ansible.builtin.slurp_module": (
        "collections/ansible/builtin/slurp_module.html",
        "ansible.builtin.slurp module",
    ),
    "ansible_collections.ansible.builtin.stat_module": (
        "collections/ansible/builtin/stat_module.html",
        "ansible.builtin.stat module",
    ),
    "ansible_collections.ansible.builtin.varnames_lookup": (
        "collections/ansible/builtin/varnames_lookup.html",
        "ansible.builtin.varnames lookup",
    ),
}


def project_pages() -> dict[str, str]:
    """Return the pages about the project: their paths in the repository, and below SOURCE."""
    paths = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    pages = {path.relative_to(ROOT).as_posix(): f"project/{path.name.lower()}" for path in paths}
    pages.update({path.relative_to(ROOT).as_posix(): f"project/decisions/{path.name}" for path in decisions})
    return {**pages, "SECURITY.md": "security.md"}


def sections() -> list[dict[str, t.Any]]:
    """Return the sections of guides."""
    text = (ROOT / "docs" / "docsite" / "extra-docs.yml").read_text(encoding="utf-8")
    found: list[dict[str, t.Any]] = yaml.safe_load(text)["sections"]
    return found


def with_sections(text: str) -> str:
    """Return the first page with a table of contents for each section of guides."""
    found = ""
    for section in sections():
        guides = "".join("   reference/docsite/%s\n" % guide for guide in section["toctree"])
        found += ".. toctree::\n   :caption: %s\n   :maxdepth: 1\n\n%s\n" % (section["title"], guides)
    return once(SECTIONS, found, text)


def without_sections(text: str) -> str:
    """Return the page of the collection without the guides, which the side bar has once."""
    for section in sections():
        title = re.escape(section["title"])
        text = once(re.compile(rf"^{title}\n-+\n\n\.\. toctree::\n(?:(?: .*)?\n)+", re.MULTILINE), "", text)
    return text


def once(pattern: re.Pattern[str], new: str, text: str) -> str:
    """Return a text in which a pattern, which must occur once, is replaced."""
    replaced, count = pattern.subn(lambda _match: new, text)
    assert count == 1, f"{pattern.pattern} occurs {count} times"
    return replaced


def with_links_of_the_site(path: str, pages: dict[str, str]) -> str:
    """Return the text of a page of the repository, with its relative links rewritten for its place below SOURCE.

    A file that is not a page of the site is linked in the repository.
    """
    up = "../" * pages[path].count("/")

    def replaced(match: re.Match[str]) -> str:
        address, mark, fragment = match.group().partition("#")
        if not address or re.match(r"[a-z]+:", address):
            return match.group()
        target = os.path.normpath(os.path.join(os.path.dirname(path), address)).replace(os.sep, "/")
        if target in pages:
            address = up + pages[target]
        elif target.startswith(GUIDES):
            address = up + "reference/docsite/" + target[len(GUIDES) :]
        else:
            address = REPOSITORY + target
        return address + mark + fragment

    return LINK.sub(replaced, (ROOT / path).read_text(encoding="utf-8"))


def prepare(source: pathlib.Path) -> None:
    """Add what antsibull-docs does not create to the directory that Sphinx reads."""
    index = (ROOT / "docs" / "site" / "index.rst").read_text(encoding="utf-8")
    (source / "index.rst").write_text(with_sections(index), encoding="utf-8")
    shutil.copy(ROOT / "docs" / "site" / "maintainers.rst", source)
    collection = source / "reference" / "index.rst"
    collection.write_text(without_sections(collection.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "docsite" / "images", source / "reference" / "images")
    pages = project_pages()
    (source / "project" / "decisions").mkdir(parents=True)
    for path, name in pages.items():
        (source / name).write_text(with_links_of_the_site(path, pages), encoding="utf-8")
    head = "# Sphinx inventory version 2\n# Project: Ansible\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = ["%s std:label -1 %s %s\n" % (label, address, title) for label, (address, title) in ANSIBLE.items()]
    (source / "ansible.inv").write_bytes(head.encode() + zlib.compress("".join(lines).encode()))


class Page(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the anchor of an element."""
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value or "")
            elif name in ("href", "src") and value:
                self.links.add(value)


def check(site: pathlib.Path) -> list[str]:
    """Return one message for each link within a built site that has no target."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    faults = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            missing_anchor = (
                target in pages and parts.fragment and urllib.parse.unquote(parts.fragment) not in pages[target].anchors
            )
            if not target.exists() or missing_anchor:
                faults.append("%s: %s has no target" % (path.relative_to(site.resolve()), link))
    if not faults:
        print("%d pages, %d links" % (len(pages), sum(len(page.links) for page in pages.values())))
    return faults


def main(arguments: list[str]) -> int:
    """Run the command of the command line; return its exit status."""
    if len(arguments) != 2 or arguments[0] not in ("prepare", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] == "prepare":
        prepare(pathlib.Path(arguments[1]))
        return 0
    faults = check(pathlib.Path(arguments[1]))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
