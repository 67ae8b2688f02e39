# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server that is there before a task of the module `server` changes anything."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError, Refusal
from .._core.option_names import named
from .._host.server_memory import ServerMemory
from .._host.server_program import UNTOUCHED
from .._host.server_service import ACTIVE, STARTING, ServerService
from .base import Params
from .server_api import Address, ServerApi


class Installed(t.NamedTuple):
    """The server as the task finds it."""

    address: Address
    """Where its API is, with the token that it accepts, as far as that is known."""
    running: bool = False
    answered: bool = False
    """Whether its API has answered, be it with an error."""
    refuses_token: bool = False
    has_other_token: bool = False
    """Whether it accepts the previous token only."""
    version: str = ""
    start_time: str = ""

    @property
    def usable(self) -> bool:
        """Whether its API can be used with the token that is desired."""
        return self.running and not self.has_other_token and not self.refuses_token


def read(params: Params, memory: ServerMemory, service: ServerService, api: ServerApi, new: Address) -> Installed:
    """Return the server that is there; ``new`` is the address of the API as it is to be.

    Raises Refusal if it accepts no token that is known, and may not be restarted in any case.
    """
    url = memory.started.get("url") or new.url
    state = service.state()
    installed = Installed(new._replace(url=url), version=memory.started.get("version", ""))
    if state not in (*ACTIVE, STARTING):
        return installed
    error: OmeError | None = None
    for token in filter(None, (new.token, params["previous_api_token"])):
        address = Address(url, token)
        try:
            version, start_time = api.identity(address)
        except OmeError as failed:
            error = failed
            if failed.kind != "unauthorized":
                break
        else:
            return Installed(
                address,
                running=True,
                answered=True,
                has_other_token=token != new.token,
                version=version or installed.version,
                start_time=start_time,
            )
    # A server that cannot start is active for a moment in each attempt. A proxy of published ports accepts connections
    # for it.
    if state != STARTING and error is not None and error.kind in ("refused", "connection_lost"):
        state = state if service.stays_up() else "ended"
    answered = error is not None and error.status is not None
    refuses = error is not None and error.kind == "unauthorized"
    running = state in ACTIVE or (state == STARTING and answered)
    if running and refuses and params["restart"] != "always":
        option = "previous_api_token" if params["previous_api_token"] else "api_token"
        text = (
            f"The running server does not accept {named(option)}. Set {named('previous_api_token')} to the token that "
            f"the server was started with, or set {named('restart')}: always, which disconnects everybody."
        )
        raise Refusal("ask the running server", text, UNTOUCHED)
    return installed._replace(running=running, answered=answered, refuses_token=refuses)
