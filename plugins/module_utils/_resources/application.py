# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application: fields, rules, and what a server adds by itself (server-facts: Applications).

The names on the wire are those of the server's source [read]. They differ by version, so that every group lets
through under `extra` what is not declared here.
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
    """What identifies an application."""

    vhost: str
    name: str

    def __str__(self) -> str:
        return f"{self.vhost}/{self.name}"


def key_of(app: t.Mapping[str, t.Any]) -> Key:
    """The key of an application in option form."""
    return Key(app["vhost"], app["name"])


def nested_spec() -> dict[str, t.Any]:
    """The argument spec of an application inside of an entry for a virtual host, where that is not named again."""
    return {option: spec for option, spec in APPLICATION.options().items() if option != "vhost"}


def with_bare_members(options: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the options of a module, or an entry of its lists, with providers and publishers that are only named as
    members without settings.

    `[rtmp, srt]` is how people write it. YAML takes `rtmp:` for null, which would mean "not given", so that the
    provider would be removed.
    """
    opened = dict(options)
    for name in ("providers", "publishers"):
        members, declared = opened.get(name), APPLICATION.fields[name]
        if isinstance(members, list) and all(isinstance(member, str) for member in members):
            opened[name] = {member.strip(): {} for member in members}
        elif isinstance(members, dict) and isinstance(declared, Object):
            opened[name] = {
                key: {} if item is None and isinstance(declared.fields.get(key), Object) else item
                for key, item in members.items()
            }
    for name in ("vhosts", "applications"):
        if isinstance(opened.get(name), list):
            opened[name] = [with_bare_members(entry) if isinstance(entry, dict) else entry for entry in opened[name]]
    return opened


def validate(app: t.Mapping[str, t.Any], path: str) -> None:
    """Raises BadInput where the specified form of an application cannot work."""
    prefix = f"{path}." if path else ""
    APPLICATION.validate(app, path)
    for option, example in (("providers", "rtmp"), ("publishers", "llhls")):
        if option in app and not APPLICATION.fields[option].to_wire(app[option]):
            raise BadInput(
                prefix + option,
                f"expected at least one, such as '{example}: {{}}'; leave the option out to leave them as they are",
            )


def incomplete(app: t.Mapping[str, t.Any]) -> str | None:
    """What an application (option form, whole) lacks to be taken by the server [read]; None where nothing is missing."""
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
    """An application as the server sends it, in option form.

    `dynamic` is no setting and is left out (server-facts: Applications).
    """
    app = {
        "vhost": vhost,
        **APPLICATION.from_wire({key: value for key, value in raw.items() if key not in ("dynamic", "vhost")}),
    }
    # An empty set is no input, and says no more than an absent one.
    return {option: value for option, value in app.items() if option not in ("providers", "publishers") or value}


def create_request(app: t.Mapping[str, t.Any], declaration: Object = APPLICATION) -> dict[str, t.Any]:
    """Return one item of POST …/apps: fields without the virtual host, which is in the path; the type is required
    there.

    ``declaration`` is that of the server's version.
    """
    return {
        "type": TYPES[0],
        **declaration.to_wire({option: value for option, value in app.items() if option != "vhost"}),
    }


def can_push(app: t.Mapping[str, t.Any]) -> bool:
    """Whether an application (option form) has a publisher that push tasks need."""
    publishers = APPLICATION.fields["publishers"].to_wire(app.get("publishers", {}))
    return any(name in publishers for name in PUSH_PUBLISHERS)


def is_dynamic(raw: t.Mapping[str, t.Any]) -> bool:
    """Whether the server made the application by itself, for a stream that it pulls (server-facts: Applications)."""
    return str(raw.get("dynamic", False)).lower() == "true"
