# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `server`: a server on its host, from its installation to its removal."""

from __future__ import annotations

import re
import typing as t

from .._core.context import Context
from .._core.errors import BadInput, Refusal
from .._core.secret_store import SecretStore
from .._core.server_version import NEWEST, show
from .._core.texts import listed, named, shortened
from .._host.server_place import ServerPlace, text_of
from .._host.server_service import UNTOUCHED
from .._schema.objects import Object
from .base import Operation, Params, Result
from .provision import Provision
from .server_config import ServerConfig
from .server_options import API_PORT, options_of, port_of_api, provision_options, specs, unlisted
from .server_start import Address, Connect, summary
from .server_task import ServerTask

_VERSION = re.compile(r"[0-9]+[.][0-9]+[.][0-9]+")
_LONGEST_PROBLEMS = 1900  # characters
_SECONDS = ("idle_wait", "start_wait", "stream_wait")
_NUMBERS = ("file_limit", "rmem_max", "wmem_max", "log_days", "max_viewers", *_SECONDS)


class Server(Operation):
    """The operation of the module `server`."""

    always_needs_server = False
    connects_itself = True
    masked_results = ("diff",)
    # It has to finish, or to put back what ran, although nobody waits for its result any more.
    outlives_connection = True

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return specs()

    @classmethod
    def declarations(cls) -> tuple[t.Mapping[str, Object], Object | None]:
        return Provision.declarations()[0], ServerConfig.declarations()[1]

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        return ServerConfig.expanded(super().as_declared(specified))

    @property
    def needs_server(self) -> bool:
        return False

    @property
    def _present(self) -> bool:
        return bool(self.params["state"] == "present")

    def collect_secrets(self, secrets: SecretStore) -> None:
        secrets.add(self.params["previous_api_token"])
        secrets.add(*(text_of(value) for value in (self.params["environment_variables"] or {}).values()))
        if self.params["version"]:
            ServerConfig(options_of(self.params)).collect_secrets(secrets)
            Provision(provision_options(self.params)).collect_secrets(secrets)

    def entry_of(self, option: str) -> str:
        return ServerConfig(options_of(self.params)).entry_of(option) if self._present else ""

    def check(self) -> None:
        attempt = "use the options"
        problem = self._problem()
        if problem:
            raise Refusal(attempt, shortened(problem, _LONGEST_PROBLEMS), UNTOUCHED)
        if not self._present:
            return
        try:
            ServerConfig(options_of(self.params)).check()
            Provision(provision_options(self.params)).check()
        except BadInput as error:
            raise Refusal(attempt, str(self.in_entry(error)), UNTOUCHED) from None
        if not self.params["api_url"] and not port_of_api(self.params):
            text = (
                f"{named('server')}.bind.managers: expected api.port, because the address of the API is not known "
                "without it. It is missing, or a macro without a value. Set the port, the variable in "
                f"{named('environment_variables')}, or {named('api_url')} if the API has a TLS port only."
            )
            raise Refusal(attempt, text, UNTOUCHED)

    def _problem(self) -> str:
        """Return what is wrong with the options that say how the server runs; empty if nothing is."""
        for option in _NUMBERS:
            if self.params[option] < 0:
                return f"{named(option)}: expected a whole number, 0 or more, got {self.params[option]}."
        found = ServerPlace(self.params).problems()
        if found or not self._present:
            return " ".join(found)
        if not _VERSION.fullmatch(self.params["version"] or ""):
            return (
                f"{named('version')}: expected a complete version such as {show(NEWEST)}, because all settings are "
                "checked against the options that this version knows."
            )
        token = self.params["api_token"]
        own = ((self.params["server"] or {}).get("managers") or {}).get("api") or {}
        if not token or own.get("access_token") not in (None, token):
            return (
                f"{named('api_token')} is missing, or differs from {named('server')}.managers.api.access_token. It is "
                f"written into Server.xml, and used for the API. Set {named('api_token')} only."
            )
        names = unlisted(self.params)
        if names:
            return (
                f"{named('applications')}: expected applications of listed virtual hosts only, and {listed(names)} is "
                "in no file. List their virtual hosts, too."
            )
        if self.params["backend"] != "systemd" and (self.params["network"] == "bridge") != bool(self.params["ports"]):
            ports, network = named("ports"), named("network")
            return f"{ports}: expected together with a bridge. Set {network}: bridge and {ports}, or neither of them."
        return ""

    def run(self, api: t.Any, context: Context) -> Result:
        """Do the work. ``api`` is what makes clients, because the server can change its address and its token."""
        connect: Connect = api
        if self._present and not context.check_mode:
            self._check_user()
        url = self.params["api_url"] or f"http://127.0.0.1:{port_of_api(self.params) or API_PORT}"
        return ServerTask(self.params, connect, Address(url, self.params["api_token"] or ""), context).run()

    def _check_user(self) -> None:
        place = ServerPlace(self.params)
        if place.has_user and place.uid is None:
            text = f"{named('user')}: expected a user of the host, got {place.owner!r}. Make it first."
            raise Refusal("use the user", text, UNTOUCHED)

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        version = str(options.get("version") or "")
        return summary({"version": version, "failed": True}, check_mode=check_mode)
