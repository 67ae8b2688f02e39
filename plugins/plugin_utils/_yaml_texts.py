# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write variables as YAML that people read: in one form, with templates and with texts that only look like one."""

from __future__ import annotations

import re
import typing as t

import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import encodable

BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""Characters that YAML or an editor can interpret as the end of a line. A text with one is written with escapes."""


class Reference(str):
    """A text with a template."""


class Literal(str):
    """A text that looks like a template and is none."""


class _Dumper(yaml.SafeDumper):
    """Writes YAML in one form, independent of the release of PyYAML and Ansible."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> t.Any:
        """Indent lists in dictionaries."""
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: t.Any) -> bool:
        """Write equal parts in full each time."""
        return True

    def text(self, data: str) -> yaml.ScalarNode:
        """Represent a text. Characters that look like the end of a line are escaped."""
        return self.represent_scalar(
            "tag:yaml.org,2002:str", str.__str__(data), style='"' if BREAKS.search(data) else None
        )

    def reference(self, data: Reference) -> yaml.ScalarNode:
        """Represent a template, in quotes."""
        return self.represent_scalar("tag:yaml.org,2002:str", str.__str__(data), style='"')

    def literal(self, data: Literal) -> yaml.ScalarNode:
        """Represent a text that Ansible must not render."""
        return self.represent_scalar("!unsafe", str.__str__(data), style='"')


_Dumper.add_representer(str, _Dumper.text)
_Dumper.add_representer(Reference, _Dumper.reference)
_Dumper.add_representer(Literal, _Dumper.literal)


def to_yaml(value: t.Any) -> str:
    """Return a value in YAML, without the newline at the end."""
    return yaml.dump(
        value, Dumper=_Dumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=1 << 20
    ).rstrip("\n")


def plain(value: t.Any) -> t.Any:
    """Return a value without the types and tags of Ansible, in characters that a file can encode."""
    if isinstance(value, t.Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    return encodable(str.__str__(value) if isinstance(value, str) else str(value))


def one_line(text: t.Any) -> str:
    """Return a text for a comment, without characters that end the line."""
    return BREAKS.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), str(text))
