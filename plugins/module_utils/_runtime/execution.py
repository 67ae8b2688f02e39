# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run an operation with its connection, and turn its outcome into a result."""

from __future__ import annotations

import contextlib
import sys
import typing as t

from ansible.module_utils.basic import missing_required_lib

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.option_names import with_names
from .._core.secret_store import SecretStore, names_in
from .._core.texts import shortened
from .._http.client import HAS_REQUESTS, REQUESTS_IMPORT_ERROR, Transport
from .._http.connections import Connections
from .._http.settings import Settings
from .._operations.base import INVALID_ENTRIES, Operation, Result
from .options import in_clear_text, settings_of
from .secret_options import WITHOUT_NAMES

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
