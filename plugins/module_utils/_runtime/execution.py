# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run an operation with its connection, and turn its outcome into a result."""

from __future__ import annotations

import contextlib
import typing as t

from ansible.module_utils.basic import missing_required_lib

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secrets import SecretStore, names_in
from .._core.texts import shortened
from .._http.client import HAS_REQUESTS, REQUESTS_IMPORT_ERROR, Transport
from .._http.connections import Connections
from .._http.settings import Settings
from .._operations.base import INVALID_ENTRIES, Operation, Result
from .options import in_clear_text, settings_of
from .redaction import MASKED_BY_FIELD, WITHOUT_NAMES

# Names no host, so that Ansible shows it once and not for each server of a fleet.
IN_CLEAR_TEXT = (
    "api_url is plain http to another host: the access token, stream keys and all other secrets cross the network in clear text. "
    "Use https, as the server's own TLS port for the API or a gateway offers it, or run the task on the media server with http://127.0.0.1."
)


# Lends connections to a server that are kept from task to task.
Lender = t.Callable[[Settings], t.ContextManager[t.Optional[Connections]]]


def _no_connections(settings: Settings) -> t.ContextManager[Connections | None]:
    """What a process has for its only task, which makes its own and closes them."""
    return contextlib.nullcontext()


def perform(
    operation: type[Operation],
    params: t.Mapping[str, t.Any],
    *,
    invalid_entries: t.Mapping[str, str],
    check_mode: bool,
    connections: Lender = _no_connections,
) -> tuple[Result, list[str], t.Collection[str]]:
    """Carries a operation out; returns the result, with ``failed`` where it is a failure, the warnings, and the names
    that are never masked.

    ``params`` are the options after the check of ansible-core. ``unusable`` says what is wrong with entries that are
    findings, by path.
    """
    work = operation({**params, INVALID_ENTRIES: invalid_entries} if invalid_entries else params)
    if work.needs_server and not HAS_REQUESTS:
        # Hosts that are the controller itself get another Python than the one that runs Ansible unless they are told
        # so.
        hint = (
            "Where the module runs on the controller, set ansible_python_interpreter to {{ ansible_playbook_python }}."
        )
        return (
            {"failed": True, "msg": f"{missing_required_lib('requests')} {hint}", "exception": REQUESTS_IMPORT_ERROR},
            [],
            (),
        )
    secrets = SecretStore()
    context = Context(check_mode=check_mode, secrets=secrets)
    result = _result(work, params, context, connections)
    if context.retries:  # seen with -v, as every part of a result is
        result["retries"] = context.retries
    names = {*names_in(params, WITHOUT_NAMES), *names_in(result, WITHOUT_NAMES, words=True)}
    secrets.keep(names)
    scrubbed = secrets.scrub_tree({key: value for key, value in result.items() if key not in MASKED_BY_FIELD})
    result = {key: scrubbed.get(key, value) for key, value in result.items()}
    return result, [shortened(secrets.scrub(warning)) for warning in context.warnings], names


def _result(operation: Operation, params: t.Mapping[str, t.Any], context: Context, connections: Lender) -> Result:
    """The operation's result, or that of the error that ended it."""
    context.secrets.add(params["api_token"], *(params["http_headers"] or {}).values())
    try:
        settings = settings_of(params) if operation.needs_server else None
        operation.collect_secrets(context.secrets)
        operation.check()
        if settings is None:
            return operation.run(None, context)
        if in_clear_text(settings):
            context.warn(IN_CLEAR_TEXT)
        with connections(settings) as kept:
            transport = Transport(settings, connections=kept, notice=context.retries.append)
            try:
                return operation.run(Api(transport), context)
            finally:
                transport.close()
    except OmeError as error:
        entry = operation.entry_of(error.option) if isinstance(error, BadInput) else ""
        if entry:
            error = t.cast(BadInput, error).within(entry)
        return {"failed": True, "changed": False, "msg": str(error), "error": error.as_result()}
