# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of virtual hosts (server-facts: Virtual hosts)."""

from __future__ import annotations

from typing import Any

from . import schema
from .answers import Answer, bulk, envelope, success
from .errors import ApiError, ConfigError, ServerDies, has_conversion
from .state import State, VirtualHost

DEFAULT_DISTRIBUTION = "ovenmediaengine.com"


def find(state: State, name: str) -> VirtualHost:
    """Return the virtual host of a path. :raises ApiError: 404.

    A colon begins an action and the empty name is no name, so such virtual hosts exist and cannot be addressed.
    """
    found = state.virtual_hosts.get(name)
    if found is None or not name or ":" in name or not name.isascii():
        raise ApiError(404, f"Could not find the virtual host: [{name}]")
    return found


def refuse_read_only(vhost: VirtualHost) -> None:
    """:raises ApiError: 403 for a virtual host of the configuration file."""
    if vhost.read_only:
        raise ApiError(403, f"The VirtualHost is read-only: [{vhost.name}]")


def list_names(state: State) -> Answer:
    """GET /v1/vhosts."""
    return success(state.shuffled(state.virtual_hosts))


def read(state: State, vhost: VirtualHost) -> Answer:
    """GET /v1/vhosts/{vhost}."""
    config = vhost.config
    if state.version.reads_have_distribution:
        config = {"distribution": DEFAULT_DISTRIBUTION, **config}
    return success(config)


def delete(state: State, vhost: VirtualHost) -> Answer:
    """DELETE /v1/vhosts/{vhost}."""
    refuse_read_only(vhost)
    state.delete_virtual_host(vhost)
    return success()


def create(state: State, body: Any) -> Answer:
    """POST /v1/vhosts: items in order, without rollback.

    :raises ServerDies: an item is refused with words that hold a printf conversion.
    """
    if not isinstance(body, list):
        raise ApiError(400, "Request body must be an array")
    return bulk([_create_item(state, item) for item in body])


def _create_item(state: State, item: Any) -> dict[str, Any]:
    try:
        return envelope(response=_create_one(state, item))
    except ConfigError as error:
        # The server uses these words as a format. Arguments that are not there end the process.
        if has_conversion(error.message):
            raise ServerDies() from error
        return envelope(400, error.message)
    except ApiError as error:
        return envelope(error.status, error.text)


def _create_one(state: State, item: Any) -> dict[str, Any]:
    version = state.version
    config = schema.accept(
        item, schema.virtual_host(version.keys, version.takes_other_keys, version.requires_host_names), "virtualHost"
    )
    applications = config.pop("applications", None)
    name = schema.as_text(config["name"])
    if name in state.virtual_hosts:
        raise ApiError(409, version.conflict_message.format(name=name))
    vhost = state.create_virtual_host(config)
    for application in applications or ():
        if schema.as_text(application["name"]) in vhost.applications:
            state.delete_virtual_host(vhost)
            raise ApiError(400, f"Failed to create the virtual host: [{name}]")
        state.create_application(vhost, application)
    return config
