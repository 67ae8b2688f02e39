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
from .._schema import validators as checks
from .._schema.objects import Object
from .._schema.scalars import Bool, Int, String, Url
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


APPLICATION = Object(
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


def expand_bare_names(options: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the options of a module, or an entry of its lists, with bare names of providers and publishers expanded.

    Users can write `[rtmp, srt]` for `{rtmp: {}, srt: {}}`. YAML reads `rtmp:` as null; without expansion it would
    count as omitted, and the provider would be removed.
    """
    expanded = dict(options)
    for name in ("providers", "publishers"):
        value, declared = expanded.get(name), APPLICATION.fields[name]
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            expanded[name] = {item.strip(): {} for item in value}
        elif isinstance(value, dict) and isinstance(declared, Object):
            expanded[name] = {
                key: {} if item is None and isinstance(declared.fields.get(key), Object) else item
                for key, item in value.items()
            }
    for name in ("vhosts", "applications"):
        if isinstance(expanded.get(name), list):
            expanded[name] = [
                expand_bare_names(entry) if isinstance(entry, dict) else entry for entry in expanded[name]
            ]
    return expanded


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


def incomplete(app: t.Mapping[str, t.Any]) -> str | None:
    """Return which required option an application (complete, option form) lacks [read]; None if none is missing."""
    profiles = app.get("output_profiles", {})
    for profile_index, profile in enumerate(profiles.get("output_profile", [])):
        path = f"output_profiles.output_profile[{profile_index}]"
        if not profile.get("output_stream_name"):
            return f"{path}.output_stream_name: is required, such as '${{OriginStreamName}}'"
        for kind in ("videos", "audios"):
            for index, encode in enumerate(profile.get("encodes", {}).get(kind, [])):
                missing = [option for option in ("codec", "bitrate") if option not in encode]
                if missing and not encode.get("bypass"):
                    return f"{path}.encodes.{kind}[{index}].{missing[0]}: is required unless bypass is true"
    return None


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
