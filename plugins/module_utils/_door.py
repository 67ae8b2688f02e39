# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The door through which modules enter: AnsibleModule around a capability.

What the action plugins share with it, which are the other door, stands here too: what is done with options before ansible-core checks them, how a capability
is carried out, and what is hidden of both.
"""

from __future__ import annotations

import contextlib
import functools
import re
import typing as t

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capability import UNUSABLE, Capability, Result
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._connections import Connections, Settings
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._fields import EXTRA, Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._options import (
    SECRET_OPTIONS,
    argument_spec,
    in_clear_text,
    set_aside,
    settings_of,
    wrong_type,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._secrets import MASK, SecretStore, is_ordinary, mask_url, names_in, url_secrets
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._texts import shortened
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._transport import HAS_REQUESTS, REQUESTS_IMPORT_ERROR, Transport

# Names no host, so that Ansible shows it once and not for each server of a fleet.
IN_CLEAR_TEXT = (
    "api_url is plain http to another host: the access token, stream keys and all other secrets cross the network in clear text. "
    "Use https, as the server's own TLS port for the API or a gateway offers it, or run the task on the media server with http://127.0.0.1."
)
# What is shown in place of options that are not checked yet.
HIDDEN_INVOCATION = {"module_args": "not shown, as it is not known yet which of them are secrets"}
# Ansible blots out such values wherever they occur in the output; shorter ones would make it unreadable and keep nothing secret.
_SHORTEST_URL_SECRET = 4
# Options that are URLs, also where what they hold is none.
_URLS = ("api_url", "control_server_url", "url", "urls")
# Parts of a result that are masked field by field already, and that show_secrets opens; scrubbing them would undo that.
_MASKED_BY_FIELD = ("vhost", "vhosts", "application", "applications", "push_task", "tasks", "diff")


class LongestFirst(set[str]):
    """Secrets, the longest first: ansible-core 2.16 and 2.17 take them as they come, and one inside of another would keep that from being found."""

    def __iter__(self) -> t.Iterator[str]:
        return iter(sorted(super().__iter__(), key=len, reverse=True))


# What ansible-core before 2.22 writes in place of a text that is a secret.
_NO_LOG = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
# Options that hold secrets, or can: no name of an object is in them.
_WITHOUT_NAMES = frozenset((*SECRET_OPTIONS, EXTRA))


def blotted_out(secrets: t.Iterable[str], names: t.Collection[str] = ()) -> tuple[LongestFirst, set[str]]:
    """Part secrets into those that ansible-core may blot out, and those that only this collection hides.

    ansible-core blots a secret out wherever its letters stand, in names, numbers and other words too. So it gets neither what is in a name nor what could be a
    number or says too little.
    """
    all_names = "\n".join(names)
    careful = {secret for secret in secrets if secret.isdigit() or is_ordinary(secret) or secret in all_names}
    return LongestFirst(set(secrets) - careful), careful


def without_values(value: t.Any, secrets: t.Collection[str]) -> t.Any:
    """Return a result without these secrets, wherever their letters are in it.

    ansible-core before 2.22 does the same to what a module returns. From 2.22 on it hides secrets only where it displays results, so that a playbook could
    register them, and in other words.
    """
    if not secrets:
        return value
    ordered, whole = list(secrets), frozenset(secrets)

    # Of a thousand fields that are masked already, one is looked at.
    @functools.cache
    def shown(text: str) -> str:
        if text in whole:
            return _NO_LOG
        for secret in ordered:
            text = text.replace(secret, MASK)
        return text

    def hide(part: t.Any) -> t.Any:
        if isinstance(part, dict):
            return {key: hide(item) for key, item in part.items()}
        if isinstance(part, (list, tuple)):
            return [hide(item) for item in part]
        if isinstance(part, str):
            return shown(part)
        if isinstance(part, (int, float)) and not isinstance(part, bool) and shown(str(part)) != str(part):
            return _NO_LOG
        return part

    return hide(value)


def finish(result: Result, params: t.Mapping[str, t.Any], secrets: t.Collection[str], names: t.Collection[str]) -> tuple[Result, LongestFirst]:
    """Return the result with the options, and the secrets that ansible-core is to blot out of it.

    ``secrets`` are all among the options, ``names`` what is never masked.
    """
    everywhere, careful = blotted_out(secrets, names)
    if not careful:
        return {**result, "invocation": {"module_args": dict(params)}}, everywhere
    store = SecretStore()
    store.add(*careful)
    store.keep(names)
    return store.scrub_tree({**result, "invocation": {"module_args": _masked(params, careful)}}), everywhere


def _masked(value: t.Any, careful: t.Collection[str], option: str = "") -> t.Any:
    """Options in which secrets that ansible-core must not look for are masked by what the options are."""
    if option in SECRET_OPTIONS:
        if isinstance(value, dict):
            return {key: _masked(item, careful, option) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [_masked(item, careful, option) for item in value]
        # ansible-core masks the others, of which a whole value costs it one look.
        return _NO_LOG if str(value) in careful and not isinstance(value, bool) else value
    if option == EXTRA:
        return Extra([]).mask(value)
    if isinstance(value, t.Mapping):
        return {key: _masked(item, careful, key) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(item, careful, "urls" if option == "url" else option) for item in value]
    if isinstance(value, str) and (option in _URLS or "://" in value):
        return mask_url(value, destination=option == "url")
    return value


class Given:
    """The options of one task as they are given, ready for the check of ansible-core."""

    def __init__(self, capability: type[Capability], spec: t.Mapping[str, t.Any], options: t.Mapping[str, t.Any]) -> None:
        """``spec`` is the argument spec of the capability's module."""
        self._spec = spec
        self.params = capability.as_declared(options)
        self.unusable: dict[str, str] = {}
        """What is wrong with entries that are findings and end nothing, by path."""
        self._set_aside: list[t.Any] = []
        if capability.lists_of_findings:
            self.unusable, self._set_aside = set_aside(self.params, spec, capability.lists_of_findings)
        # Looked for before ansible-core checks the options, as it empties some lists that are not as they should be.
        self._secrets = _secrets_in([self.params, self._set_aside], SECRET_OPTIONS)

    def secrets(self, checked: t.Mapping[str, t.Any]) -> set[str]:
        """What must not be shown beside what ansible-core knows of itself; ``checked`` are the options as far as its check has come."""
        found = self._secrets | _secrets_in([checked, self._set_aside], SECRET_OPTIONS)
        return {secret for secret in found if len(secret) >= _SHORTEST_URL_SECRET}

    def wrong_type(self) -> str | None:
        """What to say in place of ansible-core, whose check can end in an exception or without the path of the option; None if no value is of another type."""
        wrong = wrong_type(self.params, self._spec)
        return None if wrong is None else f"{wrong[0]}: {wrong[1]}."


def with_places(text: str) -> str:
    """Return what ansible-core says of missing options, with the places where an option of the connection can be set."""
    missing = re.fullmatch(r"missing required arguments: (.*)", text)
    names = [name for name in ("api_url", "api_token") if missing and name in missing[1].split(", ")]
    places = [f"Set the option {name}, the environment variable OVENMEDIAENGINE_{name.upper()} or, for roles, ovenmediaengine_{name}." for name in names]
    return " ".join([f"{text}." if places else text, *places])


def without_secrets(text: str, secrets: t.Iterable[str]) -> str:
    """What ansible-core says of options without their values, which it repeats in its own words, escaped, where it would not recognize them."""
    store = SecretStore()
    store.add(*secrets)
    return shortened(store.scrub(text))


class _Module(AnsibleModule):
    """AnsibleModule that also hides secrets inside of URLs, and those that its own check of the options leaves in the open."""

    # Until the options are checked, ansible-core does not know which of them are secrets; 2.17 shows them all at -vvv where the check fails.
    _options_checked = False
    _given: Given | None = None
    params: dict[str, t.Any]
    no_log_values: set[str]
    _names: t.Collection[str] = ()

    def __init__(self, capability: type[Capability]) -> None:
        self._capability = capability
        self._spec = argument_spec(capability)
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
    def unusable(self) -> dict[str, str]:
        """What is wrong with entries that are findings and end nothing, by path."""
        return self._given.unusable if self._given is not None else {}

    def _load_params(self) -> None:
        super()._load_params()
        self._given = Given(self._capability, self._spec, self.params)
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


def _secrets_in(value: t.Any, names: t.Collection[str]) -> set[str]:
    """The texts under options of these names, the secret parts of every URL, and private keys in place of paths, inside of options of any form."""
    found: set[str] = set()
    pending: list[tuple[t.Any, bool, t.Any]] = [(value, False, "")]  # with whether it stands under such a name, and under which option
    while pending:
        one, secret, option = pending.pop()
        if isinstance(one, str):
            if secret or "PRIVATE KEY" in one:
                found.add(one)
            elif option in _URLS or "://" in one:
                found |= url_secrets(one, destination=option == "url")
        elif isinstance(one, dict):
            if EXTRA in one:
                store = SecretStore()
                Extra([]).collect_secrets(one[EXTRA], store)
                found |= store.values
            pending += [(item, secret or key in names, key) for key, item in one.items() if item is not None]
        elif isinstance(one, (list, tuple)):  # a list of URLs is that of an origin
            pending += [(item, secret, "urls" if option == "url" else option) for item in one]
        elif secret and isinstance(one, (int, float)) and not isinstance(one, bool):
            found.add(str(one))
    return found


def run_module(capability: type[Capability]) -> None:
    """Runs the module with this capability."""
    module = _Module(capability)
    result, warnings, names = perform(capability, module.params, unusable=module.unusable, check_mode=module.check_mode)
    for warning in warnings:
        module.warn(warning)
    module.end(result, names)


# Lends connections to a server that are kept from task to task.
Lender = t.Callable[[Settings], t.ContextManager[t.Optional[Connections]]]


def _no_connections(settings: Settings) -> t.ContextManager[Connections | None]:
    """What a process has for its only task, which makes its own and closes them."""
    return contextlib.nullcontext()


def perform(
    capability: type[Capability],
    params: t.Mapping[str, t.Any],
    *,
    unusable: t.Mapping[str, str],
    check_mode: bool,
    connections: Lender = _no_connections,
) -> tuple[Result, list[str], t.Collection[str]]:
    """Carries a capability out; returns the result, with ``failed`` where it is a failure, the warnings, and the names that are never masked.

    ``params`` are the options after the check of ansible-core. ``unusable`` says what is wrong with entries that are findings, by path.
    """
    work = capability({**params, UNUSABLE: unusable} if unusable else params)
    if work.needs_server and not HAS_REQUESTS:
        # Hosts that are the controller itself get another Python than the one that runs Ansible unless they are told so.
        hint = "Where the module runs on the controller, set ansible_python_interpreter to {{ ansible_playbook_python }}."
        return {"failed": True, "msg": f"{missing_required_lib('requests')} {hint}", "exception": REQUESTS_IMPORT_ERROR}, [], ()
    secrets = SecretStore()
    context = Context(check_mode=check_mode, secrets=secrets)
    result = _result(work, params, context, connections)
    if context.retries:  # seen with -v, as every part of a result is
        result["retries"] = context.retries
    names = {*names_in(params, _WITHOUT_NAMES), *names_in(result, _WITHOUT_NAMES, words=True)}
    secrets.keep(names)
    scrubbed = secrets.scrub_tree({key: value for key, value in result.items() if key not in _MASKED_BY_FIELD})
    result = {key: scrubbed.get(key, value) for key, value in result.items()}
    return result, [shortened(secrets.scrub(warning)) for warning in context.warnings], names


def _result(capability: Capability, params: t.Mapping[str, t.Any], context: Context, connections: Lender) -> Result:
    """The capability's result, or that of the error that ended it."""
    context.secrets.add(params["api_token"], *(params["http_headers"] or {}).values())
    try:
        settings = settings_of(params) if capability.needs_server else None
        capability.collect_secrets(context.secrets)
        capability.check()
        if settings is None:
            return capability.run(None, context)
        if in_clear_text(settings):
            context.warn(IN_CLEAR_TEXT)
        with connections(settings) as kept:
            transport = Transport(settings, connections=kept, notice=context.retries.append)
            try:
                return capability.run(Api(transport), context)
            finally:
                transport.close()
    except OmeError as error:
        entry = capability.entry_of(error.option) if isinstance(error, BadInput) else ""
        if entry:
            t.cast(BadInput, error).within(entry)
        return {"failed": True, "changed": False, "msg": str(error), "error": error.as_result()}
