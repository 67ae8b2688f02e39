# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application: fields, rules, and what a server adds by itself (server-facts: Applications).

The JSON names come from the server's source [read]. They differ by version, so that every object passes undeclared keys
through under `extra`.
"""

from __future__ import annotations

import typing as t

from .._core.errors import BadInput
from .._core.server_version import NEWEST, Version
from .._schema import validators as checks
from .._schema.macro_options import with_macros
from .._schema.objects import Object
from .._schema.scalars import Bool, Int, String, Url
from . import application_rules as rules
from . import concerns, refusals
from .output_profiles import TYPES, output_profiles_field, subtitles_field
from .providers import providers_field
from .publishers import publishers_field
from .push_task import PUSH_PUBLISHERS


def _transcode_webhook() -> Object:
    fallback = {
        "use_local_profiles_on_connection_failure": "useLocalProfilesOnConnectionFailure",
        "use_local_profiles_on_server_disallow": "useLocalProfilesOnServerDisallow",
        "use_local_profiles_on_error_response": "useLocalProfilesOnErrorResponse",
    }
    return Object(
        "transcode_webhook",
        "transcodeWebhook",
        since="0.16.1",
        extra=True,
        fields=[
            Bool("enable"),
            Url("control_server_url", "controlServerUrl", check=checks.http_url),
            String("secret_key", "secretKey", secret=True, check=checks.one_line_or_empty),
            Int("timeout", check=checks.count),
            *(Bool(option, wire) for option, wire in fallback.items()),
        ],
    )


APPLICATION = with_macros(
    Object(
        "application",
        extra=True,
        fields=[
            String("vhost", required=True, check=checks.addressable),
            String("name", required=True, check=checks.addressable),
            String("type", choices=TYPES, default="live"),
            providers_field(),
            publishers_field(),
            output_profiles_field(),
            _transcode_webhook(),
            subtitles_field("0.20.5"),
            Object(
                "event_generator",
                "eventGenerator",
                since="0.18.0",
                extra=True,
                fields=[Bool("enable"), String("path", check=checks.one_line)],
            ),
        ],
    )
)


class Key(t.NamedTuple):
    """The identity of an application."""

    vhost: str
    name: str

    def __str__(self) -> str:
        return f"{self.vhost}/{self.name}"


def key_of(app: t.Mapping[str, t.Any]) -> Key:
    """Return the key of an application (option form)."""
    return Key(app["vhost"], app["name"])


def nested_spec() -> dict[str, t.Any]:
    """Return the argument spec of an application nested in an entry for its virtual host: without `vhost`."""
    return {option: spec for option, spec in APPLICATION.options().items() if option != "vhost"}


def validate(app: t.Mapping[str, t.Any], path: str) -> None:
    """Raise BadInput for an invalid application (specified form); ``path`` is the full path of its option."""
    prefix = f"{path}." if path else ""
    APPLICATION.validate(app, path)
    for option, example in (("providers", "rtmp"), ("publishers", "llhls")):
        if option in app and not APPLICATION.fields[option].to_wire(app[option]):
            raise BadInput(
                prefix + option,
                f"expected at least one, such as '{example}: {{}}'; omit the option to keep the current ones",
            )
    check_values(app, path, complete=False)


def check_values(app: t.Mapping[str, t.Any], path: str, version: Version = NEWEST, *, complete: bool = True) -> None:
    """Raise BadInput for a value with which the server's version refuses an application (option form).

    ``path`` is the full path of its option; ``complete`` is that of :func:`application_rules.refused`.
    """
    found = rules.refused(app, version, complete=complete)
    if found is not None:
        raise BadInput(refusals.joined(path, found.option), found.expected)


def concerns_of(app: t.Mapping[str, t.Any]) -> list[concerns.Concern]:
    """Return the settings of an application (specified form) that the server accepts although they cannot work."""
    return concerns.concerns(APPLICATION, app, f"Application {key_of(app)}")


def incomplete(app: t.Mapping[str, t.Any]) -> str | None:
    """Return what every server refuses in an application (complete, option form); None if there is nothing."""
    found = rules.refused(app)
    return None if found is None else f"{found.option}: {found.expected}"


def from_wire(raw: t.Mapping[str, t.Any], vhost: str) -> dict[str, t.Any]:
    """Return an application of wire form in option form.

    `dynamic` is no setting and is omitted (server-facts: Applications).
    """
    app = {
        "vhost": vhost,
        **APPLICATION.from_wire({key: value for key, value in raw.items() if key not in ("dynamic", "vhost")}),
    }
    # Empty providers or publishers are equal to absent ones, and are invalid as options.
    return {option: value for option, value in app.items() if option not in ("providers", "publishers") or value}


def create_request(app: t.Mapping[str, t.Any], declaration: Object = APPLICATION) -> dict[str, t.Any]:
    """Return one item of POST …/apps: the path has the virtual host, and the type is required.

    ``declaration`` is :data:`APPLICATION` for the server's version.
    """
    return {
        "type": TYPES[0],
        **declaration.to_wire({option: value for option, value in app.items() if option != "vhost"}),
    }


def can_push(app: t.Mapping[str, t.Any]) -> bool:
    """Return whether an application (option form) has a publisher for push tasks."""
    publishers = APPLICATION.fields["publishers"].to_wire(app.get("publishers", {}))
    return any(name in publishers for name in PUSH_PUBLISHERS)


def is_dynamic(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether the server created the application for a stream that it pulls (server-facts: Applications)."""
    return str(raw.get("dynamic", False)).lower() == "true"
