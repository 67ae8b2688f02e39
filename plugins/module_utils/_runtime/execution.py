# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run an operation with its connection, and turn its outcome into the result of a module."""

from __future__ import annotations

import contextlib
import signal
import sys
import typing as t

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore, names_in
from .._core.texts import name_options, shortened, with_names
from .._http.client import HAS_REQUESTS, REQUESTS_IMPORT_ERROR, Transport
from .._http.connections import Connections, Settings
from .._operations.base import INVALID_ENTRIES, Operation, Result
from .options import SpecifiedOptions, argument_spec, documented_spec, in_clear_text, settings_of, with_hints
from .redaction import WITHOUT_NAMES, finish, split_secrets, without_secrets, without_values

# Run an operation with its connection, and turn its outcome into a result.

# Without a host name, so that Ansible shows it once and not for each server of a fleet.
IN_CLEAR_TEXT = (
    "$api_url is plain http to another host: the access token, stream keys and all other secrets cross the network in "
    "clear text. Use https (the TLS port of the server's API, or a gateway), or run the task on the media server with "
    "http://127.0.0.1."
)

# Hosts that are the controller itself run modules with another Python than Ansible unless this variable says otherwise.
_PYTHON_HINT = (
    f"To install it there, run {sys.executable} -m pip install requests. "
    "If the module runs on the controller, set ansible_python_interpreter to {{ ansible_playbook_python }}."
)

Lender = t.Callable[[Settings], t.ContextManager[t.Optional[Connections]]]
"""Lends pooled connections to a server for one task."""


class Outcome(t.NamedTuple):
    """The outcome of an operation."""

    result: Result
    """With ``failed`` if it is a failure."""
    warnings: t.Sequence[str] = ()
    names: t.Collection[str] = ()
    """Names of objects and servers, which are never masked."""


def _no_pool(settings: Settings) -> t.ContextManager[Connections | None]:
    """Lend no connections. The process ends after its task, so that it opens and closes its own."""
    return contextlib.nullcontext()


def perform(
    operation: type[Operation],
    params: t.Mapping[str, t.Any],
    *,
    invalid_entries: t.Mapping[str, str],
    check_mode: bool,
    module: str = "",
    connections: Lender = _no_pool,
) -> Outcome:
    """Run an operation and return its outcome, without secrets.

    ``params`` are the options after the check of ansible-core. ``invalid_entries`` are the problems of list entries
    that are findings, by path. ``module`` is the module's full name.
    """
    work = operation({**params, INVALID_ENTRIES: invalid_entries} if invalid_entries else params)
    if (work.needs_server or work.connects_itself) and not HAS_REQUESTS:
        text = f"{missing_required_lib('requests').rstrip('.')}. {_PYTHON_HINT}"
        return Outcome({"failed": True, "msg": text, "exception": REQUESTS_IMPORT_ERROR})
    secrets = SecretStore()
    context = Context(check_mode=check_mode, secrets=secrets, module=module)
    result = _result(work, params, context, connections)
    if context.retries:  # shown with -v
        result["retries"] = context.retries
    names = {*names_in(params, WITHOUT_NAMES), *names_in(result, WITHOUT_NAMES, words=True)}
    secrets.keep(names)
    scrubbed = secrets.scrub_tree({key: value for key, value in result.items() if key not in work.masked_results})
    result = {key: scrubbed.get(key, value) for key, value in result.items()}
    return Outcome(result, [shortened(secrets.scrub(warning)) for warning in context.warnings], names)


@contextlib.contextmanager
def _client(settings: Settings, context: Context, connections: Lender) -> t.Iterator[Api]:
    """Return a client for these settings, which is closed at the end."""
    if in_clear_text(settings):
        context.warn(with_names(IN_CLEAR_TEXT))
    with connections(settings) as pooled:
        transport = Transport(settings, connections=pooled, notice=context.retries.append, redact=context.secrets.scrub)
        try:
            yield Api(transport)
        finally:
            transport.close()


def _result(operation: Operation, params: t.Mapping[str, t.Any], context: Context, connections: Lender) -> Result:
    """Return the operation's result, or that of the error that ended it."""
    context.secrets.add(params.get("api_token"), *(params.get("http_headers") or {}).values())
    try:
        settings = settings_of(params) if operation.needs_server else None
        operation.collect_secrets(context.secrets)
        operation.check()
        if operation.connects_itself:
            known = {"api_url": params["api_url"] or "http://127.0.0.1", "api_token": params["api_token"] or "unknown"}
            settings_of({**params, **known})  # Nothing is asked yet, but an option that cannot work is refused at once.

            def connect(**options: t.Any) -> t.ContextManager[Api]:
                return _client(settings_of({**params, **options}), context, connections)

            return operation.run(connect, context)
        if settings is None:
            return operation.run(None, context)
        with _client(settings, context, connections) as api:
            return operation.run(api, context)
    except OmeError as error:
        return (operation.in_entry(error) if isinstance(error, BadInput) else error).as_failure()


# Run an operation as an Ansible module.

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
            super().__init__(argument_spec=documented_spec(self._spec), supports_check_mode=True)
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
        # For the check, which comes next. The spec so far is the one that ansible-test compares with the documentation.
        self.argument_spec = dict(self._spec)
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
            checked = getattr(self, "validation_result", None)  # there is none if the locale is not valid
            unsupported = checked.unsupported_parameters if checked is not None else ()
            msg = without_secrets(self._wrong_type() or with_hints(msg, unsupported), secrets)
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
