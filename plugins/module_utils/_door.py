# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The door through which modules enter: AnsibleModule around a capability."""

from __future__ import annotations

import typing as t

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._application import with_bare_members
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities import CAPABILITIES
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_audit import UNUSABLE
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capability import Capability
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._fields import EXTRA, Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._options import argument_spec, in_clear_text, secret_options, set_aside, settings_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._secrets import SecretStore, url_secrets
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._transport import HAS_REQUESTS, REQUESTS_IMPORT_ERROR, Transport

# Names no host, so that Ansible shows it once and not for each server of a fleet.
IN_CLEAR_TEXT = (
    "api_url is plain http to another host: the access token, stream keys and all other secrets cross the network in clear text. "
    "Use https, as the server's own TLS port for the API or a gateway offers it, or run the task on the media server with http://127.0.0.1."
)
# Ansible blots out such values wherever they occur in the output; shorter ones would make it unreadable and keep nothing secret.
_SHORTEST_URL_SECRET = 4
# Options that are URLs, also where what they hold is none.
_URLS = ("api_url", "control_server_url", "url", "urls")
# Parts of a result that are masked field by field already, and that show_secrets opens; scrubbing them would undo that.
_MASKED_BY_FIELD = ("vhost", "vhosts", "application", "applications", "push_task", "tasks", "diff")


class _LongestFirst(set[str]):
    """Secrets, the longest first: ansible-core 2.17 takes them as they come, and one inside of another would keep that from being found."""

    def __iter__(self) -> t.Iterator[str]:
        return iter(sorted(super().__iter__(), key=len, reverse=True))


class _Module(AnsibleModule):
    """AnsibleModule that also hides secrets inside of URLs, and those that its own check of the options leaves in the open."""

    # Until the options are checked, ansible-core does not know which of them are secrets; 2.17 shows them all at -vvv where the check fails.
    _options_checked = False
    params: dict[str, t.Any]
    no_log_values: set[str]

    def __init__(self, name: str) -> None:
        self.name = name
        self.unusable: dict[str, str] = {}
        self._set_aside: list[t.Any] = []
        self._secrets_as_given: t.AbstractSet[str] = frozenset()
        super().__init__(argument_spec=dict(argument_spec(name)), supports_check_mode=True)
        self._options_checked = True

    def _load_params(self) -> None:
        super()._load_params()
        self.params = with_bare_members(self.params)
        for options in (self.params, *_dictionaries(self.params.get("certificates"))):
            if isinstance(options.get("endpoint"), dict):  # one alone needs no list
                options["endpoint"] = [options["endpoint"]]
        if self.name == "audit_info":
            self.unusable, self._set_aside = set_aside(self.params)
        # Looked for before ansible-core checks the options, as it empties some lists that are not as they should be.
        self._secrets_as_given = _secrets_in([self.params, self._set_aside], secret_options())

    def _log_invocation(self) -> None:
        """Keeps the options out of the managed host's syslog, where URLs would show their keys."""

    def fail_json(self, msg: str, **kwargs: t.Any) -> t.NoReturn:
        self._hide_secrets()
        if not self._options_checked:
            # ansible-core repeats values in its own words, escaped, where it would not recognize them.
            store = SecretStore()
            store.add(*self.no_log_values)
            msg = store.scrub(msg)
            kwargs["invocation"] = {"module_args": "not shown, as it is not known yet which of them are secrets"}
        super().fail_json(msg, **kwargs)
        raise AssertionError("unreachable")  # the type of fail_json does not say so in all versions

    def exit_json(self, **kwargs: t.Any) -> t.NoReturn:
        self._hide_secrets()
        super().exit_json(**kwargs)
        raise AssertionError("unreachable")

    def _hide_secrets(self) -> None:
        secrets = self._secrets_as_given | _secrets_in([self.params, self._set_aside], secret_options())
        self.no_log_values = _LongestFirst({*self.no_log_values, *(secret for secret in secrets if len(secret) >= _SHORTEST_URL_SECRET)})


def _dictionaries(value: t.Any) -> list[dict[str, t.Any]]:
    """The dictionaries of a list of any form."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _secrets_in(value: t.Any, names: t.Collection[str], secret: bool = False, option: t.Any = "") -> t.AbstractSet[str]:
    """The texts under options of these names, the secret parts of every URL, and private keys in place of paths, inside of options of any form."""
    if isinstance(value, dict):
        store = SecretStore()
        Extra([]).collect_secrets(value.get(EXTRA), store)
        return store.values.union(*(_secrets_in(item, names, secret or key in names, key) for key, item in value.items()))
    if isinstance(value, (list, tuple)):  # a list of URLs is that of an origin
        return set().union(*(_secrets_in(item, names, secret, "urls" if option == "url" else option) for item in value))
    if secret and isinstance(value, (int, float)) and not isinstance(value, bool):
        return {str(value)}
    if isinstance(value, str):
        if secret or "PRIVATE KEY" in value:
            return {value}
        return url_secrets(value, destination=option == "url") if "://" in value or option in _URLS else set()
    return set()


def run_module(name: str) -> None:
    """Runs the module of this name."""
    module = _Module(name)
    capability = CAPABILITIES[name]({**module.params, UNUSABLE: module.unusable} if module.unusable else module.params)
    if capability.needs_server and not HAS_REQUESTS:
        # Hosts that are the controller itself get another Python than the one that runs Ansible unless they are told so.
        hint = "Where the module runs on the controller, set ansible_python_interpreter to {{ ansible_playbook_python }}."
        module.fail_json(msg=f"{missing_required_lib('requests')} {hint}", exception=REQUESTS_IMPORT_ERROR)
    secrets = SecretStore()
    context = Context(check_mode=module.check_mode, secrets=secrets)
    result = _result(capability, module, context)
    for warning in context.warnings:
        module.warn(secrets.scrub(warning))
    if context.retries:  # seen with -v, as every part of a result is
        result["retries"] = context.retries
    result = {key: value if key in _MASKED_BY_FIELD else secrets.scrub_tree(value) for key, value in result.items()}
    if result.pop("failed", False):
        module.fail_json(**result)
    module.exit_json(**result)


def _result(capability: Capability, module: AnsibleModule, context: Context) -> dict[str, t.Any]:
    """The capability's result, or that of the error that ended it."""
    context.secrets.add(module.params["api_token"], *(module.params["http_headers"] or {}).values())
    try:
        settings = settings_of(module.params) if capability.needs_server else None
        capability.collect_secrets(context.secrets)
        capability.check()
        if settings is None:
            return capability.run(None, context)
        if in_clear_text(settings):
            context.warn(IN_CLEAR_TEXT)
        transport = Transport(settings, notice=context.retries.append)
        try:
            return capability.run(Api(transport), context)
        finally:
            transport.close()
    except OmeError as error:
        return {"failed": True, "changed": False, "msg": str(error), "error": error.as_result()}
