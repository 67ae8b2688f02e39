# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run an operation as an Ansible module."""

from __future__ import annotations

import signal
import typing as t

from ansible.module_utils.basic import AnsibleModule

from .._core.option_names import name_options
from .._operations.base import Operation, Result
from .execution import perform
from .options import argument_spec
from .redaction import finish, split_secrets, without_secrets, without_values
from .specified_options import SpecifiedOptions, with_hints

NAMES_OF_OPTIONS = "_names_of_options"
"""The key of the variables by option, beside the options of a task; no option, because users must not set it."""
# Replaces the options in the result until they are checked.
HIDDEN_INVOCATION = {"module_args": "not shown, because the options are invalid and may hold secrets at any place"}


class _Module(AnsibleModule):
    """AnsibleModule that also hides secrets inside of URLs, and those in options that its check refuses."""

    # Until the options are checked, ansible-core does not know which of them are secrets. If the check fails, 2.17
    # shows all of them with -vvv.
    _options_checked = False
    _specified: SpecifiedOptions | None = None
    params: dict[str, t.Any]
    no_log_values: set[str]
    _names: t.Collection[str] = ()

    def __init__(self, operation: type[Operation]) -> None:
        self._operation = operation
        self._spec = argument_spec(operation)
        wrong: str | None = None
        try:
            super().__init__(argument_spec=dict(self._spec), supports_check_mode=True)
        except (AttributeError, TypeError):
            wrong = self._wrong_type()
            if wrong is None:
                raise
        if wrong is not None:  # not inside of the except block, because the result would show its traceback
            self.fail_json(wrong)
        if self._specified is not None:
            self._specified.put_macros_back(self.params)
        self._options_checked = True

    @property
    def invalid_entries(self) -> dict[str, str]:
        """The problems of list entries that are findings, by path."""
        return self._specified.invalid_entries if self._specified is not None else {}

    @property
    def full_name(self) -> str:
        """The name of the module, as Ansible knows it."""
        return str(self._name or "")

    def _load_params(self) -> None:
        super()._load_params()
        # The action plugin has added it if the task is one of a role.
        names = self.params.pop(NAMES_OF_OPTIONS, {})
        name_options(lambda: names)
        self._specified = SpecifiedOptions(self._operation, self._spec, self.params)
        self.params = dict(self._specified.params)  # the check replaces the values of this dictionary

    def _wrong_type(self) -> str | None:
        return self._specified.wrong_type() if self._specified is not None else None

    def _log_invocation(self) -> None:
        """Write no options to the syslog of the managed host, because URLs contain keys."""

    def end(self, result: Result, names: t.Collection[str]) -> t.NoReturn:
        """Print the result and end the process; ``names`` are never masked."""
        self._names = names
        if result.pop("failed", False):
            self.fail_json(**result)
        self.exit_json(**result)
        raise AssertionError("unreachable")

    def fail_json(self, msg: str, **kwargs: t.Any) -> t.NoReturn:
        if not self._options_checked:
            secrets = self._secrets()
            self.no_log_values = split_secrets(secrets)[0]
            msg = without_secrets(self._wrong_type() or with_hints(msg), secrets)
            kwargs["invocation"] = HIDDEN_INVOCATION
        super().fail_json(msg, **kwargs)
        raise AssertionError("unreachable")  # not all versions declare fail_json as NoReturn

    def _return_formatted(self, kwargs: Result) -> None:
        """Print a result, which ansible-core has completed except for the options."""
        secrets = self.no_log_values
        if self._options_checked:
            kwargs, secrets = finish(kwargs, self.params, self._secrets(), self._names)
        # ansible-core before 2.22 would search each field for each of them again.
        self.no_log_values = set()
        super()._return_formatted(without_values(kwargs, secrets))

    def _secrets(self) -> set[str]:
        return {*self.no_log_values, *(self._specified.secrets(self.params) if self._specified is not None else ())}


def run_module(operation: type[Operation]) -> None:
    """Run the module with this operation."""
    module = _Module(operation)
    if operation.outlives_connection:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    outcome = perform(
        operation,
        module.params,
        invalid_entries=module.invalid_entries,
        check_mode=module.check_mode,
        module=module.full_name,
    )
    for warning in outcome.warnings:
        module.warn(warning)
    module.end(outcome.result, outcome.names)
