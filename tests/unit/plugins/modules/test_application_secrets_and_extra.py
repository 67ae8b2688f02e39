# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Providers and publishers as sets, what is passed through under `extra`, and that no secret of an application is ever
shown.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import application
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
            (
                {"ovt": None},
                [
                    ("providers.ovt", None, {}),
                    ("providers.rtmp", {}, None),
                    ("providers.srt", {"block_duplicate_stream_name": True}, None),
                ],
            ),
        ],
    )
    def test_member_on_one_side(self, simulator: Simulator, wanted: dict[str, Any], differences: list[Any]) -> None:
        make(simulator, providers={"rtmp": {}, "srt": {"blockDuplicateStreamName": True}})
        refused = run(simulator, providers=wanted)
        assert [(one["field"], one["before"], one["after"]) for one in refused["differences"]] == differences
        assert run(simulator, providers=wanted, recreate=True)["action"] == "recreated"
        assert config(simulator)["providers"].keys() == wanted.keys()
        assert config(simulator)["providers"].get("srt", {}) == (
            {"blockDuplicateStreamName": True} if "srt" in wanted else {}
        )
        assert not run(simulator, providers=wanted)["changed"]

    def test_numbers_beside_the_members_are_no_members(self, current: Simulator) -> None:
        make(current, publishers={"appWorkerCount": 4, "llhls": {}})
        assert not run(current, publishers={"llhls": {}})["changed"]

    def test_members_that_have_no_option(self) -> None:
        """`dash` is a publisher of 0.15.10 that stands under extra."""
        with Simulator(version="0.15.10") as simulator:
            make(simulator, publishers={"llhls": {}, "dash": {"segmentCount": 3}})
            assert [one["field"] for one in run(simulator, publishers={"llhls": {}})["differences"]] == [
                "publishers.extra.dash"
            ]
            assert not run(simulator, publishers={"llhls": {}, "extra": {"dash": {"segmentCount": "3"}}})["changed"]
            differing = run(simulator, publishers={"llhls": {}, "extra": {"dash": {"segmentCount": 4}}})
            assert [one["field"] for one in differing["differences"]] == ["publishers.extra"]
            assert run(simulator, publishers={"llhls": {}}, recreate=True)["action"] == "recreated"
            assert config(simulator)["publishers"] == {"llhls": {}}
            added = run(simulator, publishers={"llhls": {}, "extra": {"llDash": {}}})
            assert [(one["field"], one["after"]) for one in added["differences"]] == [("publishers.extra.llDash", {})]


class TestExtra:
    """What is passed through: only what is given is compared, and the rest is kept."""

    def test_only_given_keys_are_compared_and_the_rest_is_kept(self, current: Simulator) -> None:
        dumps = {"dump": [{"id": 1, "enable": True, "targetStreamName": "x", "outputPath": "/dumps"}]}
        llhls = {"dumps": dumps, "cacheControl": {"segmentMaxAge": 1, "chunklistMaxAge": 2}}
        make(
            current,
            publishers={"llhls": llhls},
            decodes={"video": {"hardwareAcceleration": True}, "h264hasBframes": 1},
            persistentStreams={"stream": []},
        )
        assert not run(current, publishers={"llhls": {}})["changed"]
        given = {
            "llhls": {
                "extra": {"cacheControl": {"segmentMaxAge": "1"}, "dumps": {"dump": [{"id": 1.0, "notGiven": None}]}}
            }
        }
        assert not run(current, publishers=given, extra={"decodes": {"video": {"hardwareAcceleration": "true"}}})[
            "changed"
        ]
        change: dict[str, Any] = {"publishers": {"llhls": {"extra": {"cacheControl": {"segmentMaxAge": 9}}}}}
        assert [one["field"] for one in run(current, **change)["differences"]] == ["publishers.llhls.extra"]
        change["extra"] = {"decodes": {"video": {"hardwareAcceleration": False}}}
        assert [one["field"] for one in run(current, **change)["differences"]] == ["publishers.llhls.extra", "extra"]
        assert run(current, **change, recreate=True)["action"] == "recreated"
        assert config(current)["publishers"]["llhls"] == {
            "dumps": dumps,
            "cacheControl": {"segmentMaxAge": 9, "chunklistMaxAge": 2},
        }
        assert config(current)["decodes"] == {"video": {"hardwareAcceleration": False}, "h264hasBframes": 1}
        assert config(current)["persistentStreams"] == {"stream": []}

    def test_lists_are_compared_whole(self, current: Simulator) -> None:
        one, two = ({"name": name, "originStreamName": f"o{name}", "fallbackStreamName": f"f{name}"} for name in "12")
        make(current, persistentStreams={"stream": [one, two]})
        assert not run(current, extra={"persistentStreams": {"stream": [{**one, "name": 1}, {"name": 2.0}]}})["changed"]
        for other in ([one], [two, one], [one, two, two], {"a": 1}, 1):
            refused = run(current, extra={"persistentStreams": {"stream": other}})
            assert [difference["field"] for difference in refused["differences"]] == ["extra"]

    def test_nulls_are_not_given(self, current: Simulator) -> None:
        make(current)
        assert not run(current, extra={"persistentStreams": None})["changed"]
        made = running_modules.run_module(
            "application",
            connection(
                current,
                vhost="t-v",
                name="other",
                extra={"decodes": {"video": None}, "persistentStreams": {"a": None, "stream": [None, STREAM]}},
            ),
        )
        assert made["action"] == "created"
        there = current.state.virtual_hosts["t-v"].applications["other"].config
        assert there["persistentStreams"] == {"stream": [STREAM]} and there["decodes"] == {}

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
                {
                    "output_profiles": {
                        "output_profile": [{"name": "x", "encodes": {"videos": [{"extra": {"bFrames": 1}}]}}]
                    }
                },
                "output_profiles.output_profile[0].encodes.videos[0].extra.bFrames",
            ),
            ({"extra": {"a": "********"}}, "extra.a"),
            ({"extra": {"a": ["https://********@h"]}}, "extra.a[0]"),
            ({"transcode_webhook": {"secret_key": "********"}}, "transcode_webhook.secret_key"),
            (
                {"transcode_webhook": {"control_server_url": "https://********@h"}},
                "transcode_webhook.control_server_url",
            ),
            ({"providers": {}}, "providers"),
            ({"publishers": {"extra": {}}}, "publishers"),
        ],
    )
    def test_refused_with_the_full_path(
        self, current: Simulator, module: str, options: dict[str, Any], path: str
    ) -> None:
        given: dict[str, Any] = {"name": "live", **options}
        if module == "application":
            prefix, given = "", {"vhost": "t-v", **given}
        elif module == "applications":
            prefix, given = (
                "applications[1].",
                {"applications": [{"vhost": "t-v", "name": "fine"}, {"vhost": "t-v", **given}]},
            )
        else:
            prefix, given = (
                "vhosts[0].applications[0].",
                {"vhosts": [{"name": "t-v", "host": {"names": ["x"]}, "applications": [given]}]},
            )
        for check_mode in (True, False):
            result = running_modules.run_module(module, connection(current, **given), check_mode=check_mode)
            assert result.failed and result["msg"].startswith(f"{prefix}{path}: "), result["msg"]
            assert result["error"]["kind"] == "bad_input" and current.log == []

    @pytest.mark.parametrize(("levels", "fine"), ((16, True), (17, False)))
    def test_depth(self, current: Simulator, levels: int, fine: bool) -> None:
        """Such as a newer server may take: what this one does not know it refuses itself."""
        make_virtual_host(current, "t-v")
        current.clear_log()
        result = run(current, extra={"persistentStreams": self.deep(levels - 1)})
        assert result.failed and ("expected at most 16 levels" in result["msg"]) is not fine
        assert ("Unknown item found" in result["msg"]) is bool(current.log) is fine

    @pytest.mark.parametrize("number", (9007199254740993, 1e300, "nan", "inf", "1_000", "0x10"))
    def test_strange_numbers(self, current: Simulator, number: Any) -> None:
        make_virtual_host(current, "t-v")
        for action in ("created", "unchanged"):
            assert run(current, extra={"decodes": {"h264hasBframes": number}})["action"] == action
        if isinstance(number, int):
            assert run(current, extra={"decodes": {"h264hasBframes": number - 1}})["differences"] != []


STREAM = {"name": "main", "originStreamName": "one", "fallbackStreamName": "two"}
DUMP: dict[str, Any] = {"id": "d", "enable": True, "targetStreamName": "main", "playlists": {"playlist": ["all"]}}

SECRET_APP: dict[str, Any] = {
    "transcode_webhook": {
        "enable": True,
        "control_server_url": "https://me:canary-user@hooks.example.com/x?token=canary-query",
        "secret_key": "canary-secret-key",
    },
    "publishers": {
        "llhls": {
            "extra": {
                "defaultQueryString": {
                    "queries": [
                        {"key": "apiToken", "value": "canary-token"},
                        {"key": "password", "value": "canary-password"},
                        {"key": "streamKey", "value": "canary-stream-key"},
                        {"key": "keyframe", "value": "shown"},
                    ]
                },
                "dumps": {"dump": [{**DUMP, "outputPath": "rtmp://h/app/canary-in-url"}]},
            }
        }
    },
}
BY_NAME: dict[str, Any] = {
    "apiToken": "canary-api-token",
    "login": {"password": "canary-login", "authenticate": True, "keyframe": "shown"},
    "outputs": [{"url": "rtmp://h/app/canary-output", "auth": {"secret": "canary-deep"}}],
    "keys": [{"signingKey": 2**53, "frames": 30}],
}
"""What other releases may take: names that sound like secrets, and URLs, at any depth."""
BY_NAME_SECRETS = ("canary", str(2**53))

WIRE: dict[str, Any] = {
    "transcodeWebhook": {
        "enable": True,
        "controlServerUrl": "https://me:canary-user@hooks.example.com/x?token=canary-query",
        "secretKey": "canary-secret-key",
    },
    "publishers": {"llhls": copy.deepcopy(SECRET_APP["publishers"]["llhls"]["extra"])},
}


def modules_with(app: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The same application by each module that can make it."""
    nested = {key: value for key, value in app.items() if key != "vhost"}
    vhost = {"name": "t-v", "host": {"names": ["t-v.example.com"]}, "applications": [nested]}
    return [
        ("application", app),
        ("applications", {"applications": [app]}),
        ("vhost", vhost),
        ("vhosts", {"vhosts": [vhost]}),
    ]


class TestSecrets:
    """Neither those that were given nor those that only the server has are in any output, `invocation` included."""

    @pytest.mark.parametrize("number", range(4))
    def test_given(self, current: Simulator, number: int) -> None:
        module, options = modules_with({**BASE, **SECRET_APP})[number]
        make_virtual_host(current, "t-v")
        other = copy.deepcopy({**BASE, **SECRET_APP})
        other["transcode_webhook"]["secret_key"] = "canary-other-key"
        other["publishers"]["llhls"]["extra"]["defaultQueryString"]["queries"][0]["value"] = "canary-other-token"
        changed = modules_with(other)[number][1]
        for given, action in (
            (options, "created"),
            (options, "unchanged"),
            (changed, "failed"),
            ({**changed, "recreate": True}, "recreated"),
        ):
            for check_mode in (True, False):
                result = running_modules.run_module(module, connection(current, **given), check_mode=check_mode)
                assert "canary" not in result.printed and "module_args" in result.get("invocation", {"module_args": 1})
                assert action in result.printed
        assert config(current)["transcodeWebhook"]["secretKey"] == "canary-other-key"

    @pytest.mark.parametrize("number", range(4))
    def test_only_on_the_server(self, current: Simulator, number: int) -> None:
        make(current, **WIRE)
        module, change = modules_with({**BASE, "type": "vod"})[number]
        current.inject(
            "status",
            method="POST",
            path=APPS,
            status=500,
            skip=1,
            message="refused canary-secret-key and canary-token and rtmp://h/app/canary-in-url",
        )
        runs = [
            running_modules.run_module(module, connection(current, **change), check_mode=check_mode)
            for check_mode in (True, False)
        ]
        runs += [
            running_modules.run_module(module, connection(current, **change, recreate=True), check_mode=check_mode)
            for check_mode in (True, False)
        ]
        assert "refused" in runs[-1]["msg"]
        absent = (
            {"vhosts": [{"name": "t-v"}]} if module == "vhosts" else {"name": "t-v"} if module == "vhost" else change
        )
        runs += [
            running_modules.run_module(module, connection(current, **absent, state="absent"), check_mode=check_mode)
            for check_mode in (True, False)
        ]
        assert all("canary" not in result.printed for result in runs)

    def test_info(self, current: Simulator) -> None:
        make(current, **WIRE)
        masked = running_modules.run_module("application_info", connection(current, vhost="t-v"))
        assert "canary" not in masked.printed
        extra = masked["applications"][0]["publishers"]["llhls"]["extra"]
        values = {pair["key"]: pair["value"] for pair in extra["defaultQueryString"]["queries"]}
        assert values == {**dict.fromkeys(("apiToken", "password", "streamKey"), "********"), "keyframe": "shown"}
        assert extra["dumps"]["dump"] == [{**DUMP, "outputPath": "rtmp://h/app/********"}]
        shown = running_modules.run_module("application_info", connection(current, vhost="t-v", show_secrets=True))[
            "applications"
        ][0]
        assert {name: shown[name] for name in SECRET_APP} == {**SECRET_APP}
        refused = running_modules.run_module("applications", connection(current, applications=masked["applications"]))
        assert refused["error"]["kind"] == "bad_input" and "show_secrets" in refused["msg"]

    @pytest.mark.parametrize("number", range(4))
    def test_given_under_names_that_the_server_refuses(self, current: Simulator, number: int) -> None:
        module, options = modules_with({**BASE, "publishers": {"llhls": {"extra": BY_NAME}}, "extra": BY_NAME})[number]
        make_virtual_host(current, "t-v")
        for check_mode in (True, False):
            result = running_modules.run_module(module, connection(current, **options), check_mode=check_mode)
            assert result.failed is not check_mode and ("Unknown item found" in result.printed) is not check_mode
            assert not [secret for secret in BY_NAME_SECRETS if secret in result.printed]

    @pytest.mark.parametrize("number", range(4))
    def test_only_on_the_server_under_names_that_are_not_known(self, current: Simulator, number: int) -> None:
        """A newer server has them; the modules show them in results, diffs and differences."""
        make_virtual_host(current, "t-v")
        there = {
            "name": "live",
            "type": "live",
            "publishers": {"llhls": copy.deepcopy(BY_NAME)},
            **copy.deepcopy(BY_NAME),
        }
        current.state.create_application(current.state.virtual_hosts["t-v"], there)
        changed = {**BY_NAME, "login": {"password": "canary-new"}}
        module, change = modules_with({**BASE, "publishers": {"llhls": {"extra": changed}}, "extra": changed})[number]
        runs = [
            running_modules.run_module(module, connection(current, **change), check_mode=check_mode)
            for check_mode in (True, False)
        ]
        runs.append(running_modules.run_module(module, connection(current, **change, recreate=True), check_mode=True))
        assert "******** (changed)" in runs[-1].printed
        runs.append(running_modules.run_module("application_info", connection(current, vhost="t-v")))
        extra = runs[-1]["applications"][0]["extra"]
        assert extra == {
            "apiToken": "********",
            "login": {"password": "********", "authenticate": True, "keyframe": "shown"},
            "outputs": [{"url": "rtmp://h/app/********", "auth": {"secret": "********"}}],
            "keys": [{"signingKey": "********", "frames": 30}],
        }
        runs.append(running_modules.run_module(module, connection(current, **change, recreate=True)))
        assert not [secret for result in runs for secret in BY_NAME_SECRETS if secret in result.printed]

    @pytest.mark.parametrize(
        "options", ({"providers": "canary"}, {"transcode_webhook": {"secret_keyy": "canary"}}, {"extra": ["canary"]})
    )
    def test_options_of_wrong_form(self, current: Simulator, options: dict[str, Any]) -> None:
        for module, given in modules_with({**BASE, **SECRET_APP, **options}):
            result = running_modules.run_module(module, connection(current, **given))
            assert result.failed and current.log == []
            assert "canary-" not in result.printed


@pytest.mark.parametrize(
    ("profile", "lacking"),
    [
        ({"name": "x"}, "output_profiles.output_profile[0].output_stream_name"),
        (
            {"name": "x", "output_stream_name": "y", "encodes": {"videos": [{"codec": "h264"}]}},
            "output_profiles.output_profile[0].encodes.videos[0].bitrate",
        ),
        (
            {"name": "x", "output_stream_name": "y", "encodes": {"audios": [{"bitrate": 1}]}},
            "output_profiles.output_profile[0].encodes.audios[0].codec",
        ),
    ],
)
def test_incomplete_profiles_are_refused_before_anything_is_touched(
    current: Simulator, profile: dict[str, Any], lacking: str
) -> None:
    make_virtual_host(current, "t-v")
    for _round in range(2):
        current.clear_log()
        for check_mode in (True, False):
            result = run(current, output_profiles={"output_profile": [profile]}, recreate=True, check_mode=check_mode)
            assert (
                result.failed and result["error"]["kind"] == "bad_input" and f"{lacking}: is required" in result["msg"]
            )
            assert not [record for record in current.writes if record.body != []]
        run(current)


def test_full_application_hides_its_secrets(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    for check_mode in (True, False):
        assert (
            "canary"
            not in running_modules.run_module(
                "application", connection(simulator, **application(simulator)), check_mode=check_mode
            ).printed
        )
