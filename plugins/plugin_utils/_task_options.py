# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a task: values of variables, files on the controller, and the check by the argument spec."""

from __future__ import annotations

import json
import os
import re
import typing as t

from ansible.module_utils.common import json as ansible_json
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator, ValidationResult
from ansible.module_utils.errors import UnsupportedError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.base import Operation
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.durable_options import PATHS_ON_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import (
    SpecifiedOptions,
    argument_spec,
    with_hints,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._controller_files import find

try:
    from ansible.errors import AnsibleValueOmittedError
    from ansible.template import is_trusted_as_template
except ImportError:  # before ansible-core 2.19, which does not call finalize_task_arg
    AnsibleValueOmittedError = is_trusted_as_template = None

HAS_TAGS = hasattr(ansible_json, "get_module_encoder")
"""Whether values know by tags where they come from: from ansible-core 2.19 on."""

Variables = t.Mapping[str, t.Any]

# An expression that names one variable, as roles and most playbooks use. Neither a literal of Jinja nor a variable that
# ansible-core may warn about.
_NAMES_A_VARIABLE = re.compile(
    r"\{\{ (?!(?:[Tt]rue|[Ff]alse|[Nn]one|vars)\b|ansible_)"
    r"([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))? (\| default\(omit\) )?\}\}",
    re.ASCII,
)
# Names that are only variables and no functions of ansible-core. If the variable is missing, the name has no value.
_IS_ONLY_A_VARIABLE = re.compile(r"item|ovenmediaengine_\w+", re.ASCII)
_NOT_SET = object()
_UNKNOWN = object()
_SPECS: dict[type[Operation], tuple[dict[str, t.Any], ArgumentSpecValidator]] = {}
_PATHS: dict[type[Operation], dict[str, t.Any]] = {}
_ENCODER = (
    ansible_json.get_module_encoder("legacy", ansible_json.Direction.CONTROLLER_TO_MODULE)
    if HAS_TAGS
    else ansible_json.AnsibleJSONEncoder
)


def spec_of(operation: type[Operation]) -> tuple[dict[str, t.Any], ArgumentSpecValidator]:
    """Return the argument spec of an operation and its validator, which are made once for all items of a loop."""
    if operation not in _SPECS:
        spec = argument_spec(operation)
        _SPECS[operation] = spec, ArgumentSpecValidator(spec)
    return _SPECS[operation]


def paths_of(operation: type[Operation]) -> dict[str, t.Any]:
    """Return the part of the argument spec of an operation that has paths, which is made once."""
    if operation not in _PATHS:
        _PATHS[operation] = _only_paths(spec_of(operation)[0])
    return _PATHS[operation]


def _only_paths(spec: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the options of a spec that are paths on the controller or have one inside of them."""
    found = {}
    for name, one in spec.items():
        if one.get("type") == "path" and name not in PATHS_ON_HOST:
            found[name] = one
        elif one.get("options") and (inside := _only_paths(one["options"])):
            found[name] = {**one, "options": inside}
    return found


# Variables


def value_of_variable(value: t.Any, templar: t.Any) -> tuple[bool, t.Any]:
    """Return whether an option only names a variable that needs no template, and its value.

    If it does not, return the value that ansible-core should template. Raises AnsibleValueOmittedError if the option is
    to be omitted.

    Roles pass a dozen options to each task, most of them not set. To compile a template for each of them in each worker
    process takes longer than the rest of the task, and copies every object of long lists.
    """
    named = _NAMES_A_VARIABLE.fullmatch(value) if isinstance(value, str) else None
    if named is None or not is_trusted_as_template(value):
        return False, value
    found = _lookup(templar.available_variables, named[1], named[2])
    if found is _NOT_SET and named[3] and _IS_ONLY_A_VARIABLE.fullmatch(named[1]):
        raise AnsibleValueOmittedError
    if _is_plain(found):
        return True, found
    return False, found if isinstance(found, (list, dict)) else value


def _lookup(variables: Variables, name: str, key: str | None) -> t.Any:
    """Return the value of a variable or of a key in it; `_UNKNOWN` if a template could find something else."""
    found = variables.get(name, _NOT_SET)
    if key is None or found is _NOT_SET:
        return found
    # In a template, `item.keys` is the method.
    return found.get(key, _NOT_SET) if isinstance(found, dict) and not hasattr(found, key) else _UNKNOWN


def _is_plain(value: t.Any) -> bool:
    """Return whether a value has JSON types only and no text that could be a template."""
    if isinstance(value, str):
        return "{" not in value
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, float))


# Files on the controller


class FileFinder:
    """Makes relative paths in options absolute, so that both execution paths find the same files."""

    def __init__(self, loader: t.Any, search_path: t.Callable[[], t.Sequence[str]], variables: Variables) -> None:
        """``search_path`` returns the directories in which Ansible looks for files of the task."""
        self._loader = loader
        self._search_path = search_path
        self._variables = variables

    def resolve(self, options: t.Mapping[str, t.Any], spec: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with absolute paths, including those from environment variables.

        ``spec`` is that of the options, or the part of it that has paths.
        """
        options = dict(options)
        for name, one in spec.items():
            if one.get("type") == "path" and options.get(name) is None and "fallback" in one:
                value = os.environ.get(one["fallback"][1][0])
                if value is not None and _is_relative(value):
                    options[name] = value
        return t.cast("dict[str, t.Any]", self._resolve(options, spec))

    def _resolve(self, value: t.Any, spec: t.Mapping[str, t.Any]) -> t.Any:
        if isinstance(value, list):
            return [self._resolve(one, spec) for one in value]
        if not isinstance(value, dict):
            return value
        resolved = dict(value)
        for name, one in spec.items():
            if one.get("type") == "path" and _is_relative(value.get(name)):
                resolved[name] = find(self._loader, self._search_path(), self._variables, str(value[name]))
            elif value.get(name) and one.get("options"):
                resolved[name] = self._resolve(value[name], one["options"])
        return resolved


def _is_relative(value: t.Any) -> bool:
    """Return whether an option is a relative path; False for the content of a file, specified by mistake."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or "-----BEGIN" in value:
        return False
    return not os.path.isabs(os.path.expanduser(os.path.expandvars(value)))


# Check


class CheckedOptions:
    """The options of a task after the check that a module does."""

    def __init__(
        self,
        operation: type[Operation],
        options: t.Mapping[str, t.Any],
        action: str,
        fault: t.Callable[[Exception], str],
    ) -> None:
        """``action`` is the name of the module, ``fault`` returns the message for an unexpected exception."""
        spec, validator = spec_of(operation)
        specified = SpecifiedOptions(operation, spec, _options_as_sent(options))
        self.params = specified.params
        self.invalid_entries = specified.invalid_entries
        self.problem = ""
        """The message of the check; empty if the options passed it."""
        try:
            checked = validator.validate(_CopiedByJson(self.params))
        except (AttributeError, TypeError) as error:
            self.problem = specified.wrong_type() or fault(error)
            self.secrets = specified.secrets(self.params)
        else:
            self.params = {**self.params, **checked.validated_parameters}
            specified.put_macros_back(self.params)
            self.secrets = specified.secrets(self.params) | checked._no_log_values
            if checked.errors.errors:
                message = _message(checked, action)
                self.problem = specified.wrong_type() or with_hints(message, checked.unsupported_parameters)


def _message(checked: ValidationResult, action: str) -> str:
    """Return the message of a failed check, as a module has it."""
    message = str(checked.errors.msg)
    if isinstance(checked.errors[0], UnsupportedError):
        return f"Unsupported parameters for ({action}) module: {message}"
    return message


class _CopiedByJson(dict[str, t.Any]):
    """Options with JSON types only.

    The validator copies them first. JSON takes a fraction of the time of ``copy.deepcopy``.
    """

    def __deepcopy__(self, memo: t.Any) -> dict[str, t.Any]:
        return t.cast("dict[str, t.Any]", json.loads(json.dumps(self)))


def _options_as_sent(options: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the options of a task as a module gets them: decrypted if they come from a vault, with JSON types only."""
    more: dict[str, t.Any] = {} if HAS_TAGS else {"vault_to_text": True}
    return t.cast("dict[str, t.Any]", json.loads(json.dumps(options, cls=_ENCODER, **more)))
