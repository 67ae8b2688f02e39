# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The other door: tasks that would run on the controller anyway run in its worker process, without a process for the
module.

What is done with options and result is what `_door` does, and what ansible-core does around a module. Everything else
runs as the module.
"""

from __future__ import annotations

import difflib
import functools
import gc
import json
import os
import re
import shutil
import sys
import typing as t

from ansible import constants
from ansible.errors import AnsibleActionFail
from ansible.module_utils.common import json as ansible_json
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import PASS_VARS
from ansible.module_utils.errors import UnsupportedError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import HAS_REQUESTS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.base import Operation, Result
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import perform
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import HIDDEN_INVOCATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import argument_spec
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.redaction import (
    LongestFirst,
    blotted_out,
    finish,
    without_secrets,
    without_values,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.specified_options import (
    SpecifiedOptions,
    with_places,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._controller_files import find
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._kept_connections import KeptConnections
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._variables import (
    SWITCH,
    name_variables,
    refusal,
)

try:
    from ansible.errors import AnsibleValueOmittedError
    from ansible.template import is_trusted_as_template
except ImportError:  # before ansible-core 2.19, which asks for what needs them
    AnsibleValueOmittedError = is_trusted_as_template = None

# From ansible-core 2.19 on, values know by tags where they come from.
_HAS_TAGS = hasattr(ansible_json, "get_module_encoder")
# From ansible-core 2.21 on, a result holds the options only where that is asked for.
_INVOCATION_ONLY_IF_ASKED_FOR = "inject_invocation" in PASS_VARS

_OF_THE_CONTROLLER = "{{ ansible_playbook_python }}"
# Options as the roles give them, and as most playbooks do. Not literals of Jinja, nor what ansible-core could have to
# say something about.
_NAMES_A_VARIABLE = re.compile(
    r"\{\{ (?!(?:[Tt]rue|[Ff]alse|[Nn]one|vars)\b|ansible_)([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))? (\| default\(omit\) )?\}\}",
    re.ASCII,
)
# Nothing else, such as a function of ansible-core, has such a name, so that a variable that is not there is nothing at
# all.
_IS_NAMED_FOR_THIS = re.compile(r"item|ovenmediaengine_\w+", re.ASCII)

Variables = t.Mapping[str, t.Any]

_NOT_SET = object()
_KEPT = KeptConnections()
_CHECKING: dict[type[Operation], tuple[dict[str, t.Any], ArgumentSpecValidator]] = {}


class InProcessAction(NormalAction):
    """Runs a capability in the worker process, or the module where the task would not run on the controller."""

    operation: type[Operation]

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Returns the result of the task, as the module would; raises AnsibleActionFail where the variable that turns
        this off holds no boolean.
        """
        variables: Variables = task_vars or {}
        refused = refusal(variables, self._templar.template)
        if refused is not None:
            return refused
        if self._connection.transport == "local":
            self._task.args = self._with_files_found(variables)
        if not self._would_run_here(variables):
            result: dict[str, t.Any] = super().run(tmp, task_vars)
            renamed = name_variables(variables, self._task.action, result)
            self._show_diff_of_failure(result)
            return _not_to_be_templated(result) if renamed and not _HAS_TAGS else result
        result = self._run_here(variables)
        name_variables(variables, self._task.action, result)
        self._show_diff_of_failure(result)
        return result if _HAS_TAGS else _not_to_be_templated(result)

    @classmethod
    def finalize_task_arg(cls, name: str, value: t.Any, templar: t.Any, *context: t.Any) -> t.Any:
        """Returns the value of an option, or raises AnsibleValueOmittedError, as ansible-core would. It asks from 2.19
        on; those before see to it themselves.

        Roles give a dozen options to each task, most of which are not set, and loops give some to each item. Each
        worker process would compile a template for each of them, which takes longer than all else that such a task
        does, and copy all values of a list of a thousand objects, one by one. What only names a variable needs neither,
        as long as no template is in its value.
        """
        named = _NAMES_A_VARIABLE.fullmatch(value) if isinstance(value, str) else None
        if named is not None and is_trusted_as_template(value):
            found = _named(templar.available_variables, named[1], named[2])
            if found is _NOT_SET and named[3] and _IS_NAMED_FOR_THIS.fullmatch(named[1]):
                raise AnsibleValueOmittedError
            if found is not None and _is_plain(found):
                return found
            if isinstance(found, (list, dict)):
                value = found
        return super().finalize_task_arg(name, value, templar, *context)

    def _show_diff_of_failure(self, result: Variables) -> None:
        """Print the diff of a failed task, beside standard output, which may be JSON.

        Ansible-core prints only those of tasks that changed something.
        """
        diff = result.get("diff")
        if result.get("failed") and diff and getattr(self._task, "diff", False) and not self._task.no_log:
            before, after = (
                json.dumps(diff[side], indent=4, sort_keys=True).splitlines() for side in ("before", "after")
            )
            self._display.display(
                "\n".join(difflib.unified_diff(before, after, "before", "after", lineterm="")), stderr=True
            )

    # Files on the controller

    def _with_files_found(self, variables: Variables) -> dict[str, t.Any]:
        """Return the options of the task, in which relative paths have become absolute, so that both execution paths
        find the same files.
        """
        spec, _validator = _checking(self.operation)
        specified = dict(self._task.args)
        for name, one in spec.items():
            if one.get("type") == "path" and specified.get(name) is None and "fallback" in one:
                value = os.environ.get(one["fallback"][1][0])
                if value is not None and _is_relative(value):
                    specified[name] = value
        return t.cast("dict[str, t.Any]", self._read_current(specified, spec, variables))

    def _read_current(self, specified: t.Any, spec: t.Mapping[str, t.Any], variables: Variables) -> t.Any:
        if isinstance(specified, list):
            return [self._read_current(one, spec, variables) for one in specified]
        if not isinstance(specified, dict):
            return specified
        found = dict(specified)
        for name, one in spec.items():
            if one.get("type") == "path" and _is_relative(specified.get(name)):
                found[name] = find(self._loader, self._task.get_search_path(), variables, str(specified[name]))
            elif specified.get(name) and _has_paths(one):
                found[name] = self._read_current(specified[name], one["options"], variables)
        return found

    # Where to run

    def _would_run_here(self, variables: Variables) -> bool:
        """Whether the module would run in a process of this user on the controller, with this Python and an
        environment like this one.
        """
        return (
            HAS_REQUESTS
            and self._connection.transport == "local"
            and not self._task.async_val
            and not self._connection.become
            and self._is_on(variables)
            and not self._has_environment()
            and _is_own_interpreter(self._interpreter(variables))
        )

    def _is_on(self, variables: Variables) -> bool:
        value = self._templar.template(variables.get(SWITCH, True))
        try:
            return bool(boolean(value))
        except TypeError:
            raise AnsibleActionFail(f"{SWITCH} must be true or false, got {value!r}.") from None

    def _has_environment(self) -> bool:
        """Whether the task, or what it stands in, sets environment variables."""
        specified = self._task.environment or []
        return any(self._templar.template(one) for one in (specified if isinstance(specified, list) else [specified]))

    def _interpreter(self, variables: Variables) -> str:
        """The Python that is asked for on the host of the task; empty where none is."""
        if self._task.delegate_to:
            variables = variables.get("ansible_delegated_vars", {}).get(self._task.delegate_to, {})
        value = variables.get("ansible_python_interpreter")
        if value == _OF_THE_CONTROLLER:  # as usual, and no template to compile for each item of a loop
            value = variables.get("ansible_playbook_python", value)
        return str(self._templar.template(_configured_interpreter() if value is None else value) or "").strip()

    # What the module would do

    def _run_here(self, variables: Variables) -> dict[str, t.Any]:
        """The result as the module would have printed it."""
        _set_aside_what_is_there(os.getpid())
        spec, validator = _checking(self.operation)
        specified = SpecifiedOptions(self.operation, spec, _options_as_sent(self._task.args))
        params = specified.params
        refusal = ""
        try:
            checked = validator.validate(_CopiedByJson(params))
        except (AttributeError, TypeError) as error:
            refusal = specified.wrong_type() or self._fault(error)
            secrets = specified.secrets(params)
        else:
            params = {**params, **checked.validated_parameters}
            secrets = specified.secrets(params) | checked._no_log_values
            if checked.errors.errors:
                unsupported = isinstance(checked.errors[0], UnsupportedError)
                said = (
                    f"Unsupported parameters for ({self._task.action}) module: {checked.errors.msg}"
                    if unsupported
                    else checked.errors.msg
                )
                refusal = specified.wrong_type() or said
        warnings: list[str] = []
        if refusal:
            result: Result = {
                "invocation": HIDDEN_INVOCATION,
                "failed": True,
                "msg": without_secrets(with_places(refusal), secrets),
            }
            hidden = blotted_out(secrets)[0]
        else:
            result, warnings, names = self._perform(params, specified.invalid_entries)
            result, hidden = finish(result, params, secrets, names)
        if _INVOCATION_ONLY_IF_ASKED_FOR and not constants.config.get_config_value(
            "INJECT_INVOCATION", variables=variables
        ):
            del result["invocation"]
        return _as_printed(result, warnings, hidden)

    def _perform(
        self, params: Variables, invalid_entries: t.Mapping[str, str]
    ) -> tuple[Result, list[str], t.Collection[str]]:
        """The result of the capability, its warnings, and the names that are never masked."""
        try:
            result, warnings, names = perform(
                self.operation,
                params,
                invalid_entries=invalid_entries,
                check_mode=bool(self._task.check_mode),
                connections=_KEPT.of,
            )
        except Exception as error:
            return {"failed": True, "msg": self._fault(error)}, [], ()
        if result.pop("failed", False):
            result.update(failed=True, msg=result.pop("msg"))  # last, as a module has it
        return result, warnings, names

    def _fault(self, error: Exception) -> str:
        """What to say of an exception that nobody has thought of, without its text, which could hold a secret."""
        return f"MODULE FAILURE: {type(error).__name__} in {self._task.action}, which is a fault of the collection; please report it."


class _CopiedByJson(dict[str, t.Any]):
    """Options that came from JSON.

    What checks them makes a copy first, and JSON makes it in a fraction of the time that ``copy`` takes.
    """

    def __deepcopy__(self, memo: t.Any) -> dict[str, t.Any]:
        return t.cast("dict[str, t.Any]", json.loads(json.dumps(self)))


def _is_relative(value: t.Any) -> bool:
    """Return whether an option is a relative path.

    What a file holds, given by mistake, is none, and is not looked for.
    """
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or "-----BEGIN" in value:
        return False
    return not os.path.isabs(os.path.expanduser(os.path.expandvars(value)))


def _has_paths(spec: t.Mapping[str, t.Any]) -> bool:
    """Return whether there is a path inside of an option."""
    return any(one.get("type") == "path" or _has_paths(one) for one in spec.get("options", {}).values())


def _named(variables: Variables, name: str, key: str | None) -> t.Any:
    """The value of a variable or of a key of it; nothing that an option can be where a template might find something
    else.
    """
    found = variables.get(name, _NOT_SET)
    if key is None or found is _NOT_SET:
        return found
    # Templates take `item.keys` for the method.
    return found.get(key, _NOT_SET) if isinstance(found, dict) and not hasattr(found, key) else None


def _is_plain(value: t.Any) -> bool:
    """Whether a value is what JSON has, without a text that could be a template, so that ansible-core would hand on
    the same.
    """
    if isinstance(value, str):
        return "{" not in value
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, float))


def _checking(operation: type[Operation]) -> tuple[dict[str, t.Any], ArgumentSpecValidator]:
    """The argument spec of a capability, and what checks options by it; made once for all items of a loop."""
    if operation not in _CHECKING:
        spec = argument_spec(operation)
        _CHECKING[operation] = spec, ArgumentSpecValidator(spec)
    return _CHECKING[operation]


def _options_as_sent(options: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The options of a task as a module gets them: in clear where they are from a vault, and nothing that JSON does
    not know.
    """
    if _HAS_TAGS:
        encoder = ansible_json.get_module_encoder("legacy", ansible_json.Direction.CONTROLLER_TO_MODULE)
        return t.cast("dict[str, t.Any]", json.loads(json.dumps(options, cls=encoder)))
    return t.cast(
        "dict[str, t.Any]", json.loads(json.dumps(options, cls=ansible_json.AnsibleJSONEncoder, vault_to_text=True))
    )


def _as_printed(result: Result, warnings: list[str], hidden: LongestFirst) -> dict[str, t.Any]:
    """The result as a module prints it and ansible-core reads it: of what JSON knows, and without secrets."""
    kept = {key: value for key, value in result.items() if value is None or isinstance(value, bool)}
    if warnings and not _HAS_TAGS:  # scrubbed already, and looked at once more by those releases only
        result["warnings"] = warnings
    printed = {key: _without_values(json.dumps(value), hidden) for key, value in result.items()}
    printed.update(kept)
    if warnings and _HAS_TAGS:
        printed["warnings"] = warnings
    return printed


def _without_values(text: str, secrets: set[str]) -> t.Any:
    """A part of a result, which is given as JSON, without secrets. Of thousands of objects most hold none, which their
    text shows at once.

    JSON spells characters one by one.
    """
    value = json.loads(text)
    if any(json.dumps(secret)[1:-1] in text for secret in secrets):
        return without_values(value, secrets)
    return value


@functools.lru_cache(maxsize=1)
def _set_aside_what_is_there(process: int) -> None:
    """Keeps Python from looking again and again for garbage in all that a worker process has inherited, which copies
    that memory, too.
    """
    gc.freeze()


def _not_to_be_templated(result: dict[str, t.Any]) -> dict[str, t.Any]:
    """The result marked as what somebody else has written, which ansible-core before 2.19 does not know by itself."""
    from ansible.utils.unsafe_proxy import wrap_var  # later releases may have none

    return t.cast("dict[str, t.Any]", wrap_var({**result, "_ansible_parsed": True}))


@functools.lru_cache(maxsize=1)
def _configured_interpreter() -> t.Any:
    """The Python that the configuration asks for where no variable does.

    To ask it takes a tenth of the time of an item of a loop.
    """
    return constants.config.get_config_value("INTERPRETER_PYTHON")


@functools.lru_cache(maxsize=64)
def _is_own_interpreter(interpreter: str) -> bool:
    """Whether a Python that is asked for is the one that runs here.

    Where none is asked for, or any that is found, this one will do.
    """
    if not interpreter or interpreter.startswith("auto"):
        return True
    path = shutil.which(interpreter)
    return path is not None and _identity(path) == _identity(sys.executable)


def _identity(program: str) -> tuple[str, str]:
    """The program that a Python is in the end, and the folder of the virtual environment that it belongs to, which
    decides on its libraries.
    """
    folder = os.path.dirname(os.path.abspath(program))
    places = (folder, os.path.dirname(folder))
    environment = next(
        (os.path.realpath(place) for place in places if os.path.isfile(os.path.join(place, "pyvenv.cfg"))), ""
    )
    return os.path.realpath(program), environment
