# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run an operation as an Ansible module."""

from __future__ import annotations

import typing as t

from ansible.module_utils.basic import AnsibleModule

from .._operations.base import Operation, Result
from .execution import perform
from .options import argument_spec
from .redaction import blotted_out, finish, without_secrets, without_values
from .specified_options import SpecifiedOptions, with_places

# What is shown in place of options that are not checked yet.
HIDDEN_INVOCATION = {"module_args": "not shown, as it is not known yet which of them are secrets"}


class _Module(AnsibleModule):
    """AnsibleModule that also hides secrets inside of URLs, and those that its own check of the options leaves in the
    open.
    """

    # Until the options are checked, ansible-core does not know which of them are secrets; 2.17 shows them all at -vvv
    # where the check fails.
    _options_checked = False
    _given: SpecifiedOptions | None = None
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
        if wrong is not None:  # told of here, as a failure inside of the exception would show its traceback
            self.fail_json(wrong)
        self._options_checked = True

    @property
    def invalid_entries(self) -> dict[str, str]:
        """What is wrong with entries that are findings and end nothing, by path."""
        return self._given.invalid_entries if self._given is not None else {}

    def _load_params(self) -> None:
        super()._load_params()
        self._given = SpecifiedOptions(self._operation, self._spec, self.params)
        self.params = dict(self._given.params)  # the check puts in what it has made of the options

    def _wrong_type(self) -> str | None:
        return self._given.wrong_type() if self._given is not None else None

    def _log_invocation(self) -> None:
        """Keeps the options out of the managed host's syslog, where URLs would show their keys."""

    def end(self, result: Result, names: t.Collection[str]) -> t.NoReturn:
        """Print the result and end; ``names`` are never masked."""
        self._names = names
        if result.pop("failed", False):
            self.fail_json(**result)
        self.exit_json(**result)
        raise AssertionError("unreachable")

    def fail_json(self, msg: str, **kwargs: t.Any) -> t.NoReturn:
        if not self._options_checked:
            secrets = self._secrets()
            self.no_log_values = blotted_out(secrets)[0]
            msg = without_secrets(self._wrong_type() or with_places(msg), secrets)
            kwargs["invocation"] = HIDDEN_INVOCATION
        super().fail_json(msg, **kwargs)
        raise AssertionError("unreachable")  # the type of fail_json does not say so in all versions

    def _return_formatted(self, kwargs: Result) -> None:
        """Prints a result, which ansible-core has completed but for the options."""
        secrets = self.no_log_values
        if self._options_checked:
            kwargs, secrets = finish(kwargs, self.params, self._secrets(), self._names)
        # ansible-core before 2.22 would look for each of them in each field once more.
        self.no_log_values = set()
        super()._return_formatted(without_values(kwargs, secrets))

    def _secrets(self) -> set[str]:
        return {*self.no_log_values, *(self._given.secrets(self.params) if self._given is not None else ())}


def run_module(operation: type[Operation]) -> None:
    """Runs the module with this operation."""
    module = _Module(operation)
    result, warnings, names = perform(
        operation, module.params, invalid_entries=module.invalid_entries, check_mode=module.check_mode
    )
    for warning in warnings:
        module.warn(warning)
    module.end(result, names)
