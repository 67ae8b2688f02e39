# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings that servers accept although they cannot work are warned of on every way in."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

PROFILE = {
    "name": "bypass",
    "output_stream_name": "${OriginStreamName}",
    "encodes": {"videos": [{"name": "video", "bypass": True}]},
    "playlists": [{"file_name": "my_playlist", "renditions": [{"name": "one", "video": "video"}]}],
}
APP = {
    "name": "live",
    "publishers": {"llhls": {"cross_domains": {"urls": ["https://www.example.com/player"]}}},
    "output_profiles": {"output_profile": [PROFILE]},
}
VHOST = {
    "name": "tenant-a",
    "host": {"names": ["live.example.com:1935"]},
    "signed_policy": {"policy_query_key_name": "policy", "secret_key": "canary-policy"},
    "admission_webhooks": {"control_server_url": "https://hooks.example.com/a", "secret_key": "canary-webhook"},
    "cross_domains": {"urls": ["https://www.example.com/"]},
}
OF_VHOST = (
    "host.names[0] 'live.example.com:1935' never matches, because host names have no port. Remove ':1935'.",
    "signed_policy protects nothing without enables: everybody can publish and play.",
    "admission_webhooks protects nothing without enables",
    "cross_domains.urls[0] 'https://www.example.com/' never matches, because the server compares it exactly",
)
OF_APP = (
    "publishers.llhls.cross_domains.urls[0] 'https://www.example.com/player' never matches",
    "output_profiles.output_profile[0].playlists[0].file_name 'my_playlist' contains the reserved word 'playlist'",
)
INSIDE = "Application tenant-a/live: "
CHANNEL: dict[str, Any] = {
    "name": "tv",
    "output_stream": {"bypass_transcoder": True},
    "source_streams": [
        {"name": "a", "url": "stream://default/app/a", "track_map": [{"source_track_name": "v", "new_track_name": "v"}]}
    ],
    "playlists": [{"name": "all", "file_name": "default", "renditions": [{"name": "one", "video": "v"}]}],
}


def expected(module: str) -> list[str]:
    """Return the beginnings of the warnings of a module."""
    nested = [f"Virtual host tenant-a: applications[0].{text}" for text in OF_APP]
    of_app = nested if module == "server_config" else [INSIDE + text for text in OF_APP]
    own = [] if module in ("application", "applications") else [f"Virtual host tenant-a: {text}" for text in OF_VHOST]
    return [*own, *of_app]


def options(module: str, current: Simulator, folder: Path) -> dict[str, Any]:
    """Return the options of a module with all of the settings."""
    app, vhost = copy.deepcopy(APP), copy.deepcopy({**VHOST, "applications": [APP]})
    if module == "server_config":
        return {"config_dir": str(folder), "version": NEWEST, "vhosts": [vhost]}
    own: dict[str, dict[str, Any]] = {
        "vhost": vhost,
        "vhosts": {"vhosts": [vhost]},
        "application": {"vhost": "tenant-a", **app},
        "applications": {"applications": [{"vhost": "tenant-a", **app}]},
        "provision": {"vhosts": [vhost]},
    }
    return connection(current, **own[module])


@pytest.mark.parametrize("module", ["vhost", "vhosts", "application", "applications", "provision", "server_config"])
@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("in_process", [False, True])
def test_what_protects_nothing_or_never_matches_is_warned_of(
    current: Simulator, tmp_path: Path, module: str, check_mode: bool, in_process: bool
) -> None:
    if module.startswith("application"):
        run_module("vhost", connection(current, name="tenant-a", host={"names": ["live.example.com"]}))
    given = options(module, current, tmp_path / "conf")
    if in_process:
        result = actions.run(module, given, check_mode=check_mode)
        warnings = [str(one) for one in result.get("warnings", ())]
    else:
        result = run_module(module, given, check_mode=check_mode)
        warnings = result.warnings
    assert not result.get("failed"), result
    for text in expected(module):
        assert sum(text.replace("'", "\\'") in one or text in one for one in warnings) == 1, (text, warnings)
    assert "canary" not in str(warnings)


def test_many_objects_with_the_same_setting_are_one_warning(current: Simulator) -> None:
    vhosts = [{**copy.deepcopy(VHOST), "name": f"tenant-{number}"} for number in range(30)]
    for vhost in vhosts:
        vhost["host"] = {"names": [f"{vhost['name']}.example.com"]}
    run = run_module("vhosts", connection(current, vhosts=vhosts), check_mode=True)
    about = [text for text in run.warnings if "without enables" in text]
    assert len(about) == 1 and "Each of 60 settings protects nothing without enables" in about[0]
    assert "and 55 more." in about[0]


def test_settings_that_work_are_not_warned_of(current: Simulator) -> None:
    enables = {"enables": {"publishers": ["llhls"]}}
    vhost = {
        "name": "tenant-a",
        "host": {"names": ["live.example.com", "2001:db8::1"]},
        "signed_policy": {**VHOST["signed_policy"], **enables},  # type: ignore[dict-item]
        "admission_webhooks": {**VHOST["admission_webhooks"], **enables},  # type: ignore[dict-item]
        "cross_domains": {"urls": ["*", "https://www.example.com"]},
    }
    warnings = run_module("vhost", connection(current, **vhost), check_mode=True).warnings
    assert not any("never matches" in one or "protects nothing" in one for one in warnings)


def test_a_multiplex_channel_with_a_reserved_file_name_is_warned_of(current: Simulator) -> None:
    given = connection(current, vhost="default", app="app", **copy.deepcopy(CHANNEL))
    run = run_module("multiplex_channel", given, check_mode=True)
    assert any("playlists[0].file_name 'default' contains the reserved word" in text for text in run.warnings), run


def test_an_audit_reports_them_as_findings(current: Simulator) -> None:
    given = connection(current, vhosts=[copy.deepcopy({**VHOST, "applications": [APP]})])
    found = [one["message"] for one in run_module("audit_info", given)["findings"] if one["kind"] == "concern"]
    for text in expected("audit_info"):
        assert sum(one.startswith(text) for one in found) == 1, (text, found)


def test_the_configuration_of_a_server_is_judged_by_the_same_rules(tmp_path: Path) -> None:
    managers = {
        "host": {"names": ["api.example.com:8081"]},
        "api": {"access_token": "canary-token", "cross_domains": {"urls": ["https://console.example.com/"]}},
    }
    server = {"managers": managers, "bind": {"managers": {"api": {"port": "8081"}}}}
    run = run_module("server_config", {"config_dir": str(tmp_path / "c"), "version": NEWEST, "server": server})
    assert any("server: managers.host.names[0] 'api.example.com:8081' never matches" in one for one in run.warnings)
    assert any("server: managers.api.cross_domains.urls[0]" in one for one in run.warnings)
