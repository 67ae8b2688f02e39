# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applications in every spelling: what was applied once is never changed again, and what is read is valid input."""

from __future__ import annotations

import copy
from typing import Any

import hypothesis.strategies as st
import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RELEASES, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.application_strategies import (
    Shuffle,
    applications,
    respell,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.conftest import VERSIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import application, push_publisher
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host
from hypothesis import HealthCheck, Phase, given, settings

# Not made smaller where they fail, as each is a talk with a server.
EXAMPLES = settings(
    max_examples=8, deadline=None, phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module", params=VERSIONS)
def server(request: pytest.FixtureRequest) -> Any:
    """One simulator a version for all examples; it is emptied by a restart before each."""
    with Simulator(version=request.param, stop_delay=0.0) as running:
        yield running
        assert not running.died


def unchanged(server: Simulator, module: str = "applications", **options: Any) -> None:
    """Neither check mode nor a real run finds anything to do."""
    server.clear_log()
    for check_mode in (True, False):
        run = running_modules.run_module(module, connection(server, **options), check_mode=check_mode)
        assert not run.failed and not run["changed"] and run["diff"] == {"before": {}, "after": {}}, run
    assert server.writes == []


def shuffles() -> st.SearchStrategy[Shuffle]:
    return st.randoms(use_true_random=False).map(lambda random: lambda items: random.sample(items, len(items)))


@EXAMPLES
@given(data=st.data(), shuffle=shuffles())
def test_applications_are_never_changed_without_need(server: Simulator, data: st.DataObject, shuffle: Shuffle) -> None:
    server.restart()
    make_virtual_host(server, "t-v")
    one = applications(server.state.version.keys)
    wanted = data.draw(st.lists(one, min_size=1, max_size=2, unique_by=lambda app: app["name"]))
    made = running_modules.run_module("applications", connection(server, applications=wanted))
    assert not made.failed and made["changed"], made
    unchanged(server, applications=shuffle([respell(copy.deepcopy(app), shuffle) for app in wanted]))
    # What is read, secrets and all, is valid input that changes nothing; that of the configuration file, too.
    found = running_modules.run_module("application_info", connection(server, show_secrets=True))
    assert {app["name"] for app in wanted} == {app["name"] for app in found["applications"] if app["vhost"] == "t-v"}
    unchanged(server, applications=found["applications"])


@EXAMPLES
@given(data=st.data(), shuffle=shuffles())
def test_applications_of_the_configuration_file_are_never_changed_without_need(
    server: Simulator, data: st.DataObject, shuffle: Shuffle
) -> None:
    """Their numbers and booleans are text from version 0.16 on."""
    server.restart()
    make_virtual_host(server, "t-v")
    wanted = data.draw(applications(server.state.version.keys))
    running_modules.run_module("application", connection(server, **wanted))
    posted = server.state.virtual_hosts["t-v"].applications[wanted["name"]].config
    with Simulator(version=server.state.version.name) as configured:
        configured.add_static_virtual_host({"name": "t-v", "host": {"names": ["x"]}}, [posted])
        unchanged(configured, applications=[wanted])
        unchanged(configured, "application", **respell(wanted, shuffle))
        found = running_modules.run_module("application_info", connection(configured, vhost="t-v", show_secrets=True))
        unchanged(configured, applications=found["applications"])


def test_full_application(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    running_modules.run_module("application", connection(simulator, **application(simulator)))
    unchanged(simulator, "application", **respell(application(simulator), lambda items: items[::-1]))


def test_what_the_server_fills_in_is_no_difference(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    bare = {"vhost": "t-v", "name": "live"}
    assert running_modules.run_module("application", connection(simulator, **bare))["action"] == "created"
    unchanged(simulator, "application", **bare)
    found = running_modules.run_module("application_info", connection(simulator, vhost="t-v", names=["live"]))[
        "applications"
    ]
    assert [profile["name"] for profile in found[0]["output_profiles"]["output_profile"]] == ["default"]
    unchanged(simulator, applications=found)


@pytest.mark.parametrize(
    "members", ({"rtmp": None, "srt": {}}, {"srt": None, "rtmp": None}, {"srt": {}, "rtmp": {"max_connection": None}})
)
def test_bare_members_are_members(simulator: Simulator, members: dict[str, Any]) -> None:
    make_virtual_host(simulator, "t-v")
    for action in ("created", "unchanged"):
        run = running_modules.run_module(
            "application",
            connection(simulator, vhost="t-v", name="live", providers=members, publishers={"llhls": None}),
        )
        assert run["action"] == action
    assert simulator.state.virtual_hosts["t-v"].applications["live"].config["providers"] == {"rtmp": {}, "srt": {}}


@pytest.mark.parametrize(
    ("option", "default"),
    [
        ("type", "live"),
        (
            "publishers",
            {
                "llhls": {"create_default_playlist": True, "enable_preload_hint": True, "dvr": {"enable": False}},
                "webrtc": {"timeout": 30000},
            },
        ),
        (
            "publishers",
            {"llhls": {}, "webrtc": {}, "app_worker_count": 1, "stream_worker_count": 8, "delay_buffer_time_ms": 0},
        ),
        ("providers", {"webrtc": {"timeout": 30000}, "rtmp": {"passthrough_output_profile": False}}),
        ("output_profiles", {"hardware_acceleration": False, "hwaccels": {"decoder": {"enable": False}}}),
        (
            "output_profiles",
            {
                "output_profile": [
                    {
                        "name": "p",
                        "output_stream_name": "s",
                        "encodes": {"videos": [{"name": "v", "bypass": True, "b_frames": 0}]},
                    }
                ]
            },
        ),
    ],
)
def test_absent_fields_equal_the_servers_defaults(current: Simulator, option: str, default: Any) -> None:
    make_virtual_host(current, "t-v")
    bare = {
        "vhost": "t-v",
        "name": "live",
        "providers": {"webrtc": {}, "rtmp": {}},
        "publishers": {"llhls": {}, "webrtc": {}},
        "output_profiles": {
            "output_profile": [
                {"name": "p", "output_stream_name": "s", "encodes": {"videos": [{"name": "v", "bypass": True}]}}
            ]
        },
    }
    running_modules.run_module("application", connection(current, **bare))
    unchanged(current, "application", **{"vhost": "t-v", "name": "live", option: default})


# The block of the server's own sample configuration (misc/conf_examples/Server.xml of 0.20.0), with the parts that it
# has in comments: several renditions beside the bypass, the Push, FILE and Thumbnail publishers.
SAMPLE: dict[str, Any] = {
    "vhost": "t-v",
    "name": "app",
    "type": "live",
    "output_profiles": {
        "decodes": {"thread_count": 2, "only_keyframes": False},
        "hwaccels": {"decoder": {"enable": False}, "encoder": {"enable": False, "modules": "nv"}},
        "output_profile": [
            {
                "name": "bypass_stream",
                "output_stream_name": "${OriginStreamName}",
                "playlists": [
                    {
                        "name": "default",
                        "file_name": "master",
                        "options": {
                            "web_rtc_auto_abr": True,
                            "hls_chunklist_path_depth": 0,
                            "enable_ts_packaging": True,
                        },
                        "rendition_templates": [
                            {
                                "name": "${Height}p",
                                "video_template": {
                                    "encoding_type": "all",
                                    "max_width": 1080,
                                    "min_height": 240,
                                    "max_framerate": 30,
                                },
                                "audio_template": {"encoding_type": "all", "max_bitrate": 128000},
                            }
                        ],
                    }
                ],
                "encodes": {
                    "videos": [
                        {"name": "bypass_video", "bypass": True},
                        {
                            "name": "video_1280",
                            "codec": "h264",
                            "bitrate": 5024000,
                            "width": 1920,
                            "height": 1080,
                            "framerate": 30,
                            "key_frame_interval": 30,
                            "b_frames": 0,
                            "preset": "faster",
                        },
                        {
                            "name": "video_720",
                            "codec": "h264",
                            "bitrate": 2024000,
                            "width": 1280,
                            "height": 720,
                            "framerate": 30,
                            "key_frame_interval": 30,
                            "b_frames": 0,
                            "preset": "faster",
                        },
                        {
                            "name": "conditional_video_encoding",
                            "codec": "h264",
                            "bitrate": 2024000,
                            "width": 1280,
                            "height": 720,
                            "framerate": 30,
                            "bypass_if_match": {
                                "codec": "eq",
                                "framerate": "lte",
                                "width": "lte",
                                "height": "lte",
                                "sar": "eq",
                            },
                        },
                    ],
                    "audios": [
                        {
                            "name": f"{codec}_audio",
                            "codec": codec,
                            "bitrate": 128000,
                            "samplerate": 48000,
                            "channel": 2,
                            "bypass_if_match": {"codec": "eq"},
                        }
                        for codec in ("aac", "opus")
                    ],
                },
            }
        ],
    },
    "providers": {
        "ovt": None,
        "rtmp": None,
        "srt": None,
        "mpegts": {"extra": {"streams": [{"name": "stream_${Port}", "port": 4000}]}},
        "rtsp_pull": None,
        "webrtc": {"timeout": 30000, "cross_domains": {"urls": ["*"]}},
        "schedule": {
            "media_root_dir": "/opt/ovenmediaengine/media",
            "schedule_files_dir": "/opt/ovenmediaengine/media",
        },
    },
    "publishers": {
        "app_worker_count": 1,
        "stream_worker_count": 8,
        "ovt": None,
        "webrtc": {
            "timeout": 30000,
            "rtx": False,
            "ulpfec": False,
            "jitter_buffer": False,
            "create_default_playlist": True,
        },
        "llhls": {
            "chunk_duration": 0.5,
            "part_hold_back": 1.5,
            "segment_duration": 6,
            "segment_count": 10,
            "dvr": {"enable": False, "temp_storage_path": "/tmp/ome_dvr/", "max_duration": 3600},
            "drm": {"enable": False, "info_file": "path/to/file.xml"},
            "cross_domains": {"urls": ["*"]},
            "create_default_playlist": True,
        },
        "hls": {
            "segment_count": 4,
            "segment_duration": 4,
            "cross_domains": {"urls": ["*"]},
            "create_default_playlist": True,
        },
        "push": {"stream_map": {"enable": False, "path": "path/to/file.xml"}},
        "file": {"root_path": "/prefix/path/to", "stream_map": {"enable": False, "path": "path/to/file.xml"}},
        "thumbnail": {"cross_domains": {"urls": ["*"]}},
    },
}


@pytest.mark.parametrize("version", RELEASES[:-1])
def test_the_servers_own_sample(version: str) -> None:
    with Simulator(version=version) as simulator:
        make_virtual_host(simulator, "t-v")
        run = running_modules.run_module("application", connection(simulator, **SAMPLE))
        assert run["action"] == "created", run
        unchanged(simulator, "application", **SAMPLE)
        unchanged(simulator, "application", **respell(SAMPLE, lambda items: items[::-1]))
        found = running_modules.run_module("application_info", connection(simulator, vhost="t-v", show_secrets=True))[
            "applications"
        ]
        unchanged(simulator, applications=found)
        posted = simulator.state.virtual_hosts["t-v"].applications["app"].config
        simulator.add_static_virtual_host({"name": "t-w", "host": {"names": ["x"]}}, [posted])
        unchanged(simulator, "application", **{**SAMPLE, "vhost": "t-w"})
        read = running_modules.run_module("application_info", connection(simulator, vhost="t-w", show_secrets=True))[
            "applications"
        ]
        assert {**read[0], "vhost": "t-v"}["publishers"] == found[0]["publishers"]


def _with_streams(*streams: dict[str, Any]) -> dict[str, Any]:
    return {"vhost": "t-v", "name": "app", "providers": {"mpegts": {"extra": {"streams": list(streams)}}}}


@pytest.mark.parametrize(
    "listed",
    [
        [{"name": "s_${Port}", "port": 4000}],
        [{"name": "s_${Port}", "port": "4000-4001, 4003/udp"}],
        [{"name": "s_${Port}", "port": "4000-4001/tcp"}],  # The server keeps the type of the socket that it has.
        [{"name": "two", "port": "4002"}, {"name": "one", "port": 4001}],
        [{"name": "0${Port}", "port": "4000"}, {"name": 7, "port": 4001}],
        [{"name": "any"}],
        [{"name": "any_4001", "port": 4001}, {"name": "any_${Port}"}, {"name": "any_${Port}"}],
    ],
    ids=str,
)
@pytest.mark.parametrize("ports", [(), range(4000, 4004)], ids=["none", "all"])
def test_streams_of_mpegts_are_returned_in_another_form(listed: list[dict[str, Any]], ports: range) -> None:
    """A server with their ports returns one for each port, any other what it was sent."""
    with Simulator(mpegts_ports=ports, stop_delay=0.0) as simulator:
        make_virtual_host(simulator, "t-v")
        run = running_modules.run_module("application", connection(simulator, **_with_streams(*listed)))
        assert run["action"] == "created", run
        unchanged(simulator, "application", **_with_streams(*listed))
        unchanged(simulator, "application", **_with_streams(*listed[::-1]))
        found = running_modules.run_module("application_info", connection(simulator, vhost="t-v", show_secrets=True))
        unchanged(simulator, applications=found["applications"])


def test_streams_of_mpegts_whose_ports_are_not_free() -> None:
    """The server creates the application all the same, with status 200 and without MPEG-TS."""
    bound, unbound = ({"name": "s_${Port}", "port": port} for port in ("4000-4001", "4004"))
    with Simulator(mpegts_ports=range(4000, 4004), stop_delay=0.0) as simulator:
        make_virtual_host(simulator, "t-v")

        def warnings_of(module: str, **options: Any) -> list[str]:
            run = running_modules.run_module(module, connection(simulator, **options))
            assert not run.failed, run
            return [text for text in run.warnings if "takes nothing" in text]

        def app(name: str, *streams: dict[str, Any]) -> dict[str, Any]:
            return {**_with_streams(*streams), "name": name}

        assert warnings_of("application", **app("first", bound)) == []
        assert warnings_of("application", **app("first", bound)) == []
        for name, stream in (("second", bound), ("third", unbound)):
            for _run in ("created", "unchanged"):
                (text,) = warnings_of("application", **app(name, stream))
                assert f"Application t-v/{name}: providers.mpegts takes nothing, because a port" in text
        lists = [app("first", bound), app("second", bound), app("third", unbound)]
        assert len(warnings_of("applications", applications=lists)) == 2
        (text,) = warnings_of("applications", applications=[app(f"more-{number}", unbound) for number in range(6)])
        assert "Each of 6 settings takes nothing, because a port" in text
        found = running_modules.run_module("audit_info", connection(simulator, applications=lists))["findings"]
        assert [one["application"] for one in found if one["kind"] == "concern"] == ["second", "third"], found
        third = warnings_of("application", **app("third", {"name": "s_${Port}", "port": 4003}), recreate=True)
        assert third == []


@pytest.mark.parametrize(
    "other",
    [
        [{"name": "s_${Port}", "port": "4000-4002"}],
        [{"name": "s_${Port}", "port": 4000}],
        [{"name": "s_${Port}", "port": "4000,4002"}],
        [{"name": "other_${Port}", "port": "4000-4001"}],
        [{"name": "s_${Port}", "port": 4000}, {"name": "other_${Port}"}],
        [],
    ],
    ids=str,
)
@pytest.mark.parametrize("ports", [(), range(4000, 4004)], ids=["none", "all"])
def test_other_streams_of_mpegts_differ(other: list[dict[str, Any]], ports: range) -> None:
    with Simulator(mpegts_ports=ports, stop_delay=0.0) as simulator:
        make_virtual_host(simulator, "t-v")
        before = _with_streams({"name": "s_${Port}", "port": "4000-4001"})
        assert running_modules.run_module("application", connection(simulator, **before))["changed"]
        options = connection(simulator, **_with_streams(*other), recreate=True)
        checked = running_modules.run_module("application", options, check_mode=True)
        assert [one["field"] for one in checked["differences"]] == ["providers.mpegts.extra"]
        assert running_modules.run_module("application", options)["action"] == "recreated"
        unchanged(simulator, "application", **_with_streams(*other))


@pytest.mark.parametrize("by", [running_modules.run_module, actions.run], ids=["module", "in_process"])
def test_names_in_a_list_are_members_without_settings(server: Simulator, by: Any) -> None:
    """In every place that takes applications, the audit's included."""
    server.restart()
    members = {"providers": ["rtmp", "srt"], "publishers": ["llhls", push_publisher(server)]}
    written_out = {"providers": {"rtmp": {}, "srt": {}}, "publishers": {"llhls": {}, push_publisher(server): {}}}
    vhost = {"name": "t-v", "host": {"names": ["t-v.example.com"]}}
    made = by("vhosts", connection(server, vhosts=[{**vhost, "applications": [{"name": "live", **members}]}]))
    assert made["changed"] and not made.get("failed"), made
    for module, options in (
        ("vhost", {**vhost, "applications": [{"name": "live", **members}]}),
        ("vhosts", {"vhosts": [{**vhost, "applications": [{"name": "live", **written_out}]}]}),
        ("application", {"vhost": "t-v", "name": "live", **members}),
        ("applications", {"applications": [{"vhost": "t-v", "name": "live", **members}]}),
    ):
        run = by(module, connection(server, **options))
        assert not run["changed"] and not run.get("failed"), run
    for listed in (
        {"applications": [{"vhost": "t-v", "name": "live", **members}]},
        {"vhosts": [{**vhost, "applications": [{"name": "live", **members}]}]},
    ):
        audit = by("audit_info", connection(server, read_only_vhosts=["default"], **listed))
        assert [
            finding
            for finding in audit["findings"]
            if finding["application"] == "live" and finding["severity"] in ("error", "drift")
        ] == []
    fewer = by("application", connection(server, vhost="t-v", name="live", **{**members, "providers": ["rtmp"]}))
    assert fewer["failed"] and [difference["field"] for difference in fewer["differences"]] == ["providers.srt"]
    unknown = by("application", connection(server, vhost="t-v", name="live", providers=["rtpm"]))
    assert unknown["failed"] and "providers.rtpm" in unknown["msg"] and "rtmp" in unknown["msg"]
    mixed = by("application", connection(server, vhost="t-v", name="live", providers=["rtmp", {"srt": {}}]))
    assert mixed["failed"] and mixed["msg"] == "providers: expected a dictionary, got a list."
