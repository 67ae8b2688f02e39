# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check the variables of roles, and say which of them messages name in place of options.

The checks find misspelt names, and purges that would delete more than the user listed. The action plugins run them in
each task of a role, so that no role needs a task for them and any choice of tags is safe. The names come from the files
of the roles, which are read once, when Ansible loads an action plugin in its main process.
"""

from __future__ import annotations

import difflib
import functools
import pathlib
import re
import typing as t

import yaml
from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import Refusal

COLLECTION = "streamops.ovenmediaengine"
# The prefix of the variables of all roles.
PREFIX = "ovenmediaengine_"
# The prefix of the variables to which the role export refers, one for each secret.
SECRETS = f"{PREFIX}secret_"
# The variable that turns in-process execution off.
SWITCH = f"{PREFIX}in_process"
_PURGE = f"{PREFIX}purge_"
_PURGE_EVERYTHING = f"{_PURGE}everything"
_MOST = 5  # names in one message

_ROOT = pathlib.Path(__file__).parents[2]
_SPECS = "meta/argument_specs.yml"
Template = t.Callable[[t.Any], t.Any]


def _words(*paths: pathlib.Path) -> frozenset[str]:
    """Return all words with an underscore in these files."""
    return frozenset(
        word for path in paths for word in re.findall(r"\b[a-z0-9]+_\w+", path.read_text(encoding="utf-8"))
    )


# The variables that each role takes, registers or sets. Searching for words takes a hundredth of the time of parsing
# YAML; tests compare the two.
_OPTIONS = {path.parents[1].name: _words(path) for path in sorted(_ROOT.glob(f"roles/*/{_SPECS}"))}
_KNOWN = _words(*_ROOT.glob("roles/*/tasks/*.yml"), *_ROOT.glob("playbooks/*.yml")).union({SWITCH}, *_OPTIONS.values())


@functools.cache
def documented() -> tuple[str, ...]:
    """Return the variables that users can set, in roles, playbooks and action plugins."""
    found = {SWITCH, *(word for word in _words(*_ROOT.glob("playbooks/*.yml")) if word.startswith(PREFIX))}
    for role in _OPTIONS:
        specs = yaml.safe_load((_ROOT / "roles" / role / _SPECS).read_text(encoding="utf-8"))["argument_specs"]
        found.update(name for entry in specs.values() for name in entry.get("options", ()))
    return tuple(sorted(found))


def unknown_names(role: str, names: t.Iterable[str]) -> list[str]:
    """Return the names with a prefix of this role or of the collection that are no variables of them."""
    own = f"{role}_"
    prefixes = (PREFIX, own) if any(word.startswith(own) for word in _OPTIONS.get(role, ())) else PREFIX
    return sorted(
        name for name in names if name.startswith(prefixes) and name not in _KNOWN and not name.startswith(SECRETS)
    )


def unknown_variables(role: str, names: t.Iterable[str]) -> str | None:
    """Return the message for misspelt variables, each with the most similar name; None if there are none."""
    unknown = unknown_names(role, names)
    if not unknown:
        return None
    known = documented()
    near = [f"{name} (did you mean {difflib.get_close_matches(name, known, 1, 0)[0]}?)" for name in unknown[:_MOST]]
    more = f" and {len(unknown) - _MOST} more" if len(unknown) > _MOST else ""
    begin = " or ".join(sorted({PREFIX if name.startswith(PREFIX) else f"{role}_" for name in unknown}))
    return (
        f"The role {role} has no such variable: {', '.join(near)}{more}. "
        f"Correct or rename it: names that begin with {begin} belong to the collection."
    )


def unlisted_purges(role: str, variables: t.Mapping[str, t.Any], template: Template) -> str | None:
    """Return the message for a purge without listed objects; None if there is none."""
    for purge in sorted(_OPTIONS.get(role, ())):
        if not purge.startswith(_PURGE) or purge == _PURGE_EVERYTHING or not _is_true(variables.get(purge), template):
            continue
        option = PREFIX + purge[len(_PURGE) :]
        listed = _value(variables, option, template)
        if listed or (option == f"{PREFIX}applications" and _nested_applications(variables, template)):
            continue
        if listed is None:
            return f"{purge} needs {option}, which is not defined. Define the list, or leave the purge out."
        if not _is_true(variables.get(_PURGE_EVERYTHING), template):
            return (
                f"{purge} with an empty {option} removes everything. "
                f"Set {_PURGE_EVERYTHING}: true to do so, or correct the list."
            )
    return None


def refusal(variables: t.Mapping[str, t.Any], template: Template) -> dict[str, t.Any] | None:
    """Return the failure of a task whose role has invalid variables; None if the task may run.

    ``variables`` are all variables of the task, as they are defined; ``template`` renders one.
    """
    role = _role(variables)
    if not role:
        return None
    problem = unknown_variables(role, variables) or unlisted_purges(role, variables, template)
    if problem is None:
        return None
    return Refusal(f"use the variables of the role {role}", problem, "Nothing was sent.").as_failure()


def names_of_options(variables: t.Mapping[str, t.Any], action: str) -> dict[str, str]:
    """Return the variables that a task's user knows in place of options of its module; empty outside of roles."""
    role = _role(variables)
    return options_to_variables(role, action) if role else {}


@functools.cache
def options_to_variables(role: str, action: str) -> dict[str, str]:
    """Return the variable that each option of a module gets its value from in the tasks of a role."""
    known = set(documented())
    found: dict[str, str] = {}
    pending: list[t.Any] = [
        yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in sorted((_ROOT / "roles" / role / "tasks").glob("*.yml"))
    ]
    while pending:
        one = pending.pop()
        if isinstance(one, list):
            pending += one
        elif isinstance(one, dict):
            pending += [one.get(part) for part in ("block", "rescue", "always")]
            for option, value in (one.get(action) or {}).items():
                used = [word for word in re.findall(r"\w+", value if isinstance(value, str) else "") if word in known]
                found.update({option: used[0]} if used else {})
    return found


def _role(variables: t.Mapping[str, t.Any]) -> str:
    """Return the role of the collection that a task belongs to; empty if it belongs to none."""
    namespace, _dot, role = str(variables.get("ansible_role_name", "")).rpartition(".")
    return role if namespace == COLLECTION else ""


def _value(variables: t.Mapping[str, t.Any], name: str, template: Template) -> t.Any:
    """Return the value of a variable. A list is not rendered, because only its length matters."""
    value = variables.get(name)
    return template(value) if isinstance(value, str) else value


def _is_true(value: t.Any, template: Template) -> bool:
    """Return whether a switch is on. The argument spec refuses other values than booleans."""
    if value is False or value is None:
        return False
    return bool(boolean(template(value), strict=False))


def _nested_applications(variables: t.Mapping[str, t.Any], template: Template) -> bool:
    """Return whether applications are listed inside of virtual hosts, which counts as a list for a purge."""
    vhosts = template(variables.get(f"{PREFIX}vhosts"))
    return isinstance(vhosts, (list, tuple)) and any(
        isinstance(vhost, t.Mapping) and vhost.get("applications") for vhost in vhosts
    )
