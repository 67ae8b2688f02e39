# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings of a watcher, and an inventory with its server and the variables of the role `provision`.

Both contain secrets. The inventory has no purge and no recreate, and the command of the settings turns them off, so
that a watcher deletes nothing.
"""

from __future__ import annotations

import json
import pathlib
import typing as t

import yaml
from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.watcher import PLAYBOOK
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._yaml_texts import plain

_SPEC = pathlib.Path(__file__).parents[2] / "roles/provision/meta/argument_specs.yml"
_PREFIX = "ovenmediaengine_"
_DELETING = (f"{_PREFIX}purge_", f"{_PREFIX}recreate")
"""What deletes objects."""
_DELIMITERS = ("{{", "{%", "{#")
"""Of Jinja."""
_LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}


class _Literal(str):
    """A text that looks like a template and is none."""


class _Dumper(yaml.SafeDumper):
    """Writes YAML in which Ansible renders no text that is no template."""

    def ignore_aliases(self, data: t.Any) -> bool:
        """Write equal parts in full each time."""
        return True

    def literal(self, data: _Literal) -> yaml.ScalarNode:
        """Represent a text that Ansible must not render."""
        return self.represent_scalar("!unsafe", str.__str__(data), style='"')


_Dumper.add_representer(_Literal, _Dumper.literal)


def variables_of_provision() -> list[str]:
    """Return the variables of the role provision."""
    return list(yaml.safe_load(_SPEC.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"])


def _literal(value: t.Any) -> t.Any:
    """Return a value that Ansible reads as it is."""
    if isinstance(value, dict):
        return {key: _literal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_literal(item) for item in value]
    return _Literal(value) if isinstance(value, str) and any(mark in value for mark in _DELIMITERS) else value


def watcher_files(
    name: str,
    variables: t.Mapping[str, t.Any],
    *,
    directory: str,
    python: str,
    inventory: str = "",
    arguments: t.Sequence[str] = (),
    environment: t.Mapping[str, t.Any] | None = None,
    timeout: float,
    run_timeout: int,
    retry_seconds: int,
    retry_max_seconds: int,
) -> dict[str, str]:
    """Return the settings and the inventory. ``variables`` are those of the role provision, rendered."""
    known = {key: value for key, value in plain(variables).items() if value is not None}
    switches = {option: False for option in variables_of_provision() if option.startswith(_DELETING)}
    command = [python, "-m", "ansible", "playbook", PLAYBOOK, "-i", inventory or f"{directory}/inventory.yml"]
    settings = {
        "name": name,
        "api_url": known.get(f"{_PREFIX}api_url", ""),
        "api_token": known.get(f"{_PREFIX}api_token", ""),
        # An inventory in INI format, or the command line, has texts in place of booleans.
        "validate_certs": boolean(known.get(f"{_PREFIX}validate_certs", True)),
        "ca_path": known.get(f"{_PREFIX}ca_path"),
        "client_cert": known.get(f"{_PREFIX}client_cert"),
        "client_key": known.get(f"{_PREFIX}client_key"),
        "http_headers": {key: str(value) for key, value in (known.get(f"{_PREFIX}http_headers") or {}).items()},
        "timeout": float(timeout),
        "run_timeout": int(run_timeout),
        "retry_seconds": int(retry_seconds),
        "retry_max_seconds": int(retry_max_seconds),
        "environment": {key: str(value) for key, value in plain(environment or {}).items()},
        "command": [*command, "--limit", name, *plain(arguments), "-e", json.dumps(switches)],
    }
    host = {**_LOCAL, **{key: _literal(known[key]) for key in sorted(known) if not key.startswith(_DELETING)}}
    return {
        "settings": json.dumps(settings, indent=2) + "\n",
        "inventory": "# Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten.\n"
        + yaml.dump(
            {"all": {"hosts": {name: host}}}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1 << 20
        ),
    }
