# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Providers and publishers as sets, what is passed through under `extra`, and that no secret of an application is ever shown."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.modules.faults import Fault
from ansible_collections.streamops.ovenmediaengine.tests.unit.modules.samples import application
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host, post

APPS = "/v1/vhosts/t-v/apps"
BASE: dict[str, Any] = {"vhost": "t-v", "name": "live"}


def run(simulator: Simulator, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
    return running_modules.run_module("application", connection(simulator, **BASE, **options), check_mode=check_mode)


def config(simulator: Simulator) -> dict[str, Any]:
    return simulator.state.virtual_hosts["t-v"].applications["live"].config


def make(simulator: Simulator, **fields: Any) -> None:
    make_virtual_host(simulator, "t-v")
    post(simulator, APPS, [{"name": "live", "type": "live", **fields}])


class TestSets:
    """One that is there and not listed is a difference, one that is listed and not there, too."""

    @pytest.mark.parametrize(
        ("wanted", "differences"),
        [
            ({"rtmp": {}}, [("providers.srt", {"block_duplicate_stream_name": True}, None)]),
            ({"srt": {}, "rtmp": None, "ovt": {}}, [("providers.ovt", None, {})]),
            ({"ovt": None}, [("providers.ovt", None, {}), ("providers.rtmp", {}, None), ("providers.srt", {"block_duplicate_stream_name": True}, None)]),
        ],
    )
    def test_member_on_one_side(self, simulator: Simulator, wanted: dict[str, Any], differences: list[Any]) -> None:
        make(simulator, providers={"rtmp": {}, "srt": {"blockDuplicateStreamName": True}})
        refused = run(simulator, providers=wanted)
        assert [(one["field"], one["before"], one["after"]) for one in refused["differences"]] == differences
        assert run(simulator, providers=wanted, recreate=True)["action"] == "recreated"
        assert config(simulator)["providers"].keys() == wanted.keys()
        assert config(simulator)["providers"].get("srt", {}) == ({"blockDuplicateStreamName": True} if "srt" in wanted else {})
        assert not run(simulator, providers=wanted)["changed"]

    def test_numbers_beside_the_members_are_no_members(self, current: Simulator) -> None:
        make(current, publishers={"appWorkerCount": 4, "llhls": {}})
        assert not run(current, publishers={"llhls": {}})["changed"]

    def test_members_that_have_no_option(self) -> None:
        """`dash` is a publisher of 0.15.10 that stands under extra."""
        with Simulator(version="0.15.10") as simulator:
            make(simulator, publishers={"llhls": {}, "dash": {"segmentCount": 3}})
            assert [one["field"] for one in run(simulator, publishers={"llhls": {}})["differences"]] == ["publishers.extra.dash"]
            assert not run(simulator, publishers={"llhls": {}, "extra": {"dash": {"segmentCount": "3"}}})["changed"]
            differing = run(simulator, publishers={"llhls": {}, "extra": {"dash": {"segmentCount": 4}}})
            assert [one["field"] for one in differing["differences"]] == ["publishers.extra"]
            assert run(simulator, publishers={"llhls": {}}, recreate=True)["action"] == "recreated"
            assert config(simulator)["publishers"] == {"llhls": {}}
            added = run(simulator, publishers={"llhls": {}, "extra": {"llDash": {}}})
            assert [(one["field"], one["after"]) for one in added["differences"]] == [("publishers.extra.llDash", {})]


class TestExtra:
    """What is passed through: only what is given is compared, and the rest is kept."""

    def test_only_given_keys_are_compared_and_the_rest_is_kept(self, later: Simulator) -> None:
        dumps = {"dump": [{"id": 1}], "interval": 5}
        make(later, publishers={"llhls": {"laterDumps": dumps, "laterCache": {"a": {"b": 1, "c": 2}}}}, laterStreams={"stream": []})
        assert not run(later, publishers={"llhls": {}})["changed"]
        given = {"llhls": {"extra": {"laterCache": {"a": {"b": "1"}}, "laterDumps": {"interval": 5.0, "notGiven": None}}}}
        assert not run(later, publishers=given)["changed"]
        change = {"llhls": {"extra": {"laterCache": {"a": {"b": 9}}}}}
        assert [one["field"] for one in run(later, publishers=change)["differences"]] == ["publishers.llhls.extra"]
        assert run(later, publishers=change, recreate=True)["action"] == "recreated"
        assert config(later)["publishers"]["llhls"] == {"laterDumps": dumps, "laterCache": {"a": {"b": 9, "c": 2}}}
        assert config(later)["laterStreams"] == {"stream": []}

    def test_lists_are_compared_whole(self, later: Simulator) -> None:
        make(later, laterStreams={"stream": [1, 2]})
        assert not run(later, extra={"laterStreams": {"stream": ["1", 2.0]}})["changed"]
        for other in ([1], [2, 1], [1, 2, 3], {"a": 1}, 1):
            assert [one["field"] for one in run(later, extra={"laterStreams": {"stream": other}})["differences"]] == ["extra"]

    def test_nulls_are_not_given(self, later: Simulator) -> None:
        make(later)
        assert not run(later, extra={"laterStreams": None})["changed"]
        made = running_modules.run_module("application", connection(later, vhost="t-v", name="other", extra={"laterStreams": {"a": None, "b": [None, 1]}}))
        assert made["action"] == "created"
        assert later.state.virtual_hosts["t-v"].applications["other"].config["laterStreams"] == {"b": [1]}

    def deep(self, levels: int) -> Any:
        return {"a": self.deep(levels - 1)} if levels else 1

    @pytest.mark.parametrize("module", ("application", "applications", "vhosts"))
    @pytest.mark.parametrize(
        ("options", "path"),
        [
            ({"extra": {"%s": 1}}, "extra.'%s'"),
            ({"extra": {"a": {"b-c": 1}}}, "extra.a.'b-c'"),
            ({"extra": {"a": [{"ä": 1}]}}, "extra.a[0].'ä'"),
            ({"extra": {"": 1}}, "extra.''"),
            ({"extra": {"a b": None, "x": {"a b": 1}}}, "extra.x.'a b'"),
            ({"extra": {"outputProfiles": {}}}, "extra.outputProfiles"),
            ({"extra": {"type": "vod"}}, "extra.type"),
            ({"providers": {"extra": {"rtspPull": {}}}}, "providers.extra.rtspPull"),
            ({"publishers": {"llhls": {"extra": {"dVR": {}}}}}, "publishers.llhls.extra.dVR"),
            ({"publishers": {"llhls": {"extra": {"%d": {}}}}}, "publishers.llhls.extra.'%d'"),
            (
                {"output_profiles": {"output_profile": [{"name": "x", "encodes": {"videos": [{"extra": {"bFrames": 1}}]}}]}},
                "output_profiles.output_profile[0].encodes.videos[0].extra.bFrames",
            ),
            ({"extra": {"a": "********"}}, "extra.a"),
            ({"extra": {"a": ["https://********@h"]}}, "extra.a[0]"),
            ({"transcode_webhook": {"secret_key": "********"}}, "transcode_webhook.secret_key"),
            ({"transcode_webhook": {"control_server_url": "https://********@h"}}, "transcode_webhook.control_server_url"),
            ({"providers": {}}, "providers"),
            ({"publishers": {"extra": {}}}, "publishers"),
        ],
    )
    def test_refused_with_the_full_path(self, later: Simulator, module: str, options: dict[str, Any], path: str) -> None:
        given: dict[str, Any] = {"name": "live", **options}
        if module == "application":
            prefix, given = "", {"vhost": "t-v", **given}
        elif module == "applications":
            prefix, given = "applications[1].", {"applications": [{"vhost": "t-v", "name": "fine"}, {"vhost": "t-v", **given}]}
        else:
            prefix, given = "vhosts[0].applications[0].", {"vhosts": [{"name": "t-v", "host": {"names": ["x"]}, "applications": [given]}]}
        for check_mode in (True, False):
            result = running_modules.run_module(module, connection(later, **given), check_mode=check_mode)
            assert result.failed and result["msg"].startswith(f"{prefix}{path}: "), result["msg"]
            assert result["error"]["kind"] == "bad_input" and later.log == []

    @pytest.mark.parametrize(("levels", "fine"), ((16, True), (17, False)))
    def test_depth(self, later: Simulator, levels: int, fine: bool) -> None:
        make_virtual_host(later, "t-v")
        result = run(later, extra={"laterStreams": self.deep(levels - 1)})
        assert result.failed is not fine
        assert fine or "expected at most 16 levels" in result["msg"]

    @pytest.mark.parametrize("number", (9007199254740993, 1e300, "nan", "inf", "1_000", "0x10"))
    def test_strange_numbers(self, later: Simulator, number: Any) -> None:
        make_virtual_host(later, "t-v")
        for action in ("created", "unchanged"):
            assert run(later, extra={"laterStreams": number})["action"] == action
        if isinstance(number, int):
            assert run(later, extra={"laterStreams": number - 1})["differences"] != []


SECRET_APP: dict[str, Any] = {
    "transcode_webhook": {
        "enable": True,
        "control_server_url": "https://me:planted-user@hooks.example.com/x?token=planted-query",
        "secret_key": "planted-secret-key",
    },
    "publishers": {
        "llhls": {
            "extra": {
                "laterQuery": {"apiToken": "planted-token", "password": "planted-password", "streamKey": "planted-stream-key", "keyframe": "shown"},
                "laterDumps": {"dump": [{"url": "rtmp://h/app/planted-in-url", "auth": {"secret": "planted-deep"}, "authenticate": True}]},
            }
        }
    },
}
WIRE: dict[str, Any] = {
    "transcodeWebhook": {
        "enable": True,
        "controlServerUrl": "https://me:planted-user@hooks.example.com/x?token=planted-query",
        "secretKey": "planted-secret-key",
    },
    "publishers": {"llhls": copy.deepcopy(SECRET_APP["publishers"]["llhls"]["extra"])},
}


def modules_with(app: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The same application by each module that can make it."""
    nested = {key: value for key, value in app.items() if key != "vhost"}
    vhost = {"name": "t-v", "host": {"names": ["t-v.example.com"]}, "applications": [nested]}
    return [("application", app), ("applications", {"applications": [app]}), ("vhost", vhost), ("vhosts", {"vhosts": [vhost]})]


class TestSecrets:
    """Neither those that were given nor those that only the server has are in any output, `invocation` included."""

    @pytest.mark.parametrize("number", range(4))
    def test_given(self, later: Simulator, number: int) -> None:
        module, options = modules_with({**BASE, **SECRET_APP})[number]
        make_virtual_host(later, "t-v")
        other = copy.deepcopy({**BASE, **SECRET_APP})
        other["transcode_webhook"]["secret_key"] = "planted-other-key"
        other["publishers"]["llhls"]["extra"]["laterQuery"]["apiToken"] = "planted-other-token"
        changed = modules_with(other)[number][1]
        for given, action in ((options, "created"), (options, "unchanged"), (changed, "failed"), ({**changed, "recreate": True}, "recreated")):
            for check_mode in (True, False):
                result = running_modules.run_module(module, connection(later, **given), check_mode=check_mode)
                assert "planted" not in result.printed and "module_args" in result.get("invocation", {"module_args": 1})
                assert action in result.printed
        assert config(later)["transcodeWebhook"]["secretKey"] == "planted-other-key"

    @pytest.mark.parametrize("number", range(4))
    def test_only_on_the_server(self, later: Simulator, number: int) -> None:
        make(later, **WIRE)
        module, change = modules_with({**BASE, "type": "vod"})[number]
        Fault(later, "POST", APPS, skip=1, status=500, message="refused planted-secret-key and planted-token and rtmp://h/app/planted-in-url")
        runs = [running_modules.run_module(module, connection(later, **change), check_mode=check_mode) for check_mode in (True, False)]
        runs += [running_modules.run_module(module, connection(later, **change, recreate=True), check_mode=check_mode) for check_mode in (True, False)]
        assert "refused" in runs[-1]["msg"]
        absent = {"vhosts": [{"name": "t-v"}]} if module == "vhosts" else {"name": "t-v"} if module == "vhost" else change
        runs += [running_modules.run_module(module, connection(later, **absent, state="absent"), check_mode=check_mode) for check_mode in (True, False)]
        assert all("planted" not in result.printed for result in runs)

    def test_info(self, later: Simulator) -> None:
        make(later, **WIRE)
        masked = running_modules.run_module("application_info", connection(later, vhost="t-v"))
        assert "planted" not in masked.printed
        extra = masked["applications"][0]["publishers"]["llhls"]["extra"]
        assert extra["laterQuery"] == {**dict.fromkeys(("apiToken", "password", "streamKey"), "********"), "keyframe": "shown"}
        assert extra["laterDumps"]["dump"] == [{"url": "rtmp://h/app/********", "auth": {"secret": "********"}, "authenticate": True}]
        shown = running_modules.run_module("application_info", connection(later, vhost="t-v", show_secrets=True))["applications"][0]
        assert {name: shown[name] for name in SECRET_APP} == {**SECRET_APP}
        refused = running_modules.run_module("applications", connection(later, applications=masked["applications"]))
        assert refused["error"]["kind"] == "bad_input" and "show_secrets" in refused["msg"]

    @pytest.mark.parametrize("options", ({"providers": "planted"}, {"transcode_webhook": {"secret_keyy": "planted"}}, {"extra": ["planted"]}))
    def test_options_of_wrong_form(self, later: Simulator, options: dict[str, Any]) -> None:
        for module, given in modules_with({**BASE, **SECRET_APP, **options}):
            result = running_modules.run_module(module, connection(later, **given))
            assert result.failed and later.log == []
            assert "planted-" not in result.printed


@pytest.mark.parametrize(
    ("profile", "lacking"),
    [
        ({"name": "x"}, "output_profiles.output_profile[0].output_stream_name"),
        ({"name": "x", "output_stream_name": "y", "encodes": {"videos": [{"codec": "h264"}]}}, "output_profiles.output_profile[0].encodes.videos[0].bitrate"),
        ({"name": "x", "output_stream_name": "y", "encodes": {"audios": [{"bitrate": 1}]}}, "output_profiles.output_profile[0].encodes.audios[0].codec"),
    ],
)
def test_incomplete_profiles_are_refused_before_anything_is_touched(current: Simulator, profile: dict[str, Any], lacking: str) -> None:
    make_virtual_host(current, "t-v")
    for _round in range(2):
        current.clear_log()
        for check_mode in (True, False):
            result = run(current, output_profiles={"output_profile": [profile]}, recreate=True, check_mode=check_mode)
            assert result.failed and result["error"]["kind"] == "bad_input" and f"{lacking}: is required" in result["msg"]
            assert not [record for record in current.writes if record.body != []]
        run(current)


def test_full_application_hides_its_secrets(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    for check_mode in (True, False):
        assert "planted" not in running_modules.run_module("application", connection(simulator, **application(simulator)), check_mode=check_mode).printed
