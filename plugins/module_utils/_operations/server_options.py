# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the module `server`, and those of the operation that writes its configuration."""

from __future__ import annotations

import re
import typing as t

from .._core.macros import resolved
from .._host.server_place import BACKENDS, text_of
from .._resources.server_config import SERVER
from .base import TEXT, Params, Referenced, Result, state_option
from .provision import Provision
from .server_config import ServerConfig

API_PORT = "8081"
_STRINGS = {"type": "list", "elements": "str", "default": []}
_NOT_PROVISIONED = ("parts", "durable", "config_dir", "wait_timeout")
_PATH = {"type": "path"}
Tree = dict[str, t.Any]


def specs() -> dict[str, t.Any]:
    """Return the argument spec without the connection options."""
    config = ServerConfig.options()
    return {
        # Without the environment variable that other modules read: that can be the address of another server.
        "api_url": {"type": "str"},
        "state": state_option("present", "absent"),
        "backend": state_option(*BACKENDS),
        "version": TEXT,
        "unit": {"type": "str", "default": "ovenmediaengine"},
        "image": {"type": "str", "default": "docker.io/airensoft/ovenmediaengine"},
        "image_tag": TEXT,
        "image_digest": {"type": "str", "default": ""},
        "binary": _PATH,
        "user": {"type": "str", "default": ""},
        "config_dir": {"type": "path", "default": "/etc/ovenmediaengine"},
        "log_dir": {"type": "path", "default": "/var/log/ovenmediaengine"},
        "data_dir": {"type": "path", "default": "/var/lib/ovenmediaengine"},
        "volumes": _STRINGS,
        "network": state_option("host", "bridge"),
        "ports": _STRINGS,
        "environment_variables": {"type": "dict", "no_log": True},
        "file_limit": {"type": "int", "default": 65535},
        "rmem_max": {"type": "int", "default": 0},
        "wmem_max": {"type": "int", "default": 0},
        "log_days": {"type": "int", "default": 14},
        "server": Referenced(config["server"]),
        "logger": Referenced(config["logger"]),
        "restart": state_option("if_idle", "never", "always"),
        "start": {"type": "bool", "default": True},
        "max_viewers": {"type": "int", "default": 1},
        "idle_wait": {"type": "int", "default": 300},
        "start_wait": {"type": "int", "default": 60},
        "stream_wait": {"type": "int", "default": 30},
        "previous_api_token": {"type": "str", "default": "", "no_log": True},
        "unit_dir": _PATH,
        "sysctl_dir": {"type": "path", "default": "/etc/sysctl.d"},
        "tmpfiles_dir": {"type": "path", "default": "/etc/tmpfiles.d"},
        "earlier": {"type": "dict"},
        **{name: spec for name, spec in Provision.options().items() if name not in _NOT_PROVISIONED},
    }


def options_of(params: Params) -> Result:
    """Return the options of :class:`ServerConfig`: what the files of the server are to hold."""
    return {
        **ServerConfig.defaults(),
        "config_dir": params["config_dir"],
        "version": params["version"],
        "server": _settings(params),
        "logger": params["logger"] or {"path": params["log_dir"]},
        "vhosts": _vhosts(params),
        "push_tasks": params["push_tasks"] or [],
        "records": params["records"] or [],
        "purge": params["purge_vhosts"],
    }


def removal_options(params: Params, version: str) -> Result:
    """Return the options of :class:`ServerConfig` that remove its files, whatever else is specified."""
    return {**ServerConfig.defaults(), "config_dir": params["config_dir"], "version": version, "state": "absent"}


def provision_options(params: Params) -> Result:
    """Return the options of :class:`Provision`: what is to be made through the API of a server that is up."""
    options = {name: params.get(name, default) for name, default in Provision.defaults().items()}
    return {**options, "durable": True, "config_dir": params["config_dir"], "wait_timeout": 0.0}


def _settings(params: Params) -> Tree:
    """Return the settings of Server.xml, with the token of the API, and with its port if nothing is said of it."""
    specified = SERVER.specified(params["server"] or {})
    api: Tree = {"managers": {"api": {"access_token": params["api_token"]}}}
    if not (specified.get("bind") or {}).get("managers"):
        api["bind"] = {"managers": {"api": {"port": API_PORT}}}
    return _combined(api, specified)


def _combined(default: Tree, other: t.Mapping[str, t.Any]) -> Tree:
    """Return a tree with the values of both, those of the second one first."""
    return {
        **default,
        **{
            key: _combined(default[key], value)
            if isinstance(value, t.Mapping) and isinstance(default.get(key), dict)
            else value
            for key, value in other.items()
        },
    }


def _vhosts(params: Params) -> list[Tree]:
    """Return the virtual hosts as their files hold them, each with all of its applications."""
    found = []
    for vhost in params["vhosts"] or ():
        more = [
            {key: value for key, value in app.items() if key != "vhost"}
            for app in params["applications"] or ()
            if app["vhost"] == vhost["name"]
        ]
        found.append({**vhost, "applications": [*(vhost["applications"] or ()), *more]} if more else dict(vhost))
    return found


def unlisted(params: Params) -> list[str]:
    """Return the virtual hosts of applications that are not listed, so that no file could hold them."""
    listed = {vhost["name"] for vhost in params["vhosts"] or ()}
    return sorted({app["vhost"] for app in params["applications"] or () if app["vhost"] not in listed})


def port_of_api(params: Params) -> str:
    """Return the port at which the API is to be; empty if that is not known, as of a macro without a value."""
    managers = (SERVER.specified(params["server"] or {}).get("bind") or {}).get("managers")
    if not managers:
        return API_PORT
    text = str((managers.get("api") or {}).get("port") or "")
    values = {name: text_of(value) for name, value in (params["environment_variables"] or {}).items()}
    found = re.match(r"[0-9]+", resolved(text, values))
    return found[0] if found else ""


def missing_variables(params: Params, used: t.Iterable[t.Mapping[str, t.Any]]) -> list[str]:
    """Return the environment variables that the configuration uses and that have neither a value nor a default."""
    return sorted(
        one["name"] for one in used if one["required"] and one["name"] not in (params["environment_variables"] or {})
    )
