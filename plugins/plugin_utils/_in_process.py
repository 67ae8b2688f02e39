# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The in-process execution path: run an operation in Ansible's worker process, without a process for the module.

Tasks that would run on the controller anyway run here. All others run the module. Both have the same result: what a
module and ansible-core do around an operation is done here, too.
"""

from __future__ import annotations

import difflib
import functools
import gc
import json
import os
import typing as t

from ansible import constants
from ansible.errors import AnsibleActionFail
from ansible.module_utils.common.parameters import PASS_VARS
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import naming
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import HAS_REQUESTS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.base import Operation, Result
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import (
    HIDDEN_INVOCATION,
    NAMES_OF_OPTIONS,
    Outcome,
    perform,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.redaction import (
    LongestFirst,
    finish,
    split_secrets,
    without_secrets,
    without_values,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._connection_pool import ConnectionPool
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._interpreters import (
    configured_interpreter,
    is_own_interpreter,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._pipelining import enable_pipelining
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._task_options import (
    HAS_TAGS,
    CheckedOptions,
    FileFinder,
    Variables,
    paths_of,
    value_of_variable,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._variables import (
    SWITCH,
    names_of_options,
    refusal,
)

# From ansible-core 2.21 on, a result has the options only if a variable asks for them.
_INVOCATION_ONLY_IF_ASKED_FOR = "inject_invocation" in PASS_VARS

_OF_THE_CONTROLLER = "{{ ansible_playbook_python }}"
_POOL = ConnectionPool()


class InProcessAction(NormalAction):
    """Runs an operation in the worker process, or the module if the task would not run on the controller."""

    operation: type[Operation]

    def __init_subclass__(cls, **options: t.Any) -> None:
        """Make what all tasks of the plugin need once.

        ansible-core loads an action plugin before it starts the worker process of the first task. So no worker makes it
        again.
        """
        super().__init_subclass__(**options)
        if "operation" in cls.__dict__:
            paths_of(cls.operation)
            # What is loaded stays until the end. Each collection, and the end of the process, would visit all of it.
            gc.freeze()

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return the result of the task, as the module would, with what its summary needs even if nothing was done.

        Raises AnsibleActionFail if the variable that turns this execution path off is no boolean.
        """
        variables: Variables = task_vars or {}
        specified = self._task.args
        with naming(lambda: names_of_options(variables, self._task.action)):
            try:
                result = self.refusal(variables)
                if result is None:
                    self._task.args = self.prepared(specified, variables)
                    result = self.result_of(variables)
            except OmeError as error:
                result = error.as_failure()
        if result.get("failed") and "line" not in result:
            more = self.operation.not_run(specified, result, check_mode=bool(self._task.check_mode))
            result = {**more, **result}
        return result

    def result_of(self, variables: Variables) -> dict[str, t.Any]:
        """Return the result of the module or of the operation. Subclasses that do more on the controller can raise
        OmeError.
        """
        if self._connection.transport == "local":
            files = FileFinder(self._loader, self._task.get_search_path, variables)
            self._task.args = files.resolve(self._task.args, paths_of(self.operation))
        if not self.would_run_here(variables):
            names = names_of_options(variables, self._task.action)
            if names:
                self._task.args = {**self._task.args, NAMES_OF_OPTIONS: names}
            if not self._task.async_val:
                enable_pipelining(self._connection, self._variables_of_host(variables))
            result: dict[str, t.Any] = super().run(None, variables)
            self._show_diff_of_failure(result)
            return result
        result = self._run_here(variables)
        self._show_diff_of_failure(result)
        return result if HAS_TAGS else not_to_be_templated(result)

    def refusal(self, variables: Variables) -> dict[str, t.Any] | None:
        """Return the failure of a task whose role has invalid variables; None if the task may run."""
        return refusal(variables, self._templar.template)

    def prepared(self, options: dict[str, t.Any], variables: Variables) -> dict[str, t.Any]:
        """Return the options with what only the controller has. Raises OmeError if it has not."""
        return options

    @classmethod
    def finalize_task_arg(cls, name: str, value: t.Any, templar: t.Any, *context: t.Any) -> t.Any:
        """Return the value of an option. Raises AnsibleValueOmittedError if it is omitted.

        ansible-core calls this from 2.19 on.
        """
        is_final, value = value_of_variable(value, templar)
        return value if is_final else super().finalize_task_arg(name, value, templar, *context)

    def _show_diff_of_failure(self, result: Variables) -> None:
        """Print the diff of a failed task to standard error, because standard output may be JSON.

        ansible-core prints only the diffs of tasks that changed something.
        """
        found = result.get("diff")
        if not (result.get("failed") and found and getattr(self._task, "diff", False)) or self._task.no_log:
            return
        for diff in found if isinstance(found, list) else [found]:
            # The sides are objects, or the texts of files.
            before, after = (
                (side if isinstance(side, str) else json.dumps(side, indent=4, sort_keys=True)).splitlines()
                for side in (diff["before"], diff["after"])
            )
            self._display.display(
                "\n".join(difflib.unified_diff(before, after, "before", "after", lineterm="")), stderr=True
            )

    # Where to run

    def would_run_here(self, variables: Variables) -> bool:
        """Return whether the module would run on the controller with this user, Python and environment."""
        return (
            HAS_REQUESTS
            and self._connection.transport == "local"
            and not self._task.async_val
            and not self._connection.become
            and self._is_on(variables)
            and not self._has_environment()
            and is_own_interpreter(self._interpreter(variables))
        )

    def _is_on(self, variables: Variables) -> bool:
        value = self._templar.template(variables.get(SWITCH, True))
        try:
            return bool(boolean(value))
        except TypeError:
            raise AnsibleActionFail(f"{SWITCH} must be true or false, got {value!r}.") from None

    def _has_environment(self) -> bool:
        """Return whether the task, or a block, role or play around it, sets environment variables."""
        specified = self._task.environment or []
        return any(self._templar.template(one) for one in (specified if isinstance(specified, list) else [specified]))

    def _interpreter(self, variables: Variables) -> str:
        """Return the Python that is set for the host of the task; empty if none is."""
        variables = self._variables_of_host(variables)
        value = variables.get("ansible_python_interpreter")
        if value == _OF_THE_CONTROLLER:  # the usual value; avoids compiling a template for each item of a loop
            value = variables.get("ansible_playbook_python", value)
        return str(self._templar.template(configured_interpreter() if value is None else value) or "").strip()

    def _variables_of_host(self, variables: Variables) -> Variables:
        """Return the variables of the host that the task runs on."""
        if self._task.delegate_to:
            delegated: Variables = variables.get("ansible_delegated_vars", {}).get(self._task.delegate_to, {})
            return delegated
        return variables

    # The work of the module

    def _run_here(self, variables: Variables) -> dict[str, t.Any]:
        """Return the result as the module would print it."""
        _exempt_from_garbage_collection(os.getpid())
        options = CheckedOptions(self.operation, self._task.args, self._task.action, self._fault)
        if options.problem:
            message = without_secrets(options.problem, options.secrets)
            result: Result = {"invocation": HIDDEN_INVOCATION, "failed": True, "msg": message}
            warnings: t.Sequence[str] = ()
            hidden = split_secrets(options.secrets)[0]
        else:
            outcome = self._perform(options)
            result, hidden = finish(outcome.result, options.params, options.secrets, outcome.names)
            warnings = outcome.warnings
        if _INVOCATION_ONLY_IF_ASKED_FOR and not constants.config.get_config_value(
            "INJECT_INVOCATION", variables=variables
        ):
            del result["invocation"]
        return _as_printed(result, warnings, hidden)

    def _perform(self, options: CheckedOptions) -> Outcome:
        """Return the outcome of the operation."""
        try:
            outcome = perform(
                self.operation,
                options.params,
                invalid_entries=options.invalid_entries,
                check_mode=bool(self._task.check_mode),
                module=self._task.action,
                connections=_POOL.lend,
            )
        except Exception as error:
            return Outcome({"failed": True, "msg": self._fault(error)})
        result = outcome.result
        if result.pop("failed", False):
            result.update(failed=True, msg=result.pop("msg"))  # at the end, as in the result of a module
        return outcome

    def _fault(self, error: Exception) -> str:
        """Return the message for an unexpected exception, without its text, which could hold a secret."""
        return (
            f"MODULE FAILURE: {type(error).__name__} in {self._task.action}. This is a bug in the collection; "
            "please report it."
        )


def _as_printed(result: Result, warnings: t.Sequence[str], hidden: LongestFirst) -> dict[str, t.Any]:
    """Return the result as a module prints it and ansible-core reads it: JSON types only, and without secrets."""
    constant = {key: value for key, value in result.items() if value is None or isinstance(value, bool)}
    if warnings and not HAS_TAGS:  # these releases search the warnings for secrets again
        result["warnings"] = list(warnings)
    printed = {key: _without_values(json.dumps(value), hidden) for key, value in result.items()}
    printed.update(constant)
    if warnings and HAS_TAGS:
        printed["warnings"] = list(warnings)
    return printed


def _without_values(text: str, secrets: set[str]) -> t.Any:
    """Return the value of a JSON text without secrets.

    Most texts hold no secret, so they are searched as a whole first. A secret is escaped in them as JSON escapes it.
    """
    value = json.loads(text)
    if any(json.dumps(secret)[1:-1] in text for secret in secrets):
        return without_values(value, secrets)
    return value


@functools.lru_cache(maxsize=1)
def _exempt_from_garbage_collection(process: int) -> None:
    """Exempt all objects that a worker process has inherited, once for each process.

    Each collection would visit all of them, and so copy their memory pages.
    """
    gc.freeze()


def not_to_be_templated(result: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the result marked as untrusted, for ansible-core before 2.19."""
    from ansible.utils.unsafe_proxy import wrap_var  # later releases may not have it

    return t.cast("dict[str, t.Any]", wrap_var({**result, "_ansible_parsed": True}))
